//! Strict JSON, read once into a small tree, [`Json`], that keeps the order of members and the exact text of numbers.
//!
//! `serde_json` does the parsing; its limit of nesting applies. Two things are added. A member that stands in an object
//! twice is an error at every level, also inside members that nobody reads later: two readers could take different
//! values from such a record. And a number keeps its text (`1.10`, `12345678901234567890`), because it is copied, not
//! computed with. `serde_json` gives that text either by its feature `arbitrary_precision`, which would change what
//! every other number in the program is, or by a `RawValue` for each level, which reads nested bytes once per level.
//! Here a second cursor walks the text's number tokens in step with the parser, which visits them in the same order.
//!
//! Cost: linear in the bytes (each is read twice at most), memory proportional to them.

use serde::{
    Serialize, Serializer,
    de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor},
    ser::{Error as _, SerializeMap},
};
use serde_json::value::RawValue;
use std::{collections::HashSet, fmt};

/// A JSON value. Objects keep the order of their members, and no member stands in one twice.
#[derive(Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as its text stands in the record.
    Number(String),
    /// A string, with its escapes resolved.
    String(String),
    /// An array.
    Array(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bool(_) => f.write_str("Bool"),
            Self::Number(text) => write!(f, "Number({} bytes)", text.len()),
            Self::String(text) => write!(f, "String({} bytes)", text.len()),
            Self::Array(items) => write!(f, "Array({} items)", items.len()),
            Self::Object(members) => write!(f, "Object({} members)", members.len()),
        }
    }
}

/// Written as it was read: numbers by their text. Only for `serde_json`'s serializer; a number whose text is no JSON
/// number is an error.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(text) if is_number(text) => {
                let raw: &RawValue = serde_json::from_str(text).map_err(|_| S::Error::custom("not a number"))?;
                raw.serialize(serializer)
            }
            Self::Number(_) => Err(S::Error::custom("not a number")),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

/// Why [`parse`] refuses a text. Holds none of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonError {
    /// Not one JSON value.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
    },
    /// A member stands in an object twice.
    Duplicate {
        /// JSON pointer of the member, with `*` for every name that is not known.
        pointer: String,
    },
}

/// Reads one JSON value. `known` are the member names that an error may repeat.
pub(crate) fn parse(text: &str, known: &[&str]) -> Result<Json, JsonError> {
    let mut state = State { numbers: Numbers { text, at: 0 }, known, duplicate: Vec::new() };
    let mut parser = serde_json::Deserializer::from_str(text);
    let parsed = Seed(&mut state).deserialize(&mut parser);
    match parsed.and_then(|json| parser.end().map(|()| json)) {
        Ok(json) => Ok(json),
        Err(_) if !state.duplicate.is_empty() => {
            state.duplicate.reverse();
            Err(JsonError::Duplicate { pointer: format!("/{}", state.duplicate.join("/")) })
        }
        Err(error) => Err(JsonError::Syntax { line: error.line(), column: error.column() }),
    }
}

/// Whether the text is a JSON number and nothing else.
fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|byte| matches!(byte, b'-' | b'0'..=b'9')) && bytes.last().is_some_and(u8::is_ascii_digit)
}

/// What one parse carries along.
struct State<'t> {
    numbers: Numbers<'t>,
    known: &'t [&'t str],
    /// Path of the duplicate member, from the inside out; empty if there is none.
    duplicate: Vec<String>,
}

impl State<'_> {
    /// The name if an error may repeat it.
    fn shown(&self, name: &str) -> String {
        if self.known.contains(&name) { name.into() } else { "*".into() }
    }
}

/// Walks the number tokens of a valid JSON text in their order.
struct Numbers<'t> {
    text: &'t str,
    at: usize,
}

impl Numbers<'_> {
    /// The next number's text. Linear over all calls together.
    fn next(&mut self) -> String {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => self.skip_string(),
                b'-' | b'0'..=b'9' => {
                    let rest = &bytes[self.at..];
                    let in_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    let length = rest.iter().position(|byte| !in_number(byte)).unwrap_or(rest.len());
                    let start = self.at;
                    self.at += length;
                    return self.text.get(start..self.at).unwrap_or_default().into();
                }
                _ => self.at += 1,
            }
        }
        String::new()
    }

    fn skip_string(&mut self) {
        self.at += 1;
        let bytes = self.text.as_bytes();
        while let Some(found) = bytes.get(self.at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
            self.at += found;
            if bytes[self.at] == b'"' {
                self.at += 1;
                return;
            }
            self.at += 2;
        }
        self.at = bytes.len();
    }
}

