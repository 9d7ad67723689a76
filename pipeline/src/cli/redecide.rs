//! `maysend redecide`: what was withheld, decided again under the ruleset of today.

use super::{
    Error, RulesetOptions, Say, parse_as_of,
    run::{level, settings, stop_flag},
    scan::{RunOptions, run_files, stages},
    terminal,
};
use crate::{
    config::Config,
    observe::logs,
    scan::Task,
    stages::{Erasures, Output},
    stream::redecide::{Range, Redecided, What, redecide},
};
use clap::Args;
use jiff::Timestamp;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

/// Options of `redecide`.
///
/// Each record becomes the next attempt of its transcript, linked to the one before, and is always enforced. What was
/// sent, in shadow mode too, is passed over.
#[derive(Args)]
pub(super) struct Options {
    /// `held.jsonl` files of earlier runs; `-` or none is standard input.
    #[arg(value_name = "FILE", conflicts_with = "config")]
    files: Vec<PathBuf>,
    /// Folder for the output files, one for each output.
    #[arg(long, value_name = "DIR", required_unless_present = "config")]
    out: Option<PathBuf>,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    ruleset: RulesetOptions,
    /// JSONL of erased customers: `{"schema": 1, "tenant": …, "customer_key": …, "erased_at": "2026-03-02T09:14:03Z"}`.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    erasures: Option<PathBuf>,
    /// Decide again what waits on Kafka, by this configuration: what is held, unless another is named.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "RunOptions", "RulesetOptions"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    on_kafka: OnKafka,
}

/// What is decided again on Kafka.
#[derive(Args)]
struct OnKafka {
    /// Records of the input that no attempt has sent, also such as are under review.
    #[arg(long, conflicts_with = "dead_letters")]
    input: bool,
    /// Dead letters, also those that the input topic no longer has.
    #[arg(long)]
    dead_letters: bool,
    /// Only what was held or came in at this time or later: 2026-03-02 or 2026-03-02T09:14:03Z.
    #[arg(long, value_name = "DATE", value_parser = parse_as_of)]
    from: Option<Timestamp>,
    /// Only what was held or came in before this time.
    #[arg(long, value_name = "DATE", value_parser = parse_as_of)]
    to: Option<Timestamp>,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let OnKafka { input, dead_letters, from, to } = &options.on_kafka;
    if options.config.is_none() && (*input || *dead_letters || from.is_some() || to.is_some()) {
        let wrong = "--input, --dead-letters, --from and --to are for Kafka; give --config FILE in place of --out";
        return Err(Error::Usage(wrong.into()));
    }
    match (&options.config, &options.out) {
        (Some(config), _) => on_kafka(config, &options.on_kafka, say),
        (None, Some(out)) => {
            let ruleset = options.ruleset.load()?;
            let erasures: Erasures =
                options.erasures.as_deref().map(super::erasures::read).transpose()?.unwrap_or_default();
            let stages = stages(&ruleset, erasures, &options.ruleset, true)?;
            run_files(&stages, Task::Redecide, &options.files, out, &options.run, say)
        }
        (None, None) => Err(Error::Usage("give --out DIR for held.jsonl files, or --config FILE for Kafka".into())),
    }
}

/// Exit code 1 if something could not be read.
fn on_kafka(config: &Path, options: &OnKafka, say: Say) -> Result<ExitCode, Error> {
    let config = Arc::new(Config::from_file(config)?);
    let _logging = logs::init(&config.log, level(say))?;
    let what = match options {
        OnKafka { input: true, .. } => What::Input,
        OnKafka { dead_letters: true, .. } => What::DeadLetters,
        _ => What::Held,
    };
    let range = Range { from: options.from, to: options.to };
    let stop = stop_flag()?;
    let settings = settings(&config)?;
    let done = redecide(config, settings, what, range, &stop)?;
    for place in &done.unread {
        terminal::note(&format!("{place} cannot be read, and is left as it is"));
    }
    if say > Say::Little {
        say_what_was_done(&done);
    }
    Ok(if done.unread.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn say_what_was_done(done: &Redecided) {
    let of = |output: Output| done.tally.outputs.get(output.as_str()).copied().unwrap_or(0);
    let Redecided { tally, unchanged, sent_before, undecided, unread: _, stopped } = done;
    terminal::note(&format!(
        "{} decided again: {} cleared, {} for review, {} held; {unchanged} would be withheld for the same reasons and are left as they are",
        tally.records,
        of(Output::Cleared),
        of(Output::Review),
        of(Output::Held),
    ));
    if *sent_before > 0 {
        terminal::note(&format!("{sent_before} were sent by an earlier attempt"));
    }
    if *undecided > 0 {
        terminal::note(&format!("{undecided} are not decided yet; `maysend run` does that"));
    }
    if *stopped {
        terminal::note("stopped before the end; the next run goes on from there");
    }
}
