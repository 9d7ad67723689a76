//! Engines: from the byte view to candidates.
//!
//! An engine yields a *set*: every (pattern, start, end, verdict) such that the pattern matches those bytes and its
//! boundary rule holds at both ends. All starts and all ends count, so a failed candidate never consumes a later one.
//! What the set means is decided after it, in code that all engines share: evidence, references, overlaps.
//! An engine that is faster must yield the same set; [`PlainEngine`] is the reference.

mod plain;

pub use plain::{CompileError, Expression, PlainEngine};

use crate::{finding::Verdict, view::ByteView};

/// A match of one pattern whose boundaries hold. Positions are in the bytes of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// First byte of what was found: the group `value` where the pattern has one, else the match.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Index of the pattern.
    pub pattern: usize,
    /// What the validator said.
    pub verdict: Verdict,
}

/// Finds candidates.
pub trait Engine: Send + Sync {
    /// Replaces `candidates` by those of the view, sorted, each once.
    ///
    /// Time is linear in the view: from each start at most the longest match is read, and a run is read once.
    fn candidates(&self, view: &ByteView, candidates: &mut Vec<Candidate>);
}
