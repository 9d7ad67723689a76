//! `maysend ledger verify` and `export`.

use super::{super::terminal, Error, Say, log, print, public_keys};
use crate::ledger::{
    log::Placed,
    records::{Chain, Head},
};
use clap::Args;
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// What signed records are checked with.
#[derive(Args)]
pub(super) struct VerifyOptions {
    /// Check the signed records with this public key; more than once after a change of keys. They are those of the topic
    /// `erasure-records`, unless `--records` names a file.
    #[arg(long, value_name = "FILE")]
    public_key: Vec<PathBuf>,
    /// A file that `ledger export` wrote.
    #[arg(long, value_name = "FILE", requires = "public_key")]
    records: Option<PathBuf>,
    /// The head as it was published outside, such as 7@sha256:…; without it nobody can see that the end was cut off.
    #[arg(long, value_name = "HEAD", requires = "public_key")]
    head: Option<Head>,
}

impl VerifyOptions {
    /// Whether signed records are to be checked.
    pub(super) fn are_given(&self) -> bool {
        !self.public_key.is_empty()
    }
}

/// Options of `ledger export`.
#[derive(Args)]
pub(super) struct ExportOptions {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
}

/// Verifies. `false` if something does not hold, once the record that does not was named.
pub(super) fn verify(options: &VerifyOptions, config: Option<&Path>, say: Say) -> Result<bool, Error> {
    let keys = public_keys(&options.public_key)?;
    let records = match (&options.records, config) {
        (Some(file), _) => lines(file)?,
        (None, Some(config)) => log(config)?.records()?,
        (None, None) => {
            return Err(Error::Usage("give --records FILE, or --config FILE for those of the topic".into()));
        }
    };
    let chain = match Chain::verify(records, &keys) {
        Ok(chain) => chain,
        Err(faults) => {
            faults.0.iter().for_each(|fault| terminal::error(&fault.to_string()));
            return Ok(false);
        }
    };
    let after = match options.head.as_ref().map(|head| chain.since(head)) {
        Some(Err(error)) => {
            terminal::error(&error.to_string());
            return Ok(false);
        }
        Some(Ok(after)) => Some(after),
        None => None,
    };
    match chain.head() {
        Some(head) => print(&format!("{} records hold; the head is {head}\n", head.number))?,
        None => print("there are no records\n")?,
    }
    match after {
        Some(0) => print("it is the head that was published\n")?,
        Some(after) => print(&format!("{after} came after the head that was published\n"))?,
        None if say > Say::Little => {
            terminal::note("whether records are missing at the end shows only a head that was published: give --head");
        }
        None => {}
    }
    Ok(true)
}

/// The lines of a file, each with its place.
pub(super) fn lines(path: &Path) -> Result<Vec<Placed>, Error> {
    let bytes = fs::read(path).map_err(|error| Error::Input { path: path.into(), error })?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    Ok(lines.map(|(at, line)| (format!("{}:{}", path.display(), at + 1), line.to_vec())).collect())
}

/// Prints the records. They are not verified: what does not hold is to be seen by whoever verifies them.
pub(super) fn export(options: &ExportOptions) -> Result<ExitCode, Error> {
    let records = log(&options.config)?.records()?;
    let mut out = io::stdout().lock();
    for (_, record) in records {
        out.write_all(&record).and_then(|()| out.write_all(b"\n")).map_err(Error::output)?;
    }
    out.flush().map_err(Error::output)?;
    Ok(ExitCode::SUCCESS)
}
