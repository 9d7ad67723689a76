//! A process that is killed, by name of the place or at random: nothing is lost, nothing is twice.

use maysend_tests::kafka::{Broker, Load, Prefix, Witness, is_long, load};

/// Where the program can be made to die, and whether the batch at hand is reserved, or even committed, by then.
const PLACES: [&str; 6] = [
    "after_reservations",
    "before_begin",
    "before_send_offsets",
    "after_send_offsets",
    "before_commit",
    "after_commit",
];

/// Kills at random. With those at named places a run has more than fifty.
const KILLS: usize = 40;

#[test]
fn killed_at_every_named_place() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "places").stream("batch_records = 10").create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    for place in PLACES {
        // At the first batch of a process, and in the middle of its work.
        for time in [1, 4] {
            prefix.gate_dying_at(0, &format!("{place}:{time}")).end().was_killed();
        }
    }
    let history = witness.testify(load.finish(&prefix, [prefix.gate(0)]));
    history.holds().is_complete();
    // What was reserved before a kill is processed again under the same ids.
    assert_eq!(history.orphans(), 0);
    let aborted = history.uncommitted["decisions"].len() - history.of("decisions").len();
    assert!(aborted > 0, "no transaction was left open by a kill");
}

#[test]
fn a_commit_of_which_nobody_knows_is_neither_lost_nor_twice() {
    // The request did not arrive, or the answer did not.
    for lost in ["commit:3", "answer:3"] {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "unknown").stream("batch_records = 10").create();
        let witness = Witness::of(&prefix);
        prefix.produce((0..100).map(load::record));
        let mut gate = prefix.start(0, prefix.program(0).env("MAYSEND_LOSE_AT", lost));
        prefix.wait_for(100, &mut [&mut gate]);
        gate.stop().exits(0).says(&["was aborted: "]);
        witness.testify(prefix.history()).holds().is_complete();
    }
}

#[test]
fn a_call_that_does_not_come_back_is_given_up() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "silent").impatient().stream("batch_records = 10").create();
    let witness = Witness::of(&prefix);
    prefix.produce((0..100).map(load::record));
    let never = prefix.folder().join("never");
    let program = prefix.program(0).env("MAYSEND_STALL_AT", "sending_offsets:3");
    let mut gate = prefix.start(0, program.env("MAYSEND_STALL_UNTIL", never.to_str().expect("a path in UTF-8")));
    prefix.wait_for(100, &mut [&mut gate]);
    gate.stop().exits(0).says(&["did not answer within 5s"]);
    witness.testify(prefix.history()).holds().is_complete();
}

#[test]
fn a_kill_after_the_reservations_leaves_orphans_that_count() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "orphans").stream("batch_records = 50").create();
    prefix.produce((0..200).map(load::record));
    prefix.gate_dying_at(0, "after_reservations:1").end().was_killed();
    let history = prefix.history();
    history.holds();
    assert!(history.orphans() > 0 && history.of("cleared").is_empty());
}

#[test]
fn killed_at_random_under_load() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "random").stream("batch_records = 10").create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    for kill in 0..KILLS * if is_long() { 10 } else { 1 } {
        let gate = prefix.gate(0);
        // How far it comes differs from kill to kill, and so does where in a batch it is.
        load.wait_for_more(1 + 37 * kill % 60);
        gate.kill();
    }
    let history = witness.testify(load.finish(&prefix, [prefix.gate(0)]));
    history.holds().is_complete();
    assert_eq!(history.orphans(), 0);
}
