//! The forms that a store has had, and the way from each to the next and back.
//!
//! Migrations are built into the program, applied in one transaction each, and listed in the table `migrations`. The way
//! back never takes rows away: what would, is refused while there are any.

use super::{
    predicate::{self, LEGACY, POSSIBLY_SENT, PredicateError},
    rows::{TABLES, microseconds},
    store::{Engine, Store, StoreError, Transaction},
};
use jiff::Timestamp;

/// A change of a store's form.
pub struct Migration {
    /// What it does, in a word.
    pub name: &'static str,
    up: Step,
    down: Step,
}

type Step = fn(&mut Transaction<'_>) -> Result<(), MigrationError>;

/// All migrations, in order; the first has number 1. One that was released is never changed.
pub static MIGRATIONS: &[Migration] = &[
    Migration { name: "tables", up: make_tables, down: remove_tables },
    Migration {
        name: "owed_views",
        up: |transaction| Ok(predicate::install(transaction, LEGACY)?),
        down: |transaction| Ok(predicate::remove(transaction)?),
    },
    Migration {
        name: "roles",
        up: |transaction| on_postgres(transaction, include_str!("sql/postgres/roles.sql")),
        down: |transaction| on_postgres(transaction, include_str!("sql/postgres/remove_roles.sql")),
    },
    Migration {
        name: "owed_by_what_was_possibly_sent",
        up: |transaction| Ok(predicate::replace(transaction, LEGACY, POSSIBLY_SENT)?),
        down: |transaction| Ok(predicate::replace(transaction, POSSIBLY_SENT, LEGACY)?),
    },
    Migration {
        name: "authorised_deletions",
        up: |transaction| on_postgres(transaction, include_str!("sql/postgres/authorisations.sql")),
        down: |transaction| on_postgres(transaction, include_str!("sql/postgres/remove_authorisations.sql")),
    },
    Migration {
        name: "noted_deletions",
        up: note_deletions,
        down: |transaction| on_postgres(transaction, include_str!("sql/postgres/remove_deletions.sql")),
    },
];

/// Why a migration cannot be applied or taken back. Nothing of it holds then.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The rule cannot be put in place.
    #[error("{0}")]
    Predicate(#[from] PredicateError),
    /// The way back would lose rows.
    #[error(
        "{0} holds rows, which are evidence, and the way back would drop them; nothing was changed. If they must go, drop the database by hand"
    )]
    HoldsRows(&'static str),
    /// There is none of this number.
    #[error("there is no migration {wanted}; there are 0, for none, to {last}")]
    Unknown {
        /// What was asked for.
        wanted: i64,
        /// The last one.
        last: i64,
    },
    /// The store has seen a newer program.
    #[error("the store is at migration {at}, and this program knows {last}; use the newer program")]
    Newer {
        /// The last that was applied.
        at: i64,
        /// The last that this program knows.
        last: i64,
    },
    /// The store does not go along.
    #[error("{0}")]
    Store(Box<StoreError>),
}

impl From<StoreError> for MigrationError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Migration(own) => own,
            error => Self::Store(Box::new(error)),
        }
    }
}

/// One that was applied or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: &'static str,
    /// Whether it was taken back.
    pub back: bool,
}

/// Takes a store to the form of a migration, or to the last one; 0 is none. Says what was done.
///
/// # Errors
/// A step is not possible; what was done before it holds.
pub fn migrate(store: &mut Store, to: Option<i64>) -> Result<Vec<Done>, MigrationError> {
    let last = MIGRATIONS.len() as i64;
    let wanted = to.unwrap_or(last);
    if !(0..=last).contains(&wanted) {
        return Err(MigrationError::Unknown { wanted, last });
    }
    let mut done = Vec::new();
    while let Some(step) = store.write(|transaction| step(transaction, wanted))? {
        done.push(step);
    }
    Ok(done)
}

