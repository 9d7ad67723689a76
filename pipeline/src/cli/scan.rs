//! `maysend scan`: the whole gate on JSONL transcripts.

use super::{Error, RulesetOptions, Say, summary, terminal};
use crate::{
    redact::{Key, KeyError},
    ruleset::Ruleset,
    scan::{InputFile, Interrupter, OutputFiles, Report, Scan, Task},
    stages::{Erasures, Settings, Stages},
};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    fs::File,
    io::{self, BufReader, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

/// Options of `scan`.
#[derive(Args)]
pub(super) struct Options {
    /// JSONL files of transcripts; `-` or none is standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the output files, one for each output.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    ruleset: RulesetOptions,
    /// Enforce every destination, whatever the policy says of shadow mode.
    #[arg(long)]
    enforce: bool,
    /// JSONL of erased customers: `{"schema": 1, "tenant": …, "customer_key": …, "erased_at": "2026-03-02T09:14:03Z"}`.
    #[arg(long, value_name = "FILE")]
    erasures: Option<PathBuf>,
}

/// Options of every command that runs the stages on files.
#[derive(Args)]
pub(super) struct RunOptions {
    /// Replace the results of an earlier run in that folder.
    #[arg(long)]
    replace: bool,
    /// Exit with 1 if any document was blocked.
    #[arg(long)]
    fail_on_block: bool,
    /// Cores to use [default: all].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    review: summary::ReviewOptions,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let ruleset = options.ruleset.load()?;
    let erasures = options.erasures.as_deref().map(super::erasures::read).transpose()?.unwrap_or_default();
    let stages = stages(&ruleset, erasures, &options.ruleset, options.enforce)?;
    run_files(&stages, Task::Scan, &options.files, &options.out, &options.run, say)
}

/// The stages for this run. A key that is set and is no key is refused; without one, hashes of identifiers are left out.
pub(super) fn stages(
    ruleset: &Arc<Ruleset>,
    erasures: Erasures,
    options: &RulesetOptions,
    enforce: bool,
) -> Result<Stages, Error> {
    let key = match Key::from_env() {
        Ok(key) => Some(key),
        Err(KeyError::Missing) => None,
        Err(error) => return Err(error.into()),
    };
    let settings = Settings::new(ruleset.clone(), key, erasures, enforce)?;
    Ok(Stages::at(settings, options.as_of()))
}

/// Runs the stages over files and says what came of it.
pub(super) fn run_files(
    stages: &Stages,
    task: Task,
    files: &[PathBuf],
    out: &Path,
    options: &RunOptions,
    say: Say,
) -> Result<ExitCode, Error> {
    if let Some(threads) = options.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Error::Usage(format!("--threads {threads}: {error}")))?;
    }
    let (inputs, total) = open(files)?;
    let outputs = OutputFiles::create(out, options.replace)?;
    let (scan, interrupter) = Scan::new();
    watch_signals(interrupter)?;
    let bar = progress_bar(total, say);
    let report = scan.run(stages, task, inputs, outputs, {
        let bar = bar.clone();
        move |bytes| bar.inc(bytes)
    });
    bar.finish_and_clear();
    let report = report?;
    warn(stages, &report, out, say);
    if say > Say::Little {
        summary::print(&report, stages, options.review);
    }
    let failed = options.fail_on_block && report.tally.blocked > 0;
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// What a run must say even when it is asked to be quiet: that something was not read.
fn warn(stages: &Stages, report: &Report, out: &Path, say: Say) {
    let dead = report.tally.dead();
    if dead > 0 {
        let file = out.join("dead-letter.jsonl");
        terminal::note(&format!(
            "{dead} of {} records could not be read: see {}",
            report.tally.records,
            file.display()
        ));
    }
    if report.passed_over > 0 && say > Say::Little {
        terminal::note(&format!(
            "{} records were sent in shadow mode already and are left as they are",
            report.passed_over
        ));
    }
    if say > Say::Little {
        for warning in stages.ruleset().rules.destinations.expiring(stages.as_of(), 30) {
            terminal::note(&warning.to_string());
        }
    }
}

/// Opens every input, so that a missing one is known before anything is done. The sum of their sizes, if all have one.
fn open(files: &[PathBuf]) -> Result<(Vec<InputFile>, Option<u64>), Error> {
    let standard_input =
        || InputFile { name: "-".into(), reader: Box::new(BufReader::with_capacity(1 << 16, io::stdin())) };
    if files.is_empty() {
        return Ok((vec![standard_input()], None));
    }
    let mut total = Some(0);
    let mut inputs = Vec::new();
    for (at, path) in files.iter().enumerate() {
        if files[..at].contains(path) {
            let name = path.display();
            return Err(Error::Usage(format!(
                "{name} is named twice; its attempts would have the same names: name it once"
            )));
        }
        if path.as_os_str() == "-" {
            total = None;
            inputs.push(standard_input());
            continue;
        }
        let (file, size) = open_file(path).map_err(|error| Error::Input { path: path.clone(), error })?;
        total = total.map(|total| total + size);
        let reader = Box::new(BufReader::with_capacity(1 << 18, file));
        inputs.push(InputFile { name: path.display().to_string(), reader });
    }
    Ok((inputs, total))
}

fn open_file(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name its files"));
    }
    Ok((file, about.len()))
}

/// Ends a run when a signal asks for it; a second one ends the process at once.
fn watch_signals(interrupter: Interrupter) -> Result<(), Error> {
    use signal_hook::{consts::TERM_SIGNALS, iterator::Signals};
    let mut signals =
        Signals::new(TERM_SIGNALS).map_err(|error| Error::Usage(format!("signals cannot be watched: {error}")))?;
    std::thread::spawn(move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            interrupter.interrupt(signal);
        }
        if let Some(signal) = signals.next() {
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

fn progress_bar(total: Option<u64>, say: Say) -> ProgressBar {
    if say == Say::Little || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let target = ProgressDrawTarget::stderr_with_hz(8);
    let (bar, style) = match total {
        Some(total) => (
            ProgressBar::with_draw_target(Some(total), target),
            "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        ),
        None => (ProgressBar::with_draw_target(None, target), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    bar.with_style(ProgressStyle::with_template(style).expect("a template that was tried"))
}
