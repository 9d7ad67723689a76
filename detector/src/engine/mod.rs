//! Engines: from the byte view to candidates.
//!
//! An engine yields a *set*: every (pattern, start, end, verdict) such that the pattern matches those bytes and its
//! boundary rule holds at both ends. All starts and all ends count, so a failed candidate never consumes a later one.
//! What the set means is decided after it, in code that all engines share: evidence, references, overlaps.
//! An engine that is faster must yield the same set; [`PlainEngine`] is the reference, [`PrefilteredEngine`] the one in use.
//!
//! Patterns that come to nothing without a label near are of a group, and can be asked for in [`Places`] only. What is left
//! out there is the same for every engine: what starts elsewhere.
//!
//! Matches are given out one by one, without their verdicts: a dense text has dozens of them for each byte, most come to
//! nothing for want of a label, and a check can cost more than finding what it checks.

mod automaton;
mod coarse;
mod confined;
mod expression;
mod filter;
mod lanes;
mod opening;
mod places;
mod plain;
mod prefiltered;
mod requirement;
mod starts;
mod states;

pub use expression::{CompileError, Expression};
pub use places::Places;
pub use plain::PlainEngine;
pub use prefiltered::PrefilteredEngine;

use crate::{finding::Verdict, view::ByteView};

/// A match of one pattern whose boundaries hold, before its check. Positions are in the bytes of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// First byte of what was found: the group `value` where the pattern has one, else the match.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Index of the pattern.
    pub pattern: usize,
}

/// A match with its verdict.
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

impl Match {
    /// With its verdict.
    pub fn with(self, verdict: Verdict) -> Candidate {
        Candidate { start: self.start, end: self.end, pattern: self.pattern, verdict }
    }
}

/// Finds candidates.
pub trait Engine: Send + Sync {
    /// Calls back with every match of the view; of the patterns of groups only those that start in these places, if any
    /// are given. One may come twice, and the order is the engine's own.
    ///
    /// Time is linear in the view and the places: from each start at most the longest match is read, and a run is read
    /// once.
    fn matches(&self, view: &ByteView, places: Option<&Places>, found: &mut dyn FnMut(Match));

    /// What a match's validator says of it.
    fn verdict(&self, view: &ByteView, found: &Match) -> Verdict;

    /// Replaces `candidates` by all those of the view, sorted, each once.
    fn candidates(&self, view: &ByteView, candidates: &mut Vec<Candidate>) {
        candidates.clear();
        self.matches(view, None, &mut |found| candidates.push(found.with(Verdict::Unchecked)));
        candidates.sort_unstable();
        candidates.dedup();
        for candidate in candidates {
            let Candidate { start, end, pattern, .. } = *candidate;
            candidate.verdict = self.verdict(view, &Match { start, end, pattern });
        }
    }
}
