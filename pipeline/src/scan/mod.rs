//! The whole gate on files: JSONL in, one file for each output.
//!
//! Lines are read in one thread, taken through the stages on all cores a batch at a time, and written in their order
//! by another, so that reading, scanning and writing overlap. What is in flight is bounded in bytes: memory is flat for
//! a file of any size and for a line of any length.

mod files;
mod lines;

pub use files::{OutputError, OutputFiles, REPLACE_ADVICE};
pub use lines::{Line, Lines};

use crate::{
    stages::{Attempt, Coordinates, Stages, Tally},
    wire::{HeldRecord, Source},
};
use hdrhistogram::Histogram;
use rayon::prelude::*;
use std::{
    io,
    path::PathBuf,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Instant,
};

/// A batch ends at the first line at or over these: bytes enough to occupy all cores, and few enough to hold several.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_LINES: usize = 4096;

/// Batches that wait to be scanned, and to be written.
const WAITING: usize = 2;

/// An input file by the name that its records carry.
pub struct InputFile {
    /// As it was given.
    pub name: String,
    /// Its bytes.
    pub reader: Box<dyn io::BufRead + Send>,
}

/// What the lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Transcripts, to be decided for the first time.
    Scan,
    /// Withheld records, to be decided again.
    Redecide,
}

/// What came of a run.
pub struct Report {
    /// The counts.
    pub tally: Tally,
    /// Withheld records that were passed over: they were sent in shadow mode, so there is nothing to decide.
    pub passed_over: u64,
    /// Microseconds that a record took in the stages.
    pub latency: Histogram<u64>,
    /// Seconds from the first byte read to the last written.
    pub seconds: f64,
}

/// Why a run ended without results.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// An input cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// An output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A signal asked it to stop.
    #[error("interrupted by signal {0}; nothing was written to the output folder")]
    Interrupted(usize),
}

struct Read {
    file: String,
    number: u64,
    line: Line,
}

struct Done {
    attempt: Option<Attempt>,
    micros: u64,
}

/// Runs the stages over every line of the inputs, in order, into the output files, and puts those in place.
///
/// `interrupted` holds the number of a signal once one came; then nothing is put in place. `progress` is told of the
/// bytes read.
///
/// # Errors
/// An input or an output fails, or a signal came. The output folder is as it was, then.
pub fn scan(
    stages: &Stages,
    task: Task,
    inputs: Vec<InputFile>,
    mut outputs: OutputFiles,
    interrupted: &AtomicUsize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report, ScanError> {
    let started = Instant::now();
    let limit = stages.ruleset().rules.policy.intake.max_record_bytes;
    let (to_stages, batches) = mpsc::sync_channel::<Result<Vec<Read>, ScanError>>(WAITING);
    let (to_files, results) = mpsc::sync_channel::<Vec<Done>>(WAITING);
    let mut report = Report {
        tally: Tally::default(),
        passed_over: 0,
        latency: Histogram::new_with_bounds(1, 60_000_000, 3).expect("bounds within what a histogram takes"),
        seconds: 0.0,
    };
    thread::scope(|scope| -> Result<(), ScanError> {
        scope.spawn(move || read(inputs, limit, interrupted, progress, &to_stages));
        let writing = scope.spawn(|| write(results, &mut outputs, &mut report));
        let scanned = process(stages, task, batches, to_files);
        // A full disk ends the writer first, and the rest stops for want of it.
        writing.join().expect("the writer does not panic")?;
        scanned
    })?;
    match interrupted.load(Ordering::SeqCst) {
        0 => outputs.put_in_place()?,
        signal => return Err(ScanError::Interrupted(signal)),
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Reads batches until the inputs end, one fails, a signal comes, or nobody waits for more.
fn read(
    inputs: Vec<InputFile>,
    limit: usize,
    interrupted: &AtomicUsize,
    progress: &(dyn Fn(u64) + Sync),
    to_stages: &mpsc::SyncSender<Result<Vec<Read>, ScanError>>,
) {
    let mut batch = Vec::new();
    let mut bytes = 0;
    for input in inputs {
        let mut lines = Lines::new(input.reader, limit);
        loop {
            if interrupted.load(Ordering::SeqCst) != 0 {
                return;
            }
            match lines.next() {
                Ok(Some((number, line))) => {
                    bytes += line.held();
                    progress(line.read());
                    batch.push(Read { file: input.name.clone(), number, line });
                }
                Ok(None) => break,
                Err(error) => {
                    let path = PathBuf::from(&input.name);
                    // If nobody waits for it, an earlier error is on its way already.
                    let _ = to_stages.send(Err(ScanError::Input { path, error }));
                    return;
                }
            }
            if bytes >= BATCH_BYTES || batch.len() >= BATCH_LINES {
                bytes = 0;
                if to_stages.send(Ok(std::mem::take(&mut batch))).is_err() {
                    return;
                }
            }
        }
    }
    if !batch.is_empty() {
        let _ = to_stages.send(Ok(batch));
    }
}

/// Takes batches through the stages until there are no more.
fn process(
    stages: &Stages,
    task: Task,
    batches: mpsc::Receiver<Result<Vec<Read>, ScanError>>,
    to_files: mpsc::SyncSender<Vec<Done>>,
) -> Result<(), ScanError> {
    for batch in batches {
        let done: Vec<Done> = batch?.into_par_iter().map(|read| process_line(stages, task, read)).collect();
        if to_files.send(done).is_err() {
            break;
        }
    }
    Ok(())
}

fn process_line(stages: &Stages, task: Task, read: Read) -> Done {
    let started = Instant::now();
    let source = Source::File { file: read.file, line: read.number };
    let Source::File { file, .. } = &source else { unreachable!("made so above") };
    let at = Coordinates::of_line(file, read.number);
    let attempt = match (&read.line, task) {
        (Line::TooLong { digest, bytes }, _) => Some(stages.too_large(digest, *bytes, &source, &at)),
        (Line::Record(record), Task::Scan) => Some(stages.process(record, &source, &at)),
        (Line::Record(record), Task::Redecide) => match HeldRecord::decode(record) {
            Ok(held) if held.shadow => None,
            Ok(held) => Some(stages.redecide(&held, record, &source, &at)),
            Err(error) => Some(stages.undecodable(record, &source, &at, error.reason())),
        },
    };
    Done { attempt, micros: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX) }
}

fn write(
    results: mpsc::Receiver<Vec<Done>>,
    outputs: &mut OutputFiles,
    report: &mut Report,
) -> Result<(), OutputError> {
    for batch in results {
        for done in batch {
            report.latency.saturating_record(done.micros.max(1));
            let Some(attempt) = done.attempt else {
                report.passed_over += 1;
                continue;
            };
            for (output, record) in &attempt.outputs {
                outputs.write(*output, record)?;
            }
            report.tally.add(&attempt.tally);
        }
    }
    Ok(())
}
