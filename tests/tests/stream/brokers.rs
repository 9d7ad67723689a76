//! A broker that goes away and comes back.

use maysend_tests::kafka::{Broker, Load, PATIENCE, Prefix, Witness, load};
use rustix::process::Signal;

/// Where in the middle of a batch nobody answers any more, and what is said then.
const STOPS: [(&str, &str); 2] = [
    ("before_reservations:3", "reservations are not acknowledged"),
    ("after_reservations:3", "the transaction cannot go on"),
];

#[test]
fn a_broker_that_is_restarted_and_killed_under_load_costs_nothing() {
    let mut broker = Broker::start();
    let prefix = Prefix::new(&broker.bootstrap(), "restarts").create();
    let witness = Witness::of(&prefix);
    let load = Load::on(&prefix);
    let mut gate = prefix.gate(0);
    load.wait_for_more_by(&mut gate, &prefix, 200);
    broker.stop();
    broker.restart();
    load.wait_for_more_by(&mut gate, &prefix, 200);
    broker.kill();
    broker.restart();
    load.wait_for_more_by(&mut gate, &prefix, 200);
    witness.testify(load.finish(&prefix, [gate])).holds().is_complete();
}

#[test]
fn a_broker_that_is_paused_in_the_middle_of_a_batch_costs_nothing() {
    let broker = Broker::start();
    let prefix = Prefix::new(&broker.bootstrap(), "paused").impatient().stream("batch_records = 10").create();
    prefix.produce(load::records(200));
    for (place, said) in STOPS {
        let mut gate = prefix.gate_pausing_at(0, place);
        gate.wait_until_paused();
        broker.signal(Signal::STOP);
        gate.signal(Signal::CONT);
        // Nothing is acknowledged any more. It tries again whatever may be tried, and does not wait for ever.
        gate.end_within(3 * PATIENCE).exits(2).says(&[said]);
        broker.signal(Signal::CONT);
    }
    let mut gate = prefix.gate(0);
    prefix.wait_for(200, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn a_broker_that_stays_away_stops_the_stream_and_nothing_is_lost() {
    let mut broker = Broker::start();
    let prefix = Prefix::new(&broker.bootstrap(), "away").impatient().create();
    let load = Load::on(&prefix);
    let mut gate = prefix.gate_pausing_at(0, "before_commit:3");
    gate.wait_until_paused();
    broker.kill();
    gate.signal(Signal::CONT);
    // In the middle of its work it cannot wait for ever: it says why it stops, and its orchestrator starts it again.
    gate.end().exits(2).says(&["the transaction"]);
    broker.restart();
    let gate = prefix.gate(0);
    load.finish(&prefix, [gate]).holds().is_complete();
}
