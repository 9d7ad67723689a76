//! Records of a platform's own shape: read by a [`Mapping`](crate::ruleset::input::Mapping), and written in the same shape when they are cleared.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub(super) use read::{names, read};
pub(super) use write::Own;
pub use write::{Cleared, Identifiers, shape};

/// The identifiers that a record may have as numbers.
pub const IDENTIFIERS: [&str; 5] = ["id", "tenant", "tenant_region", "customer_key", "destination"];
