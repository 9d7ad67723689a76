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
use maysend_tests::postgres::Postgres;
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Read},
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
    import(&mut store, Path::new("made"), lines(rows)).expect("records");
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

/// Lines as they are needed, so that memory and disk hold none of them.
fn lines(rows: u64) -> impl BufRead + Send {
    BufReader::with_capacity(1 << 20, Lines { next: 0..rows, line: Vec::new(), read: 0 })
}

struct Lines {
    next: std::ops::Range<u64>,
    line: Vec<u8>,
    read: usize,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() {
            let Some(n) = self.next.next() else { return Ok(0) };
            self.read = 0;
            self.line = format!(
                "{{\"schema\":1,\"attempt\":\"0-{n:016x}\",\"transcript_id\":\"t-{n}\",\"tenant\":\"acme\",\"customer_key\":\"ck_{n}\",\
                 \"destination\":\"summaries-eu\",\"mode\":\"enforce\",\"ruleset\":\"sha256:{:064x}\",\"program\":\"maysend 0.1.0\",\
                 \"terms\":\"2026-02-11 sha256:{:064x}\",\"source\":{{\"topic\":\"transcripts\",\"partition\":3,\"offset\":{n}}},\
                 \"reservation_id\":\"{:064x}\",\"provider\":\"example-models\",\"reserved_requests\":1,\
                 \"reserved_at\":\"2026-03-02T09:14:03.5Z\"}}\n",
                1, 2, n
            )
            .into_bytes();
        }
        let count = buffer.len().min(self.line.len() - self.read);
        buffer[..count].copy_from_slice(&self.line[self.read..][..count]);
        self.read += count;
        Ok(count)
    }
}
