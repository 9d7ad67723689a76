//! The customers who were erased, from a file of the records that `erasures` holds.

use super::Error;
use crate::{
    stages::{Erasures, take_in},
    wire::{Erasure, kept},
};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

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
        let erasure: Erasure = kept::read(Some(line.as_bytes())).map_err(|wrong| Error::Record {
            file: path.display().to_string(),
            line: at as u64 + 1,
            wrong,
        })?;
        take_in(&mut erasures, erasure);
    }
    Ok(erasures)
}
