//! What the stream refuses, and what it says then.

use maysend_tests::kafka::{Broker, Prefix, client, load};
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
    prefix.gate(0).end_within(SOON).exits(2).says(&[&place, "1000"]);
    assert!(prefix.committed("decisions").is_empty());
}

#[test]
fn every_topic_must_be_there() {
    for missing in
        ["", ".reservations", ".dead-letter", ".review", ".erasures", ".usage", ".contradictions", ".rulesets"]
    {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "missing").partitions(1).create();
        let topic = format!("{}{missing}", prefix.input());
        client::delete_topic(prefix.bootstrap(), &topic);
        prefix.gate(0).end_within(SOON).exits(2).says(&["topic", &topic, "is not there", "create the topics first"]);
    }
}

#[test]
fn a_broker_that_cannot_be_reached_is_said() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nowhere = format!("127.0.0.1:{port}");
    let prefix = Prefix::new(&nowhere, "nobody").impatient();
    prefix.gate(0).end_within(SOON).exits(2).says(&["maysend: ", &nowhere]);
}
