//! The records that the ledger reads, from the topics or from JSONL.
//!
//! A record of evidence is read leniently: a member that this program does not know is passed over, since what the record
//! says of a provider counts all the same. What cannot be read is kept count of by its place, never passed over in silence.

use crate::{
    ruleset::{digest_of, files_of},
    wire::{
        Alias, RulesetRecord, Source, Usage,
        kept::{self, Kept, KeptError, Schema, not_empty, time},
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Requests that were reserved.
    Reservation,
    /// Requests that were made.
    Usage,
    /// What the gate decided.
    Decision,
    /// A key of a person.
    Alias,
    /// A ruleset that was in use.
    Ruleset,
}

/// A record.
#[derive(Debug)]
pub enum Event {
    /// Requests that were reserved.
    Reservation(Reserved),
    /// Requests that were made.
    Usage(Usage),
    /// What the gate decided.
    Decision(Decided),
    /// A key of a person.
    Alias(Alias),
    /// A ruleset that was in use.
    Ruleset(RulesetRecord),
}

/// The kind of work that rows without another are of.
pub const TRANSCRIPT: &str = "transcript";

/// What the member `source` of a record says: where the transcript was read, or which other work it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Origin {
    /// Another kind of work: `assessment`, `clarification`, `reply_interpretation`, ….
    Work(String),
    /// The place of the transcript.
    Place(Source),
}

impl Origin {
    /// The kind of work.
    pub fn work(&self) -> &str {
        match self {
            Self::Work(work) => work,
            Self::Place(_) => TRANSCRIPT,
        }
    }
}

/// A record of `reservations`: requests that may have been made from then on.
#[derive(Clone, Serialize, Deserialize)]
pub struct Reserved {
    /// Version of the wire form.
    pub schema: Schema,
    /// Its id.
    #[serde(deserialize_with = "not_empty")]
    pub reservation_id: String,
    /// The tenant.
    #[serde(deserialize_with = "not_empty")]
    pub tenant: String,
    /// The customer's opaque key; absent for an anonymous chat.
    #[serde(default)]
    pub customer_key: Option<String>,
    /// The keyed hash of the normalised sender, where there is no customer key. At most 128 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "sender")]
    pub sender: Option<String>,
    /// The kind of work, or where the transcript was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
    /// The provider.
    #[serde(deserialize_with = "not_empty")]
    pub provider: String,
    /// The destination.
    #[serde(deserialize_with = "not_empty")]
    pub destination: String,
    /// How many requests it covers.
    pub reserved_requests: u32,
    /// When it was written.
    #[serde(with = "time")]
    pub reserved_at: Timestamp,
    /// The transcript.
    #[serde(default)]
    pub transcript_id: Option<String>,
    /// The attempt.
    #[serde(default)]
    pub attempt: Option<String>,
    /// The attempt before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_attempt: Option<String>,
    /// The terms that it was reserved under.
    #[serde(default)]
    pub terms: Option<String>,
    /// Digest of the ruleset.
    #[serde(default)]
    pub ruleset: Option<String>,
    /// Whether the decision was acted on.
    #[serde(default)]
    pub mode: Option<String>,
    /// Name and version of the program.
    #[serde(default)]
    pub program: Option<String>,
}

/// A record of `decisions`. It says nothing of a provider, but where copies in review and held may lie.
#[derive(Clone, Serialize, Deserialize)]
pub struct Decided {
    /// Version of the wire form.
    pub schema: Schema,
    /// The tenant; null in the decision about a dead letter.
    #[serde(default)]
    pub tenant: Option<String>,
    /// The customer's opaque key; null for an anonymous chat.
    #[serde(default)]
    pub customer_key: Option<String>,
    /// Where the transcript was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
    /// `send` or `block`.
    #[serde(deserialize_with = "not_empty")]
    pub verdict: String,
    /// Every reason to block.
    #[serde(default)]
    pub reasons: Vec<Reason>,
    /// The time that it was taken for.
    #[serde(with = "time")]
    pub as_of: Timestamp,
    /// The destination.
    #[serde(default)]
    pub destination: Option<String>,
    /// The transcript.
    #[serde(default)]
    pub transcript_id: Option<String>,
    /// The attempt.
    #[serde(default)]
    pub attempt: Option<String>,
    /// The attempt before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_attempt: Option<String>,
    /// The terms of the destination.
    #[serde(default)]
    pub terms: Option<String>,
    /// Digest of the ruleset.
    #[serde(default)]
    pub ruleset: Option<String>,
    /// Whether the decision was acted on.
    #[serde(default)]
    pub mode: Option<String>,
    /// Name and version of the program.
    #[serde(default)]
    pub program: Option<String>,
    /// The reservation, if there is one.
    #[serde(default)]
    pub reservation_id: Option<String>,
}