/// One step on the way, if there is one to do. Another that migrates at the same time waits.
fn step(transaction: &mut Transaction<'_>, wanted: i64) -> Result<Option<Done>, MigrationError> {
    match transaction.engine() {
        Engine::Postgres => transaction.define(&format!("SELECT pg_advisory_xact_lock({MIGRATING})"))?,
        Engine::Sqlite => {}
    }
    let at = version(transaction)?;
    let last = MIGRATIONS.len() as i64;
    if at > last {
        return Err(MigrationError::Newer { at, last });
    }
    if at == wanted {
        return Ok(None);
    }
    let back = at > wanted;
    let number = if back { at } else { at + 1 };
    let migration = &MIGRATIONS[usize::try_from(number - 1).unwrap_or(0)];
    if back {
        (migration.down)(transaction)?;
        transaction.execute("DELETE FROM migrations WHERE number = $1", &[number.into()])?;
    } else {
        if at == 0 {
            transaction.define(LIST)?;
        }
        (migration.up)(transaction)?;
        let now = microseconds(Timestamp::now());
        let insert = "INSERT INTO migrations (number, name, applied_at) VALUES ($1, $2, $3)";
        transaction.execute(insert, &[number.into(), migration.name.into(), now.into()])?;
    }
    Ok(Some(Done { number, name: migration.name, back }))
}

/// The lock under which a PostgreSQL store is migrated: `mayM`.
const MIGRATING: i64 = 0x6d61_794d;

const LIST: &str = "CREATE TABLE IF NOT EXISTS migrations (
    number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL
)";

/// The number of the last migration that was applied; 0 for none.
///
/// # Errors
/// The store does not go along.
pub fn version(transaction: &mut Transaction<'_>) -> Result<i64, StoreError> {
    if !is_there(transaction, "migrations")? {
        return Ok(0);
    }
    let last = transaction.query("SELECT COALESCE(max(number), 0) FROM migrations", &[])?;
    last.first().map_or(Ok(0), |found| found.integer(0))
}

fn is_there(transaction: &mut Transaction<'_>, table: &str) -> Result<bool, StoreError> {
    let count = match transaction.engine() {
        Engine::Sqlite => "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
        Engine::Postgres => "SELECT count(to_regclass($1))",
    };
    let found = transaction.query(count, &[table.into()])?;
    Ok(found.first().map_or(Ok(0), |found| found.integer(0))? > 0)
}

/// The migrations that were applied, in order: number, name, and when.
///
/// # Errors
/// The store does not go along.
pub fn applied(transaction: &mut Transaction<'_>) -> Result<Vec<(i64, String, Timestamp)>, StoreError> {
    if version(transaction)? == 0 {
        return Ok(Vec::new());
    }
    let rows = transaction.query("SELECT number, name, applied_at FROM migrations ORDER BY number", &[])?;
    rows.iter().map(|row| Ok((row.integer(0)?, row.text(1)?.into(), super::rows::time(row.integer(2)?)))).collect()
}

/// What SQLite has nothing of.
fn on_postgres(transaction: &mut Transaction<'_>, statements: &str) -> Result<(), MigrationError> {
    match transaction.engine() {
        Engine::Postgres => Ok(transaction.define(statements)?),
        Engine::Sqlite => Ok(()),
    }
}

fn make_tables(transaction: &mut Transaction<'_>) -> Result<(), MigrationError> {
    Ok(transaction.define(match transaction.engine() {
        Engine::Sqlite => include_str!("sql/sqlite/tables.sql"),
        Engine::Postgres => include_str!("sql/postgres/tables.sql"),
    })?)
}

fn note_deletions(transaction: &mut Transaction<'_>) -> Result<(), MigrationError> {
    Ok(transaction.define(match transaction.engine() {
        Engine::Sqlite => include_str!("sql/sqlite/deletions.sql"),
        Engine::Postgres => include_str!("sql/postgres/deletions.sql"),
    })?)
}

fn remove_tables(transaction: &mut Transaction<'_>) -> Result<(), MigrationError> {
    let later = ["authorisations", "deletions"].into_iter();
    for table in TABLES.iter().map(|table| table.name).chain(later) {
        if !is_there(transaction, table)? {
            continue;
        }
        let any = transaction.query(&format!("SELECT CAST(1 AS BIGINT) FROM {table} LIMIT 1"), &[])?;
        if !any.is_empty() {
            return Err(MigrationError::HoldsRows(table));
        }
    }
    Ok(transaction.define(include_str!("sql/remove_tables.sql"))?)
}
