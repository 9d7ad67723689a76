//! What is taken in from a record beside the members of the wire form.

/// What is taken in beside the members that the mapping names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intake {
    /// Members of a record that are carried into `cleared`, scanned and redacted like a turn.
    pub carry: Vec<String>,
    /// The largest record that is read, in bytes.
    pub max_record_bytes: usize,
}

impl Default for Intake {
    fn default() -> Self {
        Self { carry: Vec::new(), max_record_bytes: 1_048_576 }
    }
}

/// Members that the wire form or an output record has itself: a carried one of that name would stand there
/// twice, so it is dropped instead. The policy refuses to list it.
pub const RESERVED: [&str; 29] = [
    "attempt",
    "customer_key",
    "decision",
    "destination",
    "digest",
    "fields",
    "findings",
    "findings_omitted",
    "id",
    "mode",
    "previous_attempt",
    "program",
    "provider",
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
