//! `maysend ledger import`.

use super::{Error, Say, StoreOptions, terminal};
use crate::ledger::{LedgerError, import::import, store::Store};
use clap::Args;
use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Options of `ledger import`.
///
/// Each line is a record as the topics have it: a reservation, usage, a decision, or a ruleset. Work that is not about a
/// transcript names its kind in `source`: `"source": "assessment"`. A key of a person is
/// `{"schema": 1, "tenant": …, "customer_key": …, "person": …, "recorded_at": "2026-03-02T09:14:03Z"}`.
/// Importing a file again changes nothing.
#[derive(Args)]
pub(super) struct Options {
    /// JSONL files; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreOptions,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let mut store = Store::open_or_create(&options.store.address()?)?;
    let mut records = 0;
    for path in &options.files {
        records += if path == Path::new("-") {
            import(&mut store, Path::new("standard input"), BufReader::new(io::stdin()))?
        } else {
            let file = File::open(path).map_err(|error| LedgerError::File { path: path.clone(), error })?;
            import(&mut store, path, BufReader::with_capacity(1 << 20, file))?
        };
    }
    if say > Say::Little {
        terminal::note(&format!("{records} records are in {}", store.name()));
    }
    Ok(ExitCode::SUCCESS)
}
