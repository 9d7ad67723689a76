//! `maysend ledger handoffs`.

use super::{Error, Say, StoreOptions, say_behind, terminal};
use crate::{
    config::Config,
    ledger::{
        handoffs::{Handoffs, Work, handoffs},
        passed::{Waited, wait_until_passed},
        person::{HASH, Person, sender},
        store::Store,
    },
    redact::Key,
};
use clap::Args;
use std::{
    collections::BTreeSet,
    io::{self, BufRead as _, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

/// Options of `ledger handoffs`.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    customer: CustomerOptions,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    passed: PassedOptions,
    /// Folder of a ruleset, for terms of which the ledger has no ruleset [default: the one built into the program].
    #[arg(long, value_name = "DIR")]
    patterns: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Who is asked about.
#[derive(Args)]
pub(super) struct CustomerOptions {
    /// The tenant.
    #[arg(long)]
    pub(super) tenant: String,
    /// Keys of one person at that tenant; `-` reads them from standard input, one a line, as they are or as JSON strings.
    #[arg(value_name = "KEY", required_unless_present = "sender")]
    keys: Vec<String>,
    /// An address from which messages of that person came without a key, such as imported replies; once for each. Or the
    /// name that rows have for it, after `hash:`. Needs MAYSEND_KEY.
    #[arg(long, value_name = "ADDRESS")]
    sender: Vec<String>,
}

impl CustomerOptions {
    pub(super) fn person(&self) -> Result<Person, Error> {
        let person = person(&self.tenant, &self.keys, &self.sender)?;
        match person.keys.is_empty() && person.senders.is_empty() {
            true => Err(Error::Usage("give at least one key or sender of the customer".into())),
            false => Ok(person),
        }
    }
}

/// A person by the keys and senders that were given.
pub(super) fn person(tenant: &str, keys: &[String], addresses: &[String]) -> Result<Person, Error> {
    let mut keys: BTreeSet<String> = given(keys)?.into_iter().collect();
    keys.remove("");
    let mut senders = BTreeSet::new();
    if !addresses.is_empty() {
        let hashes = Key::from_env()?;
        senders = addresses.iter().map(|address| sender(&hashes, tenant, address)).collect();
    }
    Ok(Person { tenant: tenant.into(), keys, senders })
}

/// Texts that were given as arguments, or with `-` on standard input, in order.
pub(super) fn given(arguments: &[String]) -> Result<Vec<String>, Error> {
    let mut all = Vec::new();
    for argument in arguments {
        if argument != "-" {
            all.push(argument.clone());
            continue;
        }
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Error::Input { path: "standard input".into(), error })?;
            let as_json = line.starts_with('"').then(|| serde_json::from_str::<String>(&line).ok()).flatten();
            all.push(as_json.unwrap_or(line));
        }
    }
    Ok(all)
}

/// What the ledger must have taken in before it is asked.
#[derive(Args)]
struct PassedOptions {
    /// The configuration file of the gate: what its topics hold now must be in the ledger first. Without it the ledger is
    /// asked as it is.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How long to wait until `maysend ledger run` has taken in what the topics hold.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "config")]
    wait: u64,
}

impl PassedOptions {
    fn wait(&self, store: &mut Store) -> Result<Option<Waited>, Error> {
        let Some(config) = &self.config else { return Ok(None) };
        let config = Arc::new(Config::from_file(config)?);
        Ok(Some(wait_until_passed(&config, store, Duration::from_secs(self.wait))?))
    }
}

/// Runs the command. Exit code 1 if the ledger is behind.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let person = options.customer.person()?;
    let mut store = Store::open(&options.store.address()?)?;
    let ends = match options.passed.wait(&mut store)? {
        Some(Waited::Behind(behind)) => {
            say_behind(&behind);
            return Ok(ExitCode::from(1));
        }
        Some(Waited::Passed(ends)) => Some(ends),
        None => None,
    };
    let found = handoffs(&mut store, &person, ends, options.patterns.as_deref())?;
    let text = match options.json {
        true => serde_json::to_string_pretty(&found).expect("strings and numbers") + "\n",
        false => table(&found),
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)?;
    if found.unread > 0 {
        let unread = found.unread;
        terminal::note(&format!("{unread} records of the topics could not be read; whom they are about is not known"));
    }
    if found.ends.is_none() && say > Say::Little {
        terminal::note("not compared with what the topics hold now; --config does that");
    }
    Ok(ExitCode::SUCCESS)
}

fn table(found: &Handoffs) -> String {
    let keys = found.customer_keys.iter().map(|key| shown(key));
    let names: Vec<String> =
        keys.chain(found.senders.iter().map(|sender| format!("{HASH}{}", shown(sender)))).collect();
    let mut text = format!("{} of {}\n", names.join(", "), shown(&found.tenant));
    if found.providers.is_empty() {
        text += "No provider owes a cleanup: nothing was reserved, and nothing used.\n";
    }
    for handoff in &found.providers {
        text += &format!("{} owes a cleanup:\n", shown(&handoff.provider));
        for work in &handoff.possibly_sent {
            text += &lines(work);
        }
    }
    if found.blocked > 0 {
        text += &format!(
            "{} blocked transcripts: nothing was sent of them, but copies may be in review and held.\n",
            found.blocked
        );
    }
    text
}

fn lines(work: &Work) -> String {
    let until = match work.copy_may_exist.until_by_contract {
        Some(day) => format!(" until {day} by contract"),
        None => ", and no contract that is known gives it an end".to_owned(),
    };
    format!(
        "  {} to {}: {} reserved, {} used, {} to {}\n    terms {}\n    a copy may exist{until}: {}\n",
        shown(&work.source),
        shown(&work.destination),
        work.reserved_requests,
        work.requests_used,
        work.first_at,
        work.last_at,
        work.terms.as_deref().map_or_else(|| "unknown".to_owned(), shown),
        work.copy_may_exist.because,
    )
}

/// What a record says, on a terminal: without what would move its cursor, or turn the direction of what follows.
pub(super) fn shown(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() || turns(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}
