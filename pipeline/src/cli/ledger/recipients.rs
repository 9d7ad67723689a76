//! `maysend ledger recipients`.

use super::{
    Error, StoreOptions,
    datamap::{kind, systems, topic_settings},
    handoffs::person,
    print,
};
use crate::{
    cli::parse_as_of,
    config::Config,
    ledger::{
        datamap::{DataMap, Sources},
        recipients::{Beside, recipients},
        store::Store,
    },
    ruleset::Ruleset,
};
use clap::Args;
use jiff::Timestamp;
use std::{path::PathBuf, process::ExitCode, sync::Arc};

/// Options of `ledger recipients`.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    store: StoreOptions,
    /// The tenant.
    #[arg(long)]
    tenant: String,
    /// Keys of one customer; without any, all of the tenant's customers are looked at.
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// An address from which messages of that customer came without a key; once for each. Needs MAYSEND_KEY.
    #[arg(long, value_name = "ADDRESS")]
    sender: Vec<String>,
    /// Folder of a ruleset, for its register [default: the one built into the program].
    #[arg(long, value_name = "DIR")]
    patterns: Option<PathBuf>,
    /// The date or time that terms are looked up for [default: now].
    #[arg(long, value_name = "DATE", value_parser = parse_as_of)]
    as_of: Option<Timestamp>,
    /// What is declared, in TOML: the controller, purposes, categories and security measures; see examples/systems.toml.
    #[arg(long, value_name = "FILE")]
    systems: Option<PathBuf>,
    /// The configuration file: the broker is asked how long our topics are kept.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Prints the record of processing, or the recipients of one customer's data.
pub(super) fn run(options: &Options) -> Result<ExitCode, Error> {
    let mut store = Store::open(&options.store.address()?)?;
    let ruleset = match &options.patterns {
        Some(folder) => Ruleset::from_folder(folder)?,
        None => Ruleset::builtin()?,
    };
    let person = match options.keys.is_empty() && options.sender.is_empty() {
        true => None,
        false => Some(person(&options.tenant, &options.keys, &options.sender)?.whole(&mut store)?),
    };
    let as_of = options.as_of.unwrap_or_else(Timestamp::now);
    let config = options.config.as_deref().map(Config::from_file).transpose()?.map(Arc::new);
    let (topics, systems) = (topic_settings(config.as_ref())?, systems(options.systems.as_deref())?);
    let (rules, store_kind) = (&ruleset.rules, Some(kind(&options.store.store)));
    let sources = Sources {
        topics: &topics,
        store: store_kind,
        destinations: &rules.destinations,
        systems: &systems,
        request: None,
    };
    let map = DataMap::new(sources, as_of);
    let beside = Beside { rules, systems: &systems, map: &map };
    let found = recipients(&mut store, &options.tenant, person.as_ref(), beside, as_of)?;
    print(&match options.json {
        true => serde_json::to_string_pretty(&found).expect("strings and numbers") + "\n",
        false => found.markdown(),
    })?;
    Ok(ExitCode::SUCCESS)
}
