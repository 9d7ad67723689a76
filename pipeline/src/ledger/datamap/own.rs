//! What we keep beside the topics: the ledger's store, what remains of it elsewhere, and files.

use super::{Action, Control, Row};

/// Where the ledger is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

pub(super) fn rows(store: Option<StoreKind>, owner: &str) -> Vec<Row> {
    let row = |id: &str, system: &str, copy: &str, action, kept: &str, left_behind: &str, evidence: Option<&str>| Row {
        id: id.into(),
        system: system.into(),
        copy: copy.into(),
        control: Control::Ours,
        owner: owner.into(),
        action,
        kept: kept.into(),
        gone_by: None,
        left_behind: left_behind.into(),
        evidence: evidence.map(Into::into),
        evidence_date: None,
        warning: None,
        done: None,
    };
    const ROWS: &str = "rows of reservations, usage and decisions: customer key, provider, terms; no text";
    const UNTIL: &str = "until the customer is erased";
    let mut rows = match store {
        Some(StoreKind::Sqlite) => vec![
            row(
                "store:sqlite",
                "The ledger's store (SQLite)",
                ROWS,
                Action::Delete,
                UNTIL,
                "nothing in the file: `secure_delete` overwrites what is deleted",
                Some("`ledger erase --confirm` reads the store again"),
            ),
            row(
                "store:sqlite:remnants",
                "Remnants of the ledger's store: journal, copies, backups of the file",
                ROWS,
                Action::Expiry,
                "as long as whoever copies the file keeps the copy: declare it with --systems",
                "what was copied before the erasure; `ledger replay` erases again after a restore",
                None,
            ),
        ],
        Some(StoreKind::Postgres) => vec![
            row(
                "store:postgres",
                "The ledger's store (PostgreSQL)",
                ROWS,
                Action::Delete,
                UNTIL,
                "dead rows, until vacuum",
                Some("`ledger erase --confirm` reads the store again"),
            ),
            row(
                "store:postgres:remnants",
                "Remnants of the ledger's store: write-ahead log, backups, point-in-time window, replicas",
                ROWS,
                Action::Expiry,
                "as long as backups and archived log are kept: declare that with --systems",
                "what was written before the erasure; `ledger replay` erases again after a restore",
                None,
            ),
        ],
        None => vec![],
    };
    rows.push(row(
        "files",
        "Files that `scan` and `redecide --out` wrote",
        "transcripts, not redacted in `review`, `held` and `dead-letter`",
        Action::Delete,
        "until whoever ran the command removes them",
        "what the disk's blocks and its backups keep",
        Some("files are for their owner only (0600)"),
    ));
    rows
}
