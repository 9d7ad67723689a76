//! JSON Schemas of what serde does not derive: strings of a closed list or of a fixed form, and the transcript's members.

use super::{
    Body, DeadLetterReason, SCHEMA, kept,
    mapped::{self, IDENTIFIERS, Own},
};
use crate::{
    gate::{Reason, Verdict},
    ruleset::policy::Mode,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// A string of a closed list.
fn one_of(codes: impl IntoIterator<Item = &'static str>) -> Schema {
    let codes: Vec<&str> = codes.into_iter().collect();
    json_schema!({ "type": "string", "enum": codes })
}

/// Implements the schema of a type, which stands where it is used.
macro_rules! schema {
    ($type:ty, $name:literal, $schema:expr) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// [`Mode`] by its code.
pub(super) struct ModeCode;
schema!(ModeCode, "mode", one_of([Mode::Enforce, Mode::Shadow].map(Mode::as_str)));

/// [`Verdict`] by its code.
pub(super) struct VerdictCode;
schema!(VerdictCode, "verdict", one_of([Verdict::Send, Verdict::Block].map(Verdict::as_str)));

/// A reason of the gate, or of a dead letter, by its code.
pub(super) struct ReasonCodeName;
schema!(
    ReasonCodeName,
    "reason",
    one_of(Reason::ALL.iter().map(|reason| reason.code()).chain(DeadLetterReason::ALL.map(DeadLetterReason::code)))
);

schema!(DeadLetterReason, "dead_letter_reason", one_of(DeadLetterReason::ALL.map(DeadLetterReason::code)));

/// A moment in UTC.
pub(crate) struct Time;
schema!(Time, "time", json_schema!({ "type": "string", "format": "date-time" }));

schema!(kept::Schema, "schema", json_schema!({ "type": "integer", "const": SCHEMA }));

/// A digest.
pub(crate) struct Sha256;
schema!(Sha256, "digest", json_schema!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" }));

/// The names of roles.
const ROLES: [&str; 4] = ["customer", "agent", "bot", "other"];

// The transcript's own members. What the policy carries stands beside them under names of its own.
schema!(
    Body<'_>,
    "transcript",
    json_schema!({
        "type": "object",
        "properties": {
            "id": { "description": "The platform's id of the transcript, or the keyed hash in its place.", "type": "string" },
            "tenant_region": { "description": "The region that the record claimed for its tenant.", "type": "string" },
            "text": { "description": "The one text, where the record had one in place of turns.", "type": "string" },
            "numbers": {
                "description": "The identifiers that are numbers in a record of another shape: in review and held.",
                "type": "array",
                "items": { "enum": IDENTIFIERS },
            },
            "turns": {
                "description": "The turns, in order.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "speaker": {
                            "description": "Who speaks. In a cleared record the role: customer, agent, bot or other.",
                            "type": "string",
                        },
                        "at": { "description": "When, as the record had it.", "type": "string", "format": "date-time" },
                        "text": { "description": "What is said.", "type": "string" },
                        "role": {
                            "description": "The role, where the speaker does not tell it: of a record of another shape, in review and held.",
                            "enum": ROLES,
                        },
                        "table": {
                            "description": "The mapping's table of turns, where it is not the first: in review and held.",
                            "type": "integer",
                            "minimum": 1,
                        },
                    },
                    "required": ["text"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["id"],
        "oneOf": [{ "required": ["turns"] }, { "required": ["text"] }],
    })
);

impl JsonSchema for mapped::Cleared<'_> {
    fn schema_name() -> Cow<'static, str> {
        "cleared-mapped".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = generator.subschema_for::<Own<'_>>();
        json_schema!({ "type": "object", "properties": { "maysend": own }, "required": ["maysend"] })
    }
}
