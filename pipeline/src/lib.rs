//! The stages of the gate, and what drives them.
//!
//! A transcript is decoded ([`wire`]), stripped ([`strip`]), searched (`maysend-detector`), decided ([`gate`]),
//! redacted ([`redact`]) and written ([`stages`]). The stages do no I/O; drivers do: [`scan`] runs them on files.
//! What they depend on beside the transcript is a [`ruleset`]; [`mod@check`] says what one holds and [`diff`] what a change
//! of one does.

#![cfg_attr(not(test), warn(clippy::string_slice, reason = "a slice of text that panics would print the text"))]

pub mod check;
pub mod cli;
pub mod config;
pub mod demo;
pub mod diff;
pub mod gate;
pub mod ledger;
pub mod observe;
pub mod privacy;
pub mod redact;
pub mod ruleset;
pub mod scan;
pub mod schema;
pub mod stages;
pub mod stream;
pub mod strip;
pub mod wire;

/// Bytes in lower-case hexadecimal.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}
