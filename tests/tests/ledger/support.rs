//! A ledger of a test's own, on either store, and records to put into it.

use maysend::ledger::store::{Address, Record, Store, Value};
use maysend_tests::{
    Program, Ran, maysend,
    postgres::{Database, Postgres},
};
use serde_json::{Value as Json, json};
use std::fs;
use tempfile::TempDir;

/// Runs each test on both stores.
macro_rules! on_both {
    ($(fn $name:ident($ledger:ident) $body:block)*) => {$(
        mod $name {
            #[allow(unused_imports, reason = "not every test needs all that the file imports")]
            use super::*;

            fn on($ledger: &$crate::support::Ledger) $body

            #[test]
            fn sqlite() {
                on(&$crate::support::Ledger::sqlite());
            }

            #[test]
            fn postgres() {
                on(&$crate::support::Ledger::postgres());
            }
        }
    )*};
}

/// A ledger in the form of today, with nothing in it.
pub struct Ledger {
    address: String,
    database: Option<Database>,
    folder: TempDir,
}

impl Ledger {
    /// A file.
    pub fn sqlite() -> Self {
        Self::new(None)
    }

    /// A database.
    pub fn postgres() -> Self {
        Self::new(Some(Postgres::shared().database("ledger")))
    }

    fn new(database: Option<Database>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("ledger.db").display().to_string();
        let address = database.as_ref().map_or(file, Database::address);
        let ledger = Self { address, database, folder };
        ledger.migrate(&[]).exits(0);
        ledger
    }

    /// Another one of the same kind.
    pub fn another(&self) -> Self {
        match self.database {
            Some(_) => Self::postgres(),
            None => Self::sqlite(),
        }
    }

    /// A database of a server of its own.
    pub fn on(server: &Postgres) -> Self {
        Self::new(Some(server.database("ledger")))
    }

    /// A backup, as the store's own tools make it.
    pub fn backup(&self) -> Vec<u8> {
        match &self.database {
            Some(database) => database.dump(),
            None => fs::read(&self.address).expect("a file"),
        }
    }

    /// Puts a backup in the place of what there is.
    pub fn restore(&self, backup: &[u8]) {
        match &self.database {
            Some(database) => database.restore(backup),
            None => fs::write(&self.address, backup).expect("a file"),
        }
    }

    /// The database, if it is one.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// A folder of the test's own.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// A command of the ledger on this store.
    pub fn command(&self, name: &str) -> Program {
        maysend(["ledger", name, "--store", &self.address])
    }

    /// Migrates it.
    pub fn migrate(&self, args: &[&str]) -> Ran {
        self.command("migrate").args(args).run()
    }

    /// Imports records.
    #[track_caller]
    pub fn import(&self, records: &[Json]) {
        let lines: String = records.iter().map(|record| record.to_string() + "\n").collect();
        self.command("import").args(["-"]).input(lines).run().exits(0);
    }

    /// The handoffs of a customer of `acme`, as JSON.
    #[track_caller]
    pub fn handoffs(&self, keys: &[&str]) -> Json {
        self.handoffs_at("acme", keys)
    }

    /// The handoffs of a customer, as JSON.
    #[track_caller]
    pub fn handoffs_at(&self, tenant: &str, keys: &[&str]) -> Json {
        let ran = self.command("handoffs").args(["--json", "--tenant", tenant]).args(keys).run().exits(0);
        serde_json::from_slice(&ran.stdout).expect("JSON")
    }

    /// The providers that owe a cleanup for a customer of `acme`.
    #[track_caller]
    pub fn owed(&self, keys: &[&str]) -> Vec<String> {
        providers(&self.handoffs(keys))
    }

    /// The store, as the program's library opens it.
    pub fn store(&self) -> Store {
        let address: Address = self.address.parse().expect("an address");
        Store::connect(&address, false).expect("a store")
    }

    /// The rows of a query.
    pub fn query(&self, statement: &str, parameters: &[Value]) -> Vec<Record> {
        self.store().read(|transaction| transaction.query(statement, parameters)).expect("rows")
    }

    /// Every row of every table that records come to.
    pub fn rows(&self) -> Vec<(&'static str, Vec<Record>)> {
        let mut store = self.store();
        let of = |table: &&'static maysend::ledger::rows::Table| {
            let statement = format!("SELECT * FROM {}", table.name);
            let mut rows = store.read(|transaction| transaction.query(&statement, &[])).expect("rows");
            rows.sort();
            (table.name, rows)
        };
        maysend::ledger::rows::TABLES.iter().map(of).collect()
    }
}

/// The providers of handoffs.
pub fn providers(handoffs: &Json) -> Vec<String> {
    let all = handoffs["providers"].as_array().expect("a list");
    all.iter().map(|handoff| handoff["provider"].as_str().expect("a name").to_owned()).collect()
}

/// A reservation of a customer of `acme`, of one request.
pub fn reservation(id: &str, customer: &str) -> Json {
    json!({
        "schema": 1, "reservation_id": id, "tenant": "acme", "customer_key": customer, "provider": "example-models",
        "destination": "summaries-eu", "terms": "2026-02-11 sha256:aa", "ruleset": "sha256:bb", "mode": "enforce",
        "reserved_requests": 1, "reserved_at": "2026-03-02T09:14:03Z",
    })
}

/// Usage of a customer of `acme`, of one request.
pub fn usage(id: &str, customer: &str, used: u32, outcome: &str) -> Json {
    json!({
        "schema": 1, "reservation_id": id, "tenant": "acme", "customer_key": customer, "provider": "example-models",
        "destination": "summaries-eu", "requests_used": used, "outcome": outcome,
        "provider_request_ids": [format!("req-{id}")], "reported_at": "2026-03-02T10:00:00Z",
    })
}

/// A record with another member.
pub fn with(mut record: Json, name: &str, value: impl Into<Json>) -> Json {
    record[name] = value.into();
    record
}
