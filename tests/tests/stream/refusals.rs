//! What the stream refuses, and what it says then.

use maysend_tests::{
    kafka::{Broker, Deadline, New, Prefix, client, load},
    maysend,
};
use std::{net::TcpListener, time::Duration};

/// So long a refusal may take.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn a_gap_after_what_is_committed_stops_it_and_is_named() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "gap").impatient().partitions(1).create();
    prefix.produce(load::records(10));
    let mut gate = prefix.gate(0);
    prefix.wait_for(10, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.produce((10..20).map(load::record));
    client::delete_before(prefix.bootstrap(), prefix.input(), 0, 15);
    let place = format!("{}/0", prefix.input());
    let said = [place.as_str(), "committed up to 10", "first record is 15", "Nothing was skipped"];
    prefix.gate(0).end_within(SOON).exits(2).says(&said);
    assert_eq!(prefix.offsets(), [(0, 10)].into());
    assert_eq!(prefix.committed("decisions").len(), 10);

    // Once somebody has decided what that means, it goes on. Kafka lets nobody else commit while a member has its place.
    prefix.wait_for_group(|_, members| members == 0);
    client::commit(prefix.bootstrap(), prefix.group(), prefix.input(), 0, 15);
    let mut gate = prefix.gate(0);
    prefix.wait_for(15, &mut [&mut gate]);
    gate.stop().exits(0);
}

#[test]
fn an_offset_beyond_the_end_stops_it_and_is_named() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "beyond").partitions(1).create();
    prefix.produce(load::records(10));
    client::commit(prefix.bootstrap(), prefix.group(), prefix.input(), 0, 1000);
    let place = format!("{}/0", prefix.input());
    let said = [&place, "committed up to 1000", "ends before 10", "made again", "cut off", "Nothing was skipped"];
    prefix.gate(0).end_within(SOON).exits(2).says(&said);
    assert!(prefix.committed("decisions").is_empty());
}

#[test]
fn a_topic_that_is_made_again_under_way_stops_it_and_is_named() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "again").partitions(1).create();
    prefix.produce(load::records(10));
    let mut gate = prefix.gate(0);
    prefix.wait_for(10, &mut [&mut gate]);
    client::delete_topic(prefix.bootstrap(), prefix.input());
    client::create_topic(prefix.bootstrap(), prefix.input(), 1);
    prefix.produce(load::records(5));
    gate.end().exits(2).says(&[prefix.input()]);
    assert_eq!(prefix.committed("decisions").len(), 10, "nothing was skipped and nothing is twice");
}

#[test]
fn an_input_that_is_deleted_under_way_stops_it_and_is_named() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "unread").partitions(1).create();
    prefix.produce(load::records(10));
    let mut gate = prefix.gate(0);
    prefix.wait_for(10, &mut [&mut gate]);
    client::delete_topic(prefix.bootstrap(), prefix.input());
    let said = [prefix.input(), "was deleted since the start", "Nothing was skipped", "create it again"];
    gate.end().exits(2).says(&said);
    // What was decided stays decided, and a new topic is read by what is configured.
    client::create_topic(prefix.bootstrap(), prefix.input(), 1);
    prefix.produce(load::records(5));
    let mut gate = prefix.gate(0);
    let mut pace = prefix.decided();
    let deadline = Deadline::patient();
    while prefix.offsets().get(&0) != Some(&5) {
        assert!(gate.is_running() && !deadline.is_over(), "{}", gate.says());
        pace.poll(Duration::from_millis(100));
    }
    gate.stop().exits(0);
}

#[test]
fn an_output_that_is_deleted_under_way_stops_it_with_nothing_lost() {
    for (output, record) in [("dead-letter", 4), ("review", 1)] {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "deleted").impatient().partitions(1).create();
        prefix.produce([load::record(9)]);
        let mut gate = prefix.gate(0);
        prefix.wait_for(1, &mut [&mut gate]);
        let topic = prefix.topic(output);
        client::delete_topic(prefix.bootstrap(), &topic);
        // One that goes there, and one that does not.
        prefix.produce([load::record(record), load::record(9)]);
        gate.end().exits(2).says(&[&topic, "was deleted since the start", "create it again"]);
        assert_eq!(prefix.offsets(), [(0, 1)].into());
        let create = maysend(["topics", "--create", "--dev", "--partitions", "1", "--config"]);
        create.args([prefix.config(0)]).run().exits(0);
        let mut gate = prefix.gate(0);
        prefix.wait_for(3, &mut [&mut gate]);
        gate.stop().exits(0);
        prefix.history().holds().is_complete();
    }
}

#[test]
fn more_dead_letters_than_chance_explains_stop_it() {
    let stream = "max_dead_letters_per_minute = 20\nbatch_records = 10";
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "broken").stream(stream).partitions(1).create();
    let broken = |n: usize| New::value(format!("no JSON, {n}"));
    prefix.produce(load::records(10).chain((0..100).map(broken)));
    prefix.gate(0).end().exits(2).says(&["could not be decoded", "at most 20", "max_dead_letters_per_minute"]);
    let history = prefix.history();
    history.holds();
    let letters = history.of("dead-letter").len();
    assert!((21..=40).contains(&letters), "{letters} dead letters before it stopped");

    // Each start goes a little further, and nothing is lost on the way.
    prefix.gate(0).end().exits(2);
    assert!(prefix.committed("dead-letter").len() > letters);
    prefix.history().holds();
}

#[test]
fn every_topic_must_be_there() {
    for missing in
        ["", ".reservations", ".dead-letter", ".review", ".erasures", ".usage", ".contradictions", ".rulesets"]
    {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "missing").partitions(1).create();
        let topic = format!("{}{missing}", prefix.input());
        client::delete_topic(prefix.bootstrap(), &topic);
        // Also the second time: the broker makes topics that a client asks for, with settings that are not ours.
        for _ in 0..2 {
            prefix.gate(0).end_within(SOON).exits(2).says(&[
                "topic",
                &topic,
                "is not there",
                "maysend topics --create",
            ]);
        }
    }
}

#[test]
fn a_broker_that_cannot_be_reached_is_said() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nowhere = format!("127.0.0.1:{port}");
    let prefix = Prefix::new(&nowhere, "nobody").impatient();
    let ran = prefix.gate(0).end_within(SOON).exits(2).says(&["maysend: ", &nowhere]);
    let refused = ran.stderr.lines().filter(|line| line.contains("Connect to") && line.contains("\"librdkafka\""));
    assert_eq!(refused.count(), 1, "the same is said once, by whichever client:\n{}", ran.stderr);
}
