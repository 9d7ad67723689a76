//! Where the ledger is kept: a SQLite file, or a PostgreSQL database.
//!
//! Every statement is one text for both, with `$1`, `$2`, … for its parameters in the order in which they first stand
//! there. Only what defines tables, and how many rows are loaded at once, differs. No statement is made of data.

mod address;
mod postgres;
mod sqlite;
mod value;

pub use address::{Address, AddressError};
pub use value::{Record, Value};

use super::{
    migrations::MIGRATIONS,
    rows::{Batch, Row, TABLES, Table},
};
use std::path::PathBuf;

/// Why a store cannot be used. Holds no customer's key, and no secret.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// `--store` names none.
    #[error("{0}")]
    Address(#[from] AddressError),
    /// SQLite does not go along.
    #[error("{}: {what}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What it says.
        what: String,
    },
    /// PostgreSQL does not go along.
    #[error("{database}: {what}")]
    Postgres {
        /// Host and database.
        database: String,
        /// What it says.
        what: String,
    },
    /// The database is something else's.
    #[error("{0} is no ledger, and not empty; name a file that is not there yet, or an empty database")]
    Foreign(String),
    /// It has not the form that this program reads and writes.
    #[error(
        "{store} is at migration {at}, and this program needs {needed}; run `maysend ledger migrate --store …` of {}",
        if at < needed { "this program" } else { "the program that it belongs to, with --to, or take a newer program" }
    )]
    Version {
        /// The store.
        store: String,
        /// The last migration that was applied.
        at: i64,
        /// The last one that there is.
        needed: i64,
    },
    /// A row is not what it must be.
    #[error("a row holds {0} where there must be {1}; the database was changed by something else")]
    Unexpected(&'static str, &'static str),
    /// A migration cannot be applied or taken back.
    #[error("{0}")]
    Migration(#[from] super::migrations::MigrationError),
}

/// A store that is open.
pub struct Store {
    address: Address,
    backend: Backend,
}

enum Backend {
    Sqlite(sqlite::Sqlite),
    Postgres(Box<postgres::Postgres>),
}

/// Which of the two a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Store {
    /// Opens a store that is there and has the form that this program needs.
    ///
    /// # Errors
    /// It cannot be reached, or is of another form.
    pub fn open(address: &Address) -> Result<Self, StoreError> {
        let mut store = Self::connect(address, false)?;
        store.check_version()?;
        Ok(store)
    }

    /// Opens a store, and makes a SQLite file that is not there yet. A PostgreSQL database is migrated by its owner, with
    /// `maysend ledger migrate`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_or_create(address: &Address) -> Result<Self, StoreError> {
        let is_new = address.file().is_some_and(|path| !path.exists());
        let mut store = Self::connect(address, is_new)?;
        if is_new {
            super::migrations::migrate(&mut store, None)?;
        }
        store.check_version()?;
        Ok(store)
    }

    /// Opens a store whatever its form: for migrations. `create` makes a SQLite file that is not there.
    ///
    /// # Errors
    /// It cannot be reached, or is something else's.
    pub fn connect(address: &Address, create: bool) -> Result<Self, StoreError> {
        let backend = match address {
            Address::Sqlite(path) => Backend::Sqlite(sqlite::Sqlite::open(path, create)?),
            Address::Postgres(database) => Backend::Postgres(Box::new(postgres::Postgres::connect(database)?)),
        };
        Ok(Self { address: address.clone(), backend })
    }

    /// Which of the two it is.
    pub fn engine(&self) -> Engine {
        match self.backend {
            Backend::Sqlite(_) => Engine::Sqlite,
            Backend::Postgres(_) => Engine::Postgres,
        }
    }

    /// The store as it is named in messages: without secrets.
    pub fn name(&self) -> String {
        self.address.to_string()
    }

    /// Does work in one transaction: all of it holds, or nothing.
    ///
    /// # Errors
    /// The work's own, or the store does not go along.
    pub fn write<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        match &mut self.backend {
            Backend::Sqlite(sqlite) => sqlite.write(work),
            Backend::Postgres(postgres) => postgres.write(work),
        }
    }

    /// Reads what holds at one moment.
    ///
    /// # Errors
    /// The work's own, or the store does not go along.
    pub fn read<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        match &mut self.backend {
            Backend::Sqlite(sqlite) => sqlite.read(work),
            Backend::Postgres(postgres) => postgres.read(work),
        }
    }

    /// Keeps others from following topics into this store, until it is closed. `false` if another does. On SQLite one
    /// waits for the other with each batch, which is enough: what both write is the same.
    ///
    /// # Errors
    /// The store does not go along.
    pub fn claim_following(&mut self) -> Result<bool, StoreError> {
        match &mut self.backend {
            Backend::Sqlite(_) => Ok(true),
            Backend::Postgres(postgres) => postgres.claim_following(),
        }
    }

    fn check_version(&mut self) -> Result<(), StoreError> {
        let at = self.read(super::migrations::version)?;
        let needed = MIGRATIONS.len() as i64;
        match at == needed {
            true => Ok(()),
            false => Err(StoreError::Version { store: self.name(), at, needed }),
        }
    }
}

