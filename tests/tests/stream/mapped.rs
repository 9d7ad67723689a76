//! Records of a platform's own shape, end to end.

use maysend_tests::{
    AS_OF, Outputs,
    kafka::{Broker, New, Prefix, Record, history::RESERVATION},
    mapped, maysend,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Cleared records without the gate's own members, by their order as text.
fn shapes<'r>(cleared: impl IntoIterator<Item = &'r Value>) -> Vec<String> {
    let mut shapes: Vec<String> = cleared.into_iter().map(|record| mapped::shape(record).to_string()).collect();
    shapes.sort();
    shapes
}

#[test]
fn records_of_another_shape_are_cleared_in_it_and_withheld_in_the_wire_form() {
    for example in ["conversations", "tickets"] {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), example).partitions(2).create();
        mapped::map(&prefix.patterns(), example);
        // What the same gate does with the same records on files.
        let out = prefix.folder().join("scanned");
        let scan = maysend(["scan", "--as-of", AS_OF, "--patterns", prefix.patterns().path(), "--out"]).with_key();
        scan.args([out.as_os_str(), mapped::file(example, "records.jsonl").as_os_str()]).run().exits(0);
        let scanned = Outputs::of(&out);

        let records: Vec<New> = mapped::records(example).map(New::value).collect();
        let count = records.len();
        prefix.produce(records);
        let mut gate = prefix.gate(0);
        prefix.wait_for(count, &mut [&mut gate]);
        gate.stop().exits(0);
        let history = prefix.history();
        history.holds().is_complete();
        let json = |output: &str| history.of(output).iter().map(Record::json).collect::<Vec<_>>();
        assert_eq!(shapes(&json("cleared")), shapes(&scanned.cleared), "{example}");
        for record in history.of("cleared") {
            let own = &record.json()["maysend"];
            assert_eq!(own["reservation_id"].as_str(), record.header(RESERVATION));
            assert_eq!(own["source"]["topic"], prefix.input());
        }
        let turns = |withheld: &[Value]| -> BTreeMap<String, Value> {
            withheld.iter().map(|record| (record["transcript_id"].to_string(), record["turns"].clone())).collect()
        };
        assert!(!scanned.review.is_empty(), "the test shows nothing without one");
        assert_eq!(turns(&json("review")), turns(&scanned.review), "{example}");
        assert_eq!(json("dead-letter")[0]["reason"], scanned.dead_letter[0]["reason"], "{example}");
    }
}
