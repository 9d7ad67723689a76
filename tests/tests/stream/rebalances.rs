//! What happens in the middle of a rebalance: a process has been told to give partitions away, and holds a batch with
//! records of theirs.

use maysend_tests::{
    Program,
    kafka::{Broker, Deadline, Gate, PATIENCE, Page, Prefix, Witness, load},
};
use rustix::process::Signal;
use std::{fs, path::PathBuf, time::Duration};

/// So many records are there at first, half of them in each of two partitions.
const RECORDS: usize = 40;

/// Two processes, of which the first is asked for partitions by the second.
struct Rebalance {
    first: Gate,
    second: Gate,
    go_on: PathBuf,
}

impl Rebalance {
    /// The first one's first batch is reserved, and its commit stands still until [`Self::release`].
    fn begin(prefix: &Prefix, more: impl Fn(Program) -> Program, second: Program) -> Self {
        produce(prefix, 0);
        let go_on = prefix.folder().join("go-on");
        let program = prefix.program(0).env("MAYSEND_STALL_AT", "before_begin:1");
        let mut first = prefix.start(0, more(program).env("MAYSEND_STALL_UNTIL", go_on.to_str().expect("UTF-8")));
        let page = Page::of(&mut first);
        page.wait(&mut first, "reserved", |page| page.metrics().sum("maysend_reservations_total", &[]) > 0.0);
        let second = prefix.start(1, second);
        let mut rebalance = Self { first, second, go_on };
        rebalance.wait_until_first_says("partitions revoked");
        rebalance
    }

    #[track_caller]
    fn wait_until_first_says(&mut self, what: &str) {
        let deadline = Deadline::patient();
        while !self.first.says().contains(what) {
            self.first.wait_a_moment(Duration::from_millis(20));
            assert!(self.first.is_running(), "it has ended; it says:\n{}", self.first.says());
            assert!(!deadline.is_over(), "it did not say {what:?} in {PATIENCE:?}:\n{}", self.first.says());
        }
    }

    fn release(&self) {
        fs::write(&self.go_on, "").expect("a file");
    }
}

/// So many records more.
fn produce(prefix: &Prefix, from: usize) {
    prefix.produce((from..from + RECORDS).map(|n| load::record(n).to(i32::from(n % 2 == 1))));
}

#[test]
fn asked_to_stop_it_ends_its_batch_first() {
    let prefix =
        Prefix::new(&Broker::shared().bootstrap(), "midway").partitions(2).stream("batch_records = 10").create();
    // The second one commits nothing, so that what is committed is the first one's.
    let second = prefix.program(1).env("MAYSEND_PAUSE_AT", "after_reservations:1");
    let mut rebalance = Rebalance::begin(&prefix, |first| first, second);
    rebalance.first.signal(Signal::TERM);
    rebalance.release();
    rebalance.first.end().exits(0);
    assert!(!prefix.committed("decisions").is_empty(), "its batch was given up");
    drop(rebalance.second);
    let mut gates = [0, 1].map(|ordinal| prefix.gate(ordinal));
    prefix.wait_for(RECORDS, &mut gates.iter_mut().collect::<Vec<_>>());
    for mut gate in gates {
        // One may have had nothing to do, and be about to start still.
        Page::of(&mut gate);
        gate.stop().exits(0);
    }
    prefix.history().holds().is_complete();
}

#[test]
fn asked_to_stop_with_a_batch_that_does_not_end_it_stops_in_time() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "midstuck").impatient().partitions(2);
    let prefix = prefix.stream("batch_records = 10").create();
    let mut rebalance = Rebalance::begin(&prefix, |first| first, prefix.program(1));
    rebalance.first.signal(Signal::TERM);
    // It waits for its batch as long as it may, and for nothing else.
    rebalance.first.end().exits(2).says(&["did not end within 3s", "will be read again"]);
    let mut second = rebalance.second;
    prefix.wait_for(RECORDS, &mut [&mut second]);
    second.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn a_commit_that_fails_is_made_good_by_whoever_has_the_partitions_then() {
    let prefix =
        Prefix::new(&Broker::shared().bootstrap(), "midfail").partitions(2).stream("batch_records = 10").create();
    let witness = Witness::of(&prefix);
    let lost = |first: Program| first.env("MAYSEND_LOSE_AT", "commit:1");
    let mut rebalance = Rebalance::begin(&prefix, lost, prefix.program(1));
    rebalance.release();
    rebalance.wait_until_first_says("was aborted");
    let Rebalance { mut first, mut second, .. } = rebalance;
    prefix.wait_for(RECORDS, &mut [&mut first, &mut second]);
    prefix.wait_for_members(2);
    first.stop().exits(0);
    second.stop().exits(0);
    witness.testify(prefix.history()).holds().is_complete();
}

#[test]
fn a_batch_that_does_not_end_in_time_is_given_up_before_anything_is_read_again() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "midlate").partitions(2);
    let prefix = prefix.stream("batch_records = 100\ndrain_timeout_ms = 1000").create();
    let witness = Witness::of(&prefix);
    let mut rebalance = Rebalance::begin(&prefix, |first| first, prefix.program(1));
    // It has waited long enough. It is a member all the time, with a valid generation: only it can know that the batch is
    // none of its own any more, and that what it keeps is not to be read again before the batch is out of the way.
    let has_given_up = |page: Page| page.metrics().sum("maysend_rebalances_total", &[("kind", "revoked")]) > 0.0;
    Page::of(&mut rebalance.first).wait(&mut rebalance.first, "given up", has_given_up);
    rebalance.release();
    let Rebalance { mut first, mut second, .. } = rebalance;
    // Whatever is read again comes before what is new.
    produce(&prefix, RECORDS);
    prefix.wait_for(2 * RECORDS, &mut [&mut first, &mut second]);
    let first = first.stop().exits(0);
    second.stop().exits(0);
    witness.testify(prefix.history()).holds().is_complete();
    first.says(&["was aborted"]);
}
