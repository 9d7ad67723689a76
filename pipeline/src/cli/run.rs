//! `maysend run`: the gate on Kafka.

use super::{Error, Say, terminal};
use crate::{
    config::Config,
    redact::{Key, KeyError},
    ruleset::Ruleset,
    stages::{Erasures, Settings},
    stream,
};
use clap::Args;
use signal_hook::{consts::TERM_SIGNALS, flag};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
};

/// Options of `run`.
#[derive(Args)]
pub(super) struct Options {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
}

/// Runs the command: until a signal asks it to stop, or it cannot go on.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let config = Arc::new(Config::from_file(&options.config)?);
    let settings = settings(&config)?;
    let stop = stop_flag()?;
    let ran = stream::run(config, settings, &stop)?;
    if say > Say::Little {
        terminal::note(&format!(
            "stopped; {} batches committed, {} aborted and read again",
            ran.committed, ran.aborted
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What a configuration says that decisions depend on. Who was erased is read from Kafka.
pub(super) fn settings(config: &Config) -> Result<Arc<Settings>, Error> {
    let ruleset = match &config.ruleset.folder {
        Some(folder) => Ruleset::from_folder(folder)?,
        None => Ruleset::builtin()?,
    };
    let key = match Key::from_env() {
        Ok(key) => Some(key),
        Err(KeyError::Missing) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(Settings::new(ruleset, key, Erasures::new(), config.stream.enforce)?)
}

/// Set by a signal that asks to stop; a second one ends the process at once.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Error> {
    let wrong = |error| Error::Usage(format!("signals cannot be watched: {error}"));
    let stop = Arc::new(AtomicBool::new(false));
    for signal in TERM_SIGNALS {
        flag::register_conditional_shutdown(*signal, 128 + signal, stop.clone()).map_err(wrong)?;
        flag::register(*signal, stop.clone()).map_err(wrong)?;
    }
    Ok(stop)
}
