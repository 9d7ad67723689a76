//! Records that the gate follows beside transcripts: who was erased, what senders report, which rulesets there were.
//!
//! They are written by programs, not by a support platform, so they are read more strictly than transcripts: every
//! member is known, and a record of another schema is refused. An error names no content.

use super::SCHEMA;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

/// A kind of record, with the form that it must have, in words.
pub trait Kept: Serialize + DeserializeOwned {
    /// What it is, with its article, and an example of its form.
    const FORM: &'static str;
}

/// Why a record cannot be read. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeptError {
    /// It has no value.
    #[error("it is a tombstone")]
    Tombstone,
    /// `schema` is another than the one that this program reads.
    #[error("it has another `schema`; this program reads {SCHEMA}")]
    UnknownSchema,
    /// It is not of its form.
    #[error("it is not {0}")]
    Form(&'static str),
}

/// Reads a record; `None` is a tombstone. Linear in the bytes.
///
/// # Errors
/// It is none, of another schema, or not of its form.
pub fn read<T: Kept>(value: Option<&[u8]>) -> Result<T, KeptError> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: u64,
    }
    let value = value.ok_or(KeptError::Tombstone)?;
    match serde_json::from_slice(value) {
        Ok(Versioned { schema }) if schema != u64::from(SCHEMA) => Err(KeptError::UnknownSchema),
        _ => serde_json::from_slice(value).map_err(|_| KeptError::Form(T::FORM)),
    }
}

/// The version of the wire forms, as a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schema;

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(SCHEMA)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            SCHEMA => Ok(Self),
            _ => Err(serde::de::Error::custom("another schema")),
        }
    }
}

/// A time as a member: text of RFC 3339.
pub(crate) mod time {
    use super::super::At;
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(time)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        At::parse(&text).map(|at| at.time).ok_or_else(|| serde::de::Error::custom("no time"))
    }
}

/// A string that is not empty.
pub(crate) fn not_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() { Err(serde::de::Error::custom("empty")) } else { Ok(text) }
}
