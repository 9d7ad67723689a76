//! SQLite, built in.
//!
//! What is deleted is overwritten with zeros (`secure_delete`). The journal is a rollback journal, which ends with its
//! transaction: a write-ahead log would keep old rows for as long as it pleases.

use super::{
    Inner, Record, StoreError, Transaction, Value, columns, index_of, on_conflict,
    value::{escape, unescape},
};
use crate::ledger::rows::{Row, TABLES, Table};
use rusqlite::{
    Connection, OpenFlags, ToSql,
    types::{ToSqlOutput, ValueRef},
};
use std::{
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

/// So long one waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Marks the file as a ledger: `mayL`.
const APPLICATION: i64 = 0x6d61_794c;

/// An open file.
pub(super) struct Sqlite {
    connection: Connection,
    path: PathBuf,
}

impl Sqlite {
    /// Opens a file; `create` makes one, which only its owner can read.
    pub(super) fn open(path: &Path, create: bool) -> Result<Self, StoreError> {
        let wrong = |what: String| StoreError::Sqlite { path: path.into(), what };
        if create {
            let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            made.map_err(|error| wrong(format!("cannot be made: {error}")))?;
        } else if !path.exists() {
            let what = "is not there; `maysend ledger import`, `run` and `migrate` make it";
            return Err(wrong(what.into()));
        }
        // No flag for names that are URIs: a path is a path.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| wrong(error.to_string()))?;
        let sqlite = Self { connection, path: path.into() };
        sqlite.prepare().map_err(|error| sqlite.failed(&error))?;
        let mark = sqlite.pragma("application_id").map_err(|error| sqlite.failed(&error))?;
        let tables = "SELECT count(*) FROM sqlite_master";
        let is_empty = sqlite.connection.query_row(tables, [], |row| row.get::<_, i64>(0)) == Ok(0);
        if mark != APPLICATION && !is_empty {
            return Err(StoreError::Foreign(path.display().to_string()));
        }
        if is_empty {
            let marked = sqlite.connection.pragma_update(None, "application_id", APPLICATION);
            marked.map_err(|error| sqlite.failed(&error))?;
        }
        Ok(sqlite)
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(PATIENCE)?;
        self.connection.pragma_update(None, "secure_delete", "ON")?;
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        // A schema that somebody else has written may call nothing.
        self.connection.pragma_update(None, "trusted_schema", "OFF")?;
        self.connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        self.connection.set_prepared_statement_cache_capacity(32);
        Ok(())
    }

    fn pragma(&self, name: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, name, |row| row.get(0))
    }

    /// SQLite's messages name tables and columns, never values.
    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::Sqlite { path: self.path.clone(), what: error.to_string() }
    }

    pub(super) fn write<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.within("BEGIN IMMEDIATE", "COMMIT", work)
    }

    pub(super) fn read<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.within("BEGIN", "ROLLBACK", work)
    }

    fn within<T, E: From<StoreError>>(
        &mut self,
        begin: &str,
        end: &str,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.define(begin)?;
        match work(&mut Transaction { inner: Inner::Sqlite(self) }) {
            Ok(done) => {
                self.define(end)?;
                Ok(done)
            }
            Err(error) => {
                // What failed may have ended the transaction by itself.
                let _ = self.define("ROLLBACK");
                Err(error)
            }
        }
    }

    pub(super) fn define(&self, statements: &str) -> Result<(), StoreError> {
        self.connection.execute_batch(statements).map_err(|error| self.failed(&error))
    }

    pub(super) fn execute(&self, statement: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        let run = || self.connection.prepare_cached(statement)?.execute(rusqlite::params_from_iter(parameters));
        run().map(|changed| changed as u64).map_err(|error| self.failed(&error))
    }

    pub(super) fn each<E: From<StoreError>>(
        &self,
        statement: &str,
        parameters: &[Value],
        mut each: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error| self.failed(&error);
        let mut statement = self.connection.prepare_cached(statement).map_err(failed)?;
        let width = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(parameters)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let value = |column| row.get_ref(column).map_err(failed).and_then(value);
            each(Record((0..width).map(value).collect::<Result<_, _>>()?))?;
        }
        Ok(())
    }

    pub(super) fn merge(&self, table: &'static Table, rows: &[Row]) -> Result<(), StoreError> {
        let failed = |error| self.failed(&error);
        let mut insert = self.connection.prepare_cached(&INSERTS[index_of(table)]).map_err(failed)?;
        for row in rows {
            insert.execute(rusqlite::params_from_iter(row)).map_err(failed)?;
        }
        Ok(())
    }
}

/// The insertion into each table.
static INSERTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let insert = |table: &&Table| {
        let places: Vec<String> = (1..=table.columns.len()).map(|number| format!("${number}")).collect();
        let (name, columns, places) = (table.name, columns(table), places.join(", "));
        format!("INSERT INTO {name} ({columns}) VALUES ({places}) {}", on_conflict(table))
    };
    TABLES.iter().map(insert).collect()
});

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Integer(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            Self::Text(text) => match escape(text) {
                std::borrow::Cow::Borrowed(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
                std::borrow::Cow::Owned(text) => ToSqlOutput::Owned(rusqlite::types::Value::Text(text)),
            },
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

fn value(value: ValueRef<'_>) -> Result<Value, StoreError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::Text(unescape(text.into())),
            Err(_) => return Err(StoreError::Unexpected("text that is not UTF-8", "text")),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.into()),
        ValueRef::Real(_) => return Err(StoreError::Unexpected("a fraction", "a whole number")),
    })
}
