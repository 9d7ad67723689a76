//! Records as they came in, that no attempt has sent: from the input topic, or as dead letters kept them.

use super::{
    Again, Outcome, Redecided, What, Work,
    attempts::{self, Attempts},
    or_unchanged,
};
use crate::{
    gate::Reason,
    stages::{Output, Stages},
    stream::{StreamError, followed::reader::Reader, record::Location, topics::Topics},
    wire::Source,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use rdkafka::{Message as _, message::BorrowedMessage};
use serde::Deserialize;

/// A record, and what was attempted with it.
pub(super) struct Raw {
    location: Location,
    /// `None` where only its digest was kept.
    bytes: Option<Vec<u8>>,
    attempts: Attempts,
}

impl Again for Raw {
    fn bytes(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len) + size_of::<Self>()
    }

    fn decide(&self, stages: &Stages, topics: &Topics, cluster: &str) -> Outcome {
        let topic = &topics.input;
        if self.attempts.sent {
            return Outcome::SentBefore;
        }
        let Some(bytes) = &self.bytes else {
            return Outcome::Unread(format!("{topic}/{}/{}", self.location.partition, self.location.offset));
        };
        let (source, at) = (self.location.source(topic), self.location.coordinates(topic, cluster));
        // What still cannot be decoded is a dead letter already.
        let Ok(attempt) = stages.process_again(bytes, &self.attempts.latest, &source, &at) else {
            return Outcome::Unchanged;
        };
        let before: Vec<&str> = self.attempts.reasons.iter().map(String::as_str).collect();
        or_unchanged(attempt, &before, self.attempts.waiting.clone())
    }
}

/// The members of a dead letter that are needed here.
#[derive(Deserialize)]
struct DeadLetter {
    source: Source,
    published_at: Option<Timestamp>,
    record: Option<String>,
    record_base64: Option<String>,
}

impl DeadLetter {
    fn bytes(self) -> Option<Vec<u8>> {
        match (self.record, self.record_base64) {
            (Some(text), _) => Some(text.into_bytes()),
            (None, Some(encoded)) => STANDARD.decode(encoded).ok(),
            (None, None) => None,
        }
    }
}

/// Decides again what came in during the range and was not sent.
pub(super) fn redecide(mut work: Work<'_>, what: What) -> Result<Redecided, StreamError> {
    let timeout = work.config.stream.message_timeout;
    let mut attempts = attempts::read(&work.clients, &work.topics, work.range, timeout)?;
    let topic = match what {
        What::DeadLetters => work.topics.of(Output::DeadLetter).to_owned(),
        _ => work.topics.input.clone(),
    };
    let mut reader = Reader::open_from(&work.clients, &topic, work.range.from.into(), timeout)?;
    let ends = reader.ends().map_err(StreamError::Client)?;
    while !reader.has_reached(&ends) && !work.is_stopped() {
        let Some(record) = reader.poll()? else { continue };
        // What is written from now on, also by this very work, is not looked at.
        let here = Location::of(&record);
        let is_new = ends.get(&here.partition).is_none_or(|end| here.offset >= *end);
        if is_new || !work.range.contains(here.timestamp_ms) {
            continue;
        }
        let Some((location, bytes)) = raw(&record, what, &work.topics) else { continue };
        match attempts.remove(&(location.partition, location.offset)) {
            None => work.done.undecided += 1,
            // The only thing that is kept of an erased customer's transcript is that decision.
            Some(found) if found.reasons.iter().any(|reason| reason == Reason::CustomerErased.code()) => {}
            Some(attempts) => work.push(Raw { location, bytes, attempts })?,
        }
    }
    work.finish()
}

/// The record as it came in, with its place and time in the input; its bytes unless they were not kept.
fn raw(record: &BorrowedMessage<'_>, what: What, topics: &Topics) -> Option<(Location, Option<Vec<u8>>)> {
    let value = record.payload();
    match what {
        What::DeadLetters => {
            let letter: DeadLetter = serde_json::from_slice(value?).ok()?;
            let (partition, offset) = attempts::place(&letter.source, topics)?;
            // The letter's own time is later, and could make the record newer than an erasure.
            let timestamp_ms = letter.published_at.map_or(0, Timestamp::as_millisecond);
            Some((Location { partition, offset, timestamp_ms }, letter.bytes()))
        }
        _ => Some((Location::of(record), Some(value.unwrap_or_default().to_vec()))),
    }
}
