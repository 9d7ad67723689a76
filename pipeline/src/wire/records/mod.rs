//! The output records: exactly the documented members, in a fixed order.
//!
//! Every record starts with the same [`Header`]. Texts are borrowed from the transcript and written once. The order of
//! members is part of what makes two runs byte-identical; readers must not rely on it.

mod body;
mod dead_letter;
mod decision;
mod header;
mod withheld;

pub use body::{Body, nested};
pub use dead_letter::DeadLetter;
pub use decision::{DecisionBody, DecisionRecord, ReasonCode, ReasonRecord, SuppressedRecord};
pub use header::{Header, Source};
pub use withheld::{FindingRecord, PieceRecord, Withheld};

use super::schema::Time;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

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

fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}
