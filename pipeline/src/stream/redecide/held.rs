//! What waits in `held`.

use super::{Again, Outcome, Redecided, Work, or_unchanged};
use crate::{
    stages::{Output, Stages},
    stream::{StreamError, committer::Tombstone, followed::reader::Reader, record::Location, topics::Topics},
    wire::HeldRecord,
};
use rdkafka::Message as _;
use std::collections::{HashMap, HashSet};

/// A record of `held`.
pub(super) struct Held {
    location: Location,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Again for Held {
    fn bytes(&self) -> usize {
        self.key.len() + self.value.len() + size_of::<Self>()
    }

    fn decide(&self, stages: &Stages, topics: &Topics, cluster: &str) -> Outcome {
        let topic = topics.of(Output::Held);
        let Location { partition, offset, .. } = self.location;
        let held = match HeldRecord::decode(&self.value) {
            Ok(held) if held.shadow => return Outcome::SentBefore,
            Ok(held) => held,
            Err(_) => return Outcome::Unread(format!("{topic}/{partition}/{offset}")),
        };
        let at = self.location.coordinates(topic, cluster);
        // The attempts at one transcript name one source.
        let attempt = stages.redecide(&held, &self.value, &held.source, &at);
        let mut before: Vec<&str> = held.decision.reasons.iter().map(|reason| reason.reason.code()).collect();
        before.sort_unstable();
        let replaced = Tombstone { output: Output::Held, partition, key: self.key.clone() };
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
            Some(_) if range.contains(Location::of(record).timestamp_ms) => {
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
            work.push(Held { location: Location::of(&record), key: key.to_vec(), value: value.to_vec() })?;
        }
    }
    work.finish()
}
