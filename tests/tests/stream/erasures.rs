//! Erased customers: nothing of theirs that is older than the erasure is sent once it was read.

use jiff::Timestamp;
use maysend_tests::{
    Transcript,
    kafka::{Broker, Decisions, New, Prefix, client, decisions::reasons, prefix::CANARY, produce},
    transcript,
};
use rustix::process::Signal;
use serde_json::{Value, json};

fn erasure(customer: &str, erased_at: &str) -> New {
    let record = json!({"schema": 1, "tenant": "acme", "customer_key": customer, "erased_at": erased_at});
    New::value(record.to_string()).key(&format!("acme/{customer}"))
}

fn erase(prefix: &Prefix, records: impl IntoIterator<Item = New>) {
    produce(prefix.bootstrap(), &prefix.topic("erasures"), records);
}

fn of(customer: &str, id: &str) -> Transcript {
    transcript(id).with("customer_key", json!(customer)).customer("Where is my parcel?")
}

/// Said at a time.
fn at(transcript: Transcript, at: &str) -> Transcript {
    transcript.with("turns", json!([{"speaker": "customer", "at": at, "text": "Where is my parcel?"}]))
}

#[test]
fn a_backlog_of_an_erased_customer_is_not_sent() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "erased").create();
    let records = (0..40).map(|n| of(if n % 2 == 0 { "ck_gone" } else { "ck_here" }, &format!("t-{n}")));
    prefix.produce(records.map(|transcript| New::value(transcript.line())));
    // Of several erasures the latest counts, wherever they stand.
    erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z"), erasure("ck_gone", "2020-01-01T00:00:00Z")]);
    let mut gate = prefix.gate(0);
    prefix.wait_for(40, &mut [&mut gate]);
    gate.stop().exits(0);
    let history = prefix.history();
    history.holds().is_complete();
    for output in ["cleared", "review", "held"] {
        let gone = history.of(output).iter().filter(|record| record.json()["customer_key"] == "ck_gone");
        assert_eq!(gone.count(), 0, "{output}");
    }
    assert_eq!(history.of("cleared").len(), 20);
    let erased = history.of("decisions").iter().map(|record| record.json());
    let erased = erased.filter(|decision| reasons(decision) == ["customer_erased"]);
    assert!(erased.clone().all(|decision| decision["customer_key"] == "ck_gone"));
    assert_eq!(erased.count(), 20);
    assert_eq!(history.uncommitted["reservations"].len(), 20, "nothing was reserved for them either");
}

#[test]
fn who_was_erased_is_known_before_anything_is_decided() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "known").create();
    prefix.produce((0..10).map(|n| New::value(of("ck_gone", &format!("t-{n}")).line())));
    erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z")]);
    // Who follows the topic stands still from the beginning: what is known was read before.
    let program = prefix.program(0).env("MAYSEND_STALL_AT", "erasures:1");
    let go_on = prefix.folder().join("go-on");
    let mut gate = prefix.start(0, program.env("MAYSEND_STALL_UNTIL", go_on.to_str().unwrap()));
    prefix.wait_for(10, &mut [&mut gate]);
    std::fs::write(&go_on, "").unwrap();
    gate.stop().exits(0);
    let history = prefix.history();
    history.holds().is_complete();
    assert!(history.of("cleared").is_empty());
}

#[test]
fn an_erasure_that_comes_later_holds_from_the_next_batch_on() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "closed").create();
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    let before = decisions.decide(&prefix, &mut gate, &of("ck_gone", "before"));
    assert_eq!(before["verdict"], "send");
    erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z")]);
    let erased = |decision: &Value| reasons(decision) == ["customer_erased"];
    decisions.decide_until(&prefix, &mut gate, |n| of("ck_gone", &format!("after-{n}")), erased);
    for n in 0..5 {
        let decision = decisions.decide(&prefix, &mut gate, &of("ck_gone", &format!("later-{n}")));
        assert!(erased(&decision), "once read, it holds: {decision}");
    }
    // Who comes back is somebody new; what was said and published after the erasure may go.
    let back = decisions.decide(&prefix, &mut gate, &at(of("ck_gone", "back"), "2026-03-03T00:00:01Z"));
    assert_eq!(back["verdict"], "send");
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn a_clock_that_is_ahead_makes_no_old_record_a_new_one() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "clock").partitions(1).create();
    // Published before the erasure, whatever its turns say.
    erase(&prefix, [erasure("ck_gone", "2100-01-01T00:00:00Z")]);
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    let decision = decisions.decide(&prefix, &mut gate, &at(of("ck_gone", "ahead"), "2150-01-01T00:00:00Z"));
    assert_eq!(reasons(&decision), ["customer_erased"]);
    gate.stop().exits(0);
}

