//! The members of an object, taken one by one with the type of each.

use super::{error::DecodeError, json::Json};

/// An object that is being read. A member that is `null` counts as absent where it is optional.
pub(super) struct Members {
    pointer: String,
    entries: Vec<(String, Option<Json>)>,
}

impl Members {
    /// The members of `json`, which stands at `pointer` (empty for the whole record).
    pub(super) fn of(json: Json, pointer: String) -> Result<Self, DecodeError> {
        match json {
            Json::Object(members) => {
                let entries = members.into_iter().map(|(name, value)| (name, Some(value))).collect();
                Ok(Self { pointer, entries })
            }
            _ => {
                let pointer = if pointer.is_empty() { "/".into() } else { pointer };
                Err(DecodeError::WrongType { pointer, takes: "an object" })
            }
        }
    }

    /// Pointer of a member. `name` is one of the wire form's own.
    pub(super) fn pointer(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }

    /// That a member takes something else.
    pub(super) fn wrong(&self, name: &str, takes: &'static str) -> DecodeError {
        DecodeError::WrongType { pointer: self.pointer(name), takes }
    }

    /// Whether the member is there and not `null`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(entry, value)| entry == name && !matches!(value, None | Some(Json::Null)))
    }

    /// An optional member of any type.
    pub(super) fn optional(&mut self, name: &str) -> Option<Json> {
        let (_, value) = self.entries.iter_mut().find(|(entry, value)| entry == name && value.is_some())?;
        value.take().filter(|value| *value != Json::Null)
    }

    /// A required member of any type but `null`.
    pub(super) fn required(&mut self, name: &str, takes: &'static str) -> Result<Json, DecodeError> {
        match self.entries.iter_mut().find(|(entry, _)| entry == name).and_then(|(_, value)| value.take()) {
            None => Err(DecodeError::MissingMember { pointer: self.pointer(name) }),
            Some(Json::Null) => Err(self.wrong(name, takes)),
            Some(value) => Ok(value),
        }
    }

    /// A required string, which may be empty.
    pub(super) fn text(&mut self, name: &str) -> Result<String, DecodeError> {
        match self.required(name, "a string")? {
            Json::String(text) => Ok(text),
            _ => Err(self.wrong(name, "a string")),
        }
    }

    /// A required string that is not empty.
    pub(super) fn string(&mut self, name: &str) -> Result<String, DecodeError> {
        let text = self.text(name)?;
        if text.is_empty() { Err(self.wrong(name, NOT_EMPTY)) } else { Ok(text) }
    }

    /// An optional string that is not empty.
    pub(super) fn opt_string(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        if self.has(name) {
            return self.string(name).map(Some);
        }
        self.optional(name);
        Ok(None)
    }

    /// A required array.
    pub(super) fn array(&mut self, name: &str) -> Result<Vec<Json>, DecodeError> {
        match self.required(name, "an array")? {
            Json::Array(items) => Ok(items),
            _ => Err(self.wrong(name, "an array")),
        }
    }

    /// A required object.
    pub(super) fn object(&mut self, name: &str) -> Result<Self, DecodeError> {
        let json = self.required(name, "an object")?;
        Self::of(json, self.pointer(name))
    }

    /// A required integer in the range of its type.
    pub(super) fn integer<T: std::str::FromStr>(&mut self, name: &str) -> Result<T, DecodeError> {
        match self.required(name, "an integer")? {
            Json::Number(text) => text.parse().map_err(|_| self.wrong(name, "an integer in range")),
            _ => Err(self.wrong(name, "an integer")),
        }
    }

    /// A required `true` or `false`.
    pub(super) fn boolean(&mut self, name: &str) -> Result<bool, DecodeError> {
        match self.required(name, "true or false")? {
            Json::Bool(value) => Ok(value),
            _ => Err(self.wrong(name, "true or false")),
        }
    }

    /// The members that nobody took, in their order.
    pub(super) fn rest(self) -> impl Iterator<Item = (String, Json)> {
        self.entries.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

/// What an identifier takes.
const NOT_EMPTY: &str = "a string that is not empty";
