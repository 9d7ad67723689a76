//! Synthetic support transcripts with labels, made deterministically, to test a gate that keeps personal data in.
//!
//! Everything here is invented. Persons are put together from lists of names, numbers are random under the rules of
//! their issuers (cards under prefixes that are published for tests, telephone numbers in the ranges set aside for
//! fiction where a country has them, e-mail under the `example` domains of RFC 2606), and no key or password opens
//! anything. A random number that obeys its issuer's rule may still be somebody's, as any such number may; nothing
//! else here is.
//!
//! The same seed gives the same bytes on every machine: one random source with integer arithmetic ([`rng`]), no clock,
//! no hashed order. Each transcript is a function of the seed, the date, its position and the style, so that any of
//! them can be made alone.
//!
//! The generator is a second opinion. It shares no code with the detector: its rules ([`checks`]) are written from the
//! standards again, and its labels are written down at the moment a value is.
//!
//! ```
//! use maysend_corpora::{Date, Day, Style};
//!
//! let date: Date = "2026-03-02".parse()?;
//! for made in Day::new(1, date, 100, Style::Normal) {
//!     let line = made.to_json();
//!     assert!(line.starts_with(r#"{"schema":1,"id":"t-"#));
//!     for label in &made.labels {
//!         assert!(!made.value(label).is_empty());
//!     }
//! }
//! # Ok::<(), maysend_corpora::DateError>(())
//! ```
//!
//! How often what occurs, and the arithmetic behind it, is in [`rates`].

pub mod calendar;
pub mod checks;
mod day;
mod dialogue;
mod forms;
mod language;
mod people;
pub mod rates;
pub mod rng;
mod scribe;
mod secrets;
mod text;
mod things;
mod tier1;
pub mod vectors;
mod wire;

pub use calendar::{Date, DateError};
pub use day::Day;
pub use dialogue::{DESTINATION, Style, TENANT, TENANT_REGION};
pub use language::{LANGUAGES, Language};
pub use people::POPULATION;
pub use vectors::{Vector, vectors};
pub use wire::{Fields, Label, Labelled, Speaker, Transcript, Turn};
