//! The whole gate on files: JSONL in, one file for each output.
//!
//! Lines are read in one thread, taken through the stages on all cores a batch at a time, and written in their order
//! by another, so that reading, scanning and writing overlap. What is in flight is bounded in bytes: memory is flat for
//! a file of any size and for a line of any length.

mod files;
pub mod lines;

pub use files::{OutputError, OutputFiles, REPLACE_ADVICE};
pub use lines::{Line, Lines};

use crate::{
    stages::{Attempt, Coordinates, Stages, Tally},
    wire::{HeldRecord, Source},
};
use hdrhistogram::Histogram;
use rayon::prelude::*;
use std::{io, path::PathBuf, sync::mpsc, thread, time::Instant};

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
    /// The thread that reads has ended unexpectedly.
    #[error("reading ended unexpectedly; nothing was written to the output folder")]
    Reader,
    /// An output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A signal asked it to stop.
    #[error("interrupted by signal {0}; nothing was written to the output folder")]
    Interrupted(i32),
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

/// What a run waits for: the next batch, the end, a failure, or a signal.
enum Event {
    Batch(Vec<Read>),
    End,
    Failed(ScanError),
}

/// Ends a run from another thread, such as the one that waits for signals.
#[derive(Clone)]
pub struct Interrupter(mpsc::SyncSender<Event>);

impl Interrupter {
    /// Ends the run, on account of this signal, before its next batch: also when it waits for input. After its last
    /// batch it does nothing.
    pub fn interrupt(&self, signal: i32) {
        // If the run has ended, nobody waits for this any more.
        let _ = self.0.send(Event::Failed(ScanError::Interrupted(signal)));
    }
}

/// A run of the stages over files.
pub struct Scan {
    events: mpsc::Receiver<Event>,
    reader: mpsc::SyncSender<Event>,
}

impl Scan {
    /// A run, and what ends it early.
    pub fn new() -> (Self, Interrupter) {
        let (reader, events) = mpsc::sync_channel(WAITING);
        let interrupter = Interrupter(reader.clone());
        (Self { events, reader }, interrupter)
    }

    /// Runs the stages over every line of the inputs, in order, into the output files, and puts those in place.
    /// `progress` is told of the bytes read.
    ///
    /// # Errors
    /// An input or an output fails, or the run is interrupted. The output folder is as it was, then.
    pub fn run(
        self,
        stages: &Stages,
        task: Task,
        inputs: Vec<InputFile>,
        mut outputs: OutputFiles,
        progress: impl Fn(u64) + Send + 'static,
    ) -> Result<Report, ScanError> {
        let started = Instant::now();
        let limit = stages.ruleset().rules.policy.intake.max_record_bytes;
        let mut report = Report {
            tally: Tally::default(),
            passed_over: 0,
            latency: Histogram::new_with_bounds(1, 60_000_000, 3).expect("bounds within what a histogram takes"),
            seconds: 0.0,
        };
        let Self { events, reader } = self;
        // Not joined: an interrupted run must not wait for a line that may never come.
        thread::spawn(move || {
            let ended = EndedEarly(reader);
            read(inputs, limit, &progress, &ended.0);
        });
        let (to_files, results) = mpsc::sync_channel::<Vec<Done>>(WAITING);
        thread::scope(|scope| -> Result<(), ScanError> {
            let writing = scope.spawn(|| write(results, &mut outputs, &mut report));
            let scanned = process(stages, task, &events, to_files);
            // A full disk ends the writer first, and the rest stops for want of it.
            writing.join().expect("the writer does not panic")?;
            scanned
        })?;
        outputs.put_in_place()?;
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }
}

/// Tells the run that its reader is gone, should it end without having said so: the interrupter keeps the channel open.
struct EndedEarly(mpsc::SyncSender<Event>);

impl Drop for EndedEarly {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Event::Failed(ScanError::Reader));
        }
    }
}

/// Reads batches until the inputs end, one fails, or nobody waits for more.
fn read(inputs: Vec<InputFile>, limit: usize, progress: &dyn Fn(u64), events: &mpsc::SyncSender<Event>) {
    let mut batch = Vec::new();
    let mut bytes = 0;
    for input in inputs {
        let mut lines = Lines::new(input.reader, limit);
        loop {
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
                    let _ = events.send(Event::Failed(ScanError::Input { path, error }));
                    return;
                }
            }
            if bytes >= BATCH_BYTES || batch.len() >= BATCH_LINES {
                bytes = 0;
                if events.send(Event::Batch(std::mem::take(&mut batch))).is_err() {
                    return;
                }
            }
        }
    }
    if events.send(Event::Batch(batch)).is_ok() {
        let _ = events.send(Event::End);
    }
}

/// Takes batches through the stages until there are no more.
fn process(
    stages: &Stages,
    task: Task,
    events: &mpsc::Receiver<Event>,
    to_files: mpsc::SyncSender<Vec<Done>>,
) -> Result<(), ScanError> {
    for event in events {
        match event {
            Event::Batch(batch) => {
                let done: Vec<Done> = batch.into_par_iter().map(|read| process_line(stages, task, read)).collect();
                if to_files.send(done).is_err() {
                    break;
                }
            }
            Event::End => break,
            Event::Failed(error) => return Err(error),
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
            for produced in &attempt.outputs {
                outputs.write(produced.output, &produced.value)?;
            }
            report.tally.add(&attempt.tally);
        }
    }
    Ok(())
}
