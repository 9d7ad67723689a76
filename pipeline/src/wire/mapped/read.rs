//! From a record of another shape to a transcript. Every value is taken out of the record once; what nobody took is
//! dropped with the rest of it.

use super::super::{
    SCHEMA,
    error::DecodeError,
    json::Json,
    pointer::Pointer,
    transcript::{Transcript, TurnRecord, carried, flatten},
};
use crate::ruleset::{
    input::{Given, Mapping, Place, Said, Turns},
    policy::Intake,
};
use maysend_detector::document::Role;
use std::collections::BTreeSet;

const STRING: &str = "a string";
const OBJECT: &str = "an object";
const IDENTIFIER: &str = "a string that is not empty, or an integer";
const SPEAKER: &str = "a string, a number, true or false";

/// The names that an error may repeat: those in the mapping's pointers.
pub(in super::super) fn names(mapping: &Mapping) -> Vec<&str> {
    mapping.names.iter().map(String::as_str).collect()
}

/// Reads a record. An error names pointers of the mapping only, and positions. Linear in the record, for each pointer.
pub(in super::super) fn read(json: Json, intake: &Intake, mapping: &Mapping) -> Result<Transcript, DecodeError> {
    if !matches!(json, Json::Object(_)) {
        return Err(DecodeError::WrongType { pointer: "/".into(), takes: OBJECT });
    }
    let mut record = Object { json, at: String::new() };
    let mut numbers = BTreeSet::new();
    let id = record.identifier("id", &mapping.id, &mut numbers)?;
    let tenant = record.given("tenant", &mapping.tenant, &mut numbers)?;
    let tenant_region = match &mapping.tenant_region {
        None => None,
        Some(Given::Constant(region)) => Some(region.clone()),
        Some(Given::At(pointer)) => record.opt_identifier("tenant_region", pointer, &mut numbers)?,
    };
    let customer_key = match &mapping.customer_key {
        None => None,
        Some(pointer) => record.opt_identifier("customer_key", pointer, &mut numbers)?,
    };
    let destination = record.given("destination", &mapping.destination, &mut numbers)?;
    let mut fields = Vec::new();
    for (name, pointer) in &mapping.fields {
        if let Some(value) = record.optional(pointer)? {
            flatten(name.clone(), value, &mut fields);
        }
    }
    let (turns, single_text) = match &mapping.said {
        Said::Text(pointer) => {
            let text = record.text(pointer)?;
            (vec![TurnRecord { speaker: None, role: Role::Other, at: None, text, table: 0 }], true)
        }
        Said::Turns(tables) => (record.turns(tables, mapping)?, false),
    };
    let carried = carried(&mut record.json, intake);
    Ok(Transcript {
        schema: SCHEMA,
        id,
        tenant,
        tenant_region,
        customer_key,
        destination,
        fields,
        turns,
        single_text,
        carried,
        numbers,
    })
}

/// A value whose members are taken: the record, or a turn of it.
struct Object {
    json: Json,
    /// Where it stands.
    at: String,
}

impl Object {
    fn missing(&self, pointer: &Pointer) -> DecodeError {
        DecodeError::MissingMember { pointer: format!("{}{pointer}", self.at) }
    }

    fn wrong(&self, pointer: &Pointer, takes: &'static str) -> DecodeError {
        let pointer = format!("{}{pointer}", self.at);
        DecodeError::WrongType { pointer, takes }
    }

    /// A value that may be missing or `null`.
    fn optional(&mut self, pointer: &Pointer) -> Result<Option<Json>, DecodeError> {
        let taken = pointer.take(&mut self.json);
        taken.map_err(|not_an_object| self.wrong(&pointer.prefix(not_an_object.depth), OBJECT))
    }

    fn required(&mut self, pointer: &Pointer) -> Result<Json, DecodeError> {
        self.optional(pointer)?.ok_or_else(|| self.missing(pointer))
    }

