//! `maysend diff`: what a change of ruleset does.

use super::{Error, Say, terminal};
use crate::{
    diff::{self, EvidenceFile, Given, render::Comparison},
    ruleset::Ruleset,
};
use clap::{Args, ValueEnum};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

/// The word that names the ruleset built into the program.
pub(super) const BUILTIN: &str = "builtin";

/// Options of `diff`.
#[derive(Args)]
pub(super) struct Options {
    /// Folder of the older ruleset, or `builtin`.
    old: PathBuf,
    /// Folder of the newer ruleset, or `builtin`.
    new: PathBuf,
    /// How the differences are shown.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Pass although it may decide less: somebody who may has read each of these changes.
    #[arg(long)]
    accept_loosening: bool,
    /// Pass although it detects differently: a file that shows what that does to transcripts.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// One object, members and changes in a fixed order.
    Json,
    /// For a pull request.
    Markdown,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let (old, new) = (load(&options.old)?, load(&options.new)?);
    let evidence = options.evidence.as_deref().map(evidence).transpose()?;
    let changes = diff::diff(&old, &new);
    let given = Given { loosening: options.accept_loosening, evidence };
    let names = [&options.old, &options.new].map(|path| path.display().to_string());
    let comparison =
        Comparison { old: (&names[0], &old.digest), new: (&names[1], &new.digest), changes: &changes, given: &given };
    let text = match options.format {
        Format::Text => comparison.text(),
        Format::Json => comparison.json(),
        Format::Markdown => comparison.markdown(),
    };
    let mut out = anstream::AutoStream::auto(io::stdout()).lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)?;
    let refusals = comparison.refusals();
    refusals.iter().for_each(|refusal| terminal::error(refusal));
    if say > Say::Little && options.format != Format::Text {
        terminal::note(&comparison.summary());
    }
    Ok(if refusals.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The ruleset of a folder, or the one that is built in. What is wrong is said with the folder it is wrong in.
pub(super) fn load(path: &Path) -> Result<Arc<Ruleset>, Error> {
    let loaded = match path.as_os_str() == BUILTIN {
        true => Ruleset::builtin(),
        false => Ruleset::from_folder(path),
    };
    loaded.map_err(|error| Error::NamedRuleset { path: path.into(), error })
}

fn evidence(path: &Path) -> Result<EvidenceFile, Error> {
    let bytes = fs::read(path).map_err(|error| Error::Input { path: path.into(), error })?;
    if bytes.is_empty() {
        return Err(Error::Usage(format!("{} is empty, and shows nothing; give a report", path.display())));
    }
    let digest = format!("sha256:{}", crate::hex(&Sha256::digest(&bytes)));
    Ok(EvidenceFile { path: path.display().to_string(), digest })
}
