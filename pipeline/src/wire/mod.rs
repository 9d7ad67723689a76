//! What goes over the wire: records in, records out.
//!
//! [`json`] reads strict JSON once, [`transcript`] makes a [`Transcript`] of it or says why not, [`mapped`] does both for
//! records of a platform's own shape, [`records`] are the output records with exactly the members that readers rely on,
//! and [`held`] reads a withheld record back so that it can be decided again. [`kept`] reads what the gate follows beside
//! transcripts. Nothing here does I/O, and every type that holds text prints lengths.

pub mod alias;
pub mod erasure;
pub mod error;
#[cfg(test)]
mod golden;
pub mod held;
pub mod json;
pub mod kept;
pub mod mapped;
mod members;
pub mod pointer;
pub mod records;
pub mod ruleset;
pub(crate) mod schema;
pub mod time;
pub mod transcript;
pub mod usage;

pub use alias::Alias;
pub use erasure::Erasure;
pub use error::{DeadLetterReason, DecodeError};
pub use held::HeldRecord;
pub use json::Json;
pub use pointer::{Pointer, PointerError};
pub use records::{
    Body, Cleared, DeadLetter, DecisionBody, DecisionRecord, FindingRecord, Header, PieceRecord, ReasonCode,
    ReasonRecord, Reservation, Source, SuppressedRecord, Withheld, encode,
};
pub use ruleset::RulesetRecord;
pub use time::At;
pub use transcript::{Transcript, TurnRecord, decode};
pub use usage::{Contradiction, Outcome, Usage};

/// The version of the wire forms that this program reads and writes.
pub const SCHEMA: u32 = 1;

/// Digest of a record's bytes, as `sha256:` and 64 hexadecimal digits. Linear in the bytes.
pub fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in sha2::Sha256::digest(bytes) {
        for nibble in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(nibble), 16));
        }
    }
    text
}
