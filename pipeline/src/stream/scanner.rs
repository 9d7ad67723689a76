//! Takes batches through the stages on all cores, in the order of their records.

use super::{client::Incoming, committer::Job, context::Event, current::Current, machine::Batch, topics::Topics};
use crate::{
    observe::Scanned,
    stages::{Attempt, Coordinates, Output, Produced, Stages},
    wire::Source,
};
use jiff::Timestamp;
use rayon::prelude::*;
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
}

impl Scanner {
    /// Scans a batch within its span; the result comes as an event. One time of decision holds for all of it.
    pub fn scan(&self, batch: Batch<Incoming>, span: Span) {
        let stages = Stages::at(self.current.settings(), now());
        let (topic, cluster, results) = (self.topics.input.clone(), self.cluster.clone(), self.results.clone());
        rayon::spawn(move || {
            let offsets = batch.offsets();
            let started = Instant::now();
            let attempts: Vec<(i32, Attempt)> = info_span!(parent: &span, "scan").in_scope(|| {
                let one = |(_, record): (_, Incoming)| (record.partition, one(&stages, &topic, &cluster, &record));
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

/// What comes of one record. The topic's id cannot be had through the client; the record's time stands in for it, so
/// that a recreated topic does not make the same names.
fn one(stages: &Stages, topic: &str, cluster: &str, record: &Incoming) -> Attempt {
    let source = Source::Topic { topic: topic.into(), partition: record.partition, offset: record.offset };
    let incarnation = format!("{topic}@{}", record.timestamp_ms);
    let at = Coordinates {
        cluster,
        topic: &incarnation,
        partition: record.partition,
        offset: u64::try_from(record.offset).unwrap_or(0),
        published: published(record.timestamp_ms),
    };
    // A tombstone is a record without anything in it.
    let mut attempt = stages.process(record.payload.as_deref().unwrap_or_default(), &source, &at);
    if let Some(traceparent) = &record.traceparent {
        let goes_on = |output| matches!(output, Output::Cleared | Output::Review | Output::Held | Output::DeadLetter);
        for produced in attempt.outputs.iter_mut().filter(|produced| goes_on(produced.output)) {
            produced.headers.push(("traceparent", traceparent.clone()));
        }
    }
    attempt
}

/// When a record was published, by the broker or its producer; `None` where neither said.
pub(super) fn published(timestamp_ms: i64) -> Option<Timestamp> {
    (timestamp_ms > 0).then(|| Timestamp::from_millisecond(timestamp_ms).ok()).flatten()
}

/// Now, to the millisecond.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}
