//! Where a match may start: asked of each byte for all lanes at once, as bits.
//!
//! The view is read backwards. Of each lane it is known which two bytes may stand in a row at each place of a beginning:
//! the byte before a match and its first, the first and the second, and so on. One look-up by two bytes answers for all
//! places and lanes, and the answers for the places are put together as they are in Shift-Or (Baeza-Yates and Gonnet, A
//! New Approach to Text Searching, 1992). Beside that it is known whether a byte that a lane needs stands ahead. Of a start
//! that is left it is asked how far the next digit is, how far the next white space, and how many digits its number has.

use super::{
    lanes::{Lane, Lanes, MOST_LANES},
    opening::{CLASSES, MOST_DIGITS, NUMBER, Opening, PAIRS, SHARED, class},
    requirement::{DIGIT, NEEDED, is_space},
};
use crate::{
    bits::{BLOCK, bits, first_block, gathered},
    boundary::Boundary,
    view::BREAK,
};

/// Distances that are told apart; what is farther is as far as the last.
const DISTANCES: usize = 64;

/// Entries of a row of the table of pairs: one for each byte before, and so many more that rows do not contend for the same
/// sets of a cache.
const ROW: usize = 256 + 8;

/// The tables of some lanes: 514 KiB, of which a text of words touches a few.
pub(super) struct Filter {
    /// By two bytes in a row, for each place of the pair the lanes that it forbids: the byte before a match with its
    /// first in the highest bits, then the first with the second, and so on. Rows are by the class of the second.
    forbidden: Box<[u64; 1 << 16]>,
    by_byte: Box<[OfByte; 256]>,
    /// By bytes up to the next digit: the lanes that it is near enough for, or that need none.
    digit_within: [Lanes; DISTANCES],
    /// By bytes up to the next white space: the lanes that need no more.
    solid_for: [Lanes; DISTANCES],
    /// Lanes that need digits.
    counted: Lanes,
    /// By digits ahead that stand in one number: the lanes that need no more.
    digits_for: [Lanes; MOST_DIGITS + 1],
}

/// What a byte is to the lanes, in one word: from the lowest bits on, the lanes that it may stand before the needed byte
/// of, those that it is a needed byte of or that need none, and where its row begins.
type OfByte = u64;

const NEEDED_AT: u32 = Lanes::BITS;
const ROW_AT: u32 = 2 * Lanes::BITS;

impl Filter {
    /// The filter of these lanes, whose members are indexes of the other two.
    pub(super) fn new(lanes: &[Lane], openings: &[Opening], boundaries: &[Boundary]) -> Self {
        let mut of_classes = vec![u64::MAX; CLASSES * CLASSES];
        for (bit, lane) in lanes.iter().enumerate() {
            let mut allow = |place: usize, first: u8, second: u128| {
                let own = 1u64 << ((PAIRS - place) * MOST_LANES + bit);
                (0..CLASSES).filter(|class| second >> class & 1 == 1).for_each(|class| {
                    of_classes[usize::from(first) * CLASSES + class] &= !own;
                });
            };
            for member in &lane.members {
                let opening = &openings[*member];
                let first = opening.first.intersection(&lane.starts);
                let firsts = first.iter().fold(0u128, |all, byte| all | 1 << class(byte));
                let before = &boundaries[*member].before;
                let may_precede = |before_class: &u8| *before_class < SHARED || !before.contains(*before_class);
                (0..CLASSES as u8).filter(may_precede).for_each(|class| allow(0, class, firsts));
                opening.pairs(&lane.starts, |place, class, follow| allow(place + 1, class, follow));
            }
        }
        let those = |holds: &dyn Fn(&Lane) -> bool| -> Lanes {
            lanes.iter().enumerate().filter(|(_, lane)| holds(lane)).map(|(bit, _)| 1 << bit).sum()
        };
        let mut forbidden: Box<[u64; 1 << 16]> = vec![u64::MAX; 1 << 16].try_into().unwrap_or_else(|_| unreachable!());
        for second in 0..CLASSES {
            for first in 0..=u8::MAX {
                forbidden[second * ROW + usize::from(first)] = of_classes[usize::from(class(first)) * CLASSES + second];
            }
        }
        let of_byte = |byte: u8| -> OfByte {
            let through = those(&|lane| lane.near.is_some_and(|near| near.through.contains(byte)));
            let needed = those(&|lane| lane.near.is_none_or(|near| NEEDED[near.class].contains(&byte)));
            u64::from(through) | u64::from(needed) << NEEDED_AT | ((usize::from(class(byte)) * ROW) as u64) << ROW_AT
        };
        Self {
            forbidden,
            by_byte: Box::new(std::array::from_fn(|byte| of_byte(byte as u8))),
            digit_within: std::array::from_fn(|distance| {
                those(&|lane| lane.near.is_none_or(|near| near.class != DIGIT || near.reach >= distance))
            }),
            solid_for: std::array::from_fn(|distance| {
                those(&|lane| lane.solid <= distance || distance == DISTANCES - 1)
            }),
            counted: those(&|lane| lane.digits > 0),
            digits_for: std::array::from_fn(|digits| those(&|lane| lane.digits <= digits)),
        }
    }

