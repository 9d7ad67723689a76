//! The reading of numbers that are split over turns of one speaker: "my number is 1112", "22 333".
//!
//! A turn that ends in digits and the next one of the same speaker that has digits near its start are joined there, with
//! what others said between them left out. A turn that corrects the end of a number gives it that end.

use super::{ByteView, Reading};
use crate::document::Turn;
use aho_corasick::{AhoCorasick, BuildError};
use std::ops::Range;

/// Turns of others between two pieces, at most.
const BETWEEN: usize = 2;

/// Pieces of one number, at most.
const PIECES: usize = 6;

/// Bytes of a piece, at most: of a longer row of digits nobody sends the rest later.
const PIECE: usize = 40;

/// Bytes before the first piece and after the last that are read for labels.
const AROUND: usize = 96;

/// Words before the digits of a later piece, at most.
const WORDS: usize = 5;

/// Digits that a corrected number has at least, and its new end at most.
const CORRECTED: usize = 7;
const NEW_END: std::ops::RangeInclusive<usize> = 2..=6;

/// Words by which people correct the end of a number, in either case of ASCII.
pub struct Corrections(AhoCorasick);

impl Corrections {
    /// Those words, in lower case. Fails if they are too many.
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, BuildError> {
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).map(Self)
    }
}

impl ByteView {
    /// Adds what is joined of the turns that the view was filled with. Linear: a turn begins at most one chain and one
    /// correction, of bounded length.
    pub(super) fn add_joined(&mut self, turns: &[Turn<'_>], corrections: &Corrections) {
        let mut within = 0;
        for first in 0..turns.len() {
            let Some(next) = self.next_of_speaker(turns, first) else { continue };
            // What most turns do not have is asked first, and words last.
            let number = self.number(first).filter(|number| self.digits(number).count() >= CORRECTED);
            let may_go_on = first >= within && self.tail(first).is_some();
            if number.is_none() && !may_go_on {
                continue;
            }
            let Some(head) = self.head(next) else { continue };
            let kept = number.and_then(|number| Some((self.kept(&number, &head)?, number)));
            if kept.is_none() && !may_go_on {
                continue;
            }
            if self.is_correction(next, &head, corrections) {
                if let Some((kept, number)) = kept {
                    self.add_corrected((first, number), kept, (next, head));
                }
            } else if may_go_on {
                within = self.add_chain(turns, first);
            }
        }
    }

    /// The next turn of the same speaker, if few turns are between.
    fn next_of_speaker(&self, turns: &[Turn<'_>], turn: usize) -> Option<usize> {
        let role = turns.get(turn)?.role;
        (turn + 1..turns.len().min(turn + 2 + BETWEEN)).find(|next| turns[*next].role == role)
    }

    /// Joins the pieces from a turn on; the turn from which another chain may begin.
    fn add_chain(&mut self, turns: &[Turn<'_>], first: usize) -> usize {
        let Some(tail) = self.tail(first) else { return first + 1 };
        let mut pieces = vec![(first, tail)];
        while pieces.len() < PIECES {
            let (last, piece) = pieces[pieces.len() - 1].clone();
            // Only what ends a turn goes on in another.
            if self.tail(last).is_none_or(|tail| tail.end != piece.end) {
                break;
            }
            let Some(next) = self.next_of_speaker(turns, last) else { break };
            let Some(head) = self.head(next) else { break };
            pieces.push((next, head));
        }
        if pieces.len() < 2 {
            return first + 1;
        }
        // Three pieces and more are the groups that the number was said in.
        let has_separator = |piece: &Range<usize>| self.bytes[piece.clone()].iter().any(|byte| is_separator(*byte));
        let is_grouped = pieces.len() > 2 || pieces.iter().any(|(_, piece)| has_separator(piece));
        let (last, last_piece) = pieces[pieces.len() - 1].clone();
        self.begin(Reading::Joined, first);
        for (i, (turn, piece)) in pieces.iter().enumerate() {
            match i {
                0 => self.copy(self.around_before(first, piece.start), piece.start),
                _ => {
                    let start = self.span(piece.start, piece.start + 1).start;
                    self.append_read(*turn, start..start, if is_grouped { " " } else { "" });
                }
            }
            self.copy(piece.start, piece.end);
        }
        self.copy(last_piece.end, self.around_after(last, last_piece.end));
        self.end_joined(last);
        last.max(first + 1)
    }

    /// Where the digits of a range stand.
    fn digits(&self, range: &Range<usize>) -> impl DoubleEndedIterator<Item = usize> + '_ {
        range.clone().filter(|at| self.bytes[*at].is_ascii_digit())
    }

    /// The digit of a number that is the last to stay if this is its new end.
    fn kept(&self, number: &Range<usize>, end: &Range<usize>) -> Option<usize> {
        let (had, new) = (self.digits(number).count(), self.digits(end).count());
        if !NEW_END.contains(&new) || had < new + 2 {
            return None;
        }
        self.digits(number).nth(had - new - 1)
    }

    /// A number with the end that a later turn gives it. The last digit that stays takes the place of all that it is
    /// followed by, so that the whole number is found.
    fn add_corrected(
        &mut self,
        (first, number): (usize, Range<usize>),
        kept: usize,
        (next, end): (usize, Range<usize>),
    ) {
        self.begin(Reading::Joined, first);
        self.copy(self.around_before(first, number.start), number.start);
        self.copy(number.start, kept);
        let replaced = self.span(kept, number.end);
        let digit = char::from(self.bytes[kept]).to_string();
        self.append_read(first, replaced.start..replaced.end, &digit);
        let separator = if is_separator(self.bytes[kept + 1]) { " " } else { "" };
        let start = self.span(end.start, end.start + 1).start;
        self.append_read(next, start..start, separator);
        self.copy(end.start, self.around_after(next, end.end));
        self.end_joined(next);
    }

    fn end_joined(&mut self, last_turn: usize) {
        self.segments.iter_mut().next_back().into_iter().for_each(|segment| segment.last_turn = last_turn);
    }

    /// Whether a turn has a word of correction before its first digits.
    fn is_correction(&self, turn: usize, head: &Range<usize>, corrections: &Corrections) -> bool {
        corrections.0.is_match(&self.bytes[self.range(turn).start..head.start])
    }

    /// The row of digits that ends a turn, but for punctuation.
    fn tail(&self, turn: usize) -> Option<Range<usize>> {
        let range = self.range(turn);
        let text = &self.bytes[range.clone()];
        let end = text.iter().rposition(|byte| !is_pause(*byte))? + 1;
        let row = row_before(text, end);
        (!row.is_empty()).then(|| range.start + row.start..range.start + row.end)
    }

    /// The row of digits with few words before it in a turn.
    fn head(&self, turn: usize) -> Option<Range<usize>> {
        let range = self.range(turn);
        let text = &self.bytes[range.start..range.end.min(range.start + AROUND)];
        let first = text.iter().position(|byte| byte.is_ascii_digit())?;
        let words = text[..first].split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).count();
        let row = row_from(text, first);
        (words <= WORDS && !row.is_empty()).then(|| range.start + row.start..range.start + row.end)
    }

    /// The last row of digits of a turn.
    fn number(&self, turn: usize) -> Option<Range<usize>> {
        let range = self.range(turn);
        let text = &self.bytes[range.clone()];
        let end = text.iter().rposition(|byte| byte.is_ascii_digit())? + 1;
        let row = row_before(text, end);
        (!row.is_empty()).then(|| range.start + row.start..range.start + row.end)
    }

    fn around_before(&self, turn: usize, at: usize) -> usize {
        let start = self.range(turn).start.max(at.saturating_sub(AROUND));
        (start..at).find(|i| !crate::boundary::is_continuation(self.bytes[*i])).unwrap_or(at)
    }

    fn around_after(&self, turn: usize, at: usize) -> usize {
        let end = self.range(turn).end;
        if end - at <= AROUND {
            return end;
        }
        (at..at + AROUND).rev().find(|i| !crate::boundary::is_continuation(self.bytes[*i])).unwrap_or(at)
    }
}

/// The row of digits, in groups, that ends here. Empty if there is none, or a longer one.
fn row_before(text: &[u8], end: usize) -> Range<usize> {
    let low = end.saturating_sub(PIECE + 1);
    let mut start = end;
    while start > low && in_row(text, start - 1) {
        start -= 1;
    }
    finished(text, start, end)
}

/// The row of digits, in groups, that starts here.
fn row_from(text: &[u8], start: usize) -> Range<usize> {
    let mut end = start;
    while end < text.len() && end - start <= PIECE && in_row(text, end) {
        end += 1;
    }
    finished(text, start, end)
}

/// Whether a byte is of a row of digits: a digit, or a separator between two.
fn in_row(text: &[u8], at: usize) -> bool {
    let digit = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_digit);
    digit(Some(at)) || (is_separator(text[at]) && digit(at.checked_sub(1)) && digit(Some(at + 1)))
}

