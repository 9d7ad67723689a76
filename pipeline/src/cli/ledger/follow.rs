//! `maysend ledger run`.

use super::{
    super::run::{level, stop_flag},
    Error, Say, StoreOptions, terminal,
};
use crate::{
    config::Config,
    ledger::{follow::follow, store::Store},
    observe::logs,
};
use clap::Args;
use std::{path::PathBuf, process::ExitCode, sync::Arc};

/// Options of `ledger run`.
#[derive(Args)]
pub(super) struct Options {
    /// The configuration file of the gate.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    #[command(flatten)]
    store: StoreOptions,
    /// Take in what is there now, and end.
    #[arg(long)]
    once: bool,
}

/// Runs the command: until a signal asks it to stop, or it cannot go on.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let config = Arc::new(Config::from_file(&options.config)?);
    let _logging = logs::init(&config.log, level(say))?;
    let stop = stop_flag()?;
    let mut store = Store::open_or_create(&options.store.address()?)?;
    let followed = follow(&config, &mut store, options.once, &stop)?;
    if say > Say::Little {
        terminal::note(&format!("stopped; {} records taken in", followed.records));
    }
    if followed.unread > 0 {
        terminal::note(&format!("{} records could not be read; they are in the table `unread`", followed.unread));
    }
    Ok(ExitCode::SUCCESS)
}
