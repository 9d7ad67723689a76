//! One customer among a million is found by the index, never by looking through the rows.

use crate::support::{Ledger, reservation};
use maysend::ledger::{handoffs::query, identity::Customer, predicate::View, store::Engine};
use maysend_tests::kafka::is_long;
use std::io::Write as _;

/// Customers, of one reservation each. `--long` has as many as five years of 41,200 a day.
fn rows() -> u64 {
    if is_long() { 75_000_000 } else { 1_000_000 }
}

fn fill(ledger: &Ledger) {
    let file = ledger.folder().join("rows.jsonl");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&file).unwrap());
    let line = reservation("r-@", "ck_@").to_string();
    for n in 0..rows() {
        writeln!(out, "{}", line.replace('@', &n.to_string())).unwrap();
    }
    out.into_inner().unwrap();
    ledger.command("import").args([&file]).run().exits(0);
}

fn plan(ledger: &Ledger, view: View) -> String {
    let mut store = ledger.store();
    let statement = match store.engine() {
        Engine::Sqlite => format!("EXPLAIN QUERY PLAN {}", query(view)),
        Engine::Postgres => format!("EXPLAIN {}", query(view)),
    };
    let column = if store.engine() == Engine::Sqlite { 3 } else { 0 };
    let customer = Customer::of("acme", "ck_77").bytes().into();
    let rows = store.read(|transaction| transaction.query(&statement, &[customer])).unwrap();
    rows.iter().map(|row| row.text(column).unwrap().to_owned() + "\n").collect()
}

on_both! {
    fn the_plan_uses_the_index(ledger) {
        fill(ledger);
        if let Some(database) = ledger.database() {
            database.client().batch_execute("ANALYZE").unwrap();
        }
        for view in View::ALL {
            let plan = plan(ledger, view);
            match ledger.database() {
                Some(_) => {
                    assert!(!plan.contains("Seq Scan on reservations"), "{plan}");
                    let partitions = plan.matches("on reservations_").count();
                    assert!((1..=2).contains(&partitions), "one partition, by its index:\n{plan}");
                }
                None => {
                    assert!(plan.contains("SEARCH reservations USING PRIMARY KEY (customer=?)"), "{plan}");
                    let scans = |table: &&str| plan.contains(&format!("SCAN {table}"));
                    assert!(!["reservations", "usage", "decisions"].iter().any(scans), "{plan}");
                }
            }
        }
        assert_eq!(ledger.owed(&["ck_77"]), ["example-models"]);
        assert_eq!(ledger.owed(&["ck_x"]), [""; 0]);
    }
}
