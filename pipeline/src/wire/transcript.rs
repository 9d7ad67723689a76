//! A transcript as it comes in: [`decode`] makes a [`Transcript`] of a record's bytes, or says why not.
//!
//! Only named members are read. `fields` are flattened for the look-up and never written again; members under
//! [`Intake::carry`] are kept to be scanned like turns; every other member is dropped, and so is every other member of
//! a turn. Optional members may be `null`. Here is the wire form of the design; records of another shape are read by
//! their mapping in [`mapped`].

use super::{
    SCHEMA,
    error::DecodeError,
    json,
    json::Json,
    mapped,
    members::Members,
    time::{At, TimeForm},
};
use crate::ruleset::{
    input::Mapping,
    policy::{Intake, is_reserved},
};
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
    /// The members that [`Intake::carry`] lists, by their names there.
    pub carried: Vec<(String, Json)>,
    /// The identifiers that are numbers in a record of another shape; here they are their decimal text.
    pub numbers: BTreeSet<&'static str>,
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
    /// The table of the mapping that it was read by, from 0.
    pub table: usize,
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.turns.iter().map(|turn| turn.text.len()).sum();
        write!(
            f,
            "Transcript({} turns, {bytes} bytes, {} fields, {} carried)",
            self.turns.len(),
            self.fields.len(),
            self.carried.len()
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

/// The role of this name on the wire.
fn role_named(name: &str) -> Option<Role> {
    [Role::Customer, Role::Agent, Role::Bot, Role::Other].into_iter().find(|role| role_name(*role) == name)
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
pub(super) const KNOWN: [&str; 12] = [
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

/// Decodes a record: of the wire form, or of the shape that `mapping` describes.
///
/// A byte order mark is refused as `not_json`: RFC 8259 forbids writing one, and a driver that reads files skips the
/// one that stands before the first line. Cost: linear in the bytes.
///
/// # Errors
/// [`DecodeError`] says which of the closed list of reasons applies. The size is looked at first, then whether there
/// is anything, the encoding, the syntax, the schema, and the members in the order of the design.
pub fn decode(bytes: &[u8], intake: &Intake, mapping: Option<&Mapping>) -> Result<Transcript, DecodeError> {
    if bytes.len() > intake.max_record_bytes {
        return Err(DecodeError::TooLarge { bytes: bytes.len(), limit: intake.max_record_bytes });
    }
    let transcript = match mapping {
        Some(mapping) => mapped::read(parse(bytes, &mapped::names(mapping))?, intake, mapping)?,
        None => read(parse(bytes, &KNOWN)?, intake)?,
    };
    match transcript.turns.iter().all(|turn| turn.text.chars().all(char::is_whitespace)) {
        true => Err(DecodeError::Empty),
        false => Ok(transcript),
    }
}

/// Reads a record of the wire form.
fn read(json: Json, intake: &Intake) -> Result<Transcript, DecodeError> {
    let mut members = Members::of(json, String::new())?;
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
        numbers: BTreeSet::new(),
    };
    (transcript.turns, transcript.single_text) = turns(&mut members, Written::ByThePlatform)?;
    if !intake.carry.is_empty() {
        let rest = members.rest().filter(|(name, _)| !is_reserved(name));
        transcript.carried = carried(&mut Json::Object(rest.collect()), intake);
    }
    Ok(transcript)
}

/// Takes what is carried out of a record. What stands where no object leads is not carried.
pub(super) fn carried(record: &mut Json, intake: &Intake) -> Vec<(String, Json)> {
    let taken = intake.carry.iter().filter_map(|carry| {
        let value = carry.pointer.take(record).ok().flatten()?;
        Some((carry.name.clone(), value))
    });
    taken.collect()
}

/// The record as a tree. `known` are the names that an error may repeat.
pub(super) fn parse(bytes: &[u8], known: &[&str]) -> Result<Json, DecodeError> {
    if bytes.trim_ascii().is_empty() {
        return Err(DecodeError::Empty);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| DecodeError::NotUtf8 { offset: error.valid_up_to() })?;
    json::parse(text, known).map_err(|error| match error {
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

/// Who wrote the turns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// The platform: the wire form's members are read, and no others.
    ByThePlatform,
    /// The gate: they have what it noted of the mapping that they were read by.
    ByTheGate,
}

/// The turns, and whether they are one `text`.
pub(super) fn turns(members: &mut Members, written: Written) -> Result<(Vec<TurnRecord>, bool), DecodeError> {
    let single_text = members.has("text");
    match (single_text, members.has("turns")) {
        (true, true) => return Err(members.wrong("text", "no place beside turns: a record has one or the other")),
        (false, false) => return Err(DecodeError::MissingMember { pointer: members.pointer("turns") }),
        _ => {}
    }
    let mut turns = Vec::new();
    if single_text {
        let text = members.text("text")?;
        turns.push(TurnRecord { speaker: None, role: Role::Other, at: None, text, table: 0 });
    } else {
        let pointer = members.pointer("turns");
        for (i, turn) in members.array("turns")?.into_iter().enumerate() {
            turns.push(turn_record(&mut Members::of(turn, format!("{pointer}/{i}"))?, written)?);
        }
    }
    members.optional("text");
    members.optional("turns");
    Ok((turns, single_text))
}

fn turn_record(turn: &mut Members, written: Written) -> Result<TurnRecord, DecodeError> {
    let speaker = if turn.has("speaker") { Some(turn.text("speaker")?) } else { None };
    let at = match turn.optional("at") {
        None => None,
        Some(json) => Some(TimeForm::Rfc3339.read(&json).ok_or_else(|| turn.wrong("at", TimeForm::Rfc3339.takes()))?),
    };
    turn.optional("speaker");
    let text = turn.text("text")?;
    let mut role = speaker.as_deref().map_or(Role::Other, role_of);
    let mut table = 0;
    if written == Written::ByTheGate {
        if turn.has("role") {
            role =
                role_named(&turn.string("role")?).ok_or_else(|| turn.wrong("role", "one of the documented codes"))?;
        }
        if turn.has("table") {
            table = turn.integer("table")?;
        }
    }
    Ok(TurnRecord { speaker, role, at, text, table })
}

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
pub(super) fn flatten(name: String, value: Json, flat: &mut Vec<(String, String)>) {
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