/// Reads one value into the tree.
struct Seed<'s, 't>(&'s mut State<'t>);

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Number(self.0.numbers.next()))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Number(self.0.numbers.next()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Number(self.0.numbers.next()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.into()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        loop {
            match seq.next_element_seed(Seed(&mut *self.0)) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return Ok(Json::Array(items)),
                Err(error) => {
                    if !self.0.duplicate.is_empty() {
                        self.0.duplicate.push(items.len().to_string());
                    }
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            match map.next_value_seed(Seed(&mut *self.0)) {
                Ok(value) => members.push((name, value)),
                Err(error) => {
                    if !self.0.duplicate.is_empty() {
                        let shown = self.0.shown(&name);
                        self.0.duplicate.push(shown);
                    }
                    return Err(error);
                }
            }
        }
        if let Some(name) = first_duplicate(&members) {
            let shown = self.0.shown(name);
            self.0.duplicate.push(shown);
            return Err(A::Error::custom("duplicate member"));
        }
        Ok(Json::Object(members))
    }
}

/// The first name that stands there for the second time. Linear, with a randomly keyed hash above a handful.
fn first_duplicate(members: &[(String, Json)]) -> Option<&str> {
    if members.len() <= 8 {
        let twice = |i: usize| members[..i].iter().any(|(name, _)| *name == members[i].0);
        return (1..members.len()).find(|i| twice(*i)).map(|i| members[i].0.as_str());
    }
    let mut seen = HashSet::with_capacity(members.len());
    members.iter().map(|(name, _)| name.as_str()).find(|name| !seen.insert(*name))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Trees with every kind of value, and numbers that a double cannot hold.
    pub(crate) fn any_json() -> impl Strategy<Value = Json> {
        let number = prop_oneof!["-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?", Just("0".to_owned())];
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            number.prop_map(Json::Number),
            any::<String>().prop_map(Json::String),
        ];
        leaf.prop_recursive(5, 40, 12, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..12).prop_map(Json::Array),
                proptest::collection::btree_map(any::<String>(), inner, 0..12)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The tree with one member of its deepest last object repeated; `None` if it has no member.
    fn with_duplicate(json: &Json) -> Option<Json> {
        match json {
            Json::Array(items) => {
                let at = items.iter().rposition(|item| with_duplicate(item).is_some())?;
                let mut items = items.clone();
                items[at] = with_duplicate(&items[at])?;
                Some(Json::Array(items))
            }
            Json::Object(members) => {
                let mut members = members.clone();
                match members.iter().rposition(|(_, value)| with_duplicate(value).is_some()) {
                    Some(at) => members[at].1 = with_duplicate(&members[at].1)?,
                    None => members.push(members.first()?.clone()),
                }
                Some(Json::Object(members))
            }
            _ => None,
        }
    }

    #[test]
    fn numbers_keep_their_text_and_members_their_order() {
        let text = r#"{"z":1.10,"a":[-0,1E+2,12345678901234567890123],"\"1\\":"2","b":{"c":0.1e-7}}"#;
        let json = parse(text, &[]).unwrap();
        assert_eq!(serde_json::to_string(&json).unwrap(), text);
    }

    #[test]
    fn a_duplicate_is_named_by_known_names_only() {
        let known = ["turns", "text"];
        let pointer = |text| match parse(text, &known) {
            Err(JsonError::Duplicate { pointer }) => pointer,
            other => panic!("{other:?}"),
        };
        assert_eq!(pointer(r#"{"turns":[{},{"text":"a","text":"b"}]}"#), "/turns/1/text");
        assert_eq!(pointer(r#"{"jan@example.nl":{"a":1,"a":1}}"#), "/*/*");
        assert_eq!(pointer(r#"{"text":1,"te\u0078t":2}"#), "/text");
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{} {}", "nul", "\u{feff}{}", r#""\ud800""#, "01", "1e999", "\"\u{1}\"", &deep] {
            assert!(matches!(parse(text, &[]), Err(JsonError::Syntax { .. })), "{} bytes", text.len());
        }
    }

    #[test]
    fn debug_prints_no_text() {
        let json = Json::Array(vec![Json::String("canary".into())]);
        assert_eq!(format!("{json:?} {:?}", Json::String("canary".into())), "Array(1 items) String(6 bytes)");
    }

    #[test]
    fn a_text_that_is_no_number_is_never_written_as_one() {
        for text in ["", "x", "1,2", "1 2", "\"1\"", "[1]", "1]", "-"] {
            assert!(serde_json::to_string(&Json::Number(text.into())).is_err(), "{text}");
        }
    }

    /// Quadratic time would not end here: many members, many numbers, and numbers behind long strings.
    #[test]
    fn time_is_linear_whatever_the_text() {
        let members: Vec<String> = (0..200_000).map(|i| format!(r#""{i}":{i}"#)).collect();
        let text = format!(r#"[{{{}}},"{}",1]"#, members.join(","), r#"\""#.repeat(1 << 20));
        assert_eq!(serde_json::to_string(&parse(&text, &[]).unwrap()).unwrap(), text);
    }

    proptest! {
        #[test]
        fn reading_what_was_written_gives_the_same(json in any_json()) {
            let text = serde_json::to_string(&json).unwrap();
            prop_assert_eq!(parse(&text, &[]), Ok(json));
        }

        #[test]
        fn a_duplicate_at_any_depth_is_refused(json in any_json()) {
            if let Some(twice) = with_duplicate(&json) {
                let text = serde_json::to_string(&twice).unwrap();
                let refused = matches!(parse(&text, &[]), Err(JsonError::Duplicate { .. }));
                prop_assert!(refused);
            }
        }
    }
}