    /// The starts that are left, from the last to the first, with their lanes.
    pub(super) fn starts<'b>(&'b self, bytes: &'b [u8]) -> Starts<'b> {
        // Breaks follow the last.
        let mut ahead = Ahead { own: self.of(BREAK), forbidden: u64::MAX, lanes: 0, digits: 0, spaces: u128::MAX };
        for before in [Some(&BREAK), Some(&BREAK), bytes.last()].into_iter().flatten() {
            self.step(&mut ahead, *before);
        }
        let at = bytes.len().next_multiple_of(BLOCK);
        Starts { filter: self, bytes, at, left: 0, lanes: [0; BLOCK], ahead }
    }

    #[inline(always)]
    fn of(&self, byte: u8) -> OfByte {
        self.by_byte[usize::from(byte)]
    }

    /// The lanes of a start, by the byte before it and what stands ahead; then that byte is the next.
    #[inline(always)]
    fn step(&self, ahead: &mut Ahead, before: u8) -> Lanes {
        let own = std::mem::replace(&mut ahead.own, self.of(before));
        let pair = ((own >> ROW_AT) as u16).wrapping_add(before.into());
        ahead.forbidden = ahead.forbidden << MOST_LANES | self.forbidden[usize::from(pair)];
        ahead.lanes = ahead.lanes & own | own >> NEEDED_AT;
        !(ahead.forbidden >> (PAIRS * MOST_LANES)) as Lanes & ahead.lanes as Lanes
    }

    /// Of these lanes those that need no more digits than the number has that begins a text.
    #[inline]
    fn counted(&self, left: Lanes, text: &[u8]) -> Lanes {
        if left & self.counted == 0 {
            return left;
        }
        let mut digits = 0;
        for byte in text.iter().take(DISTANCES) {
            digits += usize::from(byte.is_ascii_digit());
            if digits == MOST_DIGITS || !(byte.is_ascii_digit() || NUMBER.contains(byte)) {
                return left & self.digits_for[digits];
            }
        }
        // A long number may have any.
        if text.len() < DISTANCES { left & self.digits_for[digits] } else { left }
    }
}

/// What stands ahead of a byte.
#[derive(Clone, Copy)]
struct Ahead {
    /// The byte that is looked at next.
    own: OfByte,
    /// By place, the lanes that the pairs after it forbid.
    forbidden: u64,
    /// Lanes whose needed byte stands ahead, with only bytes before it that may stand there, or that need none.
    lanes: u64,
    /// Which bytes of the block are digits, and of the next.
    digits: u128,
    /// Which are white space.
    spaces: u128,
}

/// Where a match may start.
pub(super) struct Starts<'b> {
    filter: &'b Filter,
    bytes: &'b [u8],
    /// Where the block begins that is looked at.
    at: usize,
    /// Its starts that are left, as bits.
    left: u64,
    /// Their lanes.
    lanes: [Lanes; BLOCK],
    ahead: Ahead,
}

