//! `maysend ledger erase`, `hold` and `replay`.

use super::{
    Error, Say, StoreOptions,
    handoffs::{CustomerOptions, shown},
    log, parse_day, print,
    records::lines,
};
use crate::{
    cli::{terminal, topics::live_settings},
    config::Config,
    ledger::{
        erasure::{Erased, Erasing, ErasureError, Keys, Request},
        person::{HASH, Person, is_name},
        records::{Chain, Check, Head, Owed, SigningKey},
        requests::Book,
        store::Store,
    },
    redact::Key,
};
use clap::Args;
use jiff::civil::Date;
use std::{fmt::Write as _, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

/// With what an erasure works.
#[derive(Args)]
struct With {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    #[command(flatten)]
    store: StoreOptions,
    /// The key that signs, as `ledger key` made it.
    #[arg(long, value_name = "FILE")]
    signing_key: PathBuf,
    /// Public keys of earlier signing keys, after a change of keys.
    #[arg(long, value_name = "FILE")]
    public_key: Vec<PathBuf>,
    /// So many seconds the ledger is waited for, if it has not taken in all that there is.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
}

impl With {
    fn open(&self) -> Result<(Arc<Config>, Erasing), Error> {
        let hashes = Key::from_env()?;
        let signing = SigningKey::read(&self.signing_key)?;
        let mut keys = super::public_keys(&self.public_key)?;
        keys.add(signing.public()?);
        let config = Arc::new(Config::from_file(&self.config)?);
        let store = Store::open(&self.store.address()?)?;
        let log = log(&self.config)?;
        let writer = log.writer()?;
        // Read after nobody else may write any more.
        let (chain, book): (Chain, Book) = (super::chain(&log, &keys)?, super::book(&log)?);
        let erasing = Erasing::new(config.clone(), log, writer, store, (chain, book), Keys { signing, hashes });
        Ok((config, erasing))
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.wait)
    }
}

/// Options of `ledger erase`.
#[derive(Args)]
pub(super) struct EraseOptions {
    #[command(flatten)]
    with: With,
    #[command(flatten)]
    customer: CustomerOptions,
    /// The request, as its keeper names it. It is written into records that stay: no name of a person.
    #[arg(long, value_name = "ID")]
    request: String,
    /// The day on which it was received.
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    received: Date,
    /// Read everything again after it was erased, and sign what is found.
    #[arg(long)]
    confirm: bool,
}

