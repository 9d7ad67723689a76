//! Strip: what a transcript says that columns say already.
//!
//! Structured fields are dropped for the opaque customer key; the lines that a template rendered from them go where the
//! template put them ([`header`]); and values of fields that are personal data are looked up in what was said
//! ([`lookup`]). Which lines and fields is reviewed data, [`templates`].

pub mod fold;
pub mod header;
pub mod lookup;
pub mod templates;

pub use header::{Stripped, strip};
pub use lookup::{Lookup, Skipped, TooManyValues};
pub use templates::{FILE, Templates, is_field};
