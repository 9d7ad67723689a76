//! Signed records of what was done about an erasure: append-only, each linked to the one before.
//!
//! A record is one line of canonical JSON (RFC 8785). Its signature (Ed25519, RFC 8032) is over the same line without the
//! member `signature`, so that `openssl pkeyutl -verify -rawin` can check it too. It names the record before by the
//! digest of its whole line. A chain that was cut at its end verifies by itself, so its head is published elsewhere, and
//! [`Chain::since`] compares.
//!
//! The customer is named only by keyed hashes, which include the tenant. Nothing here reads or writes a topic.

mod chain;
mod key;
mod record;

pub use chain::{Chain, Fault, Faults, Head, NoHead, NotInChain};
pub use key::{KeyFileError, PublicKeys, SigningKey};
pub use record::{
    Check, Closed, Confirmation, Customer, Deleted, Deletion, ErasureStatement, Hold, Owed, ReadUpTo, RecordError,
    Release, SignedRecord, Statement, Supplement, Why,
};

#[cfg(test)]
mod tests;
