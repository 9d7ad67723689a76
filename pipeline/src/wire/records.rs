//! The output records: exactly the documented members, in a fixed order.
//!
//! Every record starts with the same [`Header`]. Texts are borrowed from the transcript and written once. The order of
//! members is part of what makes two runs byte-identical; readers must not rely on it.

use super::{
    DeadLetterReason, SCHEMA, digest,
    json::Json,
    pointer::Pointer,
    schema::{ModeCode, ReasonCodeName, Sha256, Time, VerdictCode},
    transcript::{Transcript, role_name, role_of},
};
use crate::{gate, ruleset::policy::Mode};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use maysend_detector::{
    document::Role,
    finding::{Finding, Verdict},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer, ser::Error as _, ser::SerializeMap};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// Where a record was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Source {
    /// A line of a file.
    File {
        /// The file, as it was named.
        file: String,
        /// Line, from 1.
        line: u64,
    },
    /// A record of a topic.
    Topic {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The offset.
        offset: i64,
    },
}

/// What every output record carries.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct Header<'a> {
    /// Version of the wire form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// Id of the attempt.
    pub attempt: &'a str,
    /// Id of the attempt before, where this is a later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_attempt: Option<&'a str>,
    /// The transcript's id, or the keyed hash in its place. This and the following are null in a dead letter.
    pub transcript_id: Option<&'a str>,
    /// The tenant.
    pub tenant: Option<&'a str>,
    /// The customer's opaque key, or the keyed hash in its place; null for an anonymous chat.
    pub customer_key: Option<&'a str>,
    /// The destination.
    pub destination: Option<&'a str>,
    /// Whether the decision was acted on.
    #[serde(serialize_with = "as_mode")]
    #[schemars(with = "ModeCode")]
    pub mode: Mode,
    /// Digest of the ruleset.
    #[schemars(with = "Sha256")]
    pub ruleset: &'a str,
    /// Name and version of the program.
    pub program: &'a str,
    /// Date and digest of the destination's terms; null where the destination is unknown.
    pub terms: Option<&'a str>,
    /// Where the transcript was read.
    pub source: &'a Source,
}

impl<'a> Header<'a> {
    /// The header of a dead letter: nothing is known of the transcript. Set the other members for anything else.
    pub fn new(attempt: &'a str, mode: Mode, ruleset: &'a str, program: &'a str, source: &'a Source) -> Self {
        Self {
            schema: SCHEMA,
            attempt,
            previous_attempt: None,
            transcript_id: None,
            tenant: None,
            customer_key: None,
            destination: None,
            mode,
            ruleset,
            program,
            terms: None,
            source,
        }
    }

    /// The Kafka key, `tenant/transcript_id/attempt`: one record can be erased and none can overwrite another. `None`
    /// for a dead letter.
    pub fn key(&self) -> Option<String> {
        Some(format!("{}/{}/{}", self.tenant?, self.transcript_id?, self.attempt))
    }
}

impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Header(attempt {}, {:?})", self.attempt, self.source)
    }
}

/// The transcript's own members in an output record, beside those that the header has: `id`, `tenant_region`, `turns`
/// or `text`, and what is carried. `fields` are never written. Records that are read back, which have speakers, also say
/// what a record of another shape needs to have that shape again: `numbers`, and `role` and `table` of turns.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    /// The transcript that the record is about.
    pub transcript: &'a Transcript,
    /// Its id, or the keyed hash in its place.
    pub id: &'a str,
    /// The region that it claims, or the keyed hash in its place.
    pub tenant_region: Option<&'a str>,
    /// The text of each turn as this record has it, stripped or redacted. As many as the transcript has turns.
    pub texts: &'a [Cow<'a, str>],
    /// The carried members as this record has them.
    pub carried: &'a [(String, Json)],
    /// Whether speakers are written as they came in. Nobody has read them, so a record for a provider has the role.
    pub speakers: bool,
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({:?})", self.transcript)
    }
}

