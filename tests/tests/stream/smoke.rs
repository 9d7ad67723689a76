//! Every kind of record has exactly one outcome.

use maysend_tests::{
    kafka::{Broker, Isolation, New, Prefix, Record, Witness, client, load, prefix::CANARY, read},
    transcript,
};
use std::time::Duration;

/// Twice what a record may have; the broker takes more.
const TOO_LARGE: usize = 2 << 20;

/// What an input record must become: the output, and the reason of a dead letter.
type Expected = (&'static str, Option<&'static str>);

fn records() -> Vec<(New, Expected)> {
    let text = |id: &str| transcript(id).customer(&format!("Where is my parcel? {CANARY}"));
    let value = |line: String| New::value(line);
    let dead = |bytes: Vec<u8>, reason| (New::value(bytes), ("dead-letter", Some(reason)));
    let line = text("t").line();
    let mut not_utf8 = format!("{{\"schema\":1,\"id\":\"{CANARY} ").into_bytes();
    not_utf8.push(0xff);
    let with_headers = (0..3000).fold(value(text("headers").line()), |new, n| new.header(&format!("h-{n}"), CANARY));
    vec![
        (value(text("good").line()), ("cleared", None)),
        (value(text("redacted").customer("Write to jan.jansen@example.nl").line()), ("cleared", None)),
        (value(text("blocked").customer("mijn BSN is 111222333").line()), ("review", None)),
        (value(text("unknown").to("nowhere").line()), ("held", None)),
        (value(text("refused").to("labs-free").line()), ("held", None)),
        (with_headers, ("cleared", None)),
        (New::tombstone().key("erased"), ("dead-letter", Some("empty"))),
        dead(Vec::new(), "empty"),
        dead(not_utf8, "not_utf8"),
        dead(line.as_bytes()[..line.len() / 2].to_vec(), "not_json"),
        dead(format!("{{\"id\":\"x\",{}", &line[1..]).into_bytes(), "duplicate_member"),
        dead(text("schema").with("schema", 9.into()).line().into_bytes(), "unknown_schema"),
        dead(text("t").without("tenant").line().into_bytes(), "missing_member"),
        dead(text("large").customer(&"parcel ".repeat(TOO_LARGE / 7)).line().into_bytes(), "too_large"),
        (value(text("last").line()), ("cleared", None)),
    ]
}

#[test]
fn every_kind_of_record_has_exactly_one_outcome() {
    let broker = Broker::shared();
    let prefix = Prefix::new(&broker.bootstrap(), "smoke").partitions(1).create();
    // A broker that somebody else runs may allow no more than a mebibyte.
    client::alter_topic(prefix.bootstrap(), prefix.input(), &[("max.message.bytes", "8388608")]);
    let (new, expected): (Vec<New>, Vec<Expected>) = records().into_iter().unzip();
    let count = new.len();
    prefix.produce(new);

    let witness = Witness::of(&prefix);
    let mut gate = prefix.gate(0);
    prefix.wait_for(count, &mut [&mut gate]);
    gate.stop().exits(0).says(&["batches committed"]);

    let history = witness.testify(prefix.history());
    history.holds().is_complete();
    assert_eq!(history.orphans(), 0);
    for (offset, (output, reason)) in (0..).zip(expected) {
        let found = history.of_source(output, (0, offset));
        let [record] = found.as_slice() else { panic!("offset {offset} has {} records in {output}", found.len()) };
        assert_eq!(record.header("maysend-reason"), reason, "offset {offset}");
        if reason.is_none() {
            continue;
        }
        assert_eq!(record.header("maysend-source-topic"), Some(prefix.input()));
        assert_eq!(record.header("maysend-source-partition"), Some("0"));
        assert_eq!(record.header("maysend-source-offset"), Some(offset.to_string().as_str()));
        let is_large = reason == Some("too_large");
        assert!(!is_large || record.value.as_ref().unwrap().len() < 2000, "only its place and digest are kept");
    }
    // Nothing of an input's headers goes anywhere.
    let names = |record: &Record| record.headers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for record in history.of("cleared") {
        assert_eq!(names(record), ["maysend-reservation-id", "maysend-published-at"]);
    }
}

#[test]
fn a_stopped_stream_goes_on_where_it_was() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "stopped").stream("batch_records = 10").create();
    let mut decided = prefix.decided();
    for part in 0..4 {
        prefix.produce((50 * part..50 * part + 50).map(load::record));
        let mut gate = prefix.gate(0);
        decided.wait_for(50 * part + 10, &mut [&mut gate]);
        gate.signal(rustix::process::Signal::TERM);
        gate.end_within(Duration::from_secs(20)).exits(0);
    }
    prefix.produce((200..250).map(load::record));
    let mut gate = prefix.gate(0);
    decided.wait_for(250, &mut [&mut gate]);
    gate.stop().exits(0);
    let history = prefix.history();
    history.holds().is_complete();
    assert_eq!(history.of("decisions").len(), 250);
    assert_eq!(history.orphans(), 0);
}

#[test]
fn a_stream_without_input_stops_when_asked() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "idle").create();
    let mut gate = prefix.gate(0);
    // It has joined once it decides something.
    prefix.produce([load::record(9)]);
    prefix.wait_for(1, &mut [&mut gate]);
    gate.stop().exits(0);
    assert_eq!(read(prefix.bootstrap(), &prefix.topic("cleared"), Isolation::Uncommitted).len(), 1);
}
