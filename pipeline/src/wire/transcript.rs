//! A transcript as it comes in: [`decode`] makes a [`Transcript`] of a record's bytes, or says why not.
//!
//! Only named members are read. `fields` are flattened for the look-up and never written again; members under
//! [`Intake::carry`] are kept to be scanned like turns; every other member is dropped, and so is every other member of
//! a turn. Optional members may be `null`.

use super::{SCHEMA, error::DecodeError, json, json::Json, members::Members, time::At};
use crate::ruleset::policy::{Intake, is_reserved};
use maysend_detector::document::{Role, Turn};
use std::{collections::BTreeSet, fmt};

/// A transcript that could be decoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Version of the wire form; [`SCHEMA`].
    pub schema: u32,
    /// The platform's id for it. Not empty.
    pub id: String,
    /// Whose transcript it is. Not empty.
    pub tenant: String,
    /// The region that the record claims for its tenant. To be compared with the reviewed one, never believed.
    pub tenant_region: Option<String>,
    /// The opaque key of the customer; absent for an anonymous chat.
    pub customer_key: Option<String>,
    /// Where it is to be sent. Not empty.
    pub destination: String,
    /// The structured fields, flattened: names of nested members and positions joined by `.`, strings and numbers as
    /// text. They live to be looked up in the turns and stripped.
    pub fields: Vec<(String, String)>,
    /// The turns, in order; exactly one where the record has `text`.
    pub turns: Vec<TurnRecord>,
    /// Whether the record has `text` in place of `turns`.
    pub single_text: bool,
    /// The members that [`Intake::carry`] lists, in the order of the record.
    pub carried: Vec<(String, Json)>,
    /// Names of the members that were dropped, each once; those of turns after `turns.`. They came with the record,
    /// so they are as private as its text.
    pub dropped: Vec<String>,
}

/// One turn as it came in.
#[derive(Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// What the record says of who speaks; absent in a single text. Free text as far as anyone knows: records for
    /// providers have the role in its place.
    pub speaker: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// When.
    pub at: Option<At>,
    /// What is said.
    pub text: String,
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.turns.iter().map(|turn| turn.text.len()).sum();
        write!(
            f,
            "Transcript({} turns, {bytes} bytes, {} fields, {} carried, {} dropped)",
            self.turns.len(),
            self.fields.len(),
            self.carried.len(),
            self.dropped.len()
        )
    }
}

impl fmt::Debug for TurnRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TurnRecord({:?}, {} bytes)", self.role, self.text.len())
    }
}

impl Transcript {
    /// The turns as the detector reads them, unstripped. Linear in their number.
    pub fn document(&self) -> Vec<Turn<'_>> {
        self.turns.iter().map(|turn| Turn { role: turn.role, text: &turn.text }).collect()
    }
}

/// The role that a speaker has: `customer`, `agent` or `bot` in any case; anything else is another.
pub fn role_of(speaker: &str) -> Role {
    let known = [(Role::Customer, "customer"), (Role::Agent, "agent"), (Role::Bot, "bot")];
    known.into_iter().find(|(_, name)| speaker.eq_ignore_ascii_case(name)).map_or(Role::Other, |(role, _)| role)
}

/// The name of a role on the wire.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Customer => "customer",
        Role::Agent => "agent",
        Role::Bot => "bot",
        Role::Other => "other",
    }
}

/// Names that a pointer in an error may repeat.
const KNOWN: [&str; 12] = [
    "schema",
    "id",
    "tenant",
    "tenant_region",
    "customer_key",
    "destination",
    "fields",
    "turns",
    "text",
    "speaker",
    "at",
    "findings",
];

/// Decodes a record.
///
/// A byte order mark is refused as `not_json`: RFC 8259 forbids writing one, and a driver that reads files skips the
/// one that stands before the first line. Cost: linear in the bytes.
///
/// # Errors
/// [`DecodeError`] says which of the closed list of reasons applies. The size is looked at first, then whether there
/// is anything, the encoding, the syntax, the schema, and the members in the order of the design.
pub fn decode(bytes: &[u8], intake: &Intake) -> Result<Transcript, DecodeError> {
    if bytes.len() > intake.max_record_bytes {
        return Err(DecodeError::TooLarge { bytes: bytes.len(), limit: intake.max_record_bytes });
    }
    let mut members = Members::of(parse(bytes)?, String::new())?;
    check_schema(&mut members)?;
    let mut transcript = Transcript {
        schema: SCHEMA,
        id: members.string("id")?,
        tenant: members.string("tenant")?,
        tenant_region: members.opt_string("tenant_region")?,
        customer_key: members.opt_string("customer_key")?,
        destination: members.string("destination")?,
        fields: fields(&mut members)?,
        turns: Vec::new(),
        single_text: false,
        carried: Vec::new(),
        dropped: Vec::new(),
    };
    let mut dropped = BTreeSet::new();
    (transcript.turns, transcript.single_text) = turns(&mut members, &mut dropped)?;
    if transcript.turns.iter().all(|turn| turn.text.chars().all(char::is_whitespace)) {
        return Err(DecodeError::Empty);
    }
    for (name, value) in members.rest() {
        if intake.carry.contains(&name) && !is_reserved(&name) {
            transcript.carried.push((name, value));
        } else {
            dropped.insert(name);
        }
    }
    transcript.dropped = dropped.into_iter().collect();
    Ok(transcript)
}

