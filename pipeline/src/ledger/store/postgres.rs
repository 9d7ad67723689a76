//! PostgreSQL, by its own protocol. Many rows are loaded with COPY into a temporary table and merged from there.

use super::{
    Inner, Record, StoreError, Transaction, Value,
    address::Database,
    columns, index_of, on_conflict,
    value::{escape, unescape},
};
use crate::ledger::rows::{Holds, Row, TABLES, Table};
use openssl::ssl::{SslConnector, SslMethod};
use postgres::{
    Client, Error, IsolationLevel, NoTls, Statement,
    binary_copy::BinaryCopyInWriter,
    config::SslMode,
    error::SqlState,
    fallible_iterator::FallibleIterator as _,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};
use postgres_openssl::MakeTlsConnector;
use std::{collections::HashMap, error, path::Path, sync::LazyLock};

/// The lock that one takes to follow topics into a store: `mayL`.
const FOLLOWING: i64 = 0x6d61_794c;

/// Where systems keep the certificates that they trust; the first that is there is used. `MAYSEND_STORE_CA_FILE` names
/// another.
const TRUSTED: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// An open connection.
pub(super) struct Postgres {
    client: Client,
    database: String,
    statements: HashMap<String, Statement>,
    /// Which tables have a temporary one to load into.
    loading: [bool; TABLES.len()],
}

/// An open transaction.
pub(super) struct Open<'t> {
    transaction: postgres::Transaction<'t>,
    database: &'t str,
    statements: &'t mut HashMap<String, Statement>,
    loading: &'t mut [bool; TABLES.len()],
    /// Which of these hold rows by now.
    loaded: [bool; TABLES.len()],
}

impl Postgres {
    pub(super) fn connect(database: &Database) -> Result<Self, StoreError> {
        let name = database.to_string();
        let wrong = |what: String| StoreError::Postgres { database: name.clone(), what };
        let connected = match database.config.get_ssl_mode() {
            SslMode::Disable => database.config.connect(NoTls),
            _ => database.config.connect(tls().map_err(|error| wrong(format!("no encryption: {error}")))?),
        };
        let mut client = connected.map_err(|error| wrong(said(&error)))?;
        let encoding = client.query_one("SHOW server_encoding", &[]).map_err(|error| wrong(said(&error)))?;
        let encoding: String = encoding.get(0);
        if encoding != "UTF8" {
            return Err(wrong(format!("its encoding is {encoding}; create the database with ENCODING 'UTF8'")));
        }
        Ok(Self { client, database: name, statements: HashMap::new(), loading: [false; TABLES.len()] })
    }

    fn failed(&self, error: &Error) -> StoreError {
        StoreError::Postgres { database: self.database.clone(), what: said(error) }
    }

    pub(super) fn write<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.within(false, work)
    }

    pub(super) fn read<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.within(true, work)
    }

    fn within<T, E: From<StoreError>>(
        &mut self,
        only_reads: bool,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let Self { client, database, statements, loading } = self;
        let builder = client.build_transaction();
        let builder = match only_reads {
            true => builder.isolation_level(IsolationLevel::RepeatableRead).read_only(true),
            false => builder,
        };
        let before = *loading;
        let transaction = builder.start().map_err(|error| failed(database, &error))?;
        let mut work_in = Transaction {
            inner: Inner::Postgres(Open { transaction, database, statements, loading, loaded: [false; TABLES.len()] }),
        };
        let done = work(&mut work_in);
        let Inner::Postgres(open) = work_in.inner else { return done };
        match done {
            Ok(done) => {
                open.transaction.commit().map_err(|error| failed(open.database, &error))?;
                Ok(done)
            }
            Err(error) => {
                *open.loading = before;
                // Its connection may be gone, and the transaction with it.
                let _ = open.transaction.rollback();
                Err(error)
            }
        }
    }

    /// Waits a little: of one that was killed the server notices late that it is gone.
    pub(super) fn claim_following(&mut self) -> Result<bool, StoreError> {
        let mut claim = || {
            self.client.batch_execute("SET lock_timeout = '10s'")?;
            let claimed = self.client.execute("SELECT pg_advisory_lock($1)", &[&FOLLOWING]);
            self.client.batch_execute("RESET lock_timeout")?;
            claimed
        };
        match claim() {
            Ok(_) => Ok(true),
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => Ok(false),
            Err(error) => Err(self.failed(&error)),
        }
    }
}

