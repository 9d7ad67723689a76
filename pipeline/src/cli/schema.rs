//! `maysend schema`: JSON Schemas.

use super::Error;
use crate::schema::{ALL, Named};
use clap::Args;
use maysend_detector::source::nearest;
use std::{
    io::{self, Write as _},
    process::ExitCode,
};

/// Options of `schema`.
#[derive(Args)]
pub(super) struct Options {
    /// What the schema is of; without it the names are listed.
    name: Option<String>,
}

/// Runs the command.
pub(super) fn run(options: &Options) -> Result<ExitCode, Error> {
    let text = match &options.name {
        Some(name) => {
            let named = Named::of_name(name).ok_or_else(|| unknown(name))?;
            serde_json::to_string_pretty(&named.schema()).expect("strings and numbers") + "\n"
        }
        None => list(),
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)?;
    Ok(ExitCode::SUCCESS)
}

fn list() -> String {
    let width = ALL.iter().map(|named| named.name.len()).max().unwrap_or(0);
    ALL.iter().map(|named| format!("{:width$}  {}\n", named.name, named.description)).collect()
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = ALL.iter().map(|named| named.name).collect();
    Error::Usage(match nearest(name, names.iter().copied()) {
        Some(meant) => format!("there is no schema `{name}`; did you mean `{meant}`?"),
        None => format!("there is no schema `{name}`; there are {}", names.join(", ")),
    })
}
