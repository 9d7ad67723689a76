//! `maysend ledger`: what was possibly sent, and who owes a cleanup.

mod follow;
mod handoffs;
mod import;
mod migrate;
mod verify;

use super::{Error, Say, terminal};
use crate::ledger::{passed::Behind, store::Address};
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Options of `ledger`.
#[derive(Args)]
pub(super) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Give a store the form that this program needs, or an earlier one; list what was applied.
    Migrate(migrate::Options),
    /// Take in records from JSONL files: reservations, usage, decisions, rulesets, keys of persons.
    Import(import::Options),
    /// Follow the topics of the gate into a store.
    Run(follow::Options),
    /// Say which providers owe a cleanup for a customer, and why.
    Handoffs(handoffs::Options),
    /// Hold what the gate has cleared against what was reserved, from outside.
    Verify(verify::Options),
}

/// Which store.
#[derive(Args)]
struct StoreOptions {
    /// A SQLite file, or postgres://USER@HOST/DATABASE with the password in MAYSEND_STORE_PASSWORD or in the file that
    /// MAYSEND_STORE_PASSWORD_FILE names.
    #[arg(long, value_name = "STORE")]
    store: String,
}

impl StoreOptions {
    fn address(&self) -> Result<Address, Error> {
        self.store.parse::<Address>().map_err(|error| Error::Store(error.into()))
    }
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    match &options.command {
        Command::Migrate(options) => migrate::run(options, say),
        Command::Import(options) => import::run(options, say),
        Command::Run(options) => follow::run(options, say),
        Command::Handoffs(options) => handoffs::run(options, say),
        Command::Verify(options) => verify::run(options, say),
    }
}

/// Says how far behind the ledger is.
fn say_behind(behind: &[Behind]) {
    terminal::error("the ledger has not taken in all that the topics hold, so it cannot be asked:");
    behind.iter().for_each(|behind| terminal::note(&behind.to_string()));
    terminal::note("see whether `maysend ledger run` follows the topics, or give more time with --wait");
}