impl Starts<'_> {
    /// Reads the block before. Without a branch for what it finds, which nothing predicts.
    #[inline(never)]
    fn read_block(&mut self) {
        let Self { filter, bytes, mut ahead, .. } = *self;
        self.at -= BLOCK;
        let rest = &bytes[self.at..];
        let block = first_block(rest);
        ahead.digits = ahead.digits << BLOCK | u128::from(bits(&block, |byte| byte.is_ascii_digit()));
        ahead.spaces = ahead.spaces << BLOCK | u128::from(bits(&block, is_space));
        let (first, others) = self.lanes.split_first_mut().unwrap_or_else(|| unreachable!());
        for (lanes, before) in others.iter_mut().zip(&rest[..rest.len() - 1]).rev() {
            *lanes = filter.step(&mut ahead, *before);
        }
        // The first byte of all follows a break.
        *first = filter.step(&mut ahead, self.at.checked_sub(1).map_or(BREAK, |before| bytes[before]));
        self.left = gathered(&self.lanes.map(|lanes| if lanes == 0 { 0 } else { u8::MAX }));
        self.ahead = ahead;
    }
}

impl Iterator for Starts<'_> {
    type Item = (usize, Lanes);

    fn next(&mut self) -> Option<(usize, Lanes)> {
        loop {
            while let Some(bit) = self.left.checked_ilog2() {
                self.left ^= 1 << bit;
                let bit = bit as usize;
                let distance = |marked: u128| ((marked >> bit).trailing_zeros() as usize).min(DISTANCES - 1);
                let lanes = self.lanes[bit]
                    & self.filter.digit_within[distance(self.ahead.digits)]
                    & self.filter.solid_for[distance(self.ahead.spaces)];
                if lanes != 0 {
                    let lanes = self.filter.counted(lanes, &self.bytes[self.at + bit..]);
                    if lanes != 0 {
                        return Some((self.at + bit, lanes));
                    }
                }
            }
            if self.at == 0 {
                return None;
            }
            self.read_block();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::Requirement;
    use regex_syntax::{ParserBuilder, hir::Hir};

    fn starts(regexes: &[&str], text: &str) -> Vec<usize> {
        let parse = |regex: &&str| ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap();
        let hirs: Vec<Hir> = regexes.iter().map(parse).collect();
        let requirements: Vec<Requirement> = hirs.iter().map(Requirement::of).collect();
        let openings: Vec<Opening> = hirs.iter().map(|hir| Opening::of(hir).unwrap()).collect();
        let boundaries = vec![Boundary::named("token").unwrap(); hirs.len()];
        let lanes = Lane::of(0..hirs.len(), &requirements, &openings, &boundaries);
        let filter = Filter::new(&lanes, &openings, &boundaries);
        filter.starts(text.as_bytes()).map(|(start, _)| start).collect()
    }

    #[test]
    fn starts_are_those_after_which_a_match_may_follow() {
        let regexes = ["[0-9]{4}", "[A-Z]{2}[0-9]{2}", "sk_live", "[a-z]+@[a-z]+", "[A-Z]{20}"];
        assert_eq!(starts(&regexes, "in 2024 AB12, sk_live"), [14, 8, 3]);
        assert_eq!(starts(&regexes, "12 x2024 ABCD12 sk_test"), [0; 0], "too short, in a word, too long, another word");
        assert_eq!(starts(&regexes, "an anna@example"), [3], "nothing but letters before the sign");
        assert_eq!(starts(&regexes, "2024"), [0]);
        assert_eq!(starts(&regexes, ""), [0; 0]);
        assert_eq!(starts(&["[0-9]{1,4}"], "in 7"), [3], "the last byte");
    }

    #[test]
    fn what_ends_in_the_next_block_or_with_the_text_is_known_to_be_too_short() {
        for (before, text) in
            [(0, "ABCDEFGHIJ ABCDEFGHIJ"), (BLOCK - 4, "ABCDEFGHIJ ABCDEFGHIJ"), (BLOCK - 10, "ABCDEFGHIJ")]
        {
            assert_eq!(starts(&["[A-Z]{20}"], &format!("{:before$}{text}", "")), [0; 0], "{text} after {before}");
        }
    }
}
