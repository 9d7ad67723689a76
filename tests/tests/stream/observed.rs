//! What is seen of a process from outside: metrics, health, logs.

use maysend_tests::kafka::{Broker, New, Page, Prefix, load, prefix::CANARY};
use rustix::process::Signal;
use std::{collections::BTreeMap, fs, net::TcpListener, time::Duration};

#[test]
fn counts_equal_what_was_written() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "counted").create();
    prefix.produce(load::records(200));
    let mut gate = prefix.gate(0);
    let page = Page::of(&mut gate);
    prefix.wait_for(200, &mut [&mut gate]);
    // A reader can see a commit a moment before the process knows of it.
    page.wait(&mut gate, "all counted", |page| page.metrics().sum("maysend_attempts_total", &[]) == 200.0);
    page.wait(&mut gate, "the lag is gone", |page| page.metrics().sum("maysend_lag_offsets", &[]) == 0.0);
    let metrics = page.metrics();
    gate.stop().exits(0).says(&["end to end, ms: p50", "scan, ms: p50", "commit, ms: p50"]);

    let history = prefix.history();
    history.holds().is_complete();
    for output in ["cleared", "review", "held", "decisions", "reservations", "dead-letter"] {
        let written = history.of(output).len() as f64;
        assert!(written > 0.0);
        assert_eq!(metrics.sum("maysend_records_written_total", &[("output", output)]), written, "{output}");
    }
    for outcome in ["cleared", "review", "held", "dead-letter"] {
        let written = history.of(outcome).len() as f64;
        assert_eq!(metrics.sum("maysend_attempts_total", &[("outcome", outcome)]), written, "{outcome}");
    }
    assert_eq!(metrics.sum("maysend_reservations_total", &[]), history.of("reservations").len() as f64);
    assert_eq!(metrics.sum("maysend_orphaned_reservations", &[]), 0.0);

    let (mut verdicts, mut reasons) = (BTreeMap::new(), BTreeMap::new());
    for decision in history.of("decisions") {
        let decision = decision.json();
        let codes: Vec<_> = decision["reasons"].as_array().unwrap().iter().map(|r| r["reason"].to_string()).collect();
        if decision["transcript_id"].is_null() {
            let reason = codes[0].trim_matches('"').to_owned();
            *reasons.entry(("maysend_dead_letters_total", reason)).or_insert(0.0) += 1.0;
            continue;
        }
        *verdicts.entry(decision["verdict"].as_str().unwrap().to_owned()).or_insert(0.0) += 1.0;
        for code in codes {
            let reason = code.trim_matches('"').to_owned();
            *reasons.entry(("maysend_decision_reasons_total", reason)).or_insert(0.0) += 1.0;
        }
    }
    assert!(verdicts.len() == 2 && reasons.len() > 4, "{verdicts:?} {reasons:?}");
    for (verdict, count) in verdicts {
        let labels = [("mode", "enforce"), ("verdict", verdict.as_str())];
        assert_eq!(metrics.sum("maysend_decisions_total", &labels), count, "{verdict}");
    }
    for ((name, reason), count) in reasons {
        assert_eq!(metrics.sum(name, &[("reason", &reason)]), count, "{name} {reason}");
    }

    // Destinations are those of the register; a name that a record makes up is no label.
    assert!(metrics.sum("maysend_attempts_total", &[("destination", "unknown")]) > 0.0);
    assert!(!metrics.0.contains("nowhere") && !metrics.0.contains(CANARY), "{}", metrics.0);
    let batches = metrics.sum("maysend_transactions_total", &[("result", "committed")]);
    assert!(batches > 0.0);
    assert_eq!(metrics.sum("maysend_batch_records_sum", &[]), 200.0);
    for times in ["maysend_batch_records", "maysend_batch_bytes", "maysend_scan_seconds", "maysend_commit_seconds"] {
        assert_eq!(metrics.sum(&format!("{times}_count"), &[]), batches, "{times}");
    }
    assert_eq!(metrics.sum("maysend_end_to_end_seconds_count", &[]), 200.0);
    assert_eq!(metrics.sum("maysend_assigned_partitions", &[]), 4.0);
    assert_eq!(metrics.sum("maysend_oldest_undecided_seconds", &[]), 0.0);
    assert_eq!(metrics.sum("maysend_in_flight_bytes", &[]), 0.0);
    let entity = [("tier", "1"), ("entity", "nl.bsn")];
    assert_eq!(metrics.sum("maysend_entities_total", &entity), history.of("review").len() as f64);
}

