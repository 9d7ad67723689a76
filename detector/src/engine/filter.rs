//! Where a match may start: asked of each byte for all lanes at once.

use super::{
    lanes::{Lane, Lanes, MOST_LANES},
    opening::{CLASSES, Opening, PAIRS, class},
    requirement::{DIGIT, NEEDED, is_space},
};
use crate::{boundary::Boundary, view::BREAK};

/// Distances that are told apart; what is farther is as far as the last.
const DISTANCES: usize = 64;

/// Tables.
pub(super) struct Filter {
    /// By two classes in a row, for each place of the pair the lanes that it forbids: the byte before a match with its
    /// first in the highest bits, then the first with the second, and so on.
    forbidden: Box<[u64; CLASSES * CLASSES]>,
    by_byte: Box<[OfByte; 256]>,
    /// By bytes up to the next digit: the lanes that it is near enough for, or that need none.
    digit_within: [Lanes; DISTANCES],
    /// By bytes up to the next white space: the lanes that need no more.
    solid_for: [Lanes; DISTANCES],
}

/// What a byte is to the lanes, in one word: from the lowest bits on, the lanes that it may stand before the needed byte
/// of, those that it is a needed byte of or that need none, whether it is a digit, whether it is white space, and in the
/// highest bits its class.
type OfByte = u64;

const NEEDED_AT: u32 = Lanes::BITS;
const IS_DIGIT: OfByte = 1 << 32;
const IS_SPACE: OfByte = 1 << 33;
const CLASS_AT: u32 = u64::BITS - CLASSES.ilog2();

impl Filter {
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
                let may_precede = |before_class: &u8| *before_class < 3 || !before.contains(*before_class);
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
        }
    }

    /// The starts that are left, from the last to the first, with their lanes.
    pub(super) fn starts<'b>(&'b self, bytes: &'b [u8]) -> Starts<'b> {
        let broken = self.by_byte[usize::from(BREAK)];
        let mut starts = Starts {
            filter: self,
            before: bytes,
            own: broken,
            forbidden: self.of_pair(broken, broken) << MOST_LANES | self.of_pair(broken, broken),
            ahead: 0,
            digit: bytes.len(),
            space: bytes.len(),
        };
        // A break follows the last.
        if let Some((last, rest)) = bytes.split_last() {
            let own = self.by_byte[usize::from(*last)];
            starts.forbidden = starts.forbidden << MOST_LANES | self.of_pair(own, broken);
            (starts.own, starts.before) = (own, rest);
        }
        starts
    }

    #[inline]
    fn of_pair(&self, first: OfByte, second: OfByte) -> u64 {
        self.forbidden[((first >> CLASS_AT) as usize * CLASSES + (second >> CLASS_AT) as usize) % (CLASSES * CLASSES)]
    }
}

/// Where a match may start.
pub(super) struct Starts<'b> {
    filter: &'b Filter,
    /// The bytes before the one that is looked at next.
    before: &'b [u8],
    own: OfByte,
    /// By place, the lanes that the pairs from here on forbid.
    forbidden: u64,
    /// Lanes whose needed byte stands ahead, with only bytes before it that may stand there, or that need none.
    ahead: u64,
    /// Where the next digit is, and the next white space.
    digit: usize,
    space: usize,
}

impl Iterator for Starts<'_> {
    type Item = (usize, Lanes);

    /// Kept apart, so that what the loop needs stays in registers.
    #[inline(never)]
    fn next(&mut self) -> Option<(usize, Lanes)> {
        let Self { filter, before: mut rest, mut own, mut forbidden, mut ahead, mut digit, mut space } = *self;
        let mut found = None;
        while found.is_none() {
            let (before, start) = match rest.split_last() {
                Some((before, others)) => {
                    let start = rest.len();
                    rest = others;
                    (filter.by_byte[usize::from(*before)], start)
                }
                None if own == 0 => break,
                None => (0, 0),
            };
            forbidden = forbidden << MOST_LANES | filter.of_pair(before, own);
            ahead = ahead & own | own >> NEEDED_AT;
            digit = if own & IS_DIGIT != 0 { start } else { digit };
            space = if own & IS_SPACE != 0 { start } else { space };
            own = before;
            let left = !(forbidden >> (PAIRS * MOST_LANES)) as Lanes & ahead as Lanes;
            if left != 0 {
                let near = filter.digit_within[(digit - start).min(DISTANCES - 1)];
                let left = left & near & filter.solid_for[(space - start).min(DISTANCES - 1)];
                found = (left != 0).then_some((start, left));
            }
        }
        *self = Self { filter, before: rest, own, forbidden, ahead, digit, space };
        found
    }
}
