//! The skeleton of a text: its letters and digits in lower case, those of full width and of other scripts as in ASCII. Two
//! spellings of a value that differ in case, spacing, separators or digits have the same one.

use maysend_detector::view::{Folded as AsWritten, fold};

/// The skeleton. Linear.
pub fn skeleton(text: &str) -> String {
    let mut skeleton = String::with_capacity(text.len());
    for char in text.chars() {
        push(char, |folded| skeleton.push(folded));
    }
    skeleton
}

fn push(char: char, mut to: impl FnMut(char)) {
    if char.is_ascii() {
        if char.is_ascii_alphanumeric() {
            to(char.to_ascii_lowercase());
        }
    } else if let AsWritten::Ascii(byte) = fold(char) {
        push(char::from(byte), to);
    } else if char.is_alphanumeric() {
        char.to_lowercase().filter(|folded| folded.is_alphanumeric()).for_each(to);
    }
}

/// The most characters that are neither letters nor digits between two of a value. Beyond that they are a gap in the
/// page, a column or a rule, and what stands on its two sides is not one value.
pub const MAX_GAP: usize = 8;

/// Stands in a folded text for a gap of more than [`MAX_GAP`]. In no skeleton: no byte of UTF-8 has this value.
const GAP: u8 = 0xFF;

/// A text's skeleton, with where each byte of it comes from. Its memory is kept from text to text.
#[derive(Default)]
pub(super) struct Folded {
    bytes: Vec<u8>,
    /// For each byte, offset of its character in the text.
    offsets: Vec<usize>,
}

impl Folded {
    /// Folds a text. Linear.
    pub(super) fn fold(&mut self, text: &str) {
        self.bytes.clear();
        self.offsets.clear();
        let mut gap = 0;
        if text.is_ascii() {
            for (offset, byte) in text.bytes().enumerate() {
                if byte.is_ascii_alphanumeric() {
                    self.close_gap(&mut gap, offset);
                    self.bytes.push(byte.to_ascii_lowercase());
                    self.offsets.push(offset);
                } else {
                    gap += 1;
                }
            }
            return;
        }
        for (offset, char) in text.char_indices() {
            if !char.is_alphanumeric() {
                gap += 1;
                continue;
            }
            self.close_gap(&mut gap, offset);
            push(char, |folded| {
                self.bytes.extend_from_slice(folded.encode_utf8(&mut [0; 4]).as_bytes());
                self.offsets.resize(self.bytes.len(), offset);
            });
        }
    }

    /// Marks the gap before `offset` if it is too wide.
    fn close_gap(&mut self, gap: &mut usize, offset: usize) {
        if *gap > MAX_GAP {
            self.bytes.push(GAP);
            self.offsets.push(offset.saturating_sub(1));
        }
        *gap = 0;
    }

    /// The folded bytes from `at` on.
    pub(super) fn from(&self, at: usize) -> &[u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Where the folded bytes `start..end`, which are whole characters, stand in `text`, which was folded. `None` if
    /// they are not whole tokens there.
    pub(super) fn token_span(&self, text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
        let at = |i: usize| self.offsets.get(i).copied();
        let (first, last) = (at(start)?, at(end.checked_sub(1)?)?);
        let (first_char, last_char) = (text.get(first..)?.chars().next()?, text.get(last..)?.chars().next()?);
        let end = last + last_char.len_utf8();
        let before = text.get(..first)?.chars().next_back();
        let after = text.get(end..)?.chars().next();
        let free = !before.is_some_and(|before| joined(before, first_char))
            && !after.is_some_and(|after| joined(last_char, after));
        free.then_some((first, end))
    }
}

/// Whether two neighbours are of one token: both letters or digits, in a script that writes words apart.
fn joined(a: char, b: char) -> bool {
    a.is_alphanumeric() && b.is_alphanumeric() && !is_unspaced(a) && !is_unspaced(b)
}

/// Whether a character is of a script that does not write words apart, or writes particles onto names: Thai, Lao,
/// Myanmar, Khmer, kana, Han, Hangul.
pub(super) fn is_unspaced(char: char) -> bool {
    matches!(u32::from(char),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3130..=0x318F
        | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_value_have_one_skeleton() {
        for text in ["Kerkstraat 12-A", "kerkstraat12a", "KERKSTRAAT, 12 a\n"] {
            assert_eq!(skeleton(text), "kerkstraat12a");
        }
        assert_eq!(skeleton("İÉ ß"), "iéß");
        assert_eq!(skeleton("Ｋｅｒｋ １２٣"), "kerk123");
    }

    proptest! {
        /// The fast path and the general one agree, and both with `skeleton`.
        #[test]
        fn folding_is_the_skeleton(text in "[a-cA-C0-9 .é]{0,30}|[ -~]{0,30}") {
            let mut folded = Folded::default();
            folded.fold(&text);
            let without_gaps: Vec<u8> = folded.from(0).iter().copied().filter(|byte| *byte != GAP).collect();
            prop_assert_eq!(String::from_utf8(without_gaps).unwrap(), skeleton(&text));
            let mut general = Folded::default();
            let shifted = format!("é{text}");
            general.fold(&shifted);
            if text.chars().next().is_some_and(char::is_alphanumeric) {
                prop_assert_eq!(general.from(2), folded.from(0));
            }
        }
    }
}
