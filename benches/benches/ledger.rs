//! The ledger on SQLite and on a real PostgreSQL that keeps what it commits: rows a second that an import takes in, how
//! large they are on disk, and how long the handoffs of one customer take among them.
//!
//! ```sh
//! cargo bench -p maysend-benches --bench ledger                           # a million rows
//! cargo bench -p maysend-benches --bench ledger -- 75000000               # as many as five years of 41,200 a day
//! cargo bench -p maysend-benches --bench ledger -- 75000000 PostgreSQL    # in one of them
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
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let rows = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    let names: Vec<&String> = arguments.iter().filter(|argument| argument.parse::<u64>().is_err()).collect();
    let is_asked = |name: &str| names.is_empty() || names.iter().any(|asked| asked.eq_ignore_ascii_case(name));
    println!("{rows} reservations, one of each customer");
    if is_asked("SQLite") {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("ledger.db");
        measure("SQLite", &file.display().to_string(), rows, || file.metadata().expect("the store").len());
    }
    if is_asked("PostgreSQL") {
        let server = Postgres::durable();
        let database = server.database("ledger");
        measure("PostgreSQL", &database.address(), rows, || {
            let size = database.client().query_one("SELECT pg_database_size(current_database())", &[]);
            size.expect("its size").get::<_, i64>(0) as u64
        });
    }
}

fn measure(name: &str, address: &str, rows: u64, bytes: impl Fn() -> u64) {
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
        "{name:>10}: {:>7.0} rows/s imported, {:.1} GB; handoffs of one customer {:.2} ms in the middle, {:.2} ms at p99",
        rows as f64 / taken.as_secs_f64(),
        bytes() as f64 / 1e9,
        at(0.5),
        at(0.99)
    );
}