/// Erases, or confirms. Exit code 1: the ledger is behind, or something was found again.
pub(super) fn erase(options: &EraseOptions, say: Say) -> Result<ExitCode, Error> {
    let (config, mut erasing) = options.with.open()?;
    let request =
        Request { id: options.request.clone(), received: options.received, person: options.customer.person()? };
    if options.confirm {
        let (checks, head) = match erasing.confirm(&request, &live_settings(&config)?, options.with.patience()) {
            Ok(confirmed) => confirmed,
            Err(error) => return behind_or(error),
        };
        print(&of_checks(&checks))?;
        publish(head.as_ref(), say);
        let found = checks.iter().any(|check| check.found > 0);
        if found {
            terminal::error("copies are still there, or came later; erase again, then confirm again");
        }
        return Ok(if found { ExitCode::from(1) } else { ExitCode::SUCCESS });
    }
    match erasing.erase(&request, options.with.patience()) {
        Ok(erased) => {
            print(&of_erased(&request, &erased))?;
            publish(erased.head.as_ref(), say);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => behind_or(error),
    }
}

/// Exit code 1 where only the ledger is behind.
fn behind_or(error: ErasureError) -> Result<ExitCode, Error> {
    match error {
        ErasureError::Behind { .. } => {
            terminal::error(&error.to_string());
            Ok(ExitCode::from(1))
        }
        error => Err(error.into()),
    }
}

fn publish(head: Option<&Head>, say: Say) {
    if let (Some(head), true) = (head, say > Say::Little) {
        terminal::note(&format!("keep the head where this program cannot write: {head}"));
    }
}

fn of_erased(request: &Request, erased: &Erased) -> String {
    let mut out = format!("request {}: closed at the gate; record {}\n", shown(&request.id), erased.record);
    let Person { keys, senders, .. } = &erased.person;
    let keys: Vec<String> = keys.iter().filter(|key| !is_name(key)).map(|key| given_again(key)).collect();
    let _ = writeln!(out, "keys     {}", keys.join(" "));
    if !senders.is_empty() {
        let senders: Vec<String> = senders.iter().map(|sender| format!("{HASH}{}", shown(sender))).collect();
        let _ = writeln!(out, "senders  {}", senders.join(" "));
    }
    out += &handoffs("owed by ", &erased.owed);
    if erased.owed.is_empty() {
        out += "no provider owes a cleanup: nothing was possibly sent\n";
    }
    for deleted in &erased.deleted {
        let _ = write!(out, "deleted  {}: {}", deleted.place, deleted.count);
        if deleted.on_hold > 0 {
            let _ = write!(out, "; {} are under a legal hold and stay", deleted.on_hold);
        }
        out.push('\n');
    }
    out
}

/// A key as the next command takes it from standard input: a JSON string where it is not one plain word.
fn given_again(key: &str) -> String {
    let is_word = key.chars().all(|c| c.is_ascii_graphic()) && !key.starts_with('"');
    if is_word { key.into() } else { shown(&serde_json::to_string(key).expect("text")) }
}

/// A line for each provider, destination and terms.
fn handoffs(what: &str, owed: &[Owed]) -> String {
    let mut out = String::new();
    for line in owed {
        let Owed { provider, destination, source, terms, reserved_requests, requests_used, first, last, .. } = line;
        let text = |text: &Option<String>| text.as_deref().map_or_else(|| "not known".into(), shown);
        let (terms, first, last) = (text(terms), text(first), text(last));
        let (provider, destination, source) = (shown(provider), shown(destination), shown(source));
        let until = match line.until_by_contract {
            Some(day) => format!("until {day} by contract"),
            None => "without an end by any contract that is known".into(),
        };
        let _ = writeln!(
            out,
            "{what} {provider}: {destination}, {source}: {reserved_requests} reserved, {requests_used} used, {first} to {last}, terms {terms}, a copy may exist {until}"
        );
    }
    out
}

fn of_checks(checks: &[Check]) -> String {
    let mut out = String::new();
    for Check { place, found, on_hold, readable, gone_by, statement: _ } in checks {
        let _ = write!(out, "{place}: {found} found");
        if *on_hold > 0 {
            let _ = write!(out, ", {on_hold} under a legal hold");
        }
        if *readable > 0 {
            let _ = write!(out, "; {readable} that were deleted can still be read, until the broker compacts them");
        }
        if let Some(day) = gone_by {
            let what = if *readable > 0 { "" } else { "; nothing of what was deleted can be read any more" };
            let _ = write!(out, "{what}; its bytes are gone from every replica by {day}");
        }
        out.push('\n');
    }
    out
}

/// Options of `ledger hold`.
#[derive(Args)]
pub(super) struct HoldOptions {
    #[command(flatten)]
    with: With,
    /// The tenant.
    #[arg(long, required_unless_present = "release")]
    tenant: Option<String>,
    /// The customer's keys.
    #[arg(value_name = "KEY", required_unless_present = "release", conflicts_with = "release")]
    keys: Vec<String>,
    /// A transcript that is held; once for each. Without it all of the customer's are.
    #[arg(long, value_name = "ID", conflicts_with = "release")]
    transcript: Vec<String>,
    /// End the hold that is this record.
    #[arg(long, value_name = "NUMBER")]
    release: Option<u64>,
    /// Why: the law, the claim, the case.
    #[arg(long)]
    ground: String,
    /// The day from which it holds, or holds no longer.
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    on: Date,
}

/// Puts copies under a hold, or ends one. Prints the number of its record.
pub(super) fn hold(options: &HoldOptions, say: Say) -> Result<ExitCode, Error> {
    if options.ground.trim().is_empty() {
        return Err(Error::Usage("`--ground` is empty; it must say why".into()));
    }
    let (_, mut erasing) = options.with.open()?;
    let ground = options.ground.clone();
    let number = match options.release {
        Some(of) => erasing.release(of, ground, options.on)?,
        None => {
            let tenant = options.tenant.clone().unwrap_or_default();
            let person = Person { tenant, keys: options.keys.iter().cloned().collect(), ..Person::default() };
            erasing.hold(&person, options.transcript.clone(), ground, options.on)?
        }
    };
    print(&format!("record {number}\n"))?;
    publish(erasing.head().as_ref(), say);
    Ok(ExitCode::SUCCESS)
}

/// Options of `ledger replay`.
#[derive(Args)]
pub(super) struct ReplayOptions {
    #[command(flatten)]
    with: With,
    /// A file that `ledger export` wrote: what the topic has lost of it is written back first.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
}

/// Erases again what a restore has brought back.
pub(super) fn replay(options: &ReplayOptions, say: Say) -> Result<ExitCode, Error> {
    let (_, mut erasing) = options.with.open()?;
    if let Some(path) = &options.records {
        let records = lines(path)?;
        let mut keys = super::public_keys(&options.with.public_key)?;
        keys.add(SigningKey::read(&options.with.signing_key)?.public()?);
        let exported =
            Chain::verify(records.iter().cloned(), &keys).map_err(|faults| Error::Usage(faults.to_string()))?;
        let back = erasing.bring_back_records(exported, &records)?;
        if back > 0 && say > Say::Little {
            terminal::note(&format!("{back} records were written back into the topic"));
        }
    }
    match erasing.replay(options.with.patience()) {
        Ok((replayed, head)) => {
            if replayed.is_empty() {
                print("nobody who was erased is in the store\n")?;
            }
            for one in replayed {
                let mut out = format!("request {} (record {}): erased again\n", shown(&one.request_id), one.record);
                out += &handoffs("newly owed by", &one.new);
                for deleted in one.deleted {
                    let _ = writeln!(out, "deleted  {}: {}", deleted.place, deleted.count);
                }
                print(&out)?;
            }
            publish(head.as_ref(), say);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => behind_or(error),
    }
}
