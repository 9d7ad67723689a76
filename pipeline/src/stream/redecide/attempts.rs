//! The attempts at each record of the input, as the committed decisions tell them.

use super::Range;
use crate::{
    stages::Output,
    stream::{StreamError, client::Clients, committer::Tombstone, followed::reader::Reader, topics::Topics},
    wire::Source,
};
use jiff::{Timestamp, ToSpan};
use rdkafka::Message as _;
use serde::Deserialize;
use std::{collections::HashMap, time::Duration};

/// So much earlier than a record decisions about it are looked for: clocks differ.
const CLOCKS_DIFFER: i64 = 24;

/// What was attempted with one record of the input so far.
pub(super) struct Attempts {
    /// The latest attempt.
    pub(super) latest: String,
    /// Why it did not send it.
    pub(super) reasons: Vec<String>,
    /// Whether any attempt sent it.
    pub(super) sent: bool,
    /// Records that wait for somebody, and would be replaced.
    pub(super) waiting: Vec<Tombstone>,
    key: Vec<u8>,
}

/// The attempts by partition and offset of the input. Memory: one entry for each record decided in the range.
pub(super) type ByPlace = HashMap<(i32, i64), Attempts>;

#[derive(Deserialize)]
struct Decision {
    attempt: String,
    source: Source,
    reservation_id: Option<String>,
    reasons: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    reason: String,
}

/// Reads the decisions about records of this range.
///
/// # Errors
/// A topic cannot be read, or a decision is none: what it says might be that the record was sent.
pub(super) fn read(
    clients: &Clients,
    topics: &Topics,
    range: Range,
    timeout: Duration,
) -> Result<ByPlace, StreamError> {
    let earlier = |from: Timestamp| from.checked_sub(CLOCKS_DIFFER.hours()).ok();
    let since = range.from.and_then(earlier);
    let topic = topics.of(Output::Decisions);
    let mut by_place = ByPlace::new();
    Reader::open_from(clients, topic, since.into(), timeout)?.to_the_end(|record| {
        let Some(value) = record.payload() else { return Ok(()) };
        let decision: Decision = serde_json::from_slice(value).map_err(|_| StreamError::NoDecision {
            topic: topic.into(),
            partition: record.partition(),
            offset: record.offset(),
        })?;
        if let Some(place) = place(&decision.source, topics) {
            take_in(&mut by_place, place, decision, record.key().unwrap_or_default());
        }
        Ok(())
    })?;
    for output in [Output::Held, Output::Review] {
        waiting(clients, topics, output, timeout, &mut by_place)?;
    }
    Ok(by_place)
}

/// Where in the input a record came from.
pub(super) fn place(source: &Source, topics: &Topics) -> Option<(i32, i64)> {
    match source {
        Source::Topic { topic, partition, offset } if *topic == topics.input => Some((*partition, *offset)),
        _ => None,
    }
}

fn take_in(by_place: &mut ByPlace, place: (i32, i64), decision: Decision, key: &[u8]) {
    let Decision { attempt, source: _, reservation_id, reasons } = decision;
    let sent = reservation_id.is_some();
    let entry = by_place.entry(place).or_insert_with(|| Attempts {
        latest: String::new(),
        reasons: Vec::new(),
        sent: false,
        waiting: Vec::new(),
        key: Vec::new(),
    });
    entry.sent |= sent;
    if entry.latest.is_empty() || number(&attempt) > number(&entry.latest) {
        entry.latest = attempt;
        entry.reasons = reasons.into_iter().map(|reason| reason.reason).collect();
        entry.reasons.sort_unstable();
        entry.key = key.to_vec();
    }
}

/// The number of an attempt: `0-…` is the first.
fn number(attempt: &str) -> u64 {
    attempt.split_once('-').and_then(|(number, _)| number.parse().ok()).unwrap_or(0)
}

/// Finds what waits in an output for each latest attempt, wherever it lies.
fn waiting(
    clients: &Clients,
    topics: &Topics,
    output: Output,
    timeout: Duration,
    by_place: &mut ByPlace,
) -> Result<(), StreamError> {
    let mut by_key: HashMap<Vec<u8>, (i32, i64)> =
        by_place.iter().filter(|(_, found)| !found.sent).map(|(place, found)| (found.key.clone(), *place)).collect();
    by_key.remove(&Vec::new());
    Reader::open(clients, topics.of(output), timeout)?.to_the_end(|record| {
        let key = record.key().unwrap_or_default();
        if let Some(found) = by_key.get(key).and_then(|place| by_place.get_mut(place)) {
            found.waiting.retain(|waiting| (waiting.output, waiting.partition) != (output, record.partition()));
            if record.payload().is_some() {
                found.waiting.push(Tombstone { output, partition: record.partition(), key: key.to_vec() });
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(attempt: &str, reservation: Option<&str>, reasons: &[&str]) -> Decision {
        Decision {
            attempt: attempt.into(),
            source: Source::Topic { topic: "t".into(), partition: 0, offset: 7 },
            reservation_id: reservation.map(Into::into),
            reasons: reasons.iter().map(|reason| Reason { reason: (*reason).into() }).collect(),
        }
    }

    #[test]
    fn the_latest_attempt_is_that_of_the_highest_number_and_one_that_was_sent_stays_sent() {
        let mut by_place = ByPlace::new();
        // Partitions are read in no order.
        for (attempt, reservation) in [("10-c", None), ("2-b", Some("r")), ("0-a", None)] {
            take_in(&mut by_place, (0, 7), decision(attempt, reservation, &["b", "a"]), attempt.as_bytes());
        }
        let found = &by_place[&(0, 7)];
        assert_eq!((found.latest.as_str(), found.sent, found.key.as_slice()), ("10-c", true, b"10-c".as_slice()));
        assert_eq!(found.reasons, ["a", "b"]);
    }

    #[test]
    fn only_what_came_from_the_input_is_decided_again() {
        let topics = Topics::new("t");
        let from = |topic: &str| place(&Source::Topic { topic: topic.into(), partition: 1, offset: 2 }, &topics);
        assert_eq!((from("t"), from("other")), (Some((1, 2)), None));
        assert_eq!(place(&Source::File { file: "t".into(), line: 1 }, &topics), None);
    }
}
