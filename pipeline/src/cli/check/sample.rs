//! `maysend check --sample`: what a ruleset makes of real records.

use super::{Error, Format, pretty, print};
use crate::{
    check::sample::Sample,
    cli::terminal,
    ruleset::Ruleset,
    scan::{Line, Lines},
};
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
    process::ExitCode,
};

/// Looks at every line of the file; exits with 1 where one could not be read.
pub(super) fn run(path: &Path, ruleset: &Ruleset, show_text: bool, format: Format) -> Result<ExitCode, Error> {
    let fail = |error| Error::Input { path: path.into(), error };
    let reader: Box<dyn BufRead> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(path).map_err(fail)?)),
    };
    let mut lines = Lines::new(reader, ruleset.rules.policy.intake.max_record_bytes);
    let mut sample = Sample::new(ruleset, show_text);
    while let Some((number, line)) = lines.next().map_err(fail)? {
        match line {
            Line::Record(record) => sample.add(number, &record),
            Line::TooLong { bytes, .. } => sample.add_too_large(number, bytes),
        }
    }
    let report = sample.report();
    print(&match format {
        Format::Text => report.text(),
        Format::Json => pretty(&serde_json::to_value(&report).expect("strings and numbers")),
    })?;
    match (report.records, report.unread.len()) {
        (0, _) => {
            terminal::error(&format!("{} holds no record; give a file with one JSON record a line", path.display()))
        }
        (_, 0) => return Ok(ExitCode::SUCCESS),
        (records, unread) => terminal::error(&format!("{unread} of {records} records cannot be read")),
    }
    Ok(ExitCode::from(1))
}
