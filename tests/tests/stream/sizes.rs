//! Records and outputs that are large, and topics that do not take them.

use maysend_tests::{
    kafka::{Broker, New, Prefix, client, load, prefix::CANARY},
    transcript,
};

/// What a record is that nobody meant to send.
const HUGE: usize = 100_000_000;

#[test]
fn a_topic_that_does_not_take_the_largest_output_is_named_at_the_start() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "small").partitions(1).create();
    let (review, decisions) = (prefix.topic("review"), prefix.topic("decisions"));
    client::alter_topic(prefix.bootstrap(), &review, &[("max.message.bytes", "2000000")]);
    client::alter_topic(prefix.bootstrap(), &decisions, &[("max.message.bytes", "100000")]);
    // Twice the 1,048,576 bytes of the policy and 512 KiB, and a batch of small ones.
    prefix.gate(0).end().exits(2).says(&[
        "a record of 1048576 bytes",
        &format!("{review}: max.message.bytes is 2000000; it must be at least 2621952"),
        &format!("{decisions}: max.message.bytes is 100000; it must be at least 1000000"),
        "or lower `max_record_bytes`",
    ]);

    prefix.patterns().edit("policy.toml", "max_record_bytes = 1_048_576", "max_record_bytes = 700_000");
    client::alter_topic(prefix.bootstrap(), &decisions, &[("max.message.bytes", "1048588")]);
    prefix.produce(load::records(10));
    let mut gate = prefix.gate(0);
    prefix.wait_for(10, &mut [&mut gate]);
    gate.stop().exits(0);
}

#[test]
fn a_limit_that_is_lowered_under_way_stops_it_with_nothing_lost() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "lowered").partitions(1).create();
    let mut gate = prefix.gate(0);
    prefix.produce(load::records(10));
    prefix.wait_for(10, &mut [&mut gate]);
    let cleared = prefix.topic("cleared");
    client::alter_topic(prefix.bootstrap(), &cleared, &[("max.message.bytes", "10000")]);
    prefix.produce([New::value(transcript("t-long").customer(&"parcel ".repeat(2000)).line()).to(0)]);
    gate.end().exits(2).says(&[&cleared, "does not take a record", "max.message.bytes", "lowered", "Nothing is lost"]);
    client::alter_topic(prefix.bootstrap(), &cleared, &[("max.message.bytes", "8388608")]);
    let mut gate = prefix.gate(0);
    prefix.wait_for(11, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn a_record_of_100_megabytes_is_a_dead_letter_with_its_place_and_digest_only() {
    let broker = Broker::with("message.max.bytes=104857600\n");
    let prefix = Prefix::new(&broker.bootstrap(), "huge").partitions(1).create();
    let text = |id: &str| transcript(id).customer(&format!("Where is my parcel? {CANARY}"));
    let padding = "x".repeat(HUGE - 1000);
    let huge = text("t-huge").customer(&padding).line();
    prefix.produce([text("t-first").line(), huge, text("t-last").line()].map(New::value));
    let mut gate = prefix.gate(0);
    prefix.wait_for(3, &mut [&mut gate]);
    gate.stop().exits(0);
    let mut history = prefix.history();
    history.input[1].value = None;
    history.holds().is_complete();
    let letters = history.of_source("dead-letter", (0, 1));
    let [letter] = letters.as_slice() else { panic!("{} dead letters", letters.len()) };
    assert_eq!(letter.header("maysend-reason"), Some("too_large"));
    assert_eq!(letter.header("maysend-source-offset"), Some("1"));
    assert!(letter.json()["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")));
    assert!(letter.value.as_ref().is_some_and(|value| value.len() < 2000));
    assert_eq!(history.of("cleared").len(), 2);
}
