//! What was decided.

use super::{Header, as_text};
use crate::{
    gate,
    wire::{
        DeadLetterReason,
        schema::{ReasonCodeName, Time, VerdictCode},
    },
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

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

fn as_code<S: Serializer>(reason: &ReasonCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.code())
}

fn as_verdict<S: Serializer>(verdict: &gate::Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.as_str())
}
