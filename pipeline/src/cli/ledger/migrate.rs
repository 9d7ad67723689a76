//! `maysend ledger migrate`.

use super::{Error, Say, StoreOptions, terminal};
use crate::ledger::{
    migrations::{MIGRATIONS, applied, migrate},
    store::Store,
};
use clap::Args;
use std::{
    io::{self, Write as _},
    process::ExitCode,
};

/// Options of `ledger migrate`.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    store: StoreOptions,
    /// The number of the migration to go to, forward or back; 0 is none [default: the last].
    #[arg(long, value_name = "N")]
    to: Option<i64>,
    /// Only list the migrations, and when each was applied.
    #[arg(long, conflicts_with = "to")]
    list: bool,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let address = options.store.address()?;
    let is_new = address.file().is_some_and(|path| !path.exists());
    let mut store = Store::connect(&address, is_new && !options.list)?;
    if !options.list {
        let done = migrate(&mut store, options.to)?;
        if say > Say::Little {
            for step in &done {
                let what = if step.back { "taken back" } else { "applied" };
                terminal::note(&format!("{} {} {what}", step.number, step.name));
            }
            if done.is_empty() {
                terminal::note("nothing to do");
            }
        }
    }
    let applied = store.read(applied)?;
    let mut text = String::new();
    for (number, migration) in (1_i64..).zip(MIGRATIONS) {
        let when = applied.iter().find(|(own, ..)| *own == number);
        let when = when.map_or_else(|| "not applied".to_owned(), |(_, _, at)| at.to_string());
        text += &format!("{number}  {}  {when}\n", migration.name);
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)?;
    Ok(ExitCode::SUCCESS)
}
