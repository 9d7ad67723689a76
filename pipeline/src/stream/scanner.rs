//! Takes batches through the stages on all cores, in the order of their records.

use super::{
    committer::Job, consumer::Event, followed::current::Current, machine::Batch, record::Incoming, topics::Topics,
};
use crate::{
    observe::Scanned,
    stages::{Attempt, Output, Produced, Stages},
};
use jiff::Timestamp;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, prelude::*};
use std::{
    sync::{Arc, mpsc},
    time::Instant,
};
use tracing::{Span, info_span};

/// Takes batches through the stages.
pub struct Scanner {
    /// What decisions are taken by; the same for all of a batch.
    pub current: Arc<Current>,
    /// Names of the topics.
    pub topics: Topics,
    /// Id of the cluster, for names of attempts and reservations.
    pub cluster: String,
    /// Where results go.
    pub results: mpsc::Sender<Event>,
    /// What scans.
    pub threads: ThreadPool,
}

/// How much less urgent scanning is than what the clients do: so much is added to their nice value.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// How urgent the calling thread is: the less, the higher.
#[cfg(target_os = "linux")]
fn nice() -> rustix::io::Result<i32> {
    rustix::process::getpriority_process(None)
}

/// Threads that scan, one for each core. They give way to the clients' threads: a batch waits for the commit of the one
/// before, and a commit is mostly waiting for a broker, so a thread that must answer at once finds a core.
///
/// # Errors
/// The system gives no more threads.
pub fn threads() -> Result<ThreadPool, ThreadPoolBuildError> {
    let give_way = |_| {
        // Elsewhere a nice value is of the whole process.
        #[cfg(target_os = "linux")]
        if let Err(error) = nice().and_then(|own| rustix::process::setpriority_process(None, own + NICE)) {
            tracing::debug!("a scanning thread is as urgent as others: {error}");
        }
    };
    ThreadPoolBuilder::new().thread_name(|n| format!("scan-{n}")).start_handler(give_way).build()
}

impl Scanner {
    /// Scans a batch within its span; the result comes as an event. One time of decision holds for all of it.
    pub fn scan(&self, batch: Batch<Incoming>, span: Span) {
        let stages = Stages::at(self.current.settings(), now());
        let (topic, cluster, results) = (self.topics.input.clone(), self.cluster.clone(), self.results.clone());
        self.threads.spawn(move || {
            let offsets = batch.offsets();
            let started = Instant::now();
            let attempts: Vec<(i32, Attempt)> = info_span!(parent: &span, "scan").in_scope(|| {
                let one =
                    |(_, record): (_, Incoming)| (record.location.partition, one(&stages, &topic, &cluster, &record));
                batch.records.into_par_iter().map(one).collect()
            });
            let (outputs, mut scanned) = together(attempts);
            scanned.took = started.elapsed();
            let (id, epoch, tombstones) = (batch.id, batch.epoch, Vec::new());
            let job = Job { id, epoch, outputs, tombstones, offsets, scanned: Box::new(scanned), span };
            // If nobody waits for it, the stream has ended, and nothing of it was written.
            let _ = results.send(Event::Scanned(job));
        });
    }
}

/// What is to be written of all attempts, in their order, and what they have shown.
fn together(attempts: Vec<(i32, Attempt)>) -> (Vec<Produced>, Scanned) {
    let (mut outputs, mut scanned) = (Vec::new(), Scanned::default());
    for (partition, attempt) in attempts {
        scanned.tally.add(&attempt.tally);
        let reservations = attempt.outputs.iter().filter(|produced| produced.output == Output::Reservations);
        scanned.reserved.extend(reservations.map(|reservation| (partition, reservation.key.clone())));
        outputs.extend(attempt.outputs);
    }
    (outputs, scanned)
}

/// What comes of one record.
fn one(stages: &Stages, topic: &str, cluster: &str, record: &Incoming) -> Attempt {
    let Incoming { location, payload, traceparent } = record;
    // A tombstone is a record without anything in it.
    let bytes = payload.as_deref().unwrap_or_default();
    let mut attempt = stages.process(bytes, &location.source(topic), &location.coordinates(topic, cluster));
    if let Some(traceparent) = traceparent {
        let goes_on = |output| matches!(output, Output::Cleared | Output::Review | Output::Held | Output::DeadLetter);
        for produced in attempt.outputs.iter_mut().filter(|produced| goes_on(produced.output)) {
            produced.headers.push(("traceparent", traceparent.clone()));
        }
    }
    attempt
}

/// Now, to the millisecond.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn scanning_gives_way_and_nothing_else_does() {
        let before = nice().unwrap();
        // The system takes none above 19.
        assert_eq!(threads().unwrap().install(nice), Ok((before + NICE).min(19)));
        assert_eq!(nice(), Ok(before));
    }
}
