//! A process that must not go on: another has its place, or it stood still for too long.

use maysend_tests::kafka::{Broker, Load, Prefix, Witness};
use rustix::process::Signal;
use std::fs;

#[test]
fn of_two_processes_with_one_ordinal_exactly_one_lives() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "twins").impatient().create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let first = prefix.gate(0);
    load.wait_for_more(100);
    let second = prefix.gate(0);
    first.end().exits(2).says(&["fenced"]);
    load.wait_for_more(300);
    let history = witness.testify(load.finish(&prefix, [second]));
    history.holds().is_complete();
    assert_eq!(history.orphans(), 0);
}

#[test]
fn of_two_processes_with_one_ordinal_one_lives_without_load_too() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "idle-twins").impatient().create();
    let first = prefix.gate(0);
    prefix.wait_for_members(1);
    let mut second = prefix.gate(0);
    first.end().exits(2).says(&["fenced"]);
    prefix.produce((0..20).map(maysend_tests::kafka::load::record));
    prefix.wait_for(20, &mut [&mut second]);
    second.stop().exits(0);
    prefix.history().holds().is_complete();
}

/// A process stands still in the middle of a batch until another has its partitions and has gone on; then it wakes up.
fn paused_past_its_session(place: &str) {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "paused").impatient().stream("batch_records = 10").create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let mut paused = prefix.gate_pausing_at(0, place);
    paused.wait_until_paused();
    let mut other = prefix.gate(1);
    prefix.wait_for_group(|state, members| state == "Stable" && members == 1);
    load.wait_for_more(300);
    paused.signal(Signal::CONT);
    load.wait_for_more(300);
    let written = load.stop();
    prefix.wait_for(written, &mut [&mut other]);
    other.stop().exits(0);
    // It was fenced, or it is an ordinary member again.
    if paused.is_running() {
        paused.stop().exits(0);
    } else {
        paused.end().exits(2);
    }
    witness.testify(prefix.history()).holds().is_complete();
}

#[test]
fn paused_past_its_session_before_its_transaction() {
    paused_past_its_session("after_reservations:3");
}

#[test]
fn paused_past_its_session_before_it_sends_offsets() {
    paused_past_its_session("before_send_offsets:3");
}

#[test]
fn paused_past_its_session_before_it_commits() {
    paused_past_its_session("before_commit:3");
}

#[test]
fn a_stalled_commit_does_not_outlive_its_partitions() {
    let prefix =
        Prefix::new(&Broker::shared().bootstrap(), "stalled").impatient().stream("batch_records = 10").create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let go_on = prefix.folder().join("go-on");
    let program = prefix.program(0).env("MAYSEND_PAUSE_AT", "before_begin:3").env("MAYSEND_STALL_AT", "before_begin:3");
    let mut first = prefix.start(0, program.env("MAYSEND_STALL_UNTIL", go_on.to_str().expect("a path in UTF-8")));
    first.wait_until_paused();
    // Another has its partitions, and has gone on.
    let mut second = prefix.gate(1);
    prefix.wait_for_group(|state, members| state == "Stable" && members == 1);
    load.wait_for_more(100);
    // It wakes up and is a member again, with a valid generation, while one of its threads still holds a batch of before:
    // only the process itself can know that the batch is stale.
    first.signal(Signal::CONT);
    prefix.wait_for_members(2);
    fs::write(&go_on, "").expect("a file");
    load.wait_for_more(200);
    let written = load.stop();
    prefix.wait_for(written, &mut [&mut first, &mut second]);
    let stopped = first.stop().exits(0);
    second.stop().exits(0);
    let history = witness.testify(prefix.history());
    history.holds().is_complete();
    stopped.says(&["aborted: "]);
}
