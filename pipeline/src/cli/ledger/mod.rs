//! `maysend ledger`: what was possibly sent, and who owes a cleanup.

mod datamap;
mod erase;
mod follow;
mod handoffs;
mod import;
mod key;
mod migrate;
mod recipients;
mod records;
mod requests;
mod sender;
mod verify;

use super::{Error, Say, terminal};
use crate::{
    config::Config,
    ledger::{
        log::Log,
        passed::Behind,
        records::{Chain, PublicKeys},
        requests::{Book, Calendar},
        store::Address,
    },
};
use clap::{Args, Subcommand};
use jiff::{Timestamp, civil::Date};
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

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
    /// Hold what the gate has cleared against what was reserved, from outside; and check that signed records hold.
    Verify(verify::Options),
    /// Erase a customer: close them at the gate, sign who owes a cleanup, delete our own copies; or confirm that.
    Erase(erase::EraseOptions),
    /// Keep copies of a customer from being erased, for a legal ground.
    Hold(erase::HoldOptions),
    /// Erase again what a restore of the store has brought back.
    Replay(erase::ReplayOptions),
    /// Print the record of processing of a tenant, or who possibly received data of one customer, and under which terms.
    Recipients(recipients::Options),
    /// Print the names that reservations have in `sender` for addresses from which messages came without a customer key.
    Sender(sender::Options),
    /// Make a key that signs records.
    Key(key::Options),
    /// Print the signed records as they are kept, one a line.
    Export(records::ExportOptions),
    /// List requests with their deadlines, and what providers owe for each.
    Requests(requests::ListOptions),
    /// Write down what happened to a request.
    Request(requests::EventOptions),
    /// Print a letter to a provider that owes a cleanup.
    Letter(requests::LetterOptions),
    /// Say of every system that touches a transcript who controls it and when its copies go.
    Datamap(datamap::Options),
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
        Command::Erase(options) => erase::erase(options, say),
        Command::Hold(options) => erase::hold(options, say),
        Command::Replay(options) => erase::replay(options, say),
        Command::Recipients(options) => recipients::run(options),
        Command::Sender(options) => sender::run(options),
        Command::Key(options) => key::run(options, say),
        Command::Export(options) => records::export(options),
        Command::Requests(options) => requests::list(options),
        Command::Request(options) => requests::write(options, say),
        Command::Letter(options) => requests::print_letter(options),
        Command::Datamap(options) => datamap::run(options),
    }
}

/// Says how far behind the ledger is.
fn say_behind(behind: &[Behind]) {
    terminal::error("the ledger has not taken in all that the topics hold, so it cannot be asked:");
    behind.iter().for_each(|behind| terminal::note(&behind.to_string()));
    terminal::note("see whether `maysend ledger run` follows the topics, or give more time with --wait");
}

/// The officer's topics.
fn log(config: &Path) -> Result<Log, Error> {
    Ok(Log::new(Arc::new(Config::from_file(config)?))?)
}

fn text_of(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::Input { path: path.into(), error })
}

/// Public keys from files.
fn public_keys(paths: &[PathBuf]) -> Result<PublicKeys, Error> {
    Ok(PublicKeys::read(paths.iter().map(PathBuf::as_path))?)
}

/// The signed records of the topic. Nothing is done by a chain that does not hold.
fn chain(log: &Log, keys: &PublicKeys) -> Result<Chain, Error> {
    Chain::verify(log.records()?, keys).map_err(|faults| Error::Usage(faults.to_string()))
}

/// The requests of the topic.
fn book(log: &Log) -> Result<Book, Error> {
    let events = log.events()?;
    let placed = events.iter().map(|(place, bytes)| (place.as_str(), bytes.as_slice()));
    Book::read(placed).map_err(|error| Error::Usage(error.to_string()))
}

/// The calendar of a file, or one without holidays.
fn calendar(path: Option<&Path>) -> Result<Calendar, Error> {
    let Some(path) = path else { return Ok(Calendar::default()) };
    let read = Calendar::parse(&path.display().to_string(), &text_of(path)?);
    read.map_err(|mistakes| Error::Usage(mistakes.to_string()))
}

/// The day given, or today in UTC.
fn day(given: Option<Date>) -> Date {
    given.unwrap_or_else(|| crate::ruleset::day_of(Timestamp::now()))
}

fn parse_day(text: &str) -> Result<Date, String> {
    let is_day = text.len() == "2026-03-02".len();
    text.parse().ok().filter(|_| is_day).ok_or_else(|| "write a day such as 2026-03-02".into())
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)
}
