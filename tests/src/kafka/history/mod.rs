//! The whole history of a stream, and the invariants that it must keep.

mod attempts;
mod checks;
mod erasures;
mod index;
mod outcomes;
#[cfg(test)]
mod tests;

pub use erasures::Erased;

use super::{Record, witness::Seen};
use index::Index;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// The outputs, by the ends of their topics' names.
pub const OUTPUTS: &[&str] = &["reservations", "cleared", "review", "held", "decisions", "dead-letter"];

/// The header that names the reservation of a cleared record.
pub const RESERVATION: &str = "maysend-reservation-id";

/// Where an input record stands: partition and offset.
pub type Place = (i32, i64);

/// All that happened. Made by [`super::Prefix::history`].
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The records that were to be read.
    pub input: Vec<Record>,
    /// What a reader of committed records has, by output.
    pub committed: BTreeMap<&'static str, Vec<Record>>,
    /// What a reader of uncommitted records has, by output: also what was aborted.
    pub uncommitted: BTreeMap<&'static str, Vec<Record>>,
    /// What the group has committed, by partition.
    pub offsets: BTreeMap<i32, i64>,
    /// What a witness saw on the way, if there was one.
    pub seen: Seen,
    /// Destinations that nothing may be cleared for in enforce mode.
    pub refused: Vec<String>,
    /// Personal data that stands in transcripts, and may not be cleared in enforce mode.
    pub personal: Vec<String>,
    /// Strings that stand in transcripts, and must not be said.
    pub canaries: Vec<String>,
    /// Who was erased, and when that was known.
    pub erased: Vec<Erased>,
    /// What processes said, by the name of the file.
    pub said: Vec<(String, String)>,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its number in the design.
    pub invariant: u8,
    /// What breaks it.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariant {}: {}", self.invariant, self.what)
    }
}

/// Where the input record of an output record stands.
pub fn source(output: &Value) -> Option<Place> {
    let source = &output["source"];
    Some((i32::try_from(source["partition"].as_i64()?).ok()?, source["offset"].as_i64()?))
}

/// The id of a reservation in a record.
pub fn reservation_id(record: &Value) -> Option<String> {
    record["reservation_id"].as_str().map(Into::into)
}

impl History {
    /// Fails the test unless every invariant is kept, and everything that was to be read has an outcome.
    #[track_caller]
    pub fn holds(&self) -> &Self {
        let violations = self.violations();
        // Some of each: one invariant must not hide another.
        let mut shown: BTreeMap<u8, usize> = BTreeMap::new();
        let mut is_shown = |violation: &&Violation| {
            let count = shown.entry(violation.invariant).or_default();
            *count += 1;
            *count <= 5
        };
        let all: Vec<String> =
            violations.iter().filter(|violation| is_shown(violation)).map(ToString::to_string).collect();
        assert!(violations.is_empty(), "{} violations:\n{}\n{}", violations.len(), all.join("\n"), self.words());
        self
    }

    /// Fails the test unless every input record is before what is committed.
    #[track_caller]
    pub fn is_complete(&self) -> &Self {
        let open = self.input.iter().filter(|record| !self.is_finished((record.partition, record.offset)));
        assert_eq!(open.count(), 0, "input records that are not committed\n{}", self.words());
        self
    }

    /// Reservations that nothing cleared stands for: possible disclosures, counted and kept.
    pub fn orphans(&self) -> usize {
        let cleared: BTreeSet<&str> = self.of("cleared").iter().filter_map(|r| r.header(RESERVATION)).collect();
        let reserved: BTreeSet<String> = self.reservations();
        reserved.iter().filter(|id| !cleared.contains(id.as_str())).count()
    }

    /// Committed records of an output.
    pub fn of(&self, output: &str) -> &[Record] {
        self.committed.get(output).map_or(&[], Vec::as_slice)
    }

    /// The committed records of an output that came of this input record.
    pub fn of_source(&self, output: &str, place: Place) -> Vec<&Record> {
        self.of(output).iter().filter(|record| source(&record.json()) == Some(place)).collect()
    }

    /// Every broken invariant.
    pub fn violations(&self) -> Vec<Violation> {
        Index::of(self).violations()
    }

    fn is_finished(&self, (partition, offset): Place) -> bool {
        self.offsets.get(&partition).is_some_and(|committed| offset < *committed)
    }

    fn reservations(&self) -> BTreeSet<String> {
        let all = self.uncommitted.get("reservations").into_iter().flatten();
        all.filter_map(|record| reservation_id(&record.json())).collect()
    }

    fn words(&self) -> String {
        self.said.iter().map(|(name, text)| format!("{name}:\n{text}")).collect()
    }
}