/// The row, unless it is too long or of a word with letters.
fn finished(text: &[u8], start: usize, end: usize) -> Range<usize> {
    let adjoins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    if end - start > PIECE || adjoins(before) || adjoins(text.get(end)) { end..end } else { start..end }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'-' | b'.')
}

/// What may stand after a piece of a number that goes on in another turn.
fn is_pause(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'.' | b',' | b'-' | b':' | b';')
}

#[cfg(test)]
mod tests {
    use super::super::tests::readings;
    use crate::document::{Role, Turn};

    fn joined(turns: &[(Role, &str)]) -> Vec<String> {
        readings(&turns.iter().map(|(role, text)| Turn { role: *role, text }).collect::<Vec<_>>())
    }

    #[test]
    fn what_ends_one_turn_goes_on_in_the_next_of_the_speaker() {
        use Role::{Agent, Customer};
        assert_eq!(joined(&[(Customer, "my bsn is 1112"), (Customer, "22 333 ok")]), ["my bsn is 1112 22 333 ok"]);
        assert_eq!(joined(&[(Customer, "1112..."), (Agent, "go on"), (Customer, "then 22333")]), ["111222333"]);
        assert_eq!(
            joined(&[(Customer, "4111"), (Customer, "1111"), (Customer, "1111"), (Customer, "1111")]),
            ["4111 1111 1111 1111"]
        );
        assert!(joined(&[(Customer, "1112"), (Agent, "22333")]).is_empty());
        assert!(joined(&[(Customer, "1112 is it"), (Customer, "22333")]).is_empty());
        assert!(joined(&[(Customer, "1112"), (Customer, "ok")]).is_empty());
    }

    #[test]
    fn a_correction_gives_a_number_its_end() {
        use Role::Customer;
        let texts = joined(&[(Customer, "it is 1112.22.333, ok"), (Customer, "Sorry, ends in 334")]);
        assert_eq!(texts, ["it is 1112.22 334"]);
        assert_eq!(joined(&[(Customer, "it is 111222333"), (Customer, "Sorry, ends in 334")]), ["it is 111222334"]);
        assert!(joined(&[(Customer, "it is 1112"), (Customer, "Sorry, ends in 334")]).is_empty());
    }
}
