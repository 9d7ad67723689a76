//! Where patterns may start: what stands before decides it, so it is decided once for each start, for all patterns.

use crate::boundary::{Boundary, char_before, is_continuation};
use std::collections::BTreeMap;

/// The kind of what adjoins nothing: the start of a turn, and characters beyond ASCII that are no letters or digits.
const OPEN: usize = 0;
/// The kind of letters and digits beyond ASCII.
const WIDE_WORD: usize = 1;
/// Stands for a byte beyond ASCII.
const WIDE: u8 = u8::MAX;

/// Kinds of bytes before a start. Bytes that allow the same patterns are of one kind.
pub(super) struct Starts {
    /// The kind of each byte; [`WIDE`] for one beyond ASCII, whose kind depends on its character.
    kind_of: [u8; 256],
    /// By kind: the patterns that may start there.
    sets: Vec<Vec<usize>>,
}

impl Starts {
    /// The kinds of these patterns' boundaries.
    pub(super) fn new(boundaries: &[Boundary]) -> Self {
        let members = |may: &dyn Fn(&Boundary) -> bool| -> Vec<usize> {
            (0..boundaries.len()).filter(|i| may(&boundaries[*i])).collect()
        };
        let mut sets = vec![members(&|_| true), members(&|boundary| !boundary.unicode)];
        let mut known: BTreeMap<Vec<usize>, usize> = BTreeMap::from([(sets[OPEN].clone(), OPEN)]);
        let mut kind_of = [WIDE; 256];
        for byte in 0..0x80u8 {
            let set = members(&|boundary| !boundary.before.contains(byte));
            let kind = *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            });
            // There are at most two kinds and one for each of 128 bytes.
            kind_of[usize::from(byte)] = kind as u8;
        }
        Self { kind_of, sets }
    }

    /// By kind: the patterns that may start there, in order.
    pub(super) fn sets(&self) -> &[Vec<usize>] {
        &self.sets
    }

    /// The kind of the start at `at`; `None` within a character.
    #[inline]
    pub(super) fn kind(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let Some(before) = at.checked_sub(1).map(|i| bytes[i]) else { return Some(OPEN) };
        match self.kind_of[usize::from(before)] {
            WIDE => Self::wide_kind(bytes, at),
            kind => Some(usize::from(kind)),
        }
    }

    #[cold]
    fn wide_kind(bytes: &[u8], at: usize) -> Option<usize> {
        if is_continuation(bytes[at]) {
            return None;
        }
        Some(if char_before(bytes, at).is_some_and(char::is_alphanumeric) { WIDE_WORD } else { OPEN })
    }
}
