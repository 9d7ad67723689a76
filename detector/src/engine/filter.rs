//! Where a match may start: asked of each byte for all lanes at once, as bits.
//!
//! The view is read backwards. Of each lane it is known which two bytes may stand in a row at each place of a beginning:
//! the byte before a match and its first, the first and the second, and so on. One look-up by two bytes answers for all
//! places and lanes, and the answers for the places are put together as they are in Shift-Or (Baeza-Yates and Gonnet, A
//! New Approach to Text Searching, 1992). Beside that it is known whether a byte that a lane needs stands ahead, how far
//! the next digit is, and how far the next white space. Of a start that is left the digits of its number are counted.

use super::{
    lanes::{Lane, Lanes, MOST_LANES},
    opening::{CLASSES, MOST_DIGITS, NUMBER, Opening, PAIRS, SHARED, class},
    requirement::{DIGIT, NEEDED, is_space},
};
use crate::{boundary::Boundary, view::BREAK};

/// Distances that are told apart; what is farther is as far as the last.
const DISTANCES: usize = 64;

/// The tables of some lanes: 128 KiB, of which a text of words touches a few.
pub(super) struct Filter {
    /// By two classes in a row, for each place of the pair the lanes that it forbids: the byte before a match with its
    /// first in the highest bits, then the first with the second, and so on.
    forbidden: Box<[u64; CLASSES * CLASSES]>,
    by_byte: Box<[OfByte; 256]>,
    /// By bytes up to the next digit: the lanes that it is near enough for, or that need none.
    digit_within: [Lanes; DISTANCES],
    /// By digits ahead that stand in one number: the lanes that need no more.
    digits_for: [Lanes; MOST_DIGITS + 1],
    /// By bytes up to the next white space: the lanes that need no more.
    solid_for: [Lanes; DISTANCES],
    /// Lanes that need digits.
    counted: Lanes,
}

/// What a byte is to the lanes, in one word: from the lowest bits on, the lanes that it may stand before the needed byte
/// of, those that it is a needed byte of or that need none, whether it is a digit, whether it is white space, whether it may
/// stand in a number, and in the highest bits its class.
type OfByte = u64;

const NEEDED_AT: u32 = Lanes::BITS;
const IS_DIGIT: OfByte = 1 << 32;
const IS_SPACE: OfByte = 1 << 33;
const IS_NUMBER: OfByte = 1 << 34;
const CLASS_AT: u32 = u64::BITS - CLASSES.ilog2();

