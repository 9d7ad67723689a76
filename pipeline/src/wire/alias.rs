//! That a person has several keys at a tenant: a line of a file that the ledger takes in.

use super::{
    kept::{Kept, Schema, not_empty, time},
    schema::Time,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// That a key is one of a person's: one person may have several at a tenant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// Version of the wire form.
    pub schema: Schema,
    /// The tenant.
    #[serde(deserialize_with = "not_empty")]
    pub tenant: String,
    /// The key.
    #[serde(deserialize_with = "not_empty")]
    pub customer_key: String,
    /// The person, by whatever name the tenant has for one: the same for all keys.
    #[serde(deserialize_with = "not_empty")]
    pub person: String,
    /// When it was recorded.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub recorded_at: Timestamp,
}

impl Kept for Alias {
    const FORM: &'static str = "a key of a person: {\"schema\": 1, \"tenant\": …, \"customer_key\": …, \"person\": …, \"recorded_at\": \"2026-03-02T09:14:03Z\"}";
}

impl fmt::Debug for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Alias(a key of {} bytes)", self.customer_key.len())
    }
}
