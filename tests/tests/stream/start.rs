//! Where a partition is read from that the group has committed nothing for.

use maysend_tests::kafka::{Broker, Deadline, Follower, Isolation, Prefix, load};
use std::{collections::BTreeMap, time::Duration};

/// Waits until the group has committed something for every partition.
fn wait_for_a_start(prefix: &Prefix) -> BTreeMap<i32, i64> {
    // A follower that waits for records sets the pace.
    let mut follower = Follower::new(prefix.bootstrap(), &prefix.topic("decisions"), Isolation::Committed);
    let deadline = Deadline::patient();
    loop {
        let offsets = prefix.offsets();
        if offsets.len() == 2 {
            return offsets;
        }
        assert!(!deadline.is_over(), "no start was committed: {offsets:?}");
        follower.poll(Duration::from_millis(50));
    }
}

#[test]
fn a_crash_before_the_first_commit_skips_nothing_of_what_came_since_the_start() {
    let prefix =
        Prefix::new(&Broker::shared().bootstrap(), "latest").kafka("start = \"latest\"").partitions(2).create();
    let in_turn = |n: usize| load::record(n).to(i32::try_from(n % 2).expect("small"));
    prefix.produce((0..20).map(in_turn));
    let gate = prefix.gate_dying_at(0, "after_reservations:1");
    assert_eq!(wait_for_a_start(&prefix), [(0, 10), (1, 10)].into());
    prefix.produce((20..60).map(in_turn));
    gate.end().was_killed();
    prefix.produce((60..80).map(in_turn));
    let mut gate = prefix.gate(0);
    prefix.wait_for(60, &mut [&mut gate]);
    gate.stop().exits(0);
    let mut history = prefix.history();
    history.input.retain(|record| record.offset >= 10);
    history.holds().is_complete();
}

#[test]
fn the_beginning_is_committed_too_so_that_records_deleted_since_are_a_gap() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "earliest").impatient().partitions(2).create();
    let gate = prefix.gate_dying_at(0, "after_reservations:1");
    assert_eq!(wait_for_a_start(&prefix), [(0, 0), (1, 0)].into());
    prefix.produce((0..10).map(|n| load::record(n).to(0)));
    gate.end().was_killed();
    maysend_tests::kafka::client::delete_before(prefix.bootstrap(), prefix.input(), 0, 5);
    prefix.gate(0).end().exits(2).says(&["committed up to 0", "first record is 5"]);
}
