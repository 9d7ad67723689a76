//! The stages of the gate, and what drives them.
//!
//! A transcript is decoded ([`wire`]), stripped ([`strip`]), searched (`maysend-detector`), decided ([`gate`]),
//! redacted ([`redact`]) and turned into output records ([`stages`]). The stages do no I/O; drivers do.

pub mod gate;
pub mod redact;
pub mod ruleset;
pub mod strip;
pub mod wire;
