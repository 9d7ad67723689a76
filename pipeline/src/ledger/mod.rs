//! The ledger: who owes a cleanup for a customer, by what was possibly sent.
//!
//! ```text
//! reservations, usage, decisions, rulesets (Kafka, or JSONL) ─▶ events ─▶ rows ─▶ store ─▶ owed_erase, owed_replay
//! ```
//!
//! The records are [`events`]; what is kept of each is a row of [`rows`], which is named by all that it says. So taking a
//! record in twice, or in another order, comes to the same, and of two records that say different things of one
//! reservation both are kept. A [`store`] is SQLite or PostgreSQL. Whether a row makes its provider owe a cleanup is
//! said once, in [`predicate`].
//!
//! [`erasure`] closes a customer, states who owes a cleanup and deletes our own copies. [`records`] are the signed records of erasures, [`requests`] the life of a request and of its handoffs, [`log`] the
//! topics of both. [`datamap`] says of every system that touches a transcript who controls it and when its copies go.

pub mod datamap;
pub mod erasure;
pub mod events;
pub mod follow;
pub mod handoffs;
pub mod identity;
pub mod import;
pub mod inventory;
pub mod log;
pub mod migrations;
pub mod passed;
pub mod person;
pub mod predicate;
pub mod processing;
pub mod recipients;
pub mod reconcile;
pub mod records;
pub mod registers;
pub mod requests;
pub mod rows;
pub mod store;

use crate::{ruleset::RulesetError, stream::StreamError};
use std::{io, path::PathBuf};

/// Why something could not be done in the ledger. Holds no customer's key.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The store does not go along.
    #[error("{0}")]
    Store(#[from] store::StoreError),
    /// Kafka does not go along.
    #[error("{0}")]
    Stream(#[from] StreamError),
    /// A ruleset cannot be used.
    #[error("{0}")]
    Ruleset(#[from] RulesetError),
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A line is no record of the ledger.
    #[error("{}:{line}: {wrong}. What stands before it was taken in; put it right and import the file again", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        wrong: events::EventError,
    },
    /// A line is longer than any record.
    #[error("{}:{line}: a line of {bytes} bytes; a record has at most {most}", path.display(), most = import::MOST_BYTES)]
    LongLine {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// How long it is.
        bytes: u64,
    },
    /// Another follows topics into the same store.
    #[error("another `maysend ledger run` follows the topics into {0}; one is enough")]
    Followed(String),
    /// Records are gone that were not read.
    #[error(
        "{topic}/{partition}: read up to {next}, but the broker's first record is {first}: the records between are gone, and whom they were about is not known. Nothing was skipped; find them in a backup and import them, then set `next_offset` of this partition in the table `positions`"
    )]
    Gap {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// Where reading would go on.
        next: i64,
        /// What is there.
        first: i64,
    },
    /// A topic is shorter than what was read of it.
    #[error(
        "{topic}/{partition}: read up to {next}, but the topic ends at {end}: it was made anew, or has lost records. What was read stays; see what became of the topic"
    )]
    Shortened {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// Where reading would go on.
        next: i64,
        /// Where it ends.
        end: i64,
    },
}
