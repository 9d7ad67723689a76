//! `maysend ledger verify`.

use super::{
    Error, Say, StoreOptions,
    records::{self, VerifyOptions},
    say_behind, terminal,
};
use crate::{
    config::Config,
    ledger::{
        reconcile::{Findings, Named, of_store, with_topics},
        store::Store,
    },
};
use clap::Args;
use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

/// Options of `ledger verify`.
#[derive(Args)]
pub(super) struct Options {
    /// The store, as for the other commands. Without it only signed records are checked.
    #[arg(long, value_name = "STORE", required_unless_present = "public_key")]
    store: Option<String>,
    #[command(flatten)]
    records: VerifyOptions,
    /// The configuration file of the gate: reads what it has cleared, committed or not, and what it has decided.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How long to wait until `maysend ledger run` has taken in what the topics hold.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "config")]
    wait: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command. Exit code 1 if something is not as it must be, or the ledger is behind.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    if options.records.are_given() && !records::verify(&options.records, options.config.as_deref(), say)? {
        return Ok(ExitCode::from(1));
    }
    match &options.store {
        Some(store) => of_ledger(options, &StoreOptions { store: store.clone() }),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn of_ledger(options: &Options, store: &StoreOptions) -> Result<ExitCode, Error> {
    let mut store = Store::open(&store.address()?)?;
    let findings = match &options.config {
        None => of_store(&mut store)?,
        Some(config) => {
            let config = Arc::new(Config::from_file(config)?);
            match with_topics(&config, &mut store, Duration::from_secs(options.wait))? {
                Ok(findings) => findings,
                Err(behind) => {
                    say_behind(&behind);
                    return Ok(ExitCode::from(1));
                }
            }
        }
    };
    let text = match options.json {
        true => serde_json::to_string_pretty(&findings).expect("strings and numbers") + "\n",
        false => table(&findings, options.config.is_some()),
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)?;
    if findings.unreserved.count > 0 {
        terminal::error("records were cleared without a reservation: stop the gate, and find out how");
    }
    Ok(if findings.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn table(findings: &Findings, with_topics: bool) -> String {
    let mut text = String::new();
    let mut say = |what: &str, named: &Named| {
        text += &format!("{:>8} {what}\n", named.count);
        named.first.iter().for_each(|name| text += &format!("         {}\n", name.escape_debug()));
    };
    say("reservations of which records say different things", &findings.conflicting);
    say("records that could not be read", &findings.unread);
    if with_topics {
        say("cleared records without a reservation", &findings.unreserved);
        let Findings { cleared, orphans, .. } = findings;
        text += &format!("{cleared:>8} cleared records looked at, committed or not\n");
        text += &format!("{orphans:>8} reservations without a decision: a process died between the two\n");
    }
    text
}
