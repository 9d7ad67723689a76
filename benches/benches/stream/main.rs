//! The stream on a real Apache Kafka of one node beside it, with detection and without.
//!
//! ```sh
//! cargo bench -p maysend-benches --bench stream                   # everything: about ten minutes
//! cargo bench -p maysend-benches --bench stream -- 41200          # so many documents for each run
//! cargo bench -p maysend-benches --bench stream -- 41200 rate     # `rate`, `limit` or `latency` alone
//! ```
//!
//! *off* is the same program with the same clients, protocol, batches and policy under a ruleset whose entities have no
//! patterns; the program itself has no switch for that. *on* is the reviewed ruleset. Runs alternate, each on topics of its
//! own. Everything shares the machine's cores, the broker and the writer included. Neither rate nor ratio carries over to
//! another machine: detection takes little where the cores wait for commits, and its processor time where they do not. So it
//! is said how busy they were, and what the ratio comes to where they have no rest.

mod cluster;
mod cores;
mod latency;
mod limit;
mod rate;
mod rulesets;

use maysend_benches::MIB;
use maysend_corpora::{Date, Day, Style};
use maysend_tests::kafka::Broker;

/// A day's transcripts.
const DAY: usize = 41_200;

/// The corpus that every run measures.
const SEED: u64 = 20_260_302;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let count = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(DAY);
    let chosen = |name: &str| {
        let mut names = arguments.iter().filter(|argument| argument.parse::<usize>().is_err()).peekable();
        names.peek().is_none() || names.any(|wanted| wanted == name)
    };
    let records = records(count);
    let bytes: usize = records.iter().map(Vec::len).sum();
    println!("{count} documents, {:.1} MiB, one broker of Apache Kafka on this machine\n", bytes as f64 / MIB);
    let broker = Broker::start();
    if chosen("rate") {
        rate::compare(&broker, &records);
    }
    if chosen("limit") {
        limit::measure(&broker, &records);
    }
    if chosen("latency") {
        latency::measure(&broker, &records);
    }
}

/// The transcripts of a day, as the platform publishes them.
fn records(count: usize) -> Vec<Vec<u8>> {
    let date = Date::new(2026, 3, 2).expect("a day of the calendar");
    let day = Day::new(SEED, date, count.max(DAY) as u64, Style::Normal);
    day.take(count).map(|made| made.to_json().into_bytes()).collect()
}
