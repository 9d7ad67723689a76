//! Records of customers in our topics: where they lie, and the tombstones for them.
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
    stream::{StreamError, failpoint::point, followed::reader::Reader},
};
use rdkafka::{
    Message as _,
    message::{BorrowedMessage, Headers as _},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
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

/// What was found of each person, and up to where each topic was read.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In the order in which they were asked for.
    pub(super) persons: Vec<OfPerson>,
    pub(super) read: Vec<(String, BTreeMap<i32, i64>)>,
}

/// What was found of one person.
#[derive(Debug, Default)]
pub(super) struct OfPerson {
    /// In the order in which they are to be removed.
    pub(super) copies: Vec<Copy>,
    /// How many records of each output stand before their tombstone: the broker has not compacted them away yet.
    pub(super) readable: BTreeMap<Output, u64>,
}

/// What a record says of whose it is.
#[derive(Deserialize)]
struct Whose<'r> {
    #[serde(borrow, default)]
    tenant: Option<std::borrow::Cow<'r, str>>,
    #[serde(borrow, default)]
    customer_key: Option<std::borrow::Cow<'r, str>>,
}

/// What tells that a record is a person's: the names, and what is known beside them.
pub(super) struct Theirs<'t> {
    pub(super) who: &'t Person,
    pub(super) holds: &'t Holds,
    /// Keys of records that the ledger knows to be theirs.
    pub(super) attempts: BTreeSet<Vec<u8>>,
    /// Their reservations, as rows and signed records name them.
    pub(super) reservations: BTreeSet<&'t str>,
}

/// Whose records are, among several persons, by their places in a list. What two of them lay claim to is the first one's.
#[derive(Default)]
struct Owners<'t> {
    attempts: HashMap<Vec<u8>, usize>,
    reservations: HashMap<&'t str, usize>,
    keys: HashMap<(&'t str, &'t str), usize>,
}

impl<'t> Owners<'t> {
    fn of(all: &'t [Theirs<'t>]) -> Self {
        let mut owners = Self::default();
        // The first one's last, so that they stay.
        for (at, Theirs { who, attempts, reservations, .. }) in all.iter().enumerate().rev() {
            owners.attempts.extend(attempts.iter().map(|key| (key.clone(), at)));
            owners.reservations.extend(reservations.iter().map(|id| (*id, at)));
            owners.keys.extend(who.keys.iter().map(|key| ((who.tenant.as_str(), key.as_str()), at)));
        }
        owners
    }

    /// By the key, the reservation in the header, or what the record says itself.
    fn owner(&self, key: &[u8], reservation: Option<&str>, value: &[u8]) -> Option<usize> {
        let by_reservation = || reservation.and_then(|id| self.reservations.get(id));
        let by_value = || {
            let whose: Whose<'_> = serde_json::from_slice(value).ok()?;
            self.keys.get(&(whose.tenant.as_deref()?, whose.customer_key.as_deref()?)).copied()
        };
        self.attempts.get(key).or_else(by_reservation).copied().or_else(by_value)
    }
}

/// Finds the live records of all these persons. Reads every topic whole, and once.
pub(super) fn find(log: &Log, all: &[Theirs<'_>], timeout: Duration) -> Result<Found, StreamError> {
    let mut owners = Owners::of(all);
    let mut found = Found { persons: all.iter().map(|_| OfPerson::default()).collect(), ..Found::default() };
    // Decisions first: they say whose the others are.
    for output in TOPICS.into_iter().rev() {
        let topic = log.topics.of(output);
        let mut live: BTreeMap<(i32, Vec<u8>), (usize, u64)> = BTreeMap::new();
        let mut reader = Reader::open(&log.clients, topic, timeout)?;
        let ends = reader.ends().map_err(StreamError::Client)?;
        reader.to_the_end(|record| {
            let Some(key) = record.key() else { return Ok(()) };
            let Some(value) = record.payload() else {
                if let Some((owner, times)) = live.remove(&(record.partition(), key.to_vec())) {
                    *found.persons[owner].readable.entry(output).or_default() += times;
                }
                return Ok(());
            };
            if let Some(owner) = owners.owner(key, reservation(record), value) {
                owners.attempts.entry(key.to_vec()).or_insert(owner);
                live.entry((record.partition(), key.to_vec())).or_insert((owner, 0)).1 += 1;
            }
            Ok(())
        })?;
        point("erase_topic_read");
        for ((partition, key), (owner, _)) in live {
            let Theirs { who, holds, .. } = &all[owner];
            let is_on_hold = holds.cover(transcript_of(&who.tenant, &key).unwrap_or_default());
            found.persons[owner].copies.push(Copy { output, partition, key, is_on_hold });
        }
        found.read.push((topic.into(), ends));
    }
    for one in &mut found.persons {
        one.copies.sort_by_key(|copy| TOPICS.iter().position(|output| *output == copy.output));
    }
    Ok(found)
}

fn reservation<'r>(record: &'r BorrowedMessage<'_>) -> Option<&'r str> {
    let header = record.headers()?.iter().find(|header| header.key == RESERVATION_HEADER)?;
    std::str::from_utf8(header.value?).ok()
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

    /// Two persons: the key `ck` of two tenants.
    fn owner_of(value: &str) -> Option<usize> {
        let person =
            |tenant: &str| Person { tenant: tenant.into(), keys: ["ck".to_owned()].into(), ..Person::default() };
        let (persons, holds) = (["acme", "other"].map(person), Holds::default());
        let theirs = |who| Theirs { who, holds: &holds, attempts: BTreeSet::new(), reservations: BTreeSet::new() };
        let all: Vec<Theirs<'_>> = persons.iter().map(theirs).collect();
        Owners::of(&all).owner(b"key", None, value.as_bytes())
    }

    #[test]
    fn a_record_is_theirs_by_tenant_and_key() {
        assert_eq!(owner_of(r#"{"tenant":"acme","customer_key":"ck","text":"x"}"#), Some(0));
        assert_eq!(owner_of(r#"{"tenant":"acme","customer_key":"\u0063k"}"#), Some(0), "an escape is the same text");
        assert_eq!(owner_of(r#"{"tenant":"other","customer_key":"ck"}"#), Some(1));
        for other in [
            r#"{"tenant":"third","customer_key":"ck"}"#,
            r#"{"tenant":"acme","customer_key":"ck2"}"#,
            r#"{"tenant":"acme","customer_key":null}"#,
            "not json",
        ] {
            assert_eq!(owner_of(other), None, "{other}");
        }
    }
}