/// The record as a tree.
pub(super) fn parse(bytes: &[u8]) -> Result<Json, DecodeError> {
    if bytes.trim_ascii().is_empty() {
        return Err(DecodeError::Empty);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| DecodeError::NotUtf8 { offset: error.valid_up_to() })?;
    json::parse(text, &KNOWN).map_err(|error| match error {
        json::JsonError::Syntax { line, column } => DecodeError::NotJson { line, column },
        json::JsonError::Duplicate { pointer } => DecodeError::DuplicateMember { pointer },
    })
}

/// That the record is of the version that this program reads.
pub(super) fn check_schema(members: &mut Members) -> Result<(), DecodeError> {
    match members.required("schema", "an integer")? {
        Json::Number(text) if text.parse() == Ok(SCHEMA) => Ok(()),
        Json::Number(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => Err(DecodeError::UnknownSchema),
        _ => Err(members.wrong("schema", "an integer")),
    }
}

/// The turns, and whether they are one `text`. Names of members that a turn should not have go into `dropped`.
pub(super) fn turns(
    members: &mut Members,
    dropped: &mut BTreeSet<String>,
) -> Result<(Vec<TurnRecord>, bool), DecodeError> {
    let single_text = members.has("text");
    match (single_text, members.has("turns")) {
        (true, true) => return Err(members.wrong("text", "no place beside turns: a record has one or the other")),
        (false, false) => return Err(DecodeError::MissingMember { pointer: members.pointer("turns") }),
        _ => {}
    }
    let mut turns = Vec::new();
    if single_text {
        let text = members.text("text")?;
        turns.push(TurnRecord { speaker: None, role: Role::Other, at: None, text });
    } else {
        let pointer = members.pointer("turns");
        for (i, turn) in members.array("turns")?.into_iter().enumerate() {
            let mut turn = Members::of(turn, format!("{pointer}/{i}"))?;
            turns.push(turn_record(&mut turn)?);
            dropped.extend(turn.rest().map(|(name, _)| format!("turns.{name}")));
        }
    }
    members.optional("text");
    members.optional("turns");
    Ok((turns, single_text))
}

fn turn_record(turn: &mut Members) -> Result<TurnRecord, DecodeError> {
    let speaker = if turn.has("speaker") { Some(turn.text("speaker")?) } else { None };
    let at = match turn.optional("at") {
        None => None,
        Some(Json::String(text)) => Some(At::parse(&text).ok_or_else(|| turn.wrong("at", TIME))?),
        Some(_) => return Err(turn.wrong("at", TIME)),
    };
    turn.optional("speaker");
    Ok(TurnRecord { role: speaker.as_deref().map_or(Role::Other, role_of), speaker, at, text: turn.text("text")? })
}

const TIME: &str = "a time of RFC 3339, such as 2026-03-02T09:14:03Z";

/// The structured fields, flattened.
fn fields(members: &mut Members) -> Result<Vec<(String, String)>, DecodeError> {
    let mut flat = Vec::new();
    match members.optional("fields") {
        None => {}
        Some(Json::Object(fields)) => {
            for (name, value) in fields {
                flatten(name, value, &mut flat);
            }
        }
        Some(_) => return Err(members.wrong("fields", "an object")),
    }
    Ok(flat)
}

/// The longest name of a nested field. Longer ones become the empty name, which nothing maps: a name is repeated for
/// every value below it, so one without a limit would make the fields larger than the record by orders.
const MAX_FIELD_NAME: usize = 128;

fn nested(name: &str, member: &str) -> String {
    let fits = !name.is_empty() && name.len() + member.len() < MAX_FIELD_NAME;
    if fits { format!("{name}.{member}") } else { String::new() }
}

/// Adds the strings and numbers in `value`.
fn flatten(name: String, value: Json, flat: &mut Vec<(String, String)>) {
    match value {
        Json::String(text) | Json::Number(text) => flat.push((name, text)),
        Json::Array(items) => {
            for (i, item) in items.into_iter().enumerate() {
                flatten(nested(&name, &i.to_string()), item, flat);
            }
        }
        Json::Object(members) => {
            for (member, value) in members {
                flatten(nested(&name, &member), value, flat);
            }
        }
        Json::Null | Json::Bool(_) => {}
    }
}

#[cfg(test)]
pub(super) mod tests;