#[test]
fn readiness_turns_with_the_state_of_the_broker() {
    let mut broker = Broker::start();
    let prefix = Prefix::new(&broker.bootstrap(), "ready").impatient().create();
    broker.signal(Signal::STOP);
    let mut gate = prefix.gate(0);
    let page = Page::of(&mut gate);
    assert_eq!(page.readiness(), (false, vec!["not_assigned".into()]));
    assert_eq!(page.get("/healthz").0, 200, "one that starts is alive");
    assert_eq!(page.metrics().sum("maysend_ready", &[]), 0.0);
    broker.signal(Signal::CONT);
    page.wait_until_ready(&mut gate);
    assert_eq!(page.metrics().sum("maysend_ready", &[]), 1.0);

    // One that no longer answers, then one that is gone: with nothing to do, the process waits for it.
    broker.signal(Signal::STOP);
    page.wait_until_not_ready(&mut gate, "no_broker");
    broker.signal(Signal::CONT);
    page.wait_until_ready(&mut gate);
    broker.kill();
    page.wait_until_not_ready(&mut gate, "no_broker");
    assert_eq!(page.get("/healthz").0, 200, "a restart would not bring the broker back");
    broker.restart();
    page.wait_until_ready(&mut gate);
    prefix.produce(load::records(20));
    prefix.wait_for(20, &mut [&mut gate]);
    gate.stop().exits(0);
}

#[test]
fn records_that_wait_without_a_commit_make_it_not_ready() {
    let http = "listen = \"127.0.0.1:0\"\nstalled_after_ms = 500";
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "stalled").http(http).create();
    let go_on = prefix.folder().join("go-on");
    let program = prefix.program(0).env("MAYSEND_STALL_AT", "before_begin:1");
    let mut gate = prefix.start(0, program.env("MAYSEND_STALL_UNTIL", go_on.to_str().unwrap()));
    let page = Page::of(&mut gate);
    page.wait_until_ready(&mut gate);
    prefix.produce(load::records(20));
    page.wait_until_not_ready(&mut gate, "stalled");
    let metrics = page.metrics();
    assert!(metrics.sum("maysend_oldest_undecided_seconds", &[]) >= 0.5, "{}", metrics.0);
    assert!(metrics.sum("maysend_in_flight_bytes", &[]) > 0.0);
    fs::write(&go_on, "").unwrap();
    page.wait_until_ready(&mut gate);
    prefix.wait_for(20, &mut [&mut gate]);
    gate.stop().exits(0);
}

#[test]
fn a_process_without_partitions_is_ready() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "spare").partitions(1).create();
    let (mut first, mut second) = (prefix.gate(0), prefix.gate(1));
    for gate in [&mut first, &mut second] {
        Page::of(gate).wait_until_ready(gate);
    }
    let assigned = |gate: &mut _| Page::of(gate).metrics().sum("maysend_assigned_partitions", &[]);
    assert_eq!(assigned(&mut first) + assigned(&mut second), 1.0);
    first.stop().exits(0);
    second.stop().exits(0);
}