    fn text(&mut self, pointer: &Pointer) -> Result<String, DecodeError> {
        match self.required(pointer)? {
            Json::String(text) => Ok(text),
            _ => Err(self.wrong(pointer, STRING)),
        }
    }

    fn given(
        &mut self,
        name: &'static str,
        given: &Given,
        numbers: &mut BTreeSet<&'static str>,
    ) -> Result<String, DecodeError> {
        match given {
            Given::Constant(constant) => Ok(constant.clone()),
            Given::At(pointer) => self.identifier(name, pointer, numbers),
        }
    }

    fn identifier(
        &mut self,
        name: &'static str,
        pointer: &Pointer,
        numbers: &mut BTreeSet<&'static str>,
    ) -> Result<String, DecodeError> {
        self.opt_identifier(name, pointer, numbers)?.ok_or_else(|| self.missing(pointer))
    }

    fn opt_identifier(
        &mut self,
        name: &'static str,
        pointer: &Pointer,
        numbers: &mut BTreeSet<&'static str>,
    ) -> Result<Option<String>, DecodeError> {
        match self.optional(pointer)? {
            None => Ok(None),
            Some(Json::String(text)) if !text.is_empty() => Ok(Some(text)),
            Some(Json::Number(text)) if super::write::is_integer(&text) => {
                numbers.insert(name);
                Ok(Some(text))
            }
            Some(_) => Err(self.wrong(pointer, IDENTIFIER)),
        }
    }

    /// The turns of every table. A place that is missing or `null` has none; where all are, the first is missed.
    fn turns(&mut self, tables: &[Turns], mapping: &Mapping) -> Result<Vec<TurnRecord>, DecodeError> {
        let mut turns = Vec::new();
        let mut any = false;
        for (table, of) in tables.iter().enumerate() {
            match &of.place {
                Place::Each(pointer) => match self.optional(pointer)? {
                    None => {}
                    Some(Json::Array(items)) => {
                        any = true;
                        for (i, json) in items.into_iter().enumerate() {
                            let mut turn = Self { json, at: format!("{}{pointer}/{i}", self.at) };
                            turns.extend(turn.turn(&Pointer::default(), of, table, mapping)?);
                        }
                    }
                    Some(_) => return Err(self.wrong(pointer, "an array")),
                },
                Place::One(pointer) => {
                    if pointer.is_there(&self.json) {
                        any = true;
                        turns.extend(self.turn(pointer, of, table, mapping)?);
                    }
                }
            }
        }
        match tables.first() {
            Some(first) if !any => Err(self.missing(first.place.pointer())),
            _ => Ok(turns),
        }
    }

    /// A turn that stands at a pointer from here; `None` if it is passed over.
    fn turn(
        &mut self,
        place: &Pointer,
        of: &Turns,
        table: usize,
        mapping: &Mapping,
    ) -> Result<Option<TurnRecord>, DecodeError> {
        let text = place.then(&of.text);
        let text = match self.optional(&text)? {
            Some(Json::String(text)) => text,
            None if of.skip_without_text => return Ok(None),
            None => return Err(self.missing(&text)),
            Some(_) => return Err(self.wrong(&text, STRING)),
        };
        let speaker = match &of.speaker {
            None => None,
            Some(pointer) => {
                let pointer = place.then(pointer);
                match self.optional(&pointer)? {
                    None => None,
                    Some(Json::String(text) | Json::Number(text)) => Some(text),
                    Some(Json::Bool(value)) => Some(value.to_string()),
                    Some(_) => return Err(self.wrong(&pointer, SPEAKER)),
                }
            }
        };
        let at = match &of.at {
            None => None,
            Some(pointer) => {
                let pointer = place.then(pointer);
                let json = self.optional(&pointer)?;
                json.map(|json| of.time.read(&json).ok_or_else(|| self.wrong(&pointer, of.time.takes()))).transpose()?
            }
        };
        let role = speaker.as_deref().map_or(Role::Other, |speaker| mapping.role(speaker));
        Ok(Some(TurnRecord { speaker, role, at, text, table }))
    }
}
