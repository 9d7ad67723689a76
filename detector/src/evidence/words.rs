//! Where words start, read in blocks of 64 bytes: what each byte is becomes a bit, and 64 are judged at once.
//!
//! A word is a run of ASCII letters and digits and of characters beyond ASCII. A number in groups is one word.

use crate::{
    bits::{BLOCK, bits, blocks, ones, ones_down},
    view::BREAK,
};

/// Where the words of a view start.
#[derive(Debug)]
pub(super) struct Words(Vec<WordsOfBlock>);

#[derive(Clone, Copy, Debug)]
struct WordsOfBlock {
    starts: u64,
    /// How many start before the block.
    before: usize,
}

impl Words {
    /// None yet, with room for those of so many bytes.
    pub(super) fn of(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes.div_ceil(BLOCK)))
    }

    /// Adds the block that follows.
    pub(super) fn push(&mut self, block: &Starts) {
        let before = self.0.last().map_or(0, |last| last.before + last.starts.count_ones() as usize);
        self.0.push(WordsOfBlock { starts: block.words, before });
    }

    /// How many words start in these bytes.
    pub(super) fn between(&self, from: usize, to: usize) -> usize {
        self.before(to).saturating_sub(self.before(from))
    }

    fn before(&self, position: usize) -> usize {
        match self.0.get(position / BLOCK) {
            Some(block) => block.before + (block.starts & !(u64::MAX << (position % BLOCK))).count_ones() as usize,
            None => self.0.last().map_or(0, |last| last.before + last.starts.count_ones() as usize),
        }
    }

    /// The words that start at `position` or after it, in order.
    pub(super) fn from(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        let first = position / BLOCK;
        let blocks = (first..).zip(self.0.get(first..).unwrap_or_default());
        blocks.flat_map(move |(index, block)| {
            let cut = if index == first { u64::MAX << (position % BLOCK) } else { u64::MAX };
            ones(block.starts & cut).map(move |at| index * BLOCK + at)
        })
    }

    /// The words that start before `position`, the last first.
    pub(super) fn back_from(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        let last = position / BLOCK;
        let blocks = self.0.get(..=last).unwrap_or(&self.0).iter().enumerate().rev();
        blocks.flat_map(move |(index, block)| {
            let cut = if index == last { !(u64::MAX << (position % BLOCK)) } else { u64::MAX };
            ones_down(block.starts & cut).map(move |at| index * BLOCK + at)
        })
    }
}

/// What starts in a block, as bits; the lowest is its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Starts {
    /// The block's first byte.
    pub(super) at: usize,
    /// Words.
    pub(super) words: u64,
    /// Runs of ASCII letters and digits.
    pub(super) plain: u64,
    /// All ASCII letters and digits.
    pub(super) letters: u64,
    /// Characters beyond ASCII with no ASCII letter or digit before them.
    pub(super) wide: u64,
    /// Other signs, but for spaces, with no ASCII letter or digit before them.
    pub(super) signs: u64,
}

/// What starts in each block of these bytes, in order; other signs only if asked. A few instructions a byte.
pub(super) fn starts(bytes: &[u8], signs: bool) -> impl Iterator<Item = Starts> + '_ {
    // What the bytes before the block are, from the highest bit down.
    let mut last = Kinds::default();
    blocks(bytes).map(move |(at, block)| {
        let kinds = Kinds::of(&block, signs);
        let previous = |own: u64, last: u64| own << 1 | last >> (BLOCK - 1);
        let goes_on = kinds.digits
            & previous(kinds.separators, last.separators)
            & (kinds.digits << 2 | last.digits >> (BLOCK - 2));
        let after_plain = previous(kinds.plain, last.plain);
        let starts = Starts {
            at,
            words: (kinds.plain | kinds.wide) & !previous(kinds.plain | kinds.wide, last.plain | last.wide) & !goes_on,
            plain: kinds.plain & !after_plain,
            letters: kinds.plain,
            wide: kinds.leads & !after_plain,
            signs: kinds.signs & !after_plain,
        };
        last = kinds;
        starts
    })
}

/// What the bytes of a block are, each kind as bits.
#[derive(Clone, Copy, Default)]
struct Kinds {
    /// ASCII letters and digits.
    plain: u64,
    digits: u64,
    /// What may stand between the groups of a number.
    separators: u64,
    /// Bytes of characters beyond ASCII.
    wide: u64,
    /// The first bytes of these.
    leads: u64,
    /// Other ASCII characters but for spaces and controls.
    signs: u64,
}

