//! What a ruleset would read of real records, carry and drop, and which of them it could not read.
//!
//! Somebody who maps a platform's records must see what is left out, and a wrong pointer is seen by what it does not
//! reach. Places are named by pointers, with `*` for positions in arrays. Names come with the records, so they are as
//! private as text: one in which something is found is shown as its placeholder.

mod places;
mod text;
mod walk;

use crate::{
    ruleset::Ruleset,
    strip::{self, Lookup},
    wire::{DeadLetterReason, DecodeError, Transcript, decode, json, transcript::role_name},
};
use maysend_detector::Role;
use places::Places;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;

/// What of a record becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceReport {
    /// Where it stands, with `*` for positions.
    pub pointer: String,
    /// What it is read as; `None` for what is carried or dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<&'static str>,
    /// Records that have something there.
    pub records: u64,
    /// Strings and numbers there; for what is dropped also `true` and `false`.
    pub values: u64,
    /// Those that read like something that a person wrote.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts: u64,
    /// The longest of these, in characters.
    #[serde(skip_serializing_if = "is_zero")]
    pub longest_text: u64,
}

/// A record that would be a dead letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadReport {
    /// Its line, from 1.
    pub line: u64,
    /// The code of the reason.
    pub reason: &'static str,
    /// Where and why.
    pub error: String,
}

/// How many turns there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TurnsReport {
    /// In all records.
    pub total: u64,
    /// In the record with the fewest.
    pub fewest: u64,
    /// In the record with the most.
    pub most: u64,
}

/// What becomes of real records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SampleReport {
    /// The form of this report.
    pub schema: u32,
    /// The ruleset's digest.
    pub ruleset: String,
    /// `wire` for the wire form, `mapped` for another.
    pub shape: &'static str,
    /// Records.
    pub records: u64,
    /// Those that can be read.
    pub decoded: u64,
    /// Every place that is read, also where no record has anything.
    pub read: Vec<PlaceReport>,
    /// Turns in the records that can be read.
    pub turns: TurnsReport,
    /// Turns by role.
    pub roles: BTreeMap<&'static str, u64>,
    /// Every place that is carried.
    pub carried: Vec<PlaceReport>,
    /// Every place that is dropped.
    pub dropped: Vec<PlaceReport>,
    /// The records that cannot be read.
    pub unread: Vec<UnreadReport>,
    /// What is probably not as it was meant.
    pub hints: Vec<String>,
}

/// Records that are being looked at.
pub struct Sample<'r> {
    ruleset: &'r Ruleset,
    walk: Walk<'r>,
    records: u64,
    decoded: u64,
    turns: TurnsReport,
    roles: BTreeMap<&'static str, u64>,
    unread: Vec<UnreadReport>,
    seen: Seen,
}

/// What hints are made of.
#[derive(Default)]
struct Seen {
    without_customer: u64,
    unknown_tenant: u64,
    unknown_destination: u64,
    without_role: u64,
    speakers: BTreeSet<String>,
    unmapped_fields: BTreeSet<String>,
}

/// The most names and speakers that a hint repeats.
const MOST_NAMED: usize = 12;

