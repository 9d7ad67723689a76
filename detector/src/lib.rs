//! Finds personal data in text: text in, findings out.
//!
//! The detector is synchronous, does no I/O once it is loaded, and knows no policy: it says what stands where and how
//! much speaks for it, in integer points; whether a document may be sent is decided elsewhere.
//!
//! ```text
//! document ─▶ byte view ─▶ engine ─▶ candidates ─▶ evidence ─▶ references ─▶ overlaps ─▶ findings
//! ```
//!
//! An [`engine`] yields the set of all candidates; all that follows is shared by every engine. Entities, patterns,
//! weights and reference formats are data, read by [`load`] from TOML, with every mistake reported at once.
//!
//! # Limits
//!
//! Time is linear in the text: a pattern has a bounded length or is a declared token run. Spans are exact in bytes of
//! the original text. Types that hold text print its length.

#![cfg_attr(not(test), warn(clippy::string_slice, reason = "a slice of text that panics would print the text"))]

mod bits;
pub mod boundary;
pub mod countries;
mod detector;
pub mod document;
pub mod engine;
pub mod evidence;
pub mod finding;
mod judge;
#[cfg(test)]
mod linear;
pub mod overlap;
pub mod pattern;
pub mod reference;
mod ruleset;
pub mod source;
mod trigrams;
pub mod validators;
pub mod view;
mod work;

pub use detector::{Detection, Detector, Explanation, Options, Outcome};
pub use document::{Role, Span, Turn};
pub use finding::{EntityId, Finding, PatternId, Rival, Verdict};
pub use ruleset::{EVIDENCE, REFERENCES, load, load_into};
