//! A broker whose disk is full.

use maysend_tests::kafka::{Broker, Disk, Prefix, load};
use rustix::process::Signal;
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
    let prefix = Prefix::new(&broker.bootstrap(), "full").impatient().stream("batch_records = 10").create();
    prefix.produce(load::records(200));
    for place in ["before_reservations:3", "before_commit:3"] {
        let mut gate = prefix.gate_pausing_at(0, place);
        gate.wait_until_paused();
        broker.disk().fill();
        gate.signal(Signal::CONT);
        // Apache Kafka ends itself when it has no disk that it can write to.
        broker.end();
        // A few bytes may fit into what is there, so how far it comes differs.
        gate.end().exits(2);
        broker.disk().free();
        broker.restart();
    }
    let mut gate = prefix.gate(0);
    prefix.wait_for(200, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}