impl<'r> Sample<'r> {
    /// For records that this ruleset would read. `show_text` shows names and speakers as they are.
    pub fn new(ruleset: &'r Ruleset, show_text: bool) -> Self {
        Self {
            ruleset,
            walk: Walk::new(ruleset, Places::of(&ruleset.rules), show_text),
            records: 0,
            decoded: 0,
            turns: TurnsReport::default(),
            roles: BTreeMap::new(),
            unread: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// Looks at a record. Linear in its bytes, and a look-up for each name that was not seen before.
    pub fn add(&mut self, line: u64, record: &[u8]) {
        self.records += 1;
        let rules = &self.ruleset.rules;
        // Also of a record that cannot be decoded it must be seen what it has.
        if record.len() <= rules.policy.intake.max_record_bytes
            && let Some(json) = std::str::from_utf8(record).ok().and_then(|text| json::parse(text, &[]).ok())
        {
            self.walk.record(&json);
        }
        match decode(record, &rules.policy.intake, rules.mapping.as_ref()) {
            Ok(transcript) if self.has_too_many_values(&transcript) => {
                let error = strip::TooManyValues.to_string();
                self.unread.push(UnreadReport { line, reason: DeadLetterReason::TooLarge.code(), error });
            }
            Ok(transcript) => self.decoded(&transcript),
            Err(error) => self.cannot_read(line, &error),
        }
    }

    /// A record of more bytes than are read.
    pub fn add_too_large(&mut self, line: u64, bytes: u64) {
        self.records += 1;
        let limit = self.ruleset.rules.policy.intake.max_record_bytes;
        self.cannot_read(line, &DecodeError::TooLarge { bytes: usize::try_from(bytes).unwrap_or(usize::MAX), limit });
    }

    fn cannot_read(&mut self, line: u64, error: &DecodeError) {
        self.unread.push(UnreadReport { line, reason: error.reason().code(), error: error.to_string() });
    }

    fn has_too_many_values(&self, transcript: &Transcript) -> bool {
        let stripped = strip::strip(&self.ruleset.templates, transcript);
        let fields = transcript.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Lookup::new(&self.ruleset.templates, fields.chain(stripped.values.iter().copied())).is_err()
    }

    fn decoded(&mut self, transcript: &Transcript) {
        let turns = transcript.turns.len() as u64;
        self.turns.fewest = if self.decoded == 0 { turns } else { self.turns.fewest.min(turns) };
        self.turns.most = self.turns.most.max(turns);
        self.turns.total += turns;
        self.decoded += 1;
        let rules = &self.ruleset.rules;
        for turn in &transcript.turns {
            *self.roles.entry(role_name(turn.role)).or_default() += 1;
            let Some(speaker) = &turn.speaker else { continue };
            let known = rules.mapping.as_ref().is_some_and(|mapping| mapping.roles.contains_key(speaker));
            if turn.role == Role::Other && !known && !speaker.eq_ignore_ascii_case("other") {
                self.seen.without_role += 1;
                if self.walk.shows_text() && self.seen.speakers.len() < MOST_NAMED {
                    self.seen.speakers.insert(speaker.escape_debug().to_string());
                }
            }
        }
        self.seen.without_customer += u64::from(transcript.customer_key.is_none());
        self.seen.unknown_tenant += u64::from(rules.tenants.get(&transcript.tenant).is_none());
        self.seen.unknown_destination += u64::from(rules.destinations.get(&transcript.destination).is_none());
        for (name, _) in &transcript.fields {
            if !self.ruleset.templates.fields.contains_key(name) && self.seen.unmapped_fields.len() < MOST_NAMED {
                self.seen.unmapped_fields.insert(self.walk.shown(name));
            }
        }
    }

    /// What was seen.
    pub fn report(self) -> SampleReport {
        let hints = self.hints();
        let (read, carried, dropped) = self.walk.reports();
        SampleReport {
            schema: 1,
            ruleset: self.ruleset.digest.clone(),
            shape: if self.ruleset.rules.mapping.is_some() { "mapped" } else { "wire" },
            records: self.records,
            decoded: self.decoded,
            read,
            turns: self.turns,
            roles: self.roles,
            carried,
            dropped,
            unread: self.unread,
            hints,
        }
    }

    fn hints(&self) -> Vec<String> {
        let mut hints = self.walk.hints();
        let seen = &self.seen;
        let of = |count: u64| format!("{count} of {} records", self.decoded);
        if seen.unknown_tenant > 0 {
            hints
                .push(format!("{}: the tenant is not in tenants.toml, so they would be held", of(seen.unknown_tenant)));
        }
        if seen.unknown_destination > 0 {
            let records = of(seen.unknown_destination);
            hints.push(format!("{records}: the destination is not in destinations.toml, so they would be held"));
        }
        if seen.without_customer > 0 {
            hints.push(format!("{}: no customer_key, so no erasure could find them", of(seen.without_customer)));
        }
        if seen.without_role > 0 {
            let named = if seen.speakers.is_empty() {
                "--show-text names the speakers".into()
            } else {
                seen.speakers.iter().cloned().collect::<Vec<_>>().join(", ")
            };
            let turns = seen.without_role;
            hints.push(format!("{turns} turns have a speaker without a role, and count as `other`: {named}"));
        }
        if !seen.unmapped_fields.is_empty() {
            let names = seen.unmapped_fields.iter().cloned().collect::<Vec<_>>().join(", ");
            hints.push(format!(
                "fields that templates.toml maps to no entity are not looked up in what was said: {names}"
            ));
        }
        hints
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
