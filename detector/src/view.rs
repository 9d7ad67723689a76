//! The byte view of a document: what every engine reads.
//!
//! The turns stand one after another in one buffer, joined by a break byte that UTF-8 never uses and no pattern can
//! match, so that nothing is found across two turns. A folded view (other digits, look-alike dashes) is another
//! filling of the same buffer with another map back; engines do not change for it.

use crate::document::{Span, Turn};
use std::fmt;

/// The byte between two turns. It occurs in no UTF-8 text.
pub const BREAK: u8 = 0xFF;

/// A document as one run of bytes, with the way back to its turns. Debug prints lengths only.
#[derive(Default)]
pub struct ByteView {
    bytes: Vec<u8>,
    /// Where each turn starts in `bytes`; never empty when there are turns.
    starts: Vec<usize>,
}

impl ByteView {
    /// Fills the view with a document, in time and memory linear in it. The buffers are used again.
    pub fn fill(&mut self, turns: &[Turn<'_>]) {
        self.bytes.clear();
        self.starts.clear();
        for (i, turn) in turns.iter().enumerate() {
            if i > 0 {
                self.bytes.push(BREAK);
            }
            self.starts.push(self.bytes.len());
            self.bytes.extend_from_slice(turn.text.as_bytes());
        }
    }

    /// The bytes that engines read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes that the buffer can hold.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The turn of a position in the view.
    pub fn turn_at(&self, position: usize) -> usize {
        self.starts.partition_point(|start| *start <= position).saturating_sub(1)
    }

    /// Where a turn stands in the view.
    pub fn turn_range(&self, turn: usize) -> std::ops::Range<usize> {
        let start = self.starts.get(turn).copied().unwrap_or(self.bytes.len());
        let end = self.starts.get(turn + 1).map_or(self.bytes.len(), |next| next - 1);
        start..end
    }

    /// The span, in the turn's original text, of a range of the view. The range lies within one turn.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let turn = self.turn_at(start);
        let from = self.turn_range(turn).start;
        Span { turn, start: start - from, end: end - from }
    }
}

impl fmt::Debug for ByteView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByteView({} turns, {} bytes)", self.starts.len(), self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Role;

    #[test]
    fn spans_are_in_the_bytes_of_their_turn() {
        let turns = ["ab", "", "cde"].map(|text| Turn { role: Role::Other, text });
        let mut view = ByteView::default();
        view.fill(&turns);
        assert_eq!(view.bytes(), b"ab\xFF\xFFcde");
        assert_eq!(view.turn_range(1), 3..3);
        assert_eq!(view.span(5, 7), Span { turn: 2, start: 1, end: 3 });
        assert_eq!(view.turn_at(1), 0);
    }
}
