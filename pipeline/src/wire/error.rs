//! Why a record cannot be decoded: the closed list of dead-letter reasons, with the place where that is known.
//!
//! An error names members of the wire form only, by a JSON pointer made of known names and positions (a name that
//! came with the record is `*`), so that it can be logged, counted and put in a header.

use serde::{Serialize, Serializer};
use std::fmt;

/// Why a record cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are UTF-8 but not one JSON value: a syntax error, a byte order mark, an escape of half a surrogate
    /// pair, a number beyond the range of a double, more than about 120 levels of nesting, or bytes after the value.
    #[error("not JSON (line {line}, column {column} of the record)")]
    NotJson {
        /// Line in the record, from 1.
        line: usize,
        /// Column in that line, in bytes from 1; 0 where the parser cannot say.
        column: usize,
    },
    /// The bytes are not UTF-8.
    #[error("not UTF-8 (byte {offset} of the record)")]
    NotUtf8 {
        /// Offset of the first wrong byte.
        offset: usize,
    },
    /// An object has a member twice, at any depth, in members that are read and in members that are not: two readers
    /// could take different values from it.
    #[error("the member {pointer} stands there twice")]
    DuplicateMember {
        /// The member.
        pointer: String,
    },
    /// A required member is missing.
    #[error("the member {pointer} is missing")]
    MissingMember {
        /// The member.
        pointer: String,
    },
    /// A member has another type or form than its own, or two members exclude each other.
    #[error("the member {pointer} takes {takes}")]
    WrongType {
        /// The member; `/` is the whole record.
        pointer: String,
        /// What it takes.
        takes: &'static str,
    },
    /// `schema` is an integer other than the one that this program reads.
    #[error("unknown schema; this program reads {}", super::SCHEMA)]
    UnknownSchema,
    /// The record is over the limit for its size.
    #[error("too large: {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Size of the record in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// There is nothing to decide about: no bytes, no turns, or only blank turns.
    #[error("empty: no turn has any text")]
    Empty,
}

impl DecodeError {
    /// The reason that goes into the dead-letter record.
    pub fn reason(&self) -> DeadLetterReason {
        match self {
            Self::NotJson { .. } => DeadLetterReason::NotJson,
            Self::NotUtf8 { .. } => DeadLetterReason::NotUtf8,
            Self::DuplicateMember { .. } => DeadLetterReason::DuplicateMember,
            Self::MissingMember { .. } => DeadLetterReason::MissingMember,
            Self::WrongType { .. } => DeadLetterReason::WrongType,
            Self::UnknownSchema => DeadLetterReason::UnknownSchema,
            Self::TooLarge { .. } => DeadLetterReason::TooLarge,
            Self::Empty => DeadLetterReason::Empty,
        }
    }
}

/// The closed list of reasons for a dead letter. Consumers may match on the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeadLetterReason {
    /// Not one JSON value.
    NotJson,
    /// Not UTF-8.
    NotUtf8,
    /// A member stands in an object twice.
    DuplicateMember,
    /// A required member is missing.
    MissingMember,
    /// A member has another type or form than its own.
    WrongType,
    /// Another version of the wire form.
    UnknownSchema,
    /// Over the limit for a record's size. The only reason under which the record's bytes are not kept.
    TooLarge,
    /// No text.
    Empty,
}

impl DeadLetterReason {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NotJson,
        Self::NotUtf8,
        Self::DuplicateMember,
        Self::MissingMember,
        Self::WrongType,
        Self::UnknownSchema,
        Self::TooLarge,
        Self::Empty,
    ];

    /// The code on the wire, such as `not_json`.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::NotUtf8 => "not_utf8",
            Self::DuplicateMember => "duplicate_member",
            Self::MissingMember => "missing_member",
            Self::WrongType => "wrong_type",
            Self::UnknownSchema => "unknown_schema",
            Self::TooLarge => "too_large",
            Self::Empty => "empty",
        }
    }
}

impl fmt::Display for DeadLetterReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl Serialize for DeadLetterReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
