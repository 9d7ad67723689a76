//! What could not be decoded.

use super::Header;
use crate::wire::{DeadLetterReason, digest, schema::Sha256};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A record that could not be decoded.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeadLetter<'a> {
    /// What every record carries; nothing of the transcript.
    #[serde(flatten)]
    pub header: Header<'a>,
    /// Why.
    pub reason: DeadLetterReason,
    /// Digest of the record's bytes.
    #[schemars(with = "Sha256")]
    pub digest: String,
    /// The record where it is UTF-8, and not mostly control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'a str>,
    /// The record in base64 where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    record_base64: Option<String>,
}

impl<'a> DeadLetter<'a> {
    /// The dead letter of a record. Its bytes are kept unless it was too large, in at most twice as many. Linear in
    /// the bytes.
    pub fn new(header: Header<'a>, reason: DeadLetterReason, bytes: &'a [u8]) -> Self {
        let kept = (reason != DeadLetterReason::TooLarge).then_some(bytes);
        let as_text = |bytes: &[u8]| bytes.iter().map(|byte| 1 + escape(*byte)).sum::<usize>();
        let kept_as_text = kept.filter(|bytes| as_text(bytes) <= 2 * bytes.len());
        let record = kept_as_text.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let record_base64 = kept.filter(|_| record.is_none()).map(|bytes| STANDARD.encode(bytes));
        Self { header, reason, digest: digest(bytes), record, record_base64 }
    }

    /// The dead letter of a record that was too large to be kept, by the digest of its bytes.
    pub fn too_large(header: Header<'a>, digest: &str) -> Self {
        let reason = DeadLetterReason::TooLarge;
        Self { header, reason, digest: digest.into(), record: None, record_base64: None }
    }
}

impl fmt::Debug for DeadLetter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeadLetter({:?}, {})", self.header, self.reason)
    }
}

/// So many bytes more than one a byte takes in a string of JSON.
fn escape(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | 0x08 | 0x09 | 0x0a | 0x0c | 0x0d => 1,
        0..0x20 => 5,
        _ => 0,
    }
}