/// A transaction, or a moment that is read.
pub struct Transaction<'t> {
    inner: Inner<'t>,
}

enum Inner<'t> {
    Sqlite(&'t sqlite::Sqlite),
    Postgres(postgres::Open<'t>),
}

impl Transaction<'_> {
    /// Which of the two stores it is.
    pub fn engine(&self) -> Engine {
        match self.inner {
            Inner::Sqlite(_) => Engine::Sqlite,
            Inner::Postgres(_) => Engine::Postgres,
        }
    }

    /// Runs one statement with its parameters. Returns how many rows it changed.
    ///
    /// # Errors
    /// The store does not go along.
    pub fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        match &mut self.inner {
            Inner::Sqlite(sqlite) => sqlite.execute(statement, parameters),
            Inner::Postgres(open) => open.execute(statement, parameters),
        }
    }

    /// The rows of a statement, one after the other.
    ///
    /// # Errors
    /// The work's own, or the store does not go along.
    pub fn each<E: From<StoreError>>(
        &mut self,
        statement: &str,
        parameters: &[Value],
        each: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.inner {
            Inner::Sqlite(sqlite) => sqlite.each(statement, parameters, each),
            Inner::Postgres(open) => open.each(statement, parameters, each),
        }
    }

    /// The rows of a statement, all at once.
    ///
    /// # Errors
    /// The store does not go along.
    pub fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Record>, StoreError> {
        let mut records = Vec::new();
        self.each(statement, parameters, |record| {
            records.push(record);
            Ok::<_, StoreError>(())
        })?;
        Ok(records)
    }

    /// Runs statements of the program's own, without parameters: what defines tables and views.
    ///
    /// # Errors
    /// The store does not go along.
    pub fn define(&mut self, statements: &str) -> Result<(), StoreError> {
        match &mut self.inner {
            Inner::Sqlite(sqlite) => sqlite.define(statements),
            Inner::Postgres(open) => open.define(statements),
        }
    }

    /// Takes rows in: a row that is there already keeps its first and its last time.
    ///
    /// # Errors
    /// The store does not go along.
    pub fn take_in(&mut self, batch: Batch) -> Result<(), StoreError> {
        batch.into_tables().try_for_each(|(table, rows)| self.merge(table, &rows))
    }

    /// Merges rows of one table, each named once, sorted by what names them.
    fn merge(&mut self, table: &'static Table, rows: &[Row]) -> Result<(), StoreError> {
        match &mut self.inner {
            Inner::Sqlite(sqlite) => sqlite.merge(table, rows),
            Inner::Postgres(open) => open.merge(table, rows),
        }
    }
}

/// The columns of a table, as statements list them.
fn columns(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// What makes an insertion a union, for both stores.
fn on_conflict(table: &Table) -> String {
    let Table { name, .. } = table;
    let key: Vec<&str> = table.columns[..table.key].iter().map(|(name, _)| *name).collect();
    format!(
        "ON CONFLICT ({}) DO UPDATE SET \
         first_at = CASE WHEN excluded.first_at < {name}.first_at THEN excluded.first_at ELSE {name}.first_at END, \
         last_at = CASE WHEN excluded.last_at > {name}.last_at THEN excluded.last_at ELSE {name}.last_at END \
         WHERE excluded.first_at < {name}.first_at OR excluded.last_at > {name}.last_at",
        key.join(", ")
    )
}

/// Which table of [`TABLES`] it is.
fn index_of(table: &Table) -> usize {
    TABLES.iter().position(|other| *other == table).unwrap_or(0)
}
