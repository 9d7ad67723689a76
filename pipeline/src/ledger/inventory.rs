//! What there is in a store: tables, views, indexes, functions and sequences, whose they are, and who may do what.

use super::store::{Engine, StoreError, Transaction};

/// A thing in a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// `table`, `view`, `index`, `sequence` or `function`; `column` where something is granted on that column alone.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Whose it is; nothing on SQLite, where the file has an owner.
    pub owner: Option<String>,
    /// What was granted, as PostgreSQL writes it.
    pub grants: Option<String>,
}

const SQLITE: &str =
    "SELECT type, name, NULL, NULL FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name";

/// Partitions and their indexes are as many as their table has, and no things of their own.
const POSTGRES: &str = "
SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' WHEN 'S' THEN 'sequence' ELSE 'table' END,
    CAST(relname AS TEXT), CAST(pg_get_userbyid(relowner) AS TEXT),
    (SELECT string_agg(CAST(one AS TEXT), ' ' ORDER BY CAST(one AS TEXT)) FROM unnest(relacl) AS one)
FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND NOT relispartition
UNION ALL
SELECT 'column', CAST(attrelid AS regclass) || '.' || attname, CAST(NULL AS TEXT),
    (SELECT string_agg(CAST(one AS TEXT), ' ' ORDER BY CAST(one AS TEXT)) FROM unnest(attacl) AS one)
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE attacl IS NOT NULL AND relnamespace = CAST(current_schema() AS regnamespace)
UNION ALL
SELECT 'function', CAST(proname AS TEXT), CAST(pg_get_userbyid(proowner) AS TEXT),
    (SELECT string_agg(CAST(one AS TEXT), ' ' ORDER BY CAST(one AS TEXT)) FROM unnest(proacl) AS one)
FROM pg_proc WHERE pronamespace = CAST(current_schema() AS regnamespace)
ORDER BY 1, 2";

/// Everything that is there, by kind and name.
///
/// # Errors
/// The store does not go along.
pub fn inventory(transaction: &mut Transaction<'_>) -> Result<Vec<Object>, StoreError> {
    let statement = match transaction.engine() {
        Engine::Sqlite => SQLITE,
        Engine::Postgres => POSTGRES,
    };
    let rows = transaction.query(statement, &[])?;
    let mut objects = rows
        .iter()
        .map(|row| {
            let opt = |column| Ok::<_, StoreError>(row.opt_text(column)?.map(str::to_owned));
            Ok(Object { kind: row.text(0)?.into(), name: row.text(1)?.into(), owner: opt(2)?, grants: opt(3)? })
        })
        .collect::<Result<Vec<_>, StoreError>>()?;
    objects.sort();
    Ok(objects)
}
