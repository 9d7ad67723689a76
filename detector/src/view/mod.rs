//! The byte view of a document: what every engine reads.
//!
//! The turns stand one after another in one buffer, joined by a break byte that UTF-8 never uses and no pattern can
//! match, so that nothing is found across two turns. Characters are folded to what they are written for ([`fold()`]).
//! After the turns stand other *readings* of parts of them: with what is encoded decoded, with numbers joined that are
//! split over turns, with letters that were written for digits. All are bytes of the same buffer, so engines do not
//! know of them.
//!
//! The way back is a list of edits: where the view departs from the text. ASCII text has none, and is copied.

mod encoded;
mod fold;
mod joined;
mod misread;

pub use fold::{Folded, fold};
pub use joined::Corrections;

use crate::{
    bits::{bits, blocks, ones},
    boundary::char_before,
    document::{Span, Turn},
};
use std::{fmt, ops::Range};

/// The byte between two turns, or readings. It occurs in no UTF-8 text.
pub const BREAK: u8 = 0xFF;

/// A document as one run of bytes, with the way back to its turns. Debug prints lengths only.
#[derive(Default)]
pub struct ByteView {
    bytes: Vec<u8>,
    /// Where the view departs from the texts, in order of place. Each segment, and each piece of one, starts with one.
    edits: Vec<Edit>,
    /// The turns, in order, then other readings.
    segments: Vec<Segment>,
}

/// Bytes of the view in the place of bytes of a text. What follows, up to the next edit, is the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Edit {
    /// First byte in the view, and how many there are: none for what was left out.
    at: usize,
    length: usize,
    /// The turn.
    turn: usize,
    /// What stands there in the turn's text.
    start: usize,
    end: usize,
    /// Whether it is what makes a reading another than the turn.
    is_reading: bool,
}

/// A stretch of the view between two breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    start: usize,
    reading: Reading,
    /// The turn; of a joined reading the first.
    turn: usize,
    /// The turn of the last piece.
    last_turn: usize,
}

/// What a segment of the view is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A turn, folded.
    Turn,
    /// A turn with what is encoded in it decoded.
    Decoded,
    /// A turn with letters read as the digits that they were written for.
    Misread,
    /// Numbers of several turns, joined.
    Joined,
}

