//! What is withheld, with what was found.

use super::{Body, DecisionBody, Header};
use maysend_detector::{
    document::Span,
    finding::{Finding, Verdict},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

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
    /// All pieces of one that is split over turns; the members above are the first's. Left out where there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<PieceRecord>,
}

/// A piece of a finding that is split over turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PieceRecord {
    /// The turn, from 0.
    pub turn: usize,
    /// First byte in that turn's text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl From<Span> for PieceRecord {
    fn from(Span { turn, start, end }: Span) -> Self {
        Self { turn, start, end }
    }
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
            pieces: match finding.more.is_empty() {
                true => Vec::new(),
                false => finding.pieces().map(PieceRecord::from).collect(),
            },
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

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Division rounds to the double nearest to the two decimals, which is the one that prints as them.
fn as_hundredths<S: Serializer>(hundredths: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(f64::from(*hundredths) / 100.0)
}