/// Fails, and so writes nothing, unless there is exactly one text for each turn.
impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turns = &self.transcript.turns;
        if self.texts.len() != turns.len() || (self.transcript.single_text && turns.len() != 1) {
            return Err(S::Error::custom("there is not one text for each turn"));
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        if let Some(region) = self.tenant_region {
            map.serialize_entry("tenant_region", region)?;
        }
        if self.transcript.single_text {
            map.serialize_entry("text", self.texts.first().ok_or_else(|| S::Error::custom("no text"))?)?;
        } else {
            let turns: Vec<TurnBody<'_>> = turns
                .iter()
                .zip(self.texts)
                .map(|(turn, text)| {
                    let speaker = turn.speaker.as_deref();
                    let told = speaker.map_or(Role::Other, role_of) == turn.role;
                    TurnBody {
                        speaker: speaker.map(|said| self.speaker(said, turn.role)),
                        at: turn.at.as_ref().map(|at| at.text.as_str()),
                        text,
                        role: (self.speakers && !told).then(|| role_name(turn.role)),
                        table: self.speakers.then_some(turn.table).filter(|table| *table > 0),
                    }
                })
                .collect();
            map.serialize_entry("turns", &turns)?;
        }
        if self.speakers && !self.transcript.numbers.is_empty() {
            map.serialize_entry("numbers", &self.transcript.numbers)?;
        }
        for (name, value) in self.carried {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Body<'_> {
    fn speaker<'s>(&self, said: &'s str, role: Role) -> &'s str {
        if self.speakers { said } else { role_name(role) }
    }
}

/// Carried members in the places where they stood: one for each member of the record that any of them is part of.
///
/// # Errors
/// Two of them stood in the same place.
pub fn nested<'p>(carried: impl Iterator<Item = (&'p Pointer, Json)>) -> Result<Vec<(String, Json)>, EncodeError> {
    let mut record = Json::Object(Vec::new());
    for (pointer, value) in carried {
        pointer.put(&mut record, value).map_err(|_| EncodeError)?;
    }
    match record {
        Json::Object(members) => Ok(members),
        _ => Err(EncodeError),
    }
}

#[derive(Serialize)]
struct TurnBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a str>,
    text: &'a str,
    /// The role, where the speaker does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    /// The mapping's table of turns, where it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<usize>,
}

/// A transcript that may be sent, redacted, in enforce mode. (In shadow mode the record goes out byte for byte.)
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Cleared<'a> {
    /// What every record carries.
    #[serde(flatten)]
    pub header: Header<'a>,
    /// The transcript, redacted; with roles for speakers.
    #[serde(flatten)]
    pub body: Body<'a>,
    /// The reservation that was written before.
    pub reservation_id: &'a str,
}

/// Evidence of possible disclosure, written before a transcript can reach a provider.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reservation<'a> {
    /// What every record carries.
    #[serde(flatten)]
    pub header: Header<'a>,
    /// Its id.
    pub reservation_id: &'a str,
    /// The provider of the destination.
    pub provider: &'a str,
    /// How many requests to the provider it covers.
    pub reserved_requests: u32,
    /// When it was written.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "Time")]
    pub reserved_at: Timestamp,
}

/// Why an attempt was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasonCode {
    /// The gate's reason.
    Gate(gate::Reason),
    /// The record could not be decoded, so the gate never saw it.
    DeadLetter(DeadLetterReason),
}

impl ReasonCode {
    /// The code on the wire.
    pub fn code(self) -> &'static str {
        match self {
            Self::Gate(reason) => reason.code(),
            Self::DeadLetter(reason) => reason.code(),
        }
    }
}

/// One reason to block, with the entities that gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReasonRecord {
    /// The reason; on the wire its code.
    #[serde(serialize_with = "as_code")]
    #[schemars(with = "ReasonCodeName")]
    pub reason: ReasonCode,
    /// The entities, sorted; special categories by family only; empty where it is not about entities.
    pub entities: Vec<String>,
}

/// What a reference format hid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuppressedRecord {
    /// The reference format.
    pub reference: String,
    /// The pattern whose findings it hid.
    pub pattern: String,
    /// How many.
    pub count: u64,
}

/// What was decided, without any text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DecisionBody {
    /// Whether it may be sent.
    #[serde(serialize_with = "as_verdict")]
    #[schemars(with = "VerdictCode")]
    pub verdict: gate::Verdict,
    /// Every reason that applied; empty for `send`.
    pub reasons: Vec<ReasonRecord>,
    /// Findings counted by entity; special categories by family only.
    pub entities: BTreeMap<String, u64>,
    /// What reference formats hid.
    pub suppressed: Vec<SuppressedRecord>,
    /// What was stripped, counted by field.
    pub stripped: BTreeMap<String, u64>,
    /// The reservation; null where nothing could reach a provider.
    pub reservation_id: Option<String>,
    /// The time that the decision was taken for.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "Time")]
    pub as_of: Timestamp,
}

/// The record of a decision. Every attempt has exactly one.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DecisionRecord<'a> {
    /// What every record carries.
    #[serde(flatten)]
    pub header: Header<'a>,
    /// What was decided.
    #[serde(flatten)]
    pub decision: &'a DecisionBody,
}