#[test]
fn what_is_aborted_is_not_counted_and_its_reservations_are_orphans_until_it_is_read_again() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "again").impatient().create();
    let go_on = prefix.folder().join("go-on");
    let program = prefix.program(0).env("MAYSEND_STALL_AT", "before_begin:1");
    let mut first = prefix.start(0, program.env("MAYSEND_STALL_UNTIL", go_on.to_str().unwrap()));
    let page = Page::of(&mut first);
    let of = move |name: &str| page.metrics().sum(name, &[]);
    prefix.produce((0..80).map(|n| load::record(n).to((n % 4) as i32)));
    page.wait(&mut first, "reserved", |_| of("maysend_reservations_total") > 0.0);
    let reserved = of("maysend_reservations_total");
    assert_eq!(of("maysend_records_written_total"), 0.0, "nothing is committed");
    // Another comes and is given some of its partitions, after what is in flight could have ended.
    let mut second = prefix.gate(1);
    let revoked = |page: Page| page.metrics().sum("maysend_rebalances_total", &[("kind", "revoked")]) == 1.0;
    page.wait(&mut first, "revoked", revoked);
    fs::write(&go_on, "").unwrap();
    prefix.wait_for(80, &mut [&mut first, &mut second]);
    let attempts = |gate: &mut _| Page::of(gate).metrics().sum("maysend_attempts_total", &[]);
    page.wait(&mut first, "all of its own counted", |_| of("maysend_lag_offsets") == 0.0);
    let metrics = page.metrics();
    assert_eq!(metrics.sum("maysend_transactions_total", &[("result", "aborted")]), 1.0);
    assert_eq!(metrics.sum("maysend_orphaned_reservations", &[]), 0.0, "the same ids were committed");
    let written = metrics.sum("maysend_records_written_total", &[("output", "reservations")]);
    assert!(metrics.sum("maysend_reservations_total", &[]) > written);
    assert!(metrics.sum("maysend_reservations_handed_on_total", &[]) > 0.0 && reserved > 0.0);
    let own = attempts(&mut first);
    Page::of(&mut second).wait(&mut second, "all of the others counted", |page| {
        own + page.metrics().sum("maysend_attempts_total", &[]) == 80.0
    });
    first.stop().exits(0);
    second.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn an_address_that_is_taken_is_said_at_once() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    // No broker is needed to see it.
    let prefix = Prefix::new("127.0.0.1:1", "taken").http(&format!("listen = \"{address}\""));
    let said = ["maysend: cannot listen on", &address.to_string(), "`listen` under [http]", "\"off\""];
    prefix.gate(0).end_within(Duration::from_secs(30)).exits(2).says(&said);
}

#[test]
fn the_log_is_json_where_nobody_looks_and_says_no_text() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "logged").create();
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let with = |n: usize, value: &str| load::record(n).header("traceparent", value).header("other", CANARY);
    prefix.produce((0..20).map(|n| with(n, traceparent)));
    prefix.produce([with(9, CANARY), New::value(format!("{CANARY} no JSON"))]);
    let mut gate = prefix.start(0, prefix.program(0).args(["--verbose"]).env("MAYSEND_LOG", "trace"));
    let page = Page::of(&mut gate);
    prefix.wait_for(22, &mut [&mut gate]);
    for path in ["/metrics", "/healthz", "/readyz", &format!("/{CANARY}")] {
        assert!(!page.get(path).1.contains(CANARY), "{path}");
    }
    let ran = gate.stop().exits(0);
    assert!(!ran.stderr.contains(CANARY), "{}", ran.stderr);
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| !line.starts_with("maysend: ")).collect();
    assert!(!lines.is_empty());
    for line in lines {
        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(["timestamp", "level", "target"].iter().all(|member| line[member].is_string()), "{line}");
    }
    // Of the headers only the trace goes on, and only if it is one.
    let history = prefix.history();
    history.holds().is_complete();
    let traced =
        history.of("cleared").iter().filter(|record| record.header("traceparent") == Some(traceparent)).count();
    assert_eq!(history.of("cleared").len(), traced + 1);
}
