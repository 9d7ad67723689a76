//! What the committer is given.

use crate::{
    observe::Scanned,
    stages::{Output, Produced},
};
use std::{collections::BTreeMap, sync::mpsc};
use tracing::Span;

/// A batch that was taken through the stages.
pub struct Job {
    /// Number of the batch.
    pub id: u64,
    /// Its epoch.
    pub epoch: u64,
    /// What to write, in the order of the records.
    pub outputs: Vec<Produced>,
    /// Withheld records that are replaced.
    pub tombstones: Vec<Tombstone>,
    /// The offset to commit for each partition.
    pub offsets: BTreeMap<i32, i64>,
    /// What scanning it has shown; for metrics.
    pub scanned: Box<Scanned>,
    /// The span that it belongs to.
    pub span: Span,
}

/// Removes a record of an output. It goes to the partition where the record lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The output.
    pub output: Output,
    /// The partition.
    pub partition: i32,
    /// The record's key.
    pub key: Vec<u8>,
}

impl Job {
    pub(super) fn dead_letters(&self) -> u64 {
        self.outputs.iter().filter(|produced| produced.output == Output::DeadLetter).count() as u64
    }
}

/// What the committer is asked.
pub enum Request {
    /// Reserve and commit a batch.
    Commit(Job),
    /// Say when everything before this is over.
    Barrier(mpsc::Sender<()>),
}