/// A finding on the wire. Holds no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FindingRecord<'a> {
    /// What it is.
    pub entity: &'a str,
    /// The pattern that found it.
    pub pattern: &'a str,
    /// The evidence, in tenths of a ban.
    pub points: i32,
    /// Confidence in hundredths; on the wire a number from 0 to 1.
    #[serde(serialize_with = "as_hundredths")]
    #[schemars(with = "f64", range(min = 0, max = 1))]
    pub confidence: u8,
    /// Whether the validator passed it; null where there is none.
    pub validated: Option<bool>,
    /// The turn, from 0. The texts in carried members count as turns after the last one, in their order.
    pub turn: usize,
    /// First byte in that turn's text as it stands in the same record.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl<'a> From<&'a Finding> for FindingRecord<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            entity: finding.entity.as_str(),
            pattern: finding.pattern.as_str(),
            points: finding.points,
            confidence: finding.confidence(),
            validated: match finding.verdict {
                Verdict::Unchecked => None,
                Verdict::Valid => Some(true),
                Verdict::Invalid => Some(false),
            },
            turn: finding.span.turn,
            start: finding.span.start,
            end: finding.span.end,
        }
    }
}

/// A transcript that is withheld, for review or as held: after stripping, not redacted. In shadow mode a copy of one
/// that was sent all the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Withheld<'a> {
    /// What every record carries.
    #[serde(flatten)]
    pub header: Header<'a>,
    /// The transcript after stripping; with speakers as they came in.
    #[serde(flatten)]
    pub body: Body<'a>,
    /// What was found, in order of place; the strongest where there is too much to list.
    pub findings: Vec<FindingRecord<'a>>,
    /// How many more there were. Left out where all are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub findings_omitted: usize,
    /// What was decided.
    pub decision: &'a DecisionBody,
    /// Whether it was sent all the same.
    pub shadow: bool,
}

/// A record that could not be decoded.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeadLetter<'a> {
    /// What every record carries; nothing of the transcript.
    #[serde(flatten)]
    pub header: Header<'a>,
    /// Why.
    pub reason: DeadLetterReason,
    /// Digest of the record's bytes.
    #[schemars(with = "Sha256")]
    pub digest: String,
    /// The record where it is UTF-8, and not mostly control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'a str>,
    /// The record in base64 where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    record_base64: Option<String>,
}

impl<'a> DeadLetter<'a> {
    /// The dead letter of a record. Its bytes are kept unless it was too large, in at most twice as many. Linear in
    /// the bytes.
    pub fn new(header: Header<'a>, reason: DeadLetterReason, bytes: &'a [u8]) -> Self {
        let kept = (reason != DeadLetterReason::TooLarge).then_some(bytes);
        let as_text = |bytes: &[u8]| bytes.iter().map(|byte| 1 + escape(*byte)).sum::<usize>();
        let kept_as_text = kept.filter(|bytes| as_text(bytes) <= 2 * bytes.len());
        let record = kept_as_text.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let record_base64 = kept.filter(|_| record.is_none()).map(|bytes| STANDARD.encode(bytes));
        Self { header, reason, digest: digest(bytes), record, record_base64 }
    }

    /// The dead letter of a record that was too large to be kept, by the digest of its bytes.
    pub fn too_large(header: Header<'a>, digest: &str) -> Self {
        let reason = DeadLetterReason::TooLarge;
        Self { header, reason, digest: digest.into(), record: None, record_base64: None }
    }
}

impl fmt::Debug for DeadLetter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeadLetter({:?}, {})", self.header, self.reason)
    }
}

/// That a record could not be written: its texts and the transcript's turns do not belong together. A bug, answered by
/// writing nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a record could not be written: its texts do not belong to its turns")]
pub struct EncodeError;

/// A record as one line of JSON, without the line break. Linear in its size.
///
/// # Errors
/// The record's parts do not belong together; nothing of it is given out.
pub fn encode(record: &impl Serialize) -> Result<Vec<u8>, EncodeError> {
    serde_json::to_vec(record).map_err(|_| EncodeError)
}

/// So many bytes more than one a byte takes in a string of JSON.
fn escape(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | 0x08 | 0x09 | 0x0a | 0x0c | 0x0d => 1,
        0..0x20 => 5,
        _ => 0,
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn as_mode<S: Serializer>(mode: &Mode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(mode.as_str())
}

fn as_code<S: Serializer>(reason: &ReasonCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.code())
}

fn as_verdict<S: Serializer>(verdict: &gate::Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.as_str())
}

fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// Division rounds to the double nearest to the two decimals, which is the one that prints as them.
fn as_hundredths<S: Serializer>(hundredths: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(f64::from(*hundredths) / 100.0)
}