impl Open<'_> {
    fn failed(&self, error: &Error) -> StoreError {
        failed(self.database, error)
    }

    fn statement(&mut self, text: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.transaction.prepare(text).map_err(|error| self.failed(&error))?;
        self.statements.insert(text.into(), statement.clone());
        Ok(statement)
    }

    pub(super) fn define(&mut self, statements: &str) -> Result<(), StoreError> {
        // What was prepared may mean something else from now on.
        self.statements.clear();
        self.transaction.batch_execute(statements).map_err(|error| self.failed(&error))
    }

    pub(super) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        let statement = self.statement(statement)?;
        let parameters: Vec<&(dyn ToSql + Sync)> = parameters.iter().map(|value| value as _).collect();
        self.transaction.execute(&statement, &parameters).map_err(|error| self.failed(&error))
    }

    pub(super) fn each<E: From<StoreError>>(
        &mut self,
        statement: &str,
        parameters: &[Value],
        mut each: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let statement = self.statement(statement)?;
        let database = self.database;
        let failed = |error: Error| failed(database, &error);
        let mut rows = self.transaction.query_raw(&statement, parameters.iter()).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let value = |column| row.try_get::<_, Value>(column).map_err(failed);
            each(Record((0..row.len()).map(value).collect::<Result<_, _>>()?))?;
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, table: &'static Table, rows: &[Row]) -> Result<(), StoreError> {
        let index = index_of(table);
        let load = &LOADS[index];
        if !self.loading[index] {
            self.transaction.batch_execute(&load.table).map_err(|error| self.failed(&error))?;
            self.loading[index] = true;
        } else if self.loaded[index] {
            let emptied = self.transaction.batch_execute(&format!("TRUNCATE incoming_{}", table.name));
            emptied.map_err(|error| self.failed(&error))?;
        }
        self.loaded[index] = true;
        let mut copied = || {
            let mut writer = BinaryCopyInWriter::new(self.transaction.copy_in(&load.copy)?, &load.types);
            for row in rows {
                writer.write_raw(row.iter().map(|value| value as &(dyn ToSql + Sync)))?;
            }
            writer.finish()
        };
        let failed = |error| StoreError::Postgres { database: self.database.into(), what: said(&error) };
        copied().map_err(failed)?;
        self.execute(&load.merge, &[])?;
        Ok(())
    }
}

fn failed(database: &str, error: &Error) -> StoreError {
    StoreError::Postgres { database: database.into(), what: said(error) }
}

/// What the server says, without the detail, which can hold values.
fn said(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} (SQLSTATE {})", said.message(), said.code().code()),
        None => error::Error::source(error).map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}")),
    }
}

fn tls() -> Result<MakeTlsConnector, Box<dyn error::Error>> {
    let mut builder = SslConnector::builder(SslMethod::tls())?;
    match std::env::var_os("MAYSEND_STORE_CA_FILE") {
        Some(path) => builder.set_ca_file(path)?,
        None => {
            let found = TRUSTED.iter().find(|path| Path::new(path).exists());
            builder.set_ca_file(found.ok_or("no certificates are trusted; set MAYSEND_STORE_CA_FILE")?)?;
        }
    }
    Ok(MakeTlsConnector::new(builder.build()))
}

/// How rows of a table are loaded.
struct Load {
    table: String,
    copy: String,
    merge: String,
    types: Vec<Type>,
}

static LOADS: LazyLock<Vec<Load>> = LazyLock::new(|| {
    let load = |table: &&Table| {
        let (name, columns) = (table.name, columns(table));
        let type_of = |(_, holds): &(&str, Holds)| match holds {
            Holds::Bytes => Type::BYTEA,
            Holds::Text => Type::TEXT,
            Holds::Integer => Type::INT8,
        };
        let types: Vec<Type> = table.columns.iter().map(type_of).collect();
        let defined: Vec<String> =
            table.columns.iter().zip(&types).map(|((name, _), kind)| format!("{name} {kind}")).collect();
        Load {
            table: format!("CREATE TEMPORARY TABLE incoming_{name} ({}) ON COMMIT DELETE ROWS", defined.join(", ")),
            copy: format!("COPY incoming_{name} ({columns}) FROM STDIN BINARY"),
            merge: format!(
                "INSERT INTO {name} ({columns}) SELECT {columns} FROM incoming_{name} {}",
                on_conflict(table)
            ),
            types,
        }
    };
    TABLES.iter().map(load).collect()
});

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => number.to_sql(kind, out),
            Self::Text(text) => escape(text).as_ref().to_sql(kind, out),
            Self::Bytes(bytes) => bytes.as_slice().to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Value {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn error::Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Self::Integer(i32::from_sql(kind, raw)?.into()),
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::BYTEA => Self::Bytes(Vec::from_sql(kind, raw)?),
            _ => Self::Text(unescape(String::from_sql(kind, raw)?)),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn error::Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::INT4 | Type::BOOL | Type::TEXT | Type::VARCHAR | Type::NAME | Type::BYTEA)
    }
}