/// A reason to block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// Its code.
    pub reason: String,
}

/// A hash is short, and rows are found by it.
fn sender<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let is_hash = text.as_ref().is_none_or(|text| (1..=128).contains(&text.len()));
    is_hash.then_some(text).ok_or_else(|| serde::de::Error::custom("no hash"))
}

impl Kept for Reserved {
    const FORM: &'static str = "a reservation: {\"schema\": 1, \"reservation_id\": …, \"tenant\": …, \"customer_key\": …, \"source\": …, \"provider\": …, \"destination\": …, \"reserved_requests\": 1, \"reserved_at\": \"2026-03-02T09:14:03Z\", \"terms\": …, \"ruleset\": …, \"mode\": …}";
}

impl Kept for Decided {
    const FORM: &'static str = "a decision: {\"schema\": 1, \"tenant\": …, \"customer_key\": …, \"destination\": …, \"verdict\": \"block\", \"reasons\": […], \"as_of\": \"2026-03-02T09:14:03Z\"}";
}

/// Why a record cannot be taken in. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// It is not of its form.
    #[error("{0}")]
    Kept(#[from] KeptError),
    /// A ruleset whose files are not those of its digest.
    #[error("its files are not those that its digest names")]
    OtherDigest,
    /// Nothing tells what it is about.
    #[error(
        "it is none of the records of the ledger: a reservation has `reserved_requests`, usage `requests_used`, a decision `verdict`, a key of a person `person`, a ruleset `files`"
    )]
    NoKind,
}

/// Reads a record of a kind; `None` is a tombstone.
///
/// # Errors
/// It is none, of another schema, or not of its form.
pub fn read(kind: Kind, value: Option<&[u8]>) -> Result<Event, EventError> {
    Ok(match kind {
        Kind::Reservation => Event::Reservation(kept::read(value)?),
        Kind::Usage => Event::Usage(kept::read(value)?),
        Kind::Decision => Event::Decision(kept::read(value)?),
        Kind::Alias => Event::Alias(kept::read(value)?),
        Kind::Ruleset => {
            let record: RulesetRecord = kept::read(value)?;
            if digest_of(&files_of(record.clone())) != record.digest {
                return Err(EventError::OtherDigest);
            }
            Event::Ruleset(record)
        }
    })
}

/// Reads a line of JSONL, whose kind is told by the one member that only this kind has.
///
/// # Errors
/// As [`read`], or nothing tells its kind.
pub fn read_line(line: &[u8]) -> Result<Event, EventError> {
    #[derive(Deserialize)]
    struct Telling {
        reserved_requests: Option<IgnoredAny>,
        requests_used: Option<IgnoredAny>,
        verdict: Option<IgnoredAny>,
        person: Option<IgnoredAny>,
        files: Option<IgnoredAny>,
    }
    let told: Telling = serde_json::from_slice(line).map_err(|_| EventError::NoKind)?;
    let kind = match told {
        Telling { reserved_requests: Some(_), .. } => Kind::Reservation,
        Telling { requests_used: Some(_), .. } => Kind::Usage,
        Telling { verdict: Some(_), .. } => Kind::Decision,
        Telling { person: Some(_), .. } => Kind::Alias,
        Telling { files: Some(_), .. } => Kind::Ruleset,
        _ => return Err(EventError::NoKind),
    };
    read(kind, Some(line))
}

impl std::fmt::Debug for Reserved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reserved({} at {})", self.reserved_requests, self.destination)
    }
}

impl std::fmt::Debug for Decided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decided({}, {:?})", self.verdict, self.reasons)
    }
}
