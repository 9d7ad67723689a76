//! The schema of a transcript as it is read. What reads it is no type of members but a reader, so it is written out here;
//! tests hold the two together.

use crate::wire::SCHEMA;
use serde_json::{Value, json};

pub(super) fn schema() -> Value {
    let identifier = |description: &str| json!({ "description": description, "type": "string", "minLength": 1 });
    let optional =
        |description: &str| json!({ "description": description, "type": ["string", "null"], "minLength": 1 });
    json!({
        "type": "object",
        "properties": {
            "schema": { "description": "The version of this form.", "const": SCHEMA },
            "id": identifier("The platform's id of the transcript."),
            "tenant": identifier("Whose transcript it is."),
            "tenant_region": optional("The region that the record claims for its tenant. It is compared with the reviewed one, never believed."),
            "customer_key": optional("The opaque key of the customer; absent for an anonymous chat. No e-mail address, no name."),
            "destination": identifier("The destination that it is to be sent to."),
            "fields": {
                "description": "Structured fields, such as the account's e-mail address. They are stripped, and their values looked up in the turns.",
                "type": ["object", "null"],
            },
            "turns": {
                "description": "The turns, in order. At least one has text.",
                "type": "array",
                "minItems": 1,
                "items": turn(),
            },
            "text": { "description": "One text in place of turns.", "type": "string", "minLength": 1 },
        },
        "required": ["schema", "id", "tenant", "destination"],
        "oneOf": [{ "required": ["turns"] }, { "required": ["text"] }],
    })
}

fn turn() -> Value {
    json!({
        "type": "object",
        "properties": {
            "speaker": {
                "description": "Who speaks: customer, agent or bot in any case; anything else is another.",
                "type": ["string", "null"],
            },
            "at": { "description": "When, by RFC 3339.", "type": ["string", "null"], "format": "date-time" },
            "text": { "description": "What is said.", "type": "string" },
        },
        "required": ["text"],
    })
}
