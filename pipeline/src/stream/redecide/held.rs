//! What waits in `held`.

use super::{super::reader::Reader, Again, Outcome, Redecided, Work, or_unchanged};
use crate::{
    stages::{Coordinates, Output, Stages},
    stream::{StreamError, committer::Tombstone, scanner::published, topics::Topics},
    wire::HeldRecord,
};
use rdkafka::Message as _;
use std::collections::{HashMap, HashSet};

/// A record of `held`.
pub(super) struct Held {
    partition: i32,
    offset: i64,
    timestamp_ms: i64,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Again for Held {
    fn bytes(&self) -> usize {
        self.key.len() + self.value.len() + size_of::<Self>()
    }

    fn decide(&self, stages: &Stages, topics: &Topics, cluster: &str) -> Outcome {
        let topic = topics.of(Output::Held);
        let held = match HeldRecord::decode(&self.value) {
            Ok(held) if held.shadow => return Outcome::SentBefore,
            Ok(held) => held,
            Err(_) => return Outcome::Unread(format!("{topic}/{}/{}", self.partition, self.offset)),
        };
        let incarnation = format!("{topic}@{}", self.timestamp_ms);
        let at = Coordinates {
            cluster,
            topic: &incarnation,
            partition: self.partition,
            offset: u64::try_from(self.offset).unwrap_or(0),
            published: published(self.timestamp_ms),
        };
        // The attempts at one transcript name one source.
        let attempt = stages.redecide(&held, &self.value, &held.source, &at);
        let mut before: Vec<&str> = held.decision.reasons.iter().map(|reason| reason.reason.code()).collect();
        before.sort_unstable();
        let replaced = Tombstone { output: Output::Held, partition: self.partition, key: self.key.clone() };
        or_unchanged(attempt, &before, vec![replaced])
    }
}

/// Decides again what is held now. Read twice: what has a tombstone is only known at the end, and values are too large
/// to be kept until then.
pub(super) fn redecide(mut work: Work<'_>) -> Result<Redecided, StreamError> {
    let topic = work.topics.of(Output::Held).to_owned();
    let timeout = work.config.stream.message_timeout;
    let mut live: HashMap<Vec<u8>, (i32, i64)> = HashMap::new();
    let range = work.range;
    Reader::open(&work.clients, &topic, timeout)?.to_the_end(|record| {
        let Some(key) = record.key() else { return Ok(()) };
        match record.payload() {
            Some(_) if range.contains(record.timestamp().to_millis().unwrap_or(0)) => {
                live.insert(key.to_vec(), (record.partition(), record.offset()));
            }
            _ => {
                live.remove(key);
            }
        }
        Ok(())
    })?;
    let mut live: HashSet<(i32, i64)> = live.into_values().collect();
    let mut reader = Reader::open(&work.clients, &topic, timeout)?;
    while !live.is_empty() && !work.is_stopped() {
        let Some(record) = reader.poll()? else {
            if reader.is_at_the_end() {
                // Somebody else has removed what is missing, such as an erasure.
                break;
            }
            continue;
        };
        if let (true, Some(key), Some(value)) =
            (live.remove(&(record.partition(), record.offset())), record.key(), record.payload())
        {
            work.push(Held {
                partition: record.partition(),
                offset: record.offset(),
                timestamp_ms: record.timestamp().to_millis().unwrap_or(0),
                key: key.to_vec(),
                value: value.to_vec(),
            })?;
        }
    }
    work.finish()
}
