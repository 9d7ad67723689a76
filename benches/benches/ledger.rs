//! The ledger on SQLite and on a real PostgreSQL beside it: rows a second that an import takes in, and how long the
//! handoffs of one customer take among them.
//!
//! ```sh
//! cargo bench -p maysend-benches --bench ledger                # a million rows
//! cargo bench -p maysend-benches --bench ledger -- 75000000    # as many as five years of 41,200 a day
//! ```

use maysend::ledger::{
    handoffs::handoffs,
    import::import,
    migrations::migrate,
    person::Person,
    store::{Address, Store},
};
use maysend_tests::{made::reservations, postgres::Postgres};
use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

/// Customers who are asked for.
const ASKED: u64 = 1_000;

fn main() {
    let rows = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    println!("{rows} reservations, one of each customer");
    let folder = tempfile::tempdir().expect("a temporary folder");
    measure("SQLite", &folder.path().join("ledger.db").display().to_string(), rows);
    let server = Postgres::start();
    measure("PostgreSQL", &server.database("ledger").address(), rows);
}

fn measure(name: &str, address: &str, rows: u64) {
    let address: Address = address.parse().expect("an address");
    let mut store = Store::connect(&address, address.file().is_some()).expect("a store");
    migrate(&mut store, None).expect("its form of today");
    let start = Instant::now();
    import(&mut store, Path::new("made"), reservations(rows)).expect("records");
    let taken = start.elapsed();
    let mut times: Vec<Duration> = (0..ASKED)
        .map(|n| {
            let keys = BTreeSet::from([format!("ck_{}", n * rows / ASKED)]);
            let person = Person { tenant: "acme".into(), keys, ..Person::default() };
            let start = Instant::now();
            let found = handoffs(&mut store, &person, None, None).expect("handoffs");
            assert_eq!(found.providers.len(), 1);
            start.elapsed()
        })
        .collect();
    times.sort();
    let at = |share: f64| times[(share * (times.len() - 1) as f64) as usize].as_secs_f64() * 1e3;
    println!(
        "{name:>10}: {:>7.0} rows/s imported; handoffs of one customer {:.2} ms in the middle, {:.2} ms at p99",
        rows as f64 / taken.as_secs_f64(),
        at(0.5),
        at(0.99)
    );
}
