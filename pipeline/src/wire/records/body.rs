//! The transcript's own members.

use super::EncodeError;
use crate::wire::{
    json::Json,
    pointer::Pointer,
    transcript::{Transcript, role_name, role_of},
};
use maysend_detector::document::Role;
use serde::{Serialize, Serializer, ser::Error as _, ser::SerializeMap};
use std::{borrow::Cow, fmt};

/// The transcript's own members in an output record, beside those that the header has: `id`, `tenant_region`, `turns`
/// or `text`, and what is carried. `fields` are never written. Records that are read back, which have speakers, also say
/// what a record of another shape needs to have that shape again: `numbers`, and `role` and `table` of turns.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    /// The transcript that the record is about.
    pub transcript: &'a Transcript,
    /// Its id, or the keyed hash in its place.
    pub id: &'a str,
    /// The region that it claims, or the keyed hash in its place.
    pub tenant_region: Option<&'a str>,
    /// The text of each turn as this record has it, stripped or redacted. As many as the transcript has turns.
    pub texts: &'a [Cow<'a, str>],
    /// The carried members as this record has them.
    pub carried: &'a [(String, Json)],
    /// Whether speakers are written as they came in. Nobody has read them, so a record for a provider has the role.
    pub speakers: bool,
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({:?})", self.transcript)
    }
}

/// Fails, and so writes nothing, unless there is exactly one text for each turn.
impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turns = &self.transcript.turns;
        if self.texts.len() != turns.len() || (self.transcript.single_text && turns.len() != 1) {
            return Err(S::Error::custom("there is not one text for each turn"));
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        if let Some(region) = self.tenant_region {
            map.serialize_entry("tenant_region", region)?;
        }
        if self.transcript.single_text {
            map.serialize_entry("text", self.texts.first().ok_or_else(|| S::Error::custom("no text"))?)?;
        } else {
            let turns: Vec<TurnBody<'_>> = turns
                .iter()
                .zip(self.texts)
                .map(|(turn, text)| {
                    let speaker = turn.speaker.as_deref();
                    let told = speaker.map_or(Role::Other, role_of) == turn.role;
                    TurnBody {
                        speaker: speaker.map(|said| self.speaker(said, turn.role)),
                        at: turn.at.as_ref().map(|at| at.text.as_str()),
                        text,
                        role: (self.speakers && !told).then(|| role_name(turn.role)),
                        table: self.speakers.then_some(turn.table).filter(|table| *table > 0),
                    }
                })
                .collect();
            map.serialize_entry("turns", &turns)?;
        }
        if self.speakers && !self.transcript.numbers.is_empty() {
            map.serialize_entry("numbers", &self.transcript.numbers)?;
        }
        for (name, value) in self.carried {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Body<'_> {
    fn speaker<'s>(&self, said: &'s str, role: Role) -> &'s str {
        if self.speakers { said } else { role_name(role) }
    }
}

#[derive(Serialize)]
struct TurnBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a str>,
    text: &'a str,
    /// The role, where the speaker does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    /// The mapping's table of turns, where it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<usize>,
}

/// Carried members in the places where they stood: one for each member of the record that any of them is part of.
///
/// # Errors
/// Two of them stood in the same place.
pub fn nested<'p>(carried: impl Iterator<Item = (&'p Pointer, Json)>) -> Result<Vec<(String, Json)>, EncodeError> {
    let mut record = Json::Object(Vec::new());
    for (pointer, value) in carried {
        pointer.put(&mut record, value).map_err(|_| EncodeError)?;
    }
    match record {
        Json::Object(members) => Ok(members),
        _ => Err(EncodeError),
    }
}