impl Kinds {
    fn of(block: &[u8; BLOCK], signs: bool) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_digit() | (byte | 0x20).is_ascii_lowercase();
        let is_wide = |byte: u8| (byte >= 0x80) & (byte != BREAK);
        let wide = bits(block, is_wide);
        Self {
            plain: bits(block, is_plain),
            digits: bits(block, |byte| byte.is_ascii_digit()),
            separators: bits(block, |byte| (byte == b' ') | (byte == b'-') | (byte == b'.')),
            wide,
            leads: if wide == 0 { 0 } else { bits(block, |byte| is_wide(byte) & (byte >= 0xC0)) },
            signs: if signs { bits(block, |byte| (byte > b' ') & (byte < 0x7F) & !is_plain(byte)) } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &[u8]) -> Words {
        let mut words = Words::of(text.len());
        starts(text, false).for_each(|block| words.push(&block));
        words
    }

    #[test]
    fn a_number_in_groups_is_one_word() {
        let text = "é-mail 06 12.34-56 78,9 a1 -z".as_bytes();
        let starts: Vec<usize> = words(text).from(0).collect();
        assert_eq!(
            starts,
            ["é", "mail", "06", "9", "a1", "z"].map(|word| { memchr::memmem::find(text, word.as_bytes()).unwrap() })
        );
    }

    #[test]
    fn a_number_in_groups_is_one_word_wherever_a_block_ends() {
        for before in 0..=BLOCK {
            let text = format!("{}12 34-5.6", " ".repeat(before));
            assert_eq!(words(text.as_bytes()).from(0).collect::<Vec<_>>(), [before], "{before}");
        }
    }

    /// What a block says is what each byte says by itself.
    fn expected(text: &[u8]) -> Vec<(usize, char)> {
        let byte = |at: Option<usize>| at.and_then(|at| text.get(at)).copied().unwrap_or(b' ');
        let is_wide = |byte: u8| byte >= 0x80 && byte != BREAK;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || is_wide(byte);
        (0..text.len())
            .flat_map(|at| {
                let [own, last, second] = [Some(at), at.checked_sub(1), at.checked_sub(2)].map(byte);
                let goes_on = own.is_ascii_digit() && b" -.".contains(&last) && second.is_ascii_digit() && at >= 2;
                let starts = !last.is_ascii_alphanumeric();
                [
                    (is_word(own) && !is_word(last) && !goes_on, 'w'),
                    (starts && own.is_ascii_alphanumeric(), 'p'),
                    (starts && own >= 0xC0 && own != BREAK, 'b'),
                    (starts && own.is_ascii_punctuation(), 's'),
                ]
                .map(move |(is, what)| is.then_some((at, what)))
            })
            .flatten()
            .collect()
    }

    proptest! {
        #[test]
        fn blocks_say_what_their_bytes_say(text in prop::collection::vec(
            prop::sample::select(b" -.aZ09_#\n\x7F\xC3\xA9\xE2\xFF".to_vec()), 0..200)
        ) {
            let found: Vec<(usize, char)> = starts(&text, true).flat_map(|block| {
                let mut found: Vec<(usize, char)> =
                    [(block.words, 'w'), (block.plain, 'p'), (block.wide, 'b'), (block.signs, 's')]
                        .into_iter()
                        .flat_map(|(bits, what)| ones(bits).map(move |at| (block.at + at, what)))
                        .collect();
                found.sort_by_key(|(at, _)| *at);
                found
            }).collect();
            prop_assert_eq!(found, expected(&text));
        }

        #[test]
        fn words_are_counted_and_listed(text in "[a 1.é]{0,200}", from in 0usize..300, to in 0usize..300) {
            let words = words(text.as_bytes());
            let all: Vec<usize> = words.from(0).collect();
            let inside = all.iter().filter(|at| (from..to).contains(*at)).count();
            prop_assert_eq!(words.between(from, to), inside);
            let after: Vec<usize> = all.iter().copied().filter(|at| *at >= from).collect();
            prop_assert_eq!(words.from(from).collect::<Vec<_>>(), after);
            let before: Vec<usize> = all.into_iter().rev().filter(|at| *at < from).collect();
            prop_assert_eq!(words.back_from(from).collect::<Vec<_>>(), before);
        }
    }
}
