//! `maysend ledger key`.

use super::{super::terminal, Error, Say, print};
use crate::ledger::records::SigningKey;
use clap::Args;
use std::{path::PathBuf, process::ExitCode};

/// Options of `ledger key`.
#[derive(Args)]
pub(super) struct Options {
    /// The file for the key; the public one is put beside it with `.pub` after its name. Neither may be there.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Makes a key, and prints its id.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let key = SigningKey::generate()?;
    let public = key.write(&options.out)?;
    print(&format!("{}\n", key.id()))?;
    if say > Say::Little {
        terminal::note(&format!(
            "{} signs, and is for its owner only; give {} to whoever verifies. Keep both: records that were signed stay \
             for ever",
            options.out.display(),
            public.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
