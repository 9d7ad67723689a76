//! The reading of a turn with letters as the digits that they were written for: `O` for 0, `l` and `I` for 1.
//!
//! A letter is read so only in a word that has digits and no other letters. What is found by it counts only beside a
//! label, and less.

use super::{ByteView, Reading};
use crate::bits::{BLOCK, bits, blocks};

impl ByteView {
    /// Adds the reading of a turn, which is in the view, with letters as digits, if there is such a word. Linear.
    pub(super) fn add_misread(&mut self, turn: usize) {
        let range = self.range(turn);
        if !may_find(&self.bytes[range.clone()]) {
            return;
        }
        let words: Vec<usize> = misread(&self.bytes[range.clone()]).map(|at| range.start + at).collect();
        if words.is_empty() {
            return;
        }
        self.begin(Reading::Misread, turn);
        let mut copied = range.start;
        for at in words {
            self.copy(copied, at);
            let read = if matches!(self.bytes[at], b'O' | b'o') { "0" } else { "1" };
            let place = self.span(at, at + 1);
            self.append_read(turn, place.start..place.end, read);
            copied = at + 1;
        }
        self.copy(copied, range.end);
    }

    /// Appends a part of the view again, with the way back of each of its bytes.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let shift = self.bytes.len() - from;
        let start = self.span(from, from + 1);
        self.edit(0, start.turn, start.start..start.start);
        let first = self.edits.partition_point(|edit| edit.at < from);
        let last = self.edits.partition_point(|edit| edit.at < to);
        for i in first..last {
            let edit = self.edits[i];
            self.edits.push(super::Edit { at: edit.at + shift, ..edit });
        }
        self.bytes.extend_from_within(from..to);
    }
}

/// Whether a digit adjoins a letter that may stand for one: there is nothing to read otherwise.
pub(super) fn may_find(bytes: &[u8]) -> bool {
    let (mut last_digit, mut last_letter) = (0, 0);
    blocks(bytes).any(|(_, block)| {
        let digits = bits(&block, |byte| byte.is_ascii_digit());
        let letters = bits(&block, is_letter_for_digit);
        let adjoins = digits & (letters << 1 | last_letter) | letters & (digits << 1 | last_digit);
        (last_digit, last_letter) = (digits >> (BLOCK - 1), letters >> (BLOCK - 1));
        adjoins != 0
    })
}

/// Where letters stand for digits: in words of digits and such letters only, with as many digits at least. Only words with
/// a digit are read.
fn misread(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let mut read = 0;
    let words = std::iter::from_fn(move || {
        let rest = bytes.get(read..)?;
        let digit = read + rest.iter().position(u8::is_ascii_digit)?;
        let start = bytes[read..digit].iter().rposition(|byte| !is_word(byte)).map_or(read, |at| read + at + 1);
        read = bytes[digit..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |at| digit + at);
        Some((start, &bytes[start..read]))
    });
    words.flat_map(|(start, word)| {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_misread = digits * 2 >= word.len()
            && digits < word.len()
            && word.iter().all(|byte| byte.is_ascii_digit() || is_letter_for_digit(*byte));
        let letters = word.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_digit()).map(move |(i, _)| start + i);
        letters.filter(move |_| is_misread)
    })
}

fn is_letter_for_digit(byte: u8) -> bool {
    (byte | 0x20 == b'o') | (byte == b'l') | (byte == b'I')
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{readings, turn},
        BLOCK, may_find,
    };

    #[test]
    fn letters_in_words_of_digits_are_digits() {
        for (text, expected) in [
            ("bsn lll222333 ok", Some("bsn 111222333 ok")),
            ("bsn 1l1222333 ok", Some("bsn 111222333 ok")),
            ("card 4O12 8888 8888 I881", Some("card 4012 8888 8888 1881")),
            ("0l0", Some("010")),
            ("I am 10l", Some("I am 101")),
            ("1st, 10x, O2, 4G, Il, 3PO", Some("1st, 10x, 02, 4G, Il, 3PO")),
            ("no digits Ol", None),
        ] {
            assert_eq!(readings(&[turn(text)]).first().map(String::as_str), expected, "{text}");
        }
    }

    #[test]
    fn a_letter_beside_a_digit_is_seen_wherever_they_stand() {
        for at in 0..2 * BLOCK {
            for (text, expected) in [("1l", true), ("l1", true), ("1 l", false), ("l 1", false)] {
                assert_eq!(may_find(format!("{:at$}{text}", "").as_bytes()), expected, "{text} at {at}");
            }
        }
    }
}
