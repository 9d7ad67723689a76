//! A ruleset that was in use: a record of `rulesets`, so that the terms of a reservation can be read years later.

use super::{
    kept::{Kept, Schema, not_empty, time},
    schema::{Sha256, Time},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All files of a ruleset, under its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesetRecord {
    /// Version of the wire form.
    pub schema: Schema,
    /// `sha256:` and 64 hexadecimal digits over all files, as every output record names it.
    #[serde(deserialize_with = "not_empty")]
    #[schemars(with = "Sha256")]
    pub digest: String,
    /// Name and version of the program that used it.
    pub program: String,
    /// The text of each file by its name.
    pub files: BTreeMap<String, String>,
    /// When it was first used.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub published_at: Timestamp,
}

impl Kept for RulesetRecord {
    const FORM: &'static str =
        "a ruleset: {\"schema\": 1, \"digest\": …, \"program\": …, \"files\": {NAME: TEXT}, \"published_at\": …}";
}
