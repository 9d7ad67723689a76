//! What the first bytes of a match may be, pair by pair: read from an expression's automaton.

use crate::{boundary::ByteSet, view::BREAK};
use regex_automata::{
    nfa::thompson::{self, NFA, State},
    util::primitives::StateID,
};
use regex_syntax::hir::Hir;
use std::collections::VecDeque;

/// What may stand between the digits of a number.
pub(super) const NUMBER: &[u8] = b" -./(),:";

/// Digits that are counted, at most.
pub(super) const MOST_DIGITS: usize = 15;

/// Pairs of bytes from the start of a match on that are looked at: the first byte with the second, and so on.
pub(super) const PAIRS: usize = 3;

/// Classes of bytes: each of ASCII is one of its own.
pub(super) const CLASSES: usize = 128;

/// A set of classes.
pub(super) type Classes = u128;

/// Classes below this are shared with bytes beyond ASCII.
pub(super) const SHARED: u8 = 3;

/// The class of a byte. Beyond ASCII those that begin a character, those that go on, and the break are three, which they
/// share with control characters: what is said of a class holds if it does of any byte in it.
pub(super) const fn class(byte: u8) -> u8 {
    match byte {
        0..0x80 => byte,
        0x80..0xC0 => 0,
        BREAK => 2,
        _ => 1,
    }
}

/// The first bytes of an expression's matches.
pub(super) struct Opening {
    nfa: NFA,
    /// Bytes that can start a match.
    pub(super) first: ByteSet,
}

/// What leaves a state, past all that takes no byte.
#[derive(Default)]
struct Leaving {
    ranges: Vec<(u8, u8, StateID)>,
    /// Whether a match ends there.
    ends: bool,
}

impl Leaving {
    /// The classes of the bytes; all, where a match ends, since anything may follow it.
    fn classes(&self) -> Classes {
        match self.ends {
            true => Classes::MAX,
            false => self.ranges.iter().fold(0, |all, (low, high, _)| all | classes(*low, *high)),
        }
    }
}

/// The classes of a range of bytes.
fn classes(low: u8, high: u8) -> Classes {
    (low..=high).fold(0, |all, byte| all | 1 << class(byte))
}

impl Opening {
    /// That of an expression. Fails if its automaton would be too large.
    pub(super) fn of(hir: &Hir) -> Result<Self, Box<thompson::BuildError>> {
        let config = thompson::Config::new().which_captures(thompson::WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir)?;
        let mut opening = Self { nfa, first: ByteSet::EMPTY };
        let leaving = opening.leaving(opening.nfa.start_anchored());
        opening.first = ByteSet::of(leaving.ranges.iter().flat_map(|(low, high, _)| *low..=*high));
        Ok(opening)
    }

    /// Calls back with each place of a pair, a class, and classes that may follow it there, of matches that start with
    /// one of these bytes.
    pub(super) fn pairs(&self, starts: &ByteSet, mut may: impl FnMut(usize, u8, Classes)) {
        let mut states = vec![self.nfa.start_anchored()];
        let mut may_have_ended = false;
        for place in 0..PAIRS {
            if may_have_ended {
                (0..CLASSES as u8).for_each(|class| may(place, class, Classes::MAX));
                continue;
            }
            let mut after = Vec::new();
            for (low, high, next) in states.iter().flat_map(|state| self.leaving(*state).ranges) {
                let bytes = (low..=high).filter(|byte| place > 0 || starts.contains(*byte));
                let own = bytes.fold(0 as Classes, |all, byte| all | 1 << class(byte));
                if own == 0 {
                    continue;
                }
                let leaving = self.leaving(next);
                may_have_ended |= leaving.ends;
                let follow = leaving.classes();
                (0..CLASSES as u8).filter(|class| own >> class & 1 == 1).for_each(|class| may(place, class, follow));
                after.push(next);
            }
            after.sort_unstable();
            after.dedup();
            states = after;
        }
    }

