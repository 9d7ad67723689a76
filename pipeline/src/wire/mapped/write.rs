//! A cleared transcript in the shape of the record that it came from, made anew: what is not put in is not there.

use super::super::{
    json::Json,
    pointer::Pointer,
    records::{EncodeError, Header},
    transcript::{Transcript, TurnRecord, role_name},
};
use crate::ruleset::input::{Given, Mapping, OWN, Place, Said, Turns};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::Error as _, ser::SerializeMap};
use std::{borrow::Cow, fmt};

/// A transcript of another shape that may be sent, redacted, in enforce mode. The gate's own members are one, `maysend`.
#[derive(Clone, Copy)]
pub struct Cleared<'a> {
    /// The record, as [`shape`] makes it.
    pub record: &'a Json,
    /// What every record carries.
    pub header: Header<'a>,
    /// The reservation that was written before.
    pub reservation_id: &'a str,
}

/// The gate's own members of a cleared record.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in super::super) struct Own<'a> {
    /// What every record carries.
    #[serde(flatten)]
    header: Header<'a>,
    /// The reservation that was written before.
    reservation_id: &'a str,
}

impl fmt::Debug for Cleared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cleared({:?}, {:?})", self.header, self.record)
    }
}

/// Fails, and so writes nothing, unless the record is an object without the gate's own member.
impl Serialize for Cleared<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Json::Object(members) = self.record else { return Err(S::Error::custom("no object")) };
        let mut map = serializer.serialize_map(Some(members.len() + 1))?;
        for (name, value) in members {
            if name == OWN {
                return Err(S::Error::custom("a member twice"));
            }
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry(OWN, &Own { header: self.header, reservation_id: self.reservation_id })?;
        map.end()
    }
}

/// The identifiers as a record may carry them.
#[derive(Clone, Copy)]
pub struct Identifiers<'a> {
    /// The transcript's id.
    pub id: &'a str,
    /// The tenant.
    pub tenant: &'a str,
    /// The region that the record claims.
    pub tenant_region: Option<&'a str>,
    /// The customer's key.
    pub customer_key: Option<&'a str>,
    /// The destination.
    pub destination: &'a str,
}

/// The record of a transcript: identifiers, `texts` for its turns and what is carried, each at its pointer. Constants
/// are not put in, since the platform's records have none; roles stand for speakers.
///
/// # Errors
/// The transcript does not fit the mapping: a withheld one that was read by another.
pub fn shape(
    mapping: &Mapping,
    transcript: &Transcript,
    identifiers: Identifiers<'_>,
    texts: &[Cow<'_, str>],
    carried: Vec<(&Pointer, Json)>,
) -> Result<Json, EncodeError> {
    if texts.len() != transcript.turns.len() {
        return Err(EncodeError);
    }
    let mut record = Json::Object(Vec::new());
    let mut put = |pointer: &Pointer, value| pointer.put(&mut record, value).map_err(|_| EncodeError);
    let identifier = |name, value: &str| match transcript.numbers.contains(name) && is_integer(value) {
        true => Json::Number(value.into()),
        false => Json::String(value.into()),
    };
    put(&mapping.id, identifier("id", identifiers.id))?;
    let others = [
        ("tenant", mapping.tenant.pointer(), Some(identifiers.tenant)),
        ("tenant_region", mapping.tenant_region.as_ref().and_then(Given::pointer), identifiers.tenant_region),
        ("customer_key", mapping.customer_key.as_ref(), identifiers.customer_key),
        ("destination", mapping.destination.pointer(), Some(identifiers.destination)),
    ];
    for (name, pointer, value) in others {
        if let (Some(pointer), Some(value)) = (pointer, value) {
            put(pointer, identifier(name, value))?;
        }
    }
    match (&mapping.said, texts) {
        (Said::Text(pointer), [text]) => put(pointer, Json::String(text.to_string()))?,
        (Said::Text(_), _) => return Err(EncodeError),
        (Said::Turns(tables), _) => {
            if transcript.turns.iter().any(|turn| turn.table >= tables.len()) {
                return Err(EncodeError);
            }
            for (table, of) in tables.iter().enumerate() {
                let own = transcript.turns.iter().zip(texts).filter(|(turn, _)| turn.table == table);
                let mut turns: Vec<Json> = own.map(|(said, text)| turn(of, said, text)).collect::<Result<_, _>>()?;
                match &of.place {
                    Place::Each(pointer) => put(pointer, Json::Array(turns))?,
                    Place::One(_) if turns.len() > 1 => return Err(EncodeError),
                    // Its members and not the whole: other members of the record may stand beside them.
                    Place::One(pointer) => {
                        if let Some(mut turn) = turns.pop() {
                            for (_, member) in of.members() {
                                let value = member.take(&mut turn).map_err(|_| EncodeError)?;
                                value.map_or(Ok(()), |value| put(&pointer.then(member), value))?;
                            }
                        }
                    }
                }
            }
        }
    }
    for (pointer, value) in carried {
        put(pointer, value)?;
    }
    Ok(record)
}

/// One turn in its own shape.
fn turn(of: &Turns, turn: &TurnRecord, text: &str) -> Result<Json, EncodeError> {
    let mut json = Json::Null;
    let mut put = |pointer: &Pointer, value| pointer.put(&mut json, value).map_err(|_| EncodeError);
    put(&of.text, Json::String(text.into()))?;
    if let (Some(pointer), Some(_)) = (&of.speaker, &turn.speaker) {
        put(pointer, Json::String(role_name(turn.role).into()))?;
    }
    if let (Some(pointer), Some(at)) = (&of.at, &turn.at) {
        put(pointer, of.time.write(at))?;
    }
    Ok(json)
}

/// Whether a number's text is that of an integer, without fraction and exponent.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