impl Filter {
    /// The filter of these lanes, whose members are indexes of the other two.
    pub(super) fn new(lanes: &[Lane], openings: &[Opening], boundaries: &[Boundary]) -> Self {
        let mut forbidden: Box<[u64; CLASSES * CLASSES]> =
            vec![u64::MAX; CLASSES * CLASSES].try_into().unwrap_or_else(|_| unreachable!());
        for (bit, lane) in lanes.iter().enumerate() {
            let mut allow = |place: usize, first: u8, second: u128| {
                let own = 1u64 << ((PAIRS - place) * MOST_LANES + bit);
                (0..CLASSES).filter(|class| second >> class & 1 == 1).for_each(|class| {
                    forbidden[usize::from(first) * CLASSES + class] &= !own;
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
        let of_byte = |byte: u8| -> OfByte {
            let through = those(&|lane| lane.near.is_some_and(|near| near.through.contains(byte)));
            let needed = those(&|lane| lane.near.is_none_or(|near| NEEDED[near.class].contains(&byte)));
            u64::from(through)
                | u64::from(needed) << NEEDED_AT
                | u64::from(class(byte)) << CLASS_AT
                | if byte.is_ascii_digit() { IS_DIGIT } else { 0 }
                | if is_space(byte) { IS_SPACE } else { 0 }
                | if byte.is_ascii_digit() || NUMBER.contains(&byte) { IS_NUMBER } else { 0 }
        };
        Self {
            forbidden,
            by_byte: Box::new(std::array::from_fn(|byte| of_byte(byte as u8))),
            digit_within: std::array::from_fn(|distance| {
                those(&|lane| lane.near.is_none_or(|near| near.class != DIGIT || near.reach >= distance))
            }),
            counted: those(&|lane| lane.digits > 0),
            digits_for: std::array::from_fn(|digits| those(&|lane| lane.digits <= digits)),
            solid_for: std::array::from_fn(|distance| {
                those(&|lane| lane.solid <= distance || distance == DISTANCES - 1)
            }),
        }
    }

    /// The starts that are left, from the last to the first, with their lanes.
    pub(super) fn starts<'b>(&'b self, bytes: &'b [u8]) -> Starts<'b> {
        let broken = self.by_byte[usize::from(BREAK)];
        let end = bytes.len();
        let mut ahead = Ahead { own: broken, forbidden: u64::MAX, lanes: 0, digit: end, space: end };
        // Breaks follow the last.
        for _ in 1..PAIRS {
            ahead.forbidden = ahead.forbidden << MOST_LANES | self.of_pair(broken, broken);
        }
        let (mut before, mut is_done) = (bytes, true);
        if let Some((last, rest)) = bytes.split_last() {
            let own = self.by_byte[usize::from(*last)];
            ahead.forbidden = ahead.forbidden << MOST_LANES | self.of_pair(own, broken);
            ahead.own = own;
            (before, is_done) = (rest, false);
        }
        Starts { filter: self, before, is_done, ahead }
    }

    /// Of these lanes those that need no more digits than the number has that begins a text.
    #[inline]
    pub(super) fn counted(&self, left: Lanes, text: &[u8]) -> Lanes {
        if left & self.counted == 0 {
            return left;
        }
        let mut digits = 0;
        for byte in text.iter().take(DISTANCES).map(|byte| self.by_byte[usize::from(*byte)]) {
            digits += usize::from(byte & IS_DIGIT != 0);
            if byte & IS_NUMBER == 0 || digits == MOST_DIGITS {
                return left & self.digits_for[digits];
            }
        }
        // A long number may have any.
        if text.len() < DISTANCES { left & self.digits_for[digits] } else { left }
    }

    /// What two bytes in a row forbid.
    #[inline(always)]
    fn of_pair(&self, first: OfByte, second: OfByte) -> u64 {
        self.forbidden[((first >> CLASS_AT) as usize * CLASSES + (second >> CLASS_AT) as usize) % (CLASSES * CLASSES)]
    }

    /// The lanes of a start, by the byte before it and what stands ahead; then that byte is the next.
    #[inline(always)]
    fn step(&self, ahead: &mut Ahead, before: OfByte, start: usize) -> Lanes {
        let own = std::mem::replace(&mut ahead.own, before);
        ahead.forbidden = ahead.forbidden << MOST_LANES | self.of_pair(before, own);
        ahead.lanes = ahead.lanes & own | own >> NEEDED_AT;
        ahead.digit = if own & IS_DIGIT != 0 { start } else { ahead.digit };
        ahead.space = if own & IS_SPACE != 0 { start } else { ahead.space };
        let left = !(ahead.forbidden >> (PAIRS * MOST_LANES)) as Lanes & ahead.lanes as Lanes;
        if left == 0 {
            return 0;
        }
        left & self.digit_within[(ahead.digit - start).min(DISTANCES - 1)]
            & self.solid_for[(ahead.space - start).min(DISTANCES - 1)]
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
    /// Where the next digit is, and the next white space; the end, if there is none.
    digit: usize,
    space: usize,
}

/// Where a match may start.
pub(super) struct Starts<'b> {
    filter: &'b Filter,
    /// The bytes before the one that is looked at next.
    before: &'b [u8],
    is_done: bool,
    ahead: Ahead,
}

impl Iterator for Starts<'_> {
    type Item = (usize, Lanes);

    /// Kept apart from what is done at a start, so that all that the loop needs stays in registers.
    #[inline(never)]
    fn next(&mut self) -> Option<(usize, Lanes)> {
        let Self { filter, before: mut rest, mut ahead, .. } = *self;
        while let Some((before, others)) = rest.split_last() {
            let start = rest.len();
            rest = others;
            let left = filter.step(&mut ahead, filter.by_byte[usize::from(*before)], start);
            if left != 0 {
                (self.before, self.ahead) = (rest, ahead);
                return Some((start, left));
            }
        }
        (self.before, self.ahead) = (rest, ahead);
        if std::mem::replace(&mut self.is_done, true) {
            return None;
        }
        // The first byte follows a break.
        let left = filter.step(&mut self.ahead, filter.by_byte[usize::from(BREAK)], 0);
        (left != 0).then_some((0, left))
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
        assert_eq!(starts(&["[A-Z]{20}"], "ABCDEFGHIJ ABCDEFGHIJ"), [0; 0], "not so long without white space");
    }
}
