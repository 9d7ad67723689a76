//! JSON Schemas (draft 2020-12) of the configuration and of every record.
//!
//! Those of records come from the types that write them, so that neither can change without the other. Members of
//! records stand in a fixed order; readers must not rely on it.

mod config;
mod transcript;

use crate::{
    ledger::{records::SignedRecord, requests::EventRecord},
    wire::{
        Alias, Cleared, Contradiction, DeadLetter, DecisionRecord, Erasure, FindingRecord, Reservation, RulesetRecord,
        SCHEMA, Usage, Withheld, mapped,
    },
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Something that has a schema.
#[derive(Clone, Copy)]
pub struct Named {
    /// Its name, such as `decision`.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub description: &'static str,
    make: fn() -> Value,
}

/// Everything that has a schema: what is configured, what is read, what is written in the order of its topics, and what
/// the gate follows beside transcripts.
pub const ALL: &[Named] = &[
    Named { name: "config", description: "The configuration file, as a TOML reader gives it.", make: config::schema },
    Named {
        name: "transcript",
        description: "A transcript as it is read. Members beside these are dropped, unless the policy carries them.",
        make: transcript::schema,
    },
    of::<Reservation<'static>>(
        "reservation",
        "Evidence of possible disclosure, written before a transcript can reach a provider.",
    ),
    of::<Cleared<'static>>(
        "cleared",
        "A transcript that may be sent, redacted. In shadow mode the record goes out as it was read \
         instead. Members beside these are carried by the policy.",
    ),
    of::<mapped::Cleared<'static>>(
        "cleared-mapped",
        "A transcript of another shape that may be sent, redacted: in the shape of the record that it came \
         from, with one member of the gate's own.",
    ),
    of::<Withheld<'static>>(
        "review",
        "A transcript that was blocked, and a reviewer can judge it: after stripping, not redacted. Members \
         beside these are carried by the policy.",
    ),
    of::<Withheld<'static>>(
        "held",
        "A transcript that was blocked, and only other terms can change it: after stripping, not redacted. \
         Members beside these are carried by the policy.",
    ),
    of::<DecisionRecord<'static>>("decision", "What was decided, for every attempt. No text."),
    of::<DeadLetter<'static>>("dead-letter", "A record that could not be decoded."),
    of::<Erasure>("erasure", "That nothing older than a time may be sent of a customer."),
    of::<SignedRecord>("erasure-record", "What was done about an erasure, signed: a record of `erasure-records`."),
    of::<EventRecord>("request-event", "What happened to a request: a record of `requests`."),
    of::<Usage>("usage", "The sender's later record for a reservation. No text of a transcript."),
    of::<Alias>("alias", "That a key is one of a person's, who has several at a tenant: for the ledger."),
    of::<Contradiction>(
        "contradiction",
        "That usage has contradicted a destination's terms: nothing of them is taken to be proven.",
    ),
    of::<RulesetRecord>("ruleset", "All files of a ruleset that was in use, under its digest."),
    of::<FindingRecord<'static>>("finding", "A finding, as records of review and held have it. Holds no text."),
];

impl Named {
    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|named| named.name == name)
    }

    /// Its schema, whole: it refers to no other.
    pub fn schema(self) -> Value {
        let mut root = Map::new();
        root.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        root.insert("$id".into(), format!("urn:maysend:schema:{SCHEMA}:{}", self.name).into());
        root.insert("title".into(), self.name.into());
        root.insert("description".into(), self.description.into());
        if let Value::Object(schema) = (self.make)() {
            root.extend(schema.into_iter().filter(|(keyword, _)| !STATED.contains(&keyword.as_str())));
        }
        Value::Object(root)
    }
}

/// Keywords that every schema here has of its own.
const STATED: [&str; 4] = ["$schema", "$id", "title", "description"];

/// What a type writes.
const fn of<T: JsonSchema>(name: &'static str, description: &'static str) -> Named {
    Named { name, description, make: schema_of::<T> }
}

fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