impl ByteView {
    /// Fills the view with the turns of a document, folded, in time and memory linear in it. The buffers are used again.
    pub fn fill(&mut self, turns: &[Turn<'_>]) {
        self.bytes.clear();
        self.edits.clear();
        self.segments.clear();
        for (turn, text) in turns.iter().map(|turn| turn.text).enumerate() {
            self.begin(Reading::Turn, turn);
            self.append(turn, text, 0..text.len());
        }
    }

    /// Adds the other readings of the turns that it was filled with. Linear: a turn is read a fixed number of times, and
    /// what is joined is bounded.
    pub fn add_readings(&mut self, turns: &[Turn<'_>], corrections: &Corrections) {
        let may_be_misread = misread::may_find(&self.bytes);
        for (turn, text) in turns.iter().map(|turn| turn.text).enumerate() {
            self.add_decoded(turn, text);
            if may_be_misread {
                self.add_misread(turn);
            }
        }
        self.add_joined(turns, corrections);
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

    /// The segment of a position in the view. The first segments are the turns.
    pub fn segment_at(&self, position: usize) -> usize {
        self.segments.partition_point(|segment| segment.start <= position).saturating_sub(1)
    }

    /// Where a segment stands in the view.
    pub fn range(&self, segment: usize) -> Range<usize> {
        let start = self.segments.get(segment).map_or(self.bytes.len(), |segment| segment.start);
        let end = self.segments.get(segment + 1).map_or(self.bytes.len(), |next| next.start - 1);
        start..end
    }

    /// Where each segment stands in the view, in order.
    pub fn segments(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..self.segments.len()).map(|segment| self.range(segment))
    }

    /// A segment's bytes as a view of their own, without the way back.
    pub fn part(&self, segment: usize) -> Self {
        Self { bytes: self.bytes[self.range(segment)].to_vec(), ..Self::default() }
    }

    /// What a segment is.
    pub fn reading(&self, segment: usize) -> Reading {
        self.segments.get(segment).map_or(Reading::Turn, |segment| segment.reading)
    }

    /// The first and the last turn that a segment is of.
    pub fn turns(&self, segment: usize) -> (usize, usize) {
        self.segments.get(segment).map_or((0, 0), |segment| (segment.turn, segment.last_turn))
    }

    /// The span, in the turn's original text, of a range of the view that is not empty and lies within one turn. Of one
    /// that does not, see [`spans`](Self::spans).
    pub fn span(&self, start: usize, end: usize) -> Span {
        let first = self.edit_at(start);
        let last = self.edit_at(end.saturating_sub(1).max(start));
        let from =
            if start < first.at + first.length { first.start } else { first.end + (start - first.at - first.length) };
        let to = if end <= last.at + last.length { last.end } else { last.end + (end - last.at - last.length) };
        Span { turn: first.turn, start: from, end: to }
    }

    /// The spans of a range of the view in each turn that it is of: one, unless it lies in a joined reading.
    pub fn spans(&self, start: usize, end: usize) -> Vec<Span> {
        let mut spans = Vec::with_capacity(1);
        let mut from = start;
        let first = self.index_at(start) + 1;
        for pair in self.edits[first - 1..].windows(2) {
            if pair[1].at >= end {
                break;
            }
            if pair[0].turn != pair[1].turn && from < pair[1].at {
                spans.push(self.span(from, pair[1].at));
                from = pair[1].at + pair[1].length;
            }
        }
        if from < end {
            spans.push(self.span(from, end));
        }
        spans
    }

    /// Whether a range of the view holds what its segment reads in another way: otherwise it says what its turn says.
    pub fn is_changed(&self, start: usize, end: usize) -> bool {
        let after = self.edits.partition_point(|edit| edit.at + edit.length <= start);
        let inside = self.edits[after..].iter().take_while(|edit| edit.at < end);
        inside.filter(|edit| edit.length > 0 || edit.at > start).any(|edit| edit.is_reading)
    }

    fn index_at(&self, position: usize) -> usize {
        self.edits.partition_point(|edit| edit.at <= position).saturating_sub(1)
    }

    fn edit_at(&self, position: usize) -> Edit {
        self.edits.get(self.index_at(position)).copied().unwrap_or_default()
    }

    /// Begins a segment.
    fn begin(&mut self, reading: Reading, turn: usize) {
        if !self.segments.is_empty() {
            self.bytes.push(BREAK);
        }
        self.segments.push(Segment { start: self.bytes.len(), reading, turn, last_turn: turn });
    }

    /// Appends a part of a turn's text, folded. It follows what was appended of the same text right before, or begins a
    /// piece.
    fn append(&mut self, turn: usize, text: &str, range: Range<usize>) {
        let continued = self.edits.last().is_some_and(|last| {
            let own = self.segments.last().is_some_and(|segment| segment.start <= last.at);
            own && last.turn == turn && last.end + (self.bytes.len() - last.at - last.length) == range.start
        });
        if !continued {
            self.edit(0, turn, range.start..range.start);
        }
        crate::work::count(range.len());
        let part = text.get(range.clone()).unwrap_or_default();
        let mut copied = 0;
        for (at, c) in beyond_ascii(part) {
            let folded = fold(c);
            if folded == Folded::Same {
                continue;
            }
            self.bytes.extend_from_slice(part.get(copied..at).unwrap_or_default().as_bytes());
            let after = at + c.len_utf8();
            let follows = part.get(after..).and_then(|rest| rest.chars().next());
            let place = range.start + at..range.start + after;
            copied = if self.append_folded(c, folded, turn, place, follows) { after } else { at };
        }
        self.bytes.extend_from_slice(part.get(copied..).unwrap_or_default().as_bytes());
    }

    /// Appends a character that does not stand for itself; `false` if it does here.
    fn append_folded(
        &mut self,
        c: char,
        folded: Folded,
        turn: usize,
        place: Range<usize>,
        follows: Option<char>,
    ) -> bool {
        let before = char_before(&self.bytes, self.bytes.len());
        match folded {
            Folded::Same => return false,
            Folded::Ascii(byte) => {
                self.edit(1, turn, place);
                self.bytes.push(byte);
            }
            Folded::Ignorable => {
                // Between two characters beyond ASCII it may join what belongs together, such as emoji.
                let beyond = |c: char| !c.is_ascii() && !matches!(fold(c), Folded::Ascii(_));
                if before.is_some_and(beyond) && follows.is_none_or(beyond) {
                    return false;
                }
                self.edit(0, turn, place);
            }
            Folded::Mark => {
                let Some((base, composed)) = before.and_then(|base| Some((base, fold::with_mark(base, c)?))) else {
                    return false;
                };
                self.bytes.truncate(self.bytes.len() - base.len_utf8());
                let at = self.bytes.len();
                let start = self.span(at, at + base.len_utf8()).start;
                // What was left out between the two, and what the base was written as, are parts of the one.
                while self.edits.pop_if(|edit| edit.at > at || (edit.at == at && edit.length > 0)).is_some() {}
                self.edit(composed.len_utf8(), turn, start..place.end);
                self.bytes.extend_from_slice(composed.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        true
    }

    /// Notes that so many bytes that are appended next stand for this part of a turn's text.
    fn edit(&mut self, length: usize, turn: usize, place: Range<usize>) {
        let (at, Range { start, end }) = (self.bytes.len(), place);
        self.edits.push(Edit { at, length, turn, start, end, is_reading: false });
    }

    /// Appends what a reading has in the place of this part of a turn's text.
    fn append_read(&mut self, turn: usize, place: Range<usize>, read: &str) {
        self.edit(read.len(), turn, place);
        self.edits.iter_mut().next_back().into_iter().for_each(|edit| edit.is_reading = true);
        self.bytes.extend_from_slice(read.as_bytes());
    }
}

/// The characters of a text beyond ASCII, with their places.
fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let is_first = |byte: u8| (byte >= 0xC0) & (byte != BREAK);
    let places =
        blocks(text.as_bytes()).flat_map(move |(at, block)| ones(bits(&block, is_first)).map(move |bit| at + bit));
    places.filter_map(|at| Some((at, text.get(at..)?.chars().next()?)))
}

impl fmt::Debug for ByteView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByteView({} segments, {} bytes)", self.segments.len(), self.bytes.len())
    }
}

#[cfg(test)]
mod tests;
