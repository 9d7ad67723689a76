//! A customer's records in our topics: where they lie, and the tombstones for them.
//!
//! All outputs of an attempt have one key, `tenant/transcript_id/attempt`. Which keys are the customer's say the ledger and
//! the decisions; review and held say it themselves too. What was cleared can have the platform's own shape, so there
//! the key tells, or the reservation in its header, which the signed records name.

use super::Holds;
use crate::{
    ledger::{
        log::{Log, New},
        person::Person,
    },
    stages::{Output, RESERVATION_HEADER},
    stream::{StreamError, followed::reader::Reader},
};
use rdkafka::{
    Message as _,
    message::{BorrowedMessage, Headers as _},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The topics that hold copies which a tombstone removes; decisions last, since they say whose the others are.
pub(super) const TOPICS: [Output; 4] = [Output::Cleared, Output::Review, Output::Held, Output::Decisions];

/// A record of the customer that has no tombstone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) output: Output,
    partition: i32,
    key: Vec<u8>,
    /// Whether it is under a legal hold.
    pub(super) is_on_hold: bool,
}

impl Copy {
    /// The tombstone for it, to the partition where it lies.
    pub(super) fn tombstone(&self, log: &Log) -> New {
        New {
            topic: log.topics.of(self.output).into(),
            partition: self.partition,
            key: Some(self.key.clone()),
            value: None,
        }
    }
}

/// What was found, and up to where each topic was read.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) copies: Vec<Copy>,
    /// How many records of each output stand before their tombstone: the broker has not compacted them away yet.
    pub(super) readable: BTreeMap<Output, u64>,
    pub(super) read: Vec<(String, BTreeMap<i32, i64>)>,
}

/// What a record says of whose it is.
#[derive(Deserialize)]
struct Whose<'r> {
    #[serde(borrow, default)]
    tenant: Option<std::borrow::Cow<'r, str>>,
    #[serde(borrow, default)]
    customer_key: Option<std::borrow::Cow<'r, str>>,
}

/// What tells that a record is the customer's, beside what it says itself.
pub(super) struct Theirs<'t> {
    /// Keys of records that the ledger knows to be theirs.
    pub(super) attempts: BTreeSet<Vec<u8>>,
    /// Their reservations, as signed records name them.
    pub(super) reservations: &'t BTreeSet<String>,
}

/// Finds the customer's live records. Reads every topic whole.
pub(super) fn find(
    log: &Log,
    who: &Person,
    Theirs { mut attempts, reservations }: Theirs<'_>,
    holds: &Holds,
    timeout: Duration,
) -> Result<Found, StreamError> {
    let mut found = Found::default();
    // Decisions first: they say whose the others are.
    for output in TOPICS.into_iter().rev() {
        let topic = log.topics.of(output);
        let mut live: BTreeMap<(i32, Vec<u8>), u64> = BTreeMap::new();
        let readable = found.readable.entry(output).or_default();
        let mut reader = Reader::open(&log.clients, topic, timeout)?;
        let ends = reader.ends().map_err(StreamError::Client)?;
        reader.to_the_end(|record| {
            let Some(key) = record.key() else { return Ok(()) };
            match record.payload() {
                None => *readable += live.remove(&(record.partition(), key.to_vec())).unwrap_or(0),
                Some(value)
                    if attempts.contains(key)
                        || reservation(record).is_some_and(|id| reservations.contains(id))
                        || is_theirs(who, value) =>
                {
                    attempts.insert(key.to_vec());
                    *live.entry((record.partition(), key.to_vec())).or_default() += 1;
                }
                Some(_) => {}
            }
            Ok(())
        })?;
        let copy = |(partition, key): (i32, Vec<u8>)| {
            let is_on_hold = holds.cover(transcript_of(&who.tenant, &key).unwrap_or_default());
            Copy { output, partition, key, is_on_hold }
        };
        found.copies.extend(live.into_keys().map(copy));
        found.read.push((topic.into(), ends));
    }
    // In the order in which they are to be removed.
    found.copies.sort_by_key(|copy| TOPICS.iter().position(|output| *output == copy.output));
    Ok(found)
}

fn reservation<'r>(record: &'r BorrowedMessage<'_>) -> Option<&'r str> {
    let header = record.headers()?.iter().find(|header| header.key == RESERVATION_HEADER)?;
    std::str::from_utf8(header.value?).ok()
}

fn is_theirs(who: &Person, value: &[u8]) -> bool {
    serde_json::from_slice::<Whose<'_>>(value).is_ok_and(|whose| {
        whose.tenant.is_some_and(|tenant| tenant == who.tenant.as_str())
            && whose.customer_key.is_some_and(|key| who.keys.contains(key.as_ref()))
    })
}

/// The transcript in a key of the form `tenant/transcript_id/attempt`; neither tenants nor attempts have a slash.
fn transcript_of<'k>(tenant: &str, key: &'k [u8]) -> Option<&'k str> {
    let rest = std::str::from_utf8(key).ok()?.strip_prefix(tenant)?.strip_prefix('/')?;
    rest.rsplit_once('/').map(|(transcript, _)| transcript)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_transcript_also_with_slashes_in_it() {
        assert_eq!(transcript_of("acme", b"acme/t-1/0-aa"), Some("t-1"));
        assert_eq!(transcript_of("acme", b"acme/a/b/0-aa"), Some("a/b"));
        assert_eq!(transcript_of("acme", b"other/t-1/0-aa"), None);
        assert_eq!(transcript_of("acme", b"acme"), None);
    }

    #[test]
    fn a_record_is_theirs_by_tenant_and_key() {
        let who = Person { tenant: "acme".into(), keys: ["ck".to_owned()].into(), ..Person::default() };
        assert!(is_theirs(&who, br#"{"tenant":"acme","customer_key":"ck","text":"x"}"#));
        assert!(is_theirs(&who, br#"{"tenant":"acme","customer_key":"\u0063k"}"#), "an escape is the same text");
        for other in [
            r#"{"tenant":"other","customer_key":"ck"}"#,
            r#"{"tenant":"acme","customer_key":"ck2"}"#,
            r#"{"tenant":"acme","customer_key":null}"#,
            "not json",
        ] {
            assert!(!is_theirs(&who, other.as_bytes()), "{other}");
        }
    }
}
