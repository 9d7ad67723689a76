//! Takes batches through the stages on all cores, in the order of their records.

use super::{client::Incoming, committer::Job, context::Event, current::Current, machine::Batch, topics::Topics};
use crate::{
    stages::{Coordinates, Stages},
    wire::Source,
};
use jiff::Timestamp;
use rayon::prelude::*;
use std::sync::{Arc, mpsc};

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
    /// Scans a batch; the result comes as an event. One time of decision holds for all of it.
    pub fn scan(&self, batch: Batch<Incoming>) {
        let stages = Stages::at(self.current.settings(), now());
        let (topic, cluster, results) = (self.topics.input.clone(), self.cluster.clone(), self.results.clone());
        rayon::spawn(move || {
            let offsets = batch.offsets();
            let outputs = batch
                .records
                .into_par_iter()
                .flat_map_iter(|(_, record)| one(&stages, &topic, &cluster, &record))
                .collect();
            // If nobody waits for it, the stream has ended, and nothing of it was written.
            let _ = results.send(Event::Scanned(Job {
                id: batch.id,
                epoch: batch.epoch,
                outputs,
                tombstones: Vec::new(),
                offsets,
            }));
        });
    }
}

/// What comes of one record. The topic's id cannot be had through the client; the record's time stands in for it, so
/// that a recreated topic does not make the same names.
fn one(stages: &Stages, topic: &str, cluster: &str, record: &Incoming) -> Vec<crate::stages::Produced> {
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
    stages.process(record.payload.as_deref().unwrap_or_default(), &source, &at).outputs
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
