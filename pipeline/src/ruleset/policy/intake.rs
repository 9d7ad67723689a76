//! What is taken in from a record beside the members of the wire form.

use crate::wire::{Pointer, PointerError};
use std::fmt;

/// What is taken in beside the members that the mapping names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intake {
    /// Members of a record that are carried into `cleared`, scanned and redacted like a turn. None overlaps another or
    /// what is read as something else.
    pub carry: Vec<Carry>,
    /// The largest record that is read, in bytes.
    pub max_record_bytes: usize,
}

impl Default for Intake {
    fn default() -> Self {
        Self { carry: Vec::new(), max_record_bytes: 1_048_576 }
    }
}

/// A member that is carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carry {
    /// As the policy writes it: a name, or a pointer. Records of review and held have the member by this name.
    pub name: String,
    /// Where it stands.
    pub pointer: Pointer,
}

impl Carry {
    /// A carried member by its name, or by its pointer where that begins with a slash.
    ///
    /// # Errors
    /// It begins with a slash and is no pointer.
    pub fn parse(name: &str) -> Result<Self, PointerError> {
        let pointer = if name.starts_with('/') { Pointer::parse(name)? } else { Pointer::to_member(name) };
        Ok(Self { name: name.into(), pointer })
    }
}

impl fmt::Display for Carry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Members that the wire form or an output record has itself: a carried one of that name would stand there
/// twice, so it is dropped instead. The policy refuses to list it.
pub const RESERVED: [&str; 32] = [
    "attempt",
    "customer_key",
    "decision",
    "destination",
    "digest",
    "fields",
    "findings",
    "findings_omitted",
    "id",
    "maysend",
    "mode",
    "numbers",
    "previous_attempt",
    "program",
    "provider",
    "published_at",
    "reason",
    "record",
    "record_base64",
    "reservation_id",
    "reserved_at",
    "reserved_requests",
    "ruleset",
    "schema",
    "shadow",
    "source",
    "tenant",
    "tenant_region",
    "terms",
    "text",
    "transcript_id",
    "turns",
];

/// Whether a member of this name belongs to the wire form or the output records.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}