    /// Digits that each match which starts with one has, at least, before anything that does not stand in numbers; at most
    /// [`MOST_DIGITS`].
    pub(super) fn digits(&self) -> usize {
        let start = self.nfa.start_anchored();
        let mut fewest = vec![usize::MAX; self.nfa.states().len()];
        // States that are reached, from those with the fewest digits on.
        let mut reached: VecDeque<(usize, StateID)> = VecDeque::from([(0, start)]);
        while let Some((digits, state)) = reached.pop_front() {
            if digits >= fewest[state] || digits == MOST_DIGITS {
                continue;
            }
            fewest[state] = digits;
            let leaving = self.leaving(state);
            if leaving.ends {
                return digits;
            }
            for (low, high, next) in leaving.ranges {
                let has = |is: &dyn Fn(u8) -> bool| (low..=high).any(is);
                if state != start && has(&|byte| !byte.is_ascii_digit() && !NUMBER.contains(&byte)) {
                    return digits;
                }
                if has(&|byte| byte.is_ascii_digit()) {
                    reached.push_back((digits + 1, next));
                }
                if state != start && has(&|byte| NUMBER.contains(&byte)) {
                    reached.push_front((digits, next));
                }
            }
        }
        MOST_DIGITS
    }

    /// What leaves a state.
    fn leaving(&self, from: StateID) -> Leaving {
        let mut leaving = Leaving::default();
        let mut seen = Vec::new();
        let mut states = vec![from];
        while let Some(state) = states.pop() {
            if seen.contains(&state) {
                continue;
            }
            seen.push(state);
            match self.nfa.state(state) {
                State::ByteRange { trans } => leaving.ranges.push((trans.start, trans.end, trans.next)),
                State::Sparse(sparse) => {
                    leaving.ranges.extend(sparse.transitions.iter().map(|trans| (trans.start, trans.end, trans.next)));
                }
                State::Dense(dense) => leaving
                    .ranges
                    .extend((0..=u8::MAX).filter_map(|byte| Some((byte, byte, dense.matches_byte(byte)?)))),
                State::Look { next, .. } | State::Capture { next, .. } => states.push(*next),
                State::Union { alternates } => states.extend(alternates.iter().copied()),
                State::BinaryUnion { alt1, alt2 } => states.extend([*alt1, *alt2]),
                State::Match { .. } => leaving.ends = true,
                State::Fail => {}
            }
        }
        leaving
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_syntax::ParserBuilder;

    fn pairs(regex: &str, starts: &ByteSet) -> [Vec<String>; PAIRS] {
        let hir = ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap();
        let mut found: [Vec<String>; PAIRS] = Default::default();
        Opening::of(&hir).unwrap().pairs(starts, |place, first, follow| {
            let seconds = (0..CLASSES as u8).filter(|class| follow >> class & 1 == 1);
            found[place].extend(seconds.map(|second| String::from_utf8(vec![first, second]).unwrap()));
        });
        found.iter_mut().for_each(|pairs| pairs.sort());
        found
    }

    #[test]
    fn pairs_are_those_in_a_row_of_some_match() {
        assert_eq!(pairs("(?:ab|cd)xy", &ByteSet::ALL), [vec!["ab", "cd"], vec!["bx", "dx"], vec!["xy"]]);
        assert_eq!(pairs("(?:ab|cd)xy", &ByteSet::of(*b"c")), [vec!["cd"], vec!["dx"], vec!["xy"]]);
        let [first, second, _] = pairs("ab?cde", &ByteSet::ALL);
        assert_eq!([first, second], [vec!["ab", "ac"], vec!["bc", "cd"]]);
    }

    #[test]
    fn digits_are_those_of_the_shortest_number() {
        for (regex, digits) in [
            ("[0-9]{3}[ -]?[0-9]{3,5}", 6),
            ("[0-9]{2}[A-Z][0-9]{6}", 2),
            ("[0-9]{2}[A-Z ][0-9]{6}", 2),
            ("[0-9]{2}(?:[.][0-9]{2})?", 2),
            ("[A-Z0-9][0-9]{4}", 5),
            ("[0-9]{20}", MOST_DIGITS),
        ] {
            let hir = ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap();
            assert_eq!(Opening::of(&hir).unwrap().digits(), digits, "{regex}");
        }
    }

    #[test]
    fn anything_may_follow_what_has_ended() {
        let [first, second, third] = pairs("ab?", &ByteSet::ALL);
        assert_eq!(first.len(), CLASSES, "after a");
        assert_eq!([second.len(), third.len()], [CLASSES * CLASSES; 2]);
    }
}
