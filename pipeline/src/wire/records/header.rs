//! What every output record carries.

use crate::{
    ruleset::policy::Mode,
    wire::{
        SCHEMA,
        schema::{ModeCode, Sha256, Time},
    },
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

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
    /// When it was published, by the time of its record in Kafka: whether it is older than an erasure depends on that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub published_at: Option<Timestamp>,
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
            published_at: None,
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

fn as_mode<S: Serializer>(mode: &Mode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(mode.as_str())
}
