//! `maysend run`: the gate on Kafka.

use super::{Error, Say, terminal};
use crate::{
    config::{Config, LogFormat},
    observe::{Observer, http, logs, readiness::Bounds},
    redact::{Key, KeyError},
    ruleset::Ruleset,
    stages::{Erasures, Settings},
    stream::{self, Cluster},
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
    let logging = logs::init(&config.log, level(say))?;
    let settings = settings(&config)?;
    let stop = stop_flag()?;
    let observer = Observer::new(Bounds::of(&config));
    if let Some(listen) = config.http.listen {
        let address = http::serve(listen, observer.clone())?;
        tracing::info!("metrics and health are on http://{address}");
    }
    let ran = stream::run(Cluster::Kafka, config, settings, observer.clone(), &stop);
    if say > Say::Little {
        observer.latencies().iter().for_each(|line| terminal::note(line));
    }
    let ran = ran.inspect_err(|error| {
        // A person reads it at the end of the output anyway.
        if logging.format == LogFormat::Json {
            tracing::error!("{error}");
        }
    })?;
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

/// What is logged by the options that every command has.
pub(super) fn level(say: Say) -> Option<&'static str> {
    match say {
        Say::Little => Some("error"),
        Say::Usual => None,
        Say::More => Some("debug"),
    }
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
