//! A broker whose disk is full.

use maysend_tests::kafka::{Broker, Disk, Load, Prefix};
use std::io::{self, Write};

#[test]
fn a_broker_whose_disk_is_full_stops_the_stream_and_nothing_is_lost() {
    let Some(disk) = Disk::new(256 << 20) else {
        // Not by a macro, whose words nobody sees unless the test fails.
        let why = "name spaces of users and mounts (`unshare --user --mount`) are not allowed here";
        writeln!(io::stderr(), "LEFT OUT: a broker whose disk is full: {why}").expect("standard error");
        return;
    };
    let mut broker = Broker::on(disk);
    let prefix = Prefix::new(&broker.bootstrap(), "full").impatient().create();
    let load = Load::on(&prefix);
    let gate = prefix.gate(0);
    load.wait_for_more(100);
    broker.disk().fill();
    // Apache Kafka ends itself when it has no disk that it can write to.
    broker.end();
    gate.end().exits(2);
    broker.disk().free();
    broker.restart();
    let gate = prefix.gate(0);
    load.wait_for_more(100);
    load.finish(&prefix, [gate]).holds().is_complete();
}
