//! What stops a command. None of these holds transcript text; each says what would be right.

use crate::{
    config::ConfigError,
    demo::DemoError,
    ledger::{
        LedgerError, erasure::ErasureError, migrations::MigrationError, records::KeyFileError, store::StoreError,
    },
    observe::{http::HttpError, logs::LogError},
    redact::KeyError,
    ruleset::RulesetError,
    scan::{OutputError, ScanError},
    stages::MissingKey,
    stream::StreamError,
    wire::kept::KeptError,
};
use std::{io, path::PathBuf};

/// Why a command stopped; its exit code is 2.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// The ruleset cannot be used.
    #[error("{0}")]
    Ruleset(#[from] RulesetError),
    /// One of several rulesets cannot be used.
    #[error("{}: {error}", path.display())]
    NamedRuleset {
        /// The folder as given, or `builtin`.
        path: PathBuf,
        /// What is wrong with it.
        error: RulesetError,
    },
    /// The key cannot be used.
    #[error("{0}")]
    Key(#[from] KeyError),
    /// An input cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Input {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A line of an input is not what the command reads.
    #[error("{file}:{line}: {wrong}; {right}")]
    Line {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        wrong: &'static str,
        /// What would be right.
        right: &'static str,
    },
    /// A line of an input is no record of its kind.
    #[error("{file}:{line}: {wrong}")]
    Record {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// What is wrong, and what would be right.
        wrong: KeptError,
    },
    /// The policy needs a key.
    #[error("{0}")]
    MissingKey(#[from] MissingKey),
    /// An output cannot be written.
    #[error("{0}")]
    Output(#[from] OutputError),
    /// A run ended without results.
    #[error("{0}")]
    Scan(#[from] ScanError),
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    StandardOutput(io::Error),
    /// The reader of standard output has gone, as `head` does: no fault.
    #[error("standard output was closed")]
    ClosedOutput,
    /// The configuration cannot be used.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// The cluster could not be asked about its topics.
    #[error("{0}")]
    Topics(#[from] super::topics::BrokerError),
    /// Metrics and health cannot be served.
    #[error("{0}")]
    Http(#[from] HttpError),
    /// What is logged cannot be understood.
    #[error("{0}")]
    Log(#[from] LogError),
    /// The demonstration cannot go on.
    #[error("{0}")]
    Demo(#[from] DemoError),
    /// An erasure does not go on.
    #[error("{0}")]
    Erasure(#[from] ErasureError),
    /// A key that signs, or that signatures are checked with, cannot be had.
    #[error("{0}")]
    KeyFile(#[from] KeyFileError),
    /// The stream stopped.
    #[error("{0}")]
    Stream(#[from] StreamError),
    /// The ledger does not go along.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
    /// The ledger's store does not go along.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The store cannot be given another form.
    #[error("{0}")]
    Migration(#[from] MigrationError),
    /// Options that do not fit together.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// A failure to write to standard output.
    pub(super) fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedOutput,
            _ => Self::StandardOutput(error),
        }
    }
}
