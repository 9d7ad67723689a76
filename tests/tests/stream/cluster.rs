//! Three nodes, of which one goes away: the leader of partitions, and whoever keeps the group and the transactions.

use maysend_tests::kafka::{Cluster, Isolation, Load, Prefix, Witness, client, load, read};

#[test]
fn a_cluster_that_loses_each_of_its_leaders_in_turn_loses_nothing() {
    let mut cluster = Cluster::start();
    let prefix = Prefix::new(&cluster.bootstrap(), "leaders").replicated().create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let mut gate = prefix.gate(0);
    load.wait_for_more_by(&mut gate, &prefix, 100);
    // The leader of the input first. Whoever coordinates the group and the transactions is among the three.
    let first = cluster.leader(prefix.input(), 0);
    let count = cluster.len();
    for number in (0..count).map(|next| (first + next) % count) {
        cluster.wait_until_in_sync();
        cluster.node(number).kill();
        load.wait_for_more_by(&mut gate, &prefix, 200);
        cluster.node(number).restart();
        load.wait_for_more_by(&mut gate, &prefix, 100);
    }
    witness.testify(load.finish(&prefix, [gate])).holds().is_complete();
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
    gate.signal(rustix::process::Signal::CONT);
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
