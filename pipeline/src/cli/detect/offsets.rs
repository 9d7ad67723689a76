//! Offsets in a text by what readers count: bytes, characters, or UTF-16 code units.

use clap::ValueEnum;

/// What an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode scalar values, as Python counts.
    Chars,
    /// UTF-16 code units, as Java and JavaScript count.
    Utf16,
}

/// Bytes from one mark to the next.
const STEP: usize = 256;

/// The offsets of one text.
pub(super) struct Offsets<'t> {
    text: &'t str,
    unit: Unit,
    /// Now and then, a byte offset and its units. Empty where both are the same.
    marks: Vec<(usize, usize)>,
}

impl<'t> Offsets<'t> {
    /// Linear in the text, unless bytes are counted.
    pub(super) fn new(text: &'t str, unit: Unit) -> Self {
        let mut marks = Vec::new();
        if unit != Unit::Bytes && !text.is_ascii() {
            let mut units = 0;
            for (at, c) in text.char_indices() {
                if marks.last().is_none_or(|(last, _)| at >= last + STEP) {
                    marks.push((at, units));
                }
                units += units_of(c, unit);
            }
        }
        Self { text, unit, marks }
    }

    /// The offset of a byte that starts a character, or of the end.
    pub(super) fn of(&self, byte: usize) -> usize {
        let at = self.marks.partition_point(|(mark, _)| *mark <= byte);
        let Some((mark, units)) = at.checked_sub(1).and_then(|at| self.marks.get(at)) else { return byte };
        let rest = self.text.get(*mark..byte).unwrap_or_default();
        units + rest.chars().map(|c| units_of(c, self.unit)).sum::<usize>()
    }
}

fn units_of(c: char, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => c.len_utf8(),
        Unit::Chars => 1,
        Unit::Utf16 => c.len_utf16(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_unit() {
        let text = "é👍1";
        let all = |unit| [0, 2, 6, 7].map(|byte| Offsets::new(text, unit).of(byte));
        assert_eq!(all(Unit::Bytes), [0, 2, 6, 7]);
        assert_eq!(all(Unit::Chars), [0, 1, 2, 3]);
        assert_eq!(all(Unit::Utf16), [0, 1, 3, 4]);
    }

    proptest! {
        #[test]
        fn offsets_count_what_stands_before(text in "[aé👍]{0,400}") {
            let (chars, utf16) = (Offsets::new(&text, Unit::Chars), Offsets::new(&text, Unit::Utf16));
            for (at, _) in text.char_indices() {
                prop_assert_eq!(chars.of(at), text[..at].chars().count());
                prop_assert_eq!(utf16.of(at), text[..at].encode_utf16().count());
            }
        }
    }
}
