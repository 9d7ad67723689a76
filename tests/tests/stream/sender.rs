//! The example of a sender keeps its contract, docs/sender.md, on a real broker and against a provider that counts.

use jiff::{Timestamp, ToSpan as _};
use maysend_tests::{
    Program,
    kafka::{
        Broker, Deadline, Follower, Gate, Isolation, New, PATIENCE, Prefix, Record, client, history::RESERVATION, load,
        read,
    },
    mapped, program,
    provider::{Answer, Call, Provider},
    transcript,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

/// So many calls the sender makes for one transcript.
const MAX_CALLS: usize = 4;

/// Topics with what the sender needs beside those of the gate.
fn topics(name: &str) -> Prefix {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), name).partitions(2).create();
    for topic in ["usage", "erasures"] {
        client::ensure_topic(prefix.bootstrap(), &prefix.topic(topic), 1);
    }
    prefix
}

/// The gate takes these to their outcomes, and ends.
fn clear(prefix: &Prefix, records: Vec<New>) {
    let count = prefix.committed("decisions").len() + records.len();
    prefix.produce(records);
    let mut gate = prefix.gate(0);
    prefix.wait_for(count, &mut [&mut gate]);
    gate.stop().exits(0);
}

fn sender_group(prefix: &Prefix) -> String {
    format!("{}-sender", prefix.group())
}

fn sender(prefix: &Prefix, provider: &Provider) -> Gate {
    prefix.start(9, sender_program(prefix, provider, &[]))
}

fn sender_program(prefix: &Prefix, provider: &Provider, more: &[&str]) -> Program {
    let max_calls = MAX_CALLS.to_string();
    let program = program::sender(["--brokers", prefix.bootstrap(), "--topic-prefix", prefix.input()]).args([
        "--destination",
        "summaries-eu",
        "--provider",
        "example-models",
        "--endpoint",
        provider.endpoint(),
        "--group",
        &sender_group(prefix),
        "--max-calls",
        &max_calls,
        "-X",
        // A dead process's place is given to the next one soon.
        "session.timeout.ms=1500",
        "-X",
        "heartbeat.interval.ms=300",
    ]);
    program.args(more)
}

