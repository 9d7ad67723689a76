//! Processes that come and go: each record still has one outcome, in order.

use maysend_tests::kafka::{Broker, Gate, Load, Page, Prefix, Witness, load};
use rustix::process::Signal;
use std::time::Duration;

#[test]
fn one_two_three_two_one_members_under_load() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "members").impatient().partitions(6).create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let mut gates: Vec<Gate> = Vec::new();
    for ordinal in 0..3 {
        gates.push(prefix.gate(ordinal));
        prefix.wait_for_members(gates.len());
        load.wait_for_more(300);
    }
    // A member that stops keeps its place until its session is over; then the others have its partitions.
    for _ in 0..2 {
        gates.pop().expect("a member").stop().exits(0);
        prefix.wait_for_members(gates.len());
        load.wait_for_more(300);
    }
    let history = witness.testify(load.finish(&prefix, gates));
    history.holds().is_complete();
    assert_eq!(history.orphans(), 0);
}

#[test]
fn a_rolling_restart_moves_no_partition_for_long() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "rolling").create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let mut gates = [0, 1].map(|ordinal| Some(prefix.gate(ordinal)));
    prefix.wait_for_members(2);
    for ordinal in [0, 1, 0, 1] {
        load.wait_for_more(100);
        gates[ordinal].take().expect("it runs").stop().exits(0);
        gates[ordinal] = Some(prefix.gate(u32::try_from(ordinal).expect("small")));
        assert!(prefix.members() >= 2, "its place in the group is kept");
    }
    load.wait_for_more(400);
    let history = witness.testify(load.finish(&prefix, gates.map(|gate| gate.expect("it runs"))));
    history.holds().is_complete();
    assert_eq!(history.orphans(), 0);
}

#[test]
fn asked_to_stop_with_a_batch_that_does_not_end_it_stops_in_time() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "undrained").impatient().create();
    let go_on = prefix.folder().join("never");
    let program = prefix.program(0).env("MAYSEND_STALL_AT", "before_begin:1");
    let mut gate = prefix.start(0, program.env("MAYSEND_STALL_UNTIL", go_on.to_str().expect("a path in UTF-8")));
    let page = Page::of(&mut gate);
    prefix.produce(load::records(40));
    page.wait(&mut gate, "reserved", |page| page.metrics().sum("maysend_reservations_total", &[]) > 0.0);
    gate.signal(Signal::TERM);
    let ran = gate.end_within(Duration::from_secs(30)).exits(2);
    ran.says(&["did not end within 3s", "will be read again"]);
    let mut gate = prefix.gate(0);
    prefix.wait_for(40, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn killed_in_the_middle_of_a_rebalance_no_partition_is_left_to_nobody() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "orphaned").create();
    let load = Load::on(&prefix);
    let first = prefix.gate_dying_at(0, "revoked:1");
    load.wait_for_more(50);
    // The first gives partitions away to the second, and dies before the second has them.
    let second = prefix.gate(1);
    first.end().was_killed();
    let first = prefix.gate(0);
    load.wait_for_more(500);
    load.finish(&prefix, [first, second]).holds().is_complete();
}
