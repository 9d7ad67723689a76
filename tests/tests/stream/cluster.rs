//! Three nodes, of which one goes away: the leader of partitions, and whoever keeps the group and the transactions.

use maysend_tests::kafka::{Cluster, Isolation, Load, Prefix, Witness, client, load, read};
use rustix::process::Signal;

#[test]
fn a_cluster_that_loses_whoever_is_needed_next_loses_nothing() {
    let mut cluster = Cluster::start();
    let prefix = Prefix::new(&cluster.bootstrap(), "leaders").replicated().create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let transactional_id = format!("{}-0", prefix.group());
    for place in ["before_reservations:2", "before_send_offsets:2", "before_commit:2"] {
        let mut gate = prefix.gate_pausing_at(0, place);
        gate.wait_until_paused();
        cluster.wait_until_in_sync();
        // Whoever is needed next.
        let node = match place {
            "before_reservations:2" => cluster.leader(&prefix.topic("reservations"), 0),
            "before_send_offsets:2" => cluster.coordinator("__consumer_offsets", prefix.group()),
            _ => cluster.coordinator("__transaction_state", &transactional_id),
        };
        cluster.node(node).kill();
        gate.signal(Signal::CONT);
        load.wait_for_more_by(&mut gate, &prefix, 200);
        cluster.node(node).restart();
        load.wait_for_more_by(&mut gate, &prefix, 100);
        gate.stop().exits(0);
    }
    witness.testify(load.finish(&prefix, [prefix.gate(0)])).holds().is_complete();
}

#[test]
fn too_few_replicas_stop_it_with_nothing_lost() {
    let mut cluster = Cluster::start();
    let prefix = Prefix::new(&cluster.bootstrap(), "alone").impatient().replicated().create();
    prefix.produce(load::records(50));
    let mut gate = prefix.gate_pausing_at(0, "after_reservations:1");
    gate.wait_until_paused();
    let leader = cluster.leader(&prefix.topic("decisions"), 0);
    let others: Vec<usize> = (0..cluster.len()).filter(|number| *number != leader).collect();
    // With one of three nodes nothing can be acknowledged, and the cluster has no controller either.
    for number in &others {
        cluster.node(*number).kill();
    }
    gate.signal(Signal::CONT);
    gate.end().exits(2);
    for number in others {
        cluster.node(number).restart();
    }
    cluster.wait_until_in_sync();
    let mut gate = prefix.gate(0);
    prefix.wait_for(50, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn what_too_few_replicas_have_is_not_reserved() {
    let mut cluster = Cluster::start();
    let prefix = Prefix::new(&cluster.bootstrap(), "fewer").impatient().replicated().create();
    // All other topics go on with two of three replicas. So would this one for whoever waits for its leader alone.
    let wanted = |count: &str| {
        client::alter_topic(prefix.bootstrap(), &prefix.topic("reservations"), &[("min.insync.replicas", count)]);
    };
    wanted("3");
    prefix.produce(load::records(20));
    cluster.node(2).kill();
    prefix.gate(0).end().exits(2).says(&["reservations are not acknowledged"]);
    assert!(read(prefix.bootstrap(), &prefix.topic("cleared"), Isolation::Uncommitted).is_empty());
    wanted("2");
    let mut gate = prefix.gate(0);
    prefix.wait_for(20, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}
