//! One customer among a million is found by the index, never by looking through the rows.

use crate::support::Ledger;
use maysend::ledger::{
    handoffs::{query, query_by_sender},
    identity::Customer,
    import::import,
    predicate::View,
    store::{Engine, Value},
};
use maysend_tests::{kafka::is_long, made::reservations};
use std::path::Path;

/// Customers, of one reservation each. `--long` has as many as five years of 41,200 a day.
fn rows() -> u64 {
    if is_long() { 75_000_000 } else { 1_000_000 }
}

fn fill(ledger: &Ledger) {
    import(&mut ledger.store(), Path::new("made"), reservations(rows())).unwrap();
}

fn plan(ledger: &Ledger, query: &str, parameters: &[Value]) -> String {
    let mut store = ledger.store();
    let (explain, column) = match store.engine() {
        Engine::Sqlite => ("EXPLAIN QUERY PLAN", 3),
        Engine::Postgres => ("EXPLAIN", 0),
    };
    let statement = format!("{explain} {query}");
    let rows = store.read(|transaction| transaction.query(&statement, parameters)).unwrap();
    rows.iter().map(|row| row.text(column).unwrap().to_owned() + "\n").collect()
}

on_both! {
    fn the_plan_uses_the_index(ledger) {
        fill(ledger);
        if let Some(database) = ledger.database() {
            database.client().batch_execute("ANALYZE").unwrap();
        }
        for view in View::ALL {
            let plan = plan(ledger, &query(view), &[Customer::of("acme", "ck_77").bytes().into()]);
            match ledger.database() {
                Some(_) => {
                    assert!(!plan.contains("Seq Scan on reservations"), "{plan}");
                    let partitions = plan.matches("on reservations_").count();
                    assert!((1..=2).contains(&partitions), "one partition, by its index:\n{plan}");
                    assert!(!plan.contains("Aggregate") && !plan.contains("Unique"), "rows are not made distinct:\n{plan}");
                }
                None => {
                    assert!(plan.contains("SEARCH reservations USING PRIMARY KEY (customer=?)"), "{plan}");
                    let scans = |table: &&str| plan.contains(&format!("SCAN {table}"));
                    assert!(!["reservations", "usage", "decisions"].iter().any(scans), "{plan}");
                    assert!(!plan.contains("TEMP B-TREE"), "rows are not made distinct:\n{plan}");
                }
            }
        }
        // Nothing but reservations names a sender, so nothing else is looked at: SQLite decides that before it begins.
        let plan = plan(ledger, &query_by_sender(), &["somebody".into(), "acme".into()]);
        match ledger.database() {
            Some(_) => assert!(!plan.contains("Seq Scan"), "{plan}"),
            None => assert!(plan.contains("SEARCH reservations USING INDEX reservations_by_sender (sender=?)"), "{plan}"),
        }
        assert_eq!(ledger.owed(&["ck_77"]), ["example-models"]);
        assert_eq!(ledger.owed(&["ck_x"]), [""; 0]);
    }
}