/// Cleared records with a value, for readers of committed records.
fn cleared(prefix: &Prefix) -> Vec<Record> {
    prefix.committed("cleared").into_iter().filter(|record| record.value.is_some()).collect()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

/// The reservation that the gate wrote for a cleared record.
fn reserved_by(record: &Record) -> String {
    record.header(RESERVATION).expect("a reservation").to_owned()
}

/// The reservation that the gate wrote for the transcript of a later one.
fn first_of(reservation_id: &str) -> String {
    reservation_id.split('.').next().unwrap_or_default().to_owned()
}

/// Waits until the sender has dealt with every cleared record, while it runs.
#[track_caller]
fn wait_until_done(prefix: &Prefix, sender: &mut Gate) {
    let ends: BTreeMap<i32, i64> = cleared(prefix).iter().map(|record| (record.partition, record.offset + 1)).collect();
    let committed = client::Committed::new(prefix.bootstrap(), &sender_group(prefix), &prefix.topic("cleared"));
    let mut pace = Follower::new(prefix.bootstrap(), &prefix.topic("usage"), Isolation::Committed);
    let deadline = Deadline::patient();
    loop {
        let now = committed.now();
        if ends.iter().all(|(partition, end)| now.get(partition).is_some_and(|offset| offset >= end)) {
            return;
        }
        assert!(sender.is_running(), "it has ended; it says:\n{}", sender.says());
        assert!(!deadline.is_over(), "not done in {PATIENCE:?}: {now:?} of {ends:?}; it says:\n{}", sender.says());
        pace.poll(Duration::from_millis(100));
    }
}

/// What holds of every sender that keeps the contract, whatever befell it. Returns usage by reservation.
#[track_caller]
fn keeps_the_contract(prefix: &Prefix, calls: &[Call]) -> BTreeMap<String, Value> {
    let reservations: Vec<Value> = read(prefix.bootstrap(), &prefix.topic("reservations"), Isolation::Uncommitted)
        .iter()
        .map(Record::json)
        .collect();
    let reserved: BTreeMap<String, u64> = reservations
        .iter()
        .map(|record| (text(record, "reservation_id"), record["reserved_requests"].as_u64().unwrap_or(0)))
        .collect();
    let mut made: BTreeMap<String, u64> = BTreeMap::new();
    for call in calls {
        *made.entry(call.reservation_id.clone()).or_default() += 1;
    }
    for (id, count) in &made {
        let reserved = reserved.get(id).copied().unwrap_or(0);
        assert!(*count <= reserved, "{count} calls under {id}, which reserves {reserved}");
    }
    let mut usage: BTreeMap<String, Value> = BTreeMap::new();
    for record in prefix.committed("usage").iter().map(Record::json) {
        let id = text(&record, "reservation_id");
        assert!(reserved.contains_key(&id), "usage of {id}, which nobody reserved");
        assert!(usage.insert(id.clone(), record).is_none(), "{id} is reported twice");
    }
    for call in calls {
        let id = &call.reservation_id;
        let report = usage.get(id).unwrap_or_else(|| panic!("the call under {id} is not reported"));
        assert!(report["requests_used"].as_u64() >= Some(1), "{report}");
        if report["outcome"] == "completed" {
            assert_eq!(report["provider_request_ids"], json!([call.request_id]));
            assert_eq!(report["plan"], "business");
        }
    }
    for (id, report) in &usage {
        let was_called = made.contains_key(id);
        match report["outcome"].as_str() {
            Some("refused") => assert!(!was_called && report["requests_used"] == 0, "{report}"),
            Some("completed") => assert!(was_called, "{report}"),
            Some("failed" | "abandoned") => assert_eq!(report["requests_used"], 1, "{report}"),
            other => panic!("{other:?}"),
        }
    }
    // What is only in the log, of a transaction that was aborted, is never sent.
    let may_be_sent: BTreeSet<String> = cleared(prefix).iter().map(reserved_by).collect();
    assert!(calls.iter().all(|call| may_be_sent.contains(&first_of(&call.reservation_id))));
    usage
}

#[test]
fn each_cleared_transcript_is_called_once() {
    let prefix = topics("called-once").stream("batch_records = 20");
    prefix.produce(load::records(60));
    // What an aborted transaction has cleared stands in the log, before what was cleared in its place.
    prefix.gate_dying_at(0, "before_commit:2").end().was_killed();
    let mut gate = prefix.gate(0);
    prefix.wait_for(60, &mut [&mut gate]);
    gate.stop().exits(0);
    let all = cleared(&prefix);
    let in_log = read(prefix.bootstrap(), &prefix.topic("cleared"), Isolation::Uncommitted).len();
    assert!(in_log > all.len(), "the test shows nothing without aborted records");

    let provider = Provider::start(|_, _| Answer::Done);
    let mut sender = sender(&prefix, &provider);
    wait_until_done(&prefix, &mut sender);
    sender.stop().exits(0);
    let calls = provider.calls();
    assert_eq!(calls.len(), all.len());
    let called: BTreeSet<&str> = calls.iter().map(|call| call.reservation_id.as_str()).collect();
    assert_eq!(called.len(), all.len(), "each once");
    let usage = keeps_the_contract(&prefix, &calls);
    assert!(usage.values().all(|report| report["outcome"] == "completed"));
    let report = usage.values().next().unwrap();
    assert_eq!((&report["destination"], &report["endpoint"]), (&json!("summaries-eu"), &json!(provider.endpoint())));
}

#[test]
fn a_failed_call_is_made_again_under_a_reservation_of_its_own() {
    let prefix = topics("failed");
    let records = (0..3).map(|n| New::value(transcript(&format!("t-{n}")).customer("Where is it?").line()));
    clear(&prefix, records.collect());
    let (bootstrap, topic) = (prefix.bootstrap().to_owned(), prefix.topic("reservations"));
    let seen: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let (report, uncovered) = mpsc::channel();
    let provider = Provider::start(move |_, call| {
        let reserved = read(&bootstrap, &topic, Isolation::Uncommitted);
        if !reserved.iter().any(|record| text(&record.json(), "reservation_id") == call.reservation_id) {
            let _ = report.send(call.clone());
        }
        let mut seen = seen.lock().unwrap();
        let calls = seen.entry(first_of(&call.reservation_id)).or_insert(0);
        *calls += 1;
        match *calls {
            1 => Answer::Fault,
            2 => Answer::Nothing,
            _ => Answer::Done,
        }
    });
    let mut sender = sender(&prefix, &provider);
    wait_until_done(&prefix, &mut sender);
    sender.stop().exits(0);
    assert_eq!(uncovered.try_iter().count(), 0, "a call came before its reservation was acknowledged");
    let calls = provider.calls();
    assert_eq!(calls.len(), 9, "two fail and the third is answered, for each");
    let usage = keeps_the_contract(&prefix, &calls);
    let outcomes = |outcome: &str| usage.values().filter(|report| report["outcome"] == outcome).count();
    assert_eq!((outcomes("failed"), outcomes("completed")), (6, 3));
}

#[test]
fn a_sender_gives_up_after_enough_calls() {
    let prefix = topics("gives-up");
    clear(&prefix, vec![New::value(transcript("t-1").customer("Where is it?").line())]);
    let provider = Provider::start(|_, _| Answer::Fault);
    let mut sender = sender(&prefix, &provider);
    wait_until_done(&prefix, &mut sender);
    sender.stop().exits(0);
    assert_eq!(provider.calls().len(), MAX_CALLS);
    assert_eq!(keeps_the_contract(&prefix, &provider.calls()).len(), MAX_CALLS);
}

#[test]
fn a_killed_sender_has_reserved_every_call_that_it_may_have_made() {
    let prefix = topics("sender-kills");
    let records = (0..12).map(|n| New::value(transcript(&format!("t-{n}")).customer("Where is it?").line()));
    clear(&prefix, records.collect());
    let (arrived, arrivals) = mpsc::channel::<usize>();
    let (allow, allowed) = mpsc::channel::<Answer>();
    let allowed = Mutex::new(allowed);
    let provider = Provider::start(move |number, _| {
        let _ = arrived.send(number);
        allowed.lock().unwrap().recv().unwrap_or(Answer::Nothing)
    });
    let mut kills = 0;
    let mut running = sender(&prefix, &provider);
    while kills < 9 {
        arrivals.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no call; it says:\n{}", running.says()));
        match kills % 3 {
            // While it waits for the answer: the provider has the transcript, and the sender cannot know.
            0 => {
                running.kill();
                allow.send(Answer::Nothing).unwrap();
            }
            // When it is answered: it may or may not have reported it.
            1 => {
                allow.send(Answer::Done).unwrap();
                running.kill();
            }
            // In the middle of calling again.
            _ => {
                allow.send(Answer::Fault).unwrap();
                running.signal(Signal::KILL);
                running.end().was_killed();
            }
        }
        kills += 1;
        running = sender(&prefix, &provider);
    }
    drop(allow);
    for _ in 0..20 {
        // Whatever still comes is not answered; the sender gives up in time.
        if arrivals.recv_timeout(Duration::from_millis(50)).is_err() && !running.is_running() {
            break;
        }
    }
    wait_until_done(&prefix, &mut running);
    running.stop().exits(0);
    let calls = provider.calls();
    let usage = keeps_the_contract(&prefix, &calls);
    assert!(usage.values().any(|report| report["outcome"] == "abandoned"), "nothing was in doubt");
    let dealt_with: BTreeSet<String> = usage.keys().map(|id| first_of(id)).collect();
    assert_eq!(dealt_with.len(), 12, "every transcript was dealt with");
}

#[test]
fn what_was_erased_before_it_is_sent_is_not_sent() {
    let prefix = topics("erased");
    let about = |n: usize, customer: &str| {
        New::value(transcript(&format!("t-{n}")).with("customer_key", json!(customer)).customer("Where is it?").line())
    };
    let an_hour_ago = Timestamp::now() - 1.hour();
    let records = [about(0, "ck_a"), about(1, "ck_b"), about(2, "ck_c"), about(3, "ck_c")];
    clear(&prefix, records.into_iter().chain([about(4, "ck_d").at(an_hour_ago)]).collect());
    let of = |n: usize| {
        let all = cleared(&prefix);
        let found = all.iter().find(|record| record.json()["id"] == format!("t-{n}"));
        found.unwrap_or_else(|| panic!("t-{n} is cleared")).clone()
    };
    // One record is erased by its tombstone, one customer by a record in `erasures`, one whose transcript is older than the
    // erasure though it was cleared later, and one erasure is older than what it is about.
    let one = of(0);
    let key = String::from_utf8(one.key.clone().unwrap()).unwrap();
    client::produce(prefix.bootstrap(), &prefix.topic("cleared"), [New::tombstone().key(&key).to(one.partition)]);
    let erasure = |customer: &str, at: &str| {
        New::value(json!({"schema": 1, "tenant": "acme", "customer_key": customer, "erased_at": at}).to_string())
    };
    let half_an_hour_ago = (an_hour_ago + 30.minutes()).to_string();
    let erasures = [
        erasure("ck_c", "2199-01-01T00:00:00Z"),
        erasure("ck_b", "2001-01-01T00:00:00Z"),
        erasure("ck_d", &half_an_hour_ago),
    ];
    client::produce(prefix.bootstrap(), &prefix.topic("erasures"), erasures);

    let provider = Provider::start(|_, _| Answer::Done);
    let mut sender = sender(&prefix, &provider);
    wait_until_done(&prefix, &mut sender);
    sender.stop().exits(0);
    let called: Vec<String> = provider.calls().into_iter().map(|call| call.reservation_id).collect();
    assert_eq!(called, [text(&of(1).json(), "reservation_id")]);
    let usage = keeps_the_contract(&prefix, &provider.calls());
    for n in [0, 2, 3, 4] {
        assert_eq!(usage[&text(&of(n).json(), "reservation_id")]["outcome"], "refused");
    }
}

#[test]
fn a_transcript_of_another_shape_is_sent_in_it_without_the_gates_own_members() {
    let prefix = topics("other-shape");
    mapped::map(&prefix.patterns(), "conversations");
    clear(&prefix, mapped::records("conversations").map(New::value).collect());
    assert_eq!(cleared(&prefix).len(), 2);
    // The first call fails, so that one is reserved again.
    let provider = Provider::start(|number, _| if number == 0 { Answer::Fault } else { Answer::Done });
    let pointers = ["--conversation", "/data/opening", "--conversation", "/data/parts"];
    let mut sender = prefix.start(9, sender_program(&prefix, &provider, &pointers));
    wait_until_done(&prefix, &mut sender);
    sender.stop().exits(0);
    let calls = provider.calls();
    let usage = keeps_the_contract(&prefix, &calls);
    let outcomes: Vec<&str> = usage.values().map(|report| report["outcome"].as_str().unwrap()).collect();
    assert_eq!((calls.len(), outcomes.iter().filter(|outcome| **outcome == "completed").count()), (3, 2));
    assert!(usage.values().all(|report| report["tenant"] == "acme" && !report["terms"].is_null()), "{usage:?}");
    let said: BTreeSet<String> = calls
        .iter()
        .map(|call| serde_json::from_str::<Value>(&call.body).unwrap()["conversation"].to_string())
        .collect();
    assert_eq!(said.len(), 2);
    assert!(said.iter().any(|said| said.contains("I was charged twice.")), "{said:?}");
    assert!(said.iter().all(|said| !said.contains("maysend") && !said.contains("ck_77b001")), "{said:?}");
}

#[test]
fn a_conversation_that_is_not_where_it_should_be_stops_the_sender() {
    let prefix = topics("elsewhere");
    mapped::map(&prefix.patterns(), "conversations");
    clear(&prefix, mapped::records("conversations").map(New::value).collect());
    let provider = Provider::start(|_, _| Answer::Done);
    let sender = prefix.start(9, sender_program(&prefix, &provider, &[]));
    sender.end().exits(1).says(&["has no conversation where --conversation says"]);
    assert!(provider.calls().is_empty());
}

#[test]
fn of_two_senders_one_takes_over_what_the_other_had_claimed() {
    let prefix = topics("two-senders");
    let some = |name: &str| {
        let name = name.to_owned();
        (0..16).map(move |n| New::value(transcript(&format!("{name}-{n}")).customer("Where is it?").line())).collect()
    };
    let is_holding = Arc::new(AtomicBool::new(false));
    let (arrived, arrivals) = mpsc::channel::<usize>();
    let (release, released) = mpsc::channel::<()>();
    let (hold, released) = (is_holding.clone(), Mutex::new(released));
    let provider = Provider::start(move |number, _| {
        if hold.load(Ordering::SeqCst) {
            let _ = arrived.send(number);
            // Ends when the test lets go of the other end.
            let _ = released.lock().unwrap().recv();
        }
        Answer::Done
    });
    // The first sees every partition, and that nothing was claimed there.
    clear(&prefix, some("alone"));
    let mut first = prefix.start(9, sender_program(&prefix, &provider, &["--ordinal", "0"]));
    wait_until_done(&prefix, &mut first);
    is_holding.store(true, Ordering::SeqCst);
    let second = prefix.start(9, sender_program(&prefix, &provider, &["--ordinal", "1"]));
    let group = client::Group::new(prefix.bootstrap(), &sender_group(&prefix));
    let mut pace = Follower::new(prefix.bootstrap(), &prefix.topic("usage"), Isolation::Committed);
    let deadline = Deadline::patient();
    while group.now() != ("Stable".into(), 2) {
        assert!(!deadline.is_over(), "no group of two: {:?}", group.now());
        pace.poll(Duration::from_millis(100));
    }
    clear(&prefix, some("shared"));
    // Each of the two is in the middle of a call; then one of them is gone.
    for _ in 0..2 {
        arrivals.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no second call; it says:\n{}", first.says()));
    }
    second.kill();
    is_holding.store(false, Ordering::SeqCst);
    drop(release);
    wait_until_done(&prefix, &mut first);
    first.stop().exits(0);
    let calls = provider.calls();
    let usage = keeps_the_contract(&prefix, &calls);
    let abandoned = usage.values().filter(|report| report["outcome"] == "abandoned").count();
    assert_eq!((abandoned, calls.len()), (1, 33), "the call in doubt is made again under another reservation");
    let dealt_with: BTreeSet<String> = usage.keys().map(|id| first_of(id)).collect();
    assert_eq!(dealt_with.len(), 32);
}
