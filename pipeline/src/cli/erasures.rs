//! The customers who were erased, from a file.

use super::Error;
use crate::stages::Erasures;
use jiff::Timestamp;
use serde::Deserialize;
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    tenant: String,
    customer_key: String,
    erased_at: String,
}

/// Reads the file. Of two lines for one customer the later time counts.
///
/// # Errors
/// It cannot be read, or a line is not of its form: an erasure that cannot be read must not be passed over.
pub(super) fn read(path: &Path) -> Result<Erasures, Error> {
    let unreadable = |error| Error::Input { path: path.into(), error };
    let file = File::open(path).map_err(unreadable)?;
    let mut erasures = Erasures::new();
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = || Error::Line {
            file: path.display().to_string(),
            line: at as u64 + 1,
            wrong: "no erasure",
            right: "write {\"tenant\": …, \"customer_key\": …, \"erased_at\": \"2026-03-02T09:14:03Z\"}",
        };
        let read: Line = serde_json::from_str(&line).map_err(|_| wrong())?;
        let erased_at: Timestamp = read.erased_at.parse().map_err(|_| wrong())?;
        let known = erasures.entry((read.tenant, read.customer_key)).or_insert(erased_at);
        *known = erased_at.max(*known);
    }
    Ok(erasures)
}
