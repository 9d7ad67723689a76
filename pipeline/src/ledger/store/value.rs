//! Values that go into a store and come out of it.

use super::StoreError;
use std::{borrow::Cow, fmt};

/// A value of a column, or a parameter. Prints no text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Text: any, also with zero bytes in it, which PostgreSQL does not take as they are.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    fn is(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Integer(_) => "a number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Integer(number) => write!(f, "Integer({number})"),
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record(pub(super) Vec<Value>);

impl Record {
    /// The values.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The text of a column, from 0.
    ///
    /// # Errors
    /// It is something else.
    pub fn text(&self, column: usize) -> Result<&str, StoreError> {
        self.opt_text(column)?.ok_or(StoreError::Unexpected("nothing", "text"))
    }

    /// The text of a column, from 0, if there is any.
    ///
    /// # Errors
    /// It is something else.
    pub fn opt_text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            other => Err(StoreError::Unexpected(other.map_or("no column", Value::is), "text")),
        }
    }

    /// The number of a column, from 0.
    ///
    /// # Errors
    /// It is something else.
    pub fn integer(&self, column: usize) -> Result<i64, StoreError> {
        match self.0.get(column) {
            Some(Value::Integer(number)) => Ok(*number),
            other => Err(StoreError::Unexpected(other.map_or("no column", Value::is), "a number")),
        }
    }

    /// The bytes of a column, from 0.
    ///
    /// # Errors
    /// It is something else.
    pub fn bytes(&self, column: usize) -> Result<&[u8], StoreError> {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => Ok(bytes),
            other => Err(StoreError::Unexpected(other.map_or("no column", Value::is), "bytes")),
        }
    }
}

/// Led by this, `0` stands for a zero byte and `1` for this character itself.
const ESCAPE: char = '\u{1a}';

/// Text as both stores take it: without zero bytes.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => escaped.extend([ESCAPE, '0']),
            ESCAPE => escaped.extend([ESCAPE, '1']),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// The text that was escaped.
pub(super) fn unescape(text: String) -> String {
    if !text.contains(ESCAPE) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, (character == ESCAPE).then(|| characters.next()).flatten()) {
            (ESCAPE, Some('0')) => plain.push('\0'),
            (other, _) => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_comes_back_and_no_zero_byte_goes_in(text in "(\\PC|\0|\u{1a}|0|1){0,12}") {
            let escaped = escape(&text).into_owned();
            prop_assert!(!escaped.contains('\0'));
            prop_assert_eq!(unescape(escaped), text);
        }
    }

    #[test]
    fn debug_prints_no_text() {
        assert_eq!(format!("{:?}", Record(vec!["canary".into(), Value::Null])), "Record([Text(6 bytes), Null])");
    }
}