#[test]
fn a_record_without_a_time_is_taken_to_be_older() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "timeless").partitions(1).create();
    erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z")]);
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    // A time before 1970 is how a record says that it has none.
    let back = at(of("ck_gone", "timeless"), "2026-03-03T00:00:01Z");
    prefix.produce([New::value(back.line()).at(Timestamp::from_millisecond(-1).unwrap())]);
    assert_eq!(reasons(&decisions.wait_for("timeless", 1, &mut gate)), ["customer_erased"]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn an_erasure_in_a_partition_that_is_new_is_read() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "grown").partitions(1).create();
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    decisions.decide(&prefix, &mut gate, &of("ck_gone", "before"));
    client::grow(prefix.bootstrap(), &prefix.topic("erasures"), 3);
    erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z").to(2)]);
    let erased = |decision: &Value| reasons(decision) == ["customer_erased"];
    decisions.decide_until(&prefix, &mut gate, |n| of("ck_gone", &format!("after-{n}")), erased);
    gate.stop().exits(0);
}

#[test]
fn an_erasure_that_cannot_be_read_stops_it_and_can_be_passed_over_by_name() {
    let bad = [
        New::tombstone().key("acme/ck_gone"),
        New::value(json!({"schema": 2, "customer": CANARY}).to_string()),
        New::value(format!("no JSON {CANARY}")),
    ];
    for record in bad {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "unreadable").partitions(1).create();
        let place = format!("{}/0/1", prefix.topic("erasures"));
        let mut decisions = Decisions::of(&prefix);
        let mut gate = prefix.gate(0);
        decisions.decide(&prefix, &mut gate, &of("ck_here", "before"));
        erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z").to(0), record.to(0)]);
        // While it runs, and when it is started again.
        gate.end().exits(2).says(&[&place, "nothing is decided"]);
        prefix.produce([New::value(of("ck_gone", "after").line())]);
        prefix.gate(0).end().exits(2).says(&[&place]);
        assert_eq!(prefix.committed("decisions").len(), 1);

        let prefix = prefix.stream("erasures_passed_over = \"0/1\"");
        let mut gate = prefix.gate(0);
        let after = decisions.wait_for("after", 1, &mut gate);
        assert_eq!(reasons(&after), ["customer_erased"], "the others still hold");
        gate.stop().exits(0);
        prefix.history().holds().is_complete();
    }
}

#[test]
fn a_list_of_erasures_that_does_not_answer_stops_it() {
    let broker = Broker::start();
    let prefix = Prefix::new(&broker.bootstrap(), "silent").impatient().stream("stale_after_ms = 2000").create();
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    decisions.decide(&prefix, &mut gate, &of("ck_here", "before"));
    // With nothing to do the stream itself would wait for the broker.
    broker.signal(Signal::STOP);
    gate.end().exits(2).says(&["has not answered for 2s", "nothing may be decided without it"]);
    broker.signal(Signal::CONT);
}

#[test]
fn a_list_of_erasures_that_is_emptied_stops_it() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "emptied").partitions(1).create();
    erase(&prefix, [erasure("ck_gone", "2026-03-03T00:00:00Z")]);
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    decisions.decide(&prefix, &mut gate, &of("ck_gone", "before"));
    client::delete_topic(prefix.bootstrap(), &prefix.topic("erasures"));
    gate.end().exits(2).says(&[&prefix.topic("erasures")]);
}
