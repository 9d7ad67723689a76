//! `maysend redecide`: withheld transcripts, decided again under the ruleset of today.

use super::{
    Error, RulesetOptions, Say,
    scan::{RunOptions, run_files, stages},
};
use crate::{scan::Task, stages::Erasures};
use clap::Args;
use std::{path::PathBuf, process::ExitCode};

/// Options of `redecide`.
///
/// Each record becomes the next attempt of its transcript, linked to the one before, and is always enforced. What was
/// sent in shadow mode is passed over.
#[derive(Args)]
pub(super) struct Options {
    /// `held.jsonl` files of earlier runs; `-` or none is standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    ruleset: RulesetOptions,
    /// JSONL of erased customers: `{"tenant": …, "customer_key": …, "erased_at": "2026-03-02T09:14:03Z"}`.
    #[arg(long, value_name = "FILE")]
    erasures: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let ruleset = options.ruleset.load()?;
    let erasures: Erasures = options.erasures.as_deref().map(super::erasures::read).transpose()?.unwrap_or_default();
    let stages = stages(&ruleset, erasures, &options.ruleset, true)?;
    run_files(&stages, Task::Redecide, &options.files, &options.run, say)
}
