//! The command line.
//!
//! Results go to standard output, progress and summaries to standard error. Exit code 0: done. 1: a failed check, or
//! a blocked document with `--fail-on-block`. 2: wrong usage, unreadable input, unwritable output.

mod check;
mod demo;
mod detect;
mod diff;
mod erasures;
mod error;
mod ledger;
mod redecide;
mod run;
mod scan;
mod schema;
mod summary;
mod terminal;
mod topics;

use crate::{privacy, ruleset::Ruleset, scan::ScanError};
use clap::{Args, Parser, Subcommand};
use error::Error;
use jiff::{Timestamp, civil::Date, tz::Offset};
use std::{path::PathBuf, process::ExitCode, sync::Arc};

/// Decides, before it is sent, whether a support transcript may be sent to a model provider.
#[derive(Parser)]
#[command(name = "maysend", version, propagate_version = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print nothing but results and errors.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Say more about what is done.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    verbose: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Show the whole pipeline at work, with nothing installed: sample traffic, an in-memory mock broker, live figures.
    Demo(demo::Options),
    /// Find personal data in text or JSONL.
    Detect(detect::Options),
    /// Run the whole gate on JSONL transcripts.
    Scan(scan::Options),
    /// Run the gate on Kafka.
    Run(run::Options),
    /// Create the topics, or check them.
    Topics(topics::Options),
    /// Decide held transcripts again under the ruleset of today.
    Redecide(redecide::Options),
    /// Keep what was possibly sent, say who owes a cleanup for a customer, and answer an erasure.
    Ledger(ledger::Options),
    /// Validate a ruleset, run its examples, show how it is anchored.
    Check(check::Options),
    /// Print the JSON Schema of the configuration or of a record.
    Schema(schema::Options),
    /// Say what a change of ruleset does: less to decide, detects differently, or may decide less.
    Diff(diff::Options),
}

/// How much is said beside the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Say {
    Little,
    Usual,
    More,
}

/// Which ruleset, and which date: options that several commands share.
#[derive(Args)]
struct RulesetOptions {
    /// Folder of a ruleset, in place of the one built into the program; or a file with a record of the topic `rulesets`.
    #[arg(long, value_name = "DIR")]
    patterns: Option<PathBuf>,
    /// The date or time that decisions are taken for: 2026-03-02 or 2026-03-02T09:14:03Z [default: now].
    #[arg(long, value_name = "DATE", value_parser = parse_as_of)]
    as_of: Option<Timestamp>,
}

impl RulesetOptions {
    fn load(&self) -> Result<Arc<Ruleset>, Error> {
        Ok(match &self.patterns {
            Some(folder) => Ruleset::from_folder(folder)?,
            None => Ruleset::builtin()?,
        })
    }

    /// The time given, or now to the second.
    fn as_of(&self) -> Timestamp {
        self.as_of.unwrap_or_else(|| {
            let now = Timestamp::now();
            Timestamp::from_second(now.as_second()).unwrap_or(now)
        })
    }
}

/// A date is taken as its first moment in UTC.
fn parse_as_of(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    // Of a time without an offset the parser would take the date and pass over the rest.
    let is_date = text.len() == "2026-03-02".len();
    text.parse::<Date>()
        .ok()
        .filter(|_| is_date)
        .and_then(|date| Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok())
        .ok_or_else(|| "write a date such as 2026-03-02 or a time such as 2026-03-02T09:14:03Z".into())
}

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let unguarded = privacy::guard();
    let cli = Cli::parse();
    let say = match (cli.quiet, cli.verbose) {
        (true, _) => Say::Little,
        (_, true) => Say::More,
        _ => Say::Usual,
    };
    if let (Err(what), Say::More) = (unguarded, say) {
        terminal::note(&what);
    }
    let done = match cli.command {
        Command::Demo(options) => demo::run(&options, say),
        Command::Detect(options) => detect::run(&options),
        Command::Scan(options) => scan::run(&options, say),
        Command::Run(options) => run::run(&options, say),
        Command::Topics(options) => topics::run(&options, say),
        Command::Redecide(options) => redecide::run(&options, say),
        Command::Ledger(options) => ledger::run(&options, say),
        Command::Check(options) => check::run(&options, say),
        Command::Schema(options) => schema::run(&options),
        Command::Diff(options) => diff::run(&options, say),
    };
    match done {
        Ok(code) => code,
        Err(Error::ClosedOutput) => ExitCode::SUCCESS,
        Err(Error::Scan(error @ ScanError::Interrupted(signal))) => {
            terminal::error(&error.to_string());
            ExitCode::from(u8::try_from(128 + signal).unwrap_or(2))
        }
        Err(error) => {
            terminal::error(&error.to_string());
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_date_is_its_first_moment_in_utc() {
        assert_eq!(parse_as_of("2026-03-02").unwrap().to_string(), "2026-03-02T00:00:00Z");
        assert_eq!(parse_as_of("2026-03-02T09:14:03Z").unwrap().to_string(), "2026-03-02T09:14:03Z");
        for wrong in ["yesterday", "2026-03-02T09:14", "2026-03-02T09:14:03", "2026-03-02 23:00"] {
            assert!(parse_as_of(wrong).is_err(), "{wrong}");
        }
    }
}
