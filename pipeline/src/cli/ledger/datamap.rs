//! `maysend ledger datamap`.

use super::{Error, book, chain, log, print, public_keys, text_of};
use crate::{
    cli::{parse_as_of, topics::live_settings},
    config::Config,
    ledger::{
        datamap::{DataMap, OfRequest, Sources, StoreKind, Systems, TopicSettings},
        erasure::Known,
    },
    ruleset::{Ruleset, day_of},
    stream::topics::Topics,
};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

/// Options of `ledger datamap`.
#[derive(Args)]
pub(super) struct Options {
    /// The configuration file: the broker is asked for the topics' settings. Without it the map says what `maysend topics`
    /// would set.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of a ruleset, for its register of destinations [default: that of the configuration, or the one built in].
    #[arg(long, value_name = "DIR")]
    patterns: Option<PathBuf>,
    /// Systems that get copies beside these, in TOML; see examples/systems.toml.
    #[arg(long, value_name = "FILE")]
    systems: Option<PathBuf>,
    /// Where the ledger is kept: a file, or postgres://….
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Tick off the rows that were seen to for this request.
    #[arg(long, value_name = "ID", requires_all = ["tenant", "config"])]
    request: Option<String>,
    /// The tenant of the request.
    #[arg(long, requires = "request")]
    tenant: Option<String>,
    /// A public key that records may be signed with; once for each. With it destinations to which nothing was possibly sent
    /// are told from those that owe a cleanup.
    #[arg(long, value_name = "FILE", requires = "request")]
    public_key: Vec<PathBuf>,
    /// In which form.
    #[arg(long, value_enum, default_value = "markdown")]
    format: Form,
    /// The date or time that the map is for [default: now].
    #[arg(long, value_name = "DATE", value_parser = parse_as_of)]
    as_of: Option<Timestamp>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Two tables.
    Markdown,
    /// A page that loads nothing.
    Html,
    /// For programs.
    Json,
}

/// Prints the map.
pub(super) fn run(options: &Options) -> Result<ExitCode, Error> {
    let as_of = options.as_of.unwrap_or_else(Timestamp::now);
    let config = options.config.as_deref().map(Config::from_file).transpose()?.map(Arc::new);
    let of_config = config.as_ref().and_then(|config| config.ruleset.folder.as_ref());
    let ruleset = match options.patterns.as_ref().or(of_config) {
        Some(folder) => Ruleset::from_folder(folder)?,
        None => Ruleset::builtin()?,
    };
    let (topics, systems) = (topic_settings(config.as_ref())?, systems(options.systems.as_deref())?);
    let of_request = match (&options.config, &options.tenant, &options.request) {
        (Some(config), Some(tenant), Some(request)) => {
            let log = log(config)?;
            let unknown =
                || Error::Usage(format!("no request {request} of {tenant}; see `maysend ledger requests --all`"));
            let life = book(&log)?.get(tenant, request).cloned().ok_or_else(unknown)?;
            let known = match options.public_key.is_empty() {
                true => None,
                false => Known::of(&chain(&log, &public_keys(&options.public_key)?)?, tenant, request),
            };
            Some((request.as_str(), life, known))
        }
        _ => None,
    };
    let map = DataMap::new(
        Sources {
            topics: &topics,
            store: options.store.as_deref().map(kind),
            destinations: &ruleset.rules.destinations,
            systems: &systems,
            request: of_request.as_ref().map(|(id, life, known)| OfRequest { id, life, erasure: known.as_ref() }),
        },
        as_of,
    );
    print(&match options.format {
        Form::Markdown => map.markdown(),
        Form::Html => map.html(),
        Form::Json => map.json(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Our topics: as the broker says, or without a configuration as `maysend topics` would create them.
pub(super) fn topic_settings(config: Option<&Arc<Config>>) -> Result<TopicSettings, Error> {
    Ok(match config {
        Some(config) => TopicSettings {
            topics: Topics::new(&config.kafka.topic_prefix),
            settings: live_settings(config)?,
            read_on: Some(day_of(Timestamp::now())),
        },
        None => TopicSettings::as_created(Topics::new("transcripts")),
    })
}

/// What is declared in a file, or nothing.
pub(super) fn systems(path: Option<&Path>) -> Result<Systems, Error> {
    let Some(path) = path else { return Ok(Systems::default()) };
    Systems::parse(&path.display().to_string(), &text_of(path)?).map_err(|mistakes| Error::Usage(mistakes.to_string()))
}

pub(super) fn kind(store: &str) -> StoreKind {
    if store.starts_with("postgres://") || store.starts_with("postgresql://") {
        StoreKind::Postgres
    } else {
        StoreKind::Sqlite
    }
}
