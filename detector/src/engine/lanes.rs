//! Lanes: patterns of like requirements, which the filter tells apart at each byte, and families of them, which share an
//! automaton.

use super::{
    opening::Opening,
    requirement::{DIGIT, NEEDED, Near, Requirement},
};
use crate::boundary::{Boundary, ByteSet};
use std::collections::{BTreeMap, BTreeSet};

/// A set of lanes.
pub(super) type Lanes = u16;

/// Lanes that there can be.
pub(super) const MOST_LANES: usize = Lanes::BITS as usize;

/// Patterns of like requirements.
pub(super) struct Lane {
    pub(super) members: Vec<usize>,
    /// Bytes that its matches start with; a pattern may be of two lanes.
    pub(super) starts: ByteSet,
    pub(super) is_literal: bool,
    pub(super) near: Option<Near>,
    /// Bytes from the start on that are no white space.
    pub(super) solid: usize,
    /// Digits before anything that does not stand in numbers.
    pub(super) digits: usize,
    /// Whether it shares its automaton with the other lanes of tokens.
    is_token: bool,
    /// Whether its expressions are read coarsely.
    pub(super) is_coarse: bool,
}

/// What patterns have in common that share a lane. `inner` is whether they may start within a word, `words` whether they may
/// hold small letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// They start with a digit, and need no rarer byte. Whether they have [`MANY`] digits.
    Digit { many: bool },
    /// They need a digit, which may be far.
    NearDigit { far: bool, words: bool, inner: bool },
    /// They need nothing, and are short.
    Solid { words: bool },
    /// They begin with literals.
    Literal,
    /// They need nothing, and are longer than most words.
    Long,
    /// They need a byte of another class.
    Near { class: usize },
    /// They are of several of the last of these, where there are too many.
    Any,
}

/// Digits that most numbers of people have, and most others in a text have not.
const MANY: usize = 6;

/// Bytes before a digit that is near.
const SHORT: usize = 4;

/// Bytes of most words.
const WORD: usize = 12;

impl Key {
    fn of(requirement: &Requirement, opening: &Opening, boundary: &Boundary) -> Self {
        let has_words = |bytes: &ByteSet| bytes.iter().any(|byte| byte.is_ascii_lowercase());
        match (&requirement.prefixes, requirement.near) {
            (Some(_), _) => Self::Literal,
            (None, Some(Near { class: DIGIT, reach, through })) => {
                let inner = !boundary.before.is_superset(&ByteSet::of(b'a'..=b'z'));
                Self::NearDigit { far: reach > SHORT, words: has_words(&through), inner }
            }
            (None, Some(Near { class, reach: 1.., .. })) => Self::Near { class },
            (None, _) if requirement.solid > WORD => Self::Long,
            (None, _) => Self::Solid { words: has_words(&opening.first) },
        }
    }
}

impl Lane {
    /// The lanes of these patterns, which are indexes of the others.
    pub(super) fn of(
        patterns: impl Iterator<Item = usize>,
        requirements: &[Requirement],
        openings: &[Opening],
        boundaries: &[Boundary],
    ) -> Vec<Self> {
        let digits = ByteSet::of(NEEDED[DIGIT].iter().copied());
        let others = ByteSet::of((0..=u8::MAX).filter(|byte| !digits.contains(*byte)));
        let mut members: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for i in patterns {
            let key = Key::of(&requirements[i], &openings[i], &boundaries[i]);
            let is_token = matches!(key, Key::NearDigit { .. } | Key::Solid { .. });
            let may_start = |with: &ByteSet| openings[i].first.intersection(with) != ByteSet::EMPTY;
            if is_token && may_start(&digits) {
                let many = openings[i].digits() >= MANY;
                members.entry(Key::Digit { many }).or_default().push(i);
            }
            if !is_token || may_start(&others) {
                members.entry(key).or_default().push(i);
            }
        }
        let mut members: Vec<(Key, Vec<usize>)> = members.into_iter().collect();
        if members.len() > MOST_LANES {
            let rest = members.split_off(MOST_LANES - 1);
            let all: BTreeSet<usize> = rest.into_iter().flat_map(|(_, members)| members).collect();
            members.push((Key::Any, all.into_iter().collect()));
        }
        let lane = |(key, members)| {
            let starts = match key {
                Key::Digit { .. } => digits,
                Key::NearDigit { .. } | Key::Solid { .. } => others,
                _ => ByteSet::ALL,
            };
            Self::new(key, starts, members, requirements, openings)
        };
        members.into_iter().map(lane).collect()
    }

    fn new(key: Key, starts: ByteSet, members: Vec<usize>, requirements: &[Requirement], openings: &[Opening]) -> Self {
        let own = || members.iter().map(|i| &requirements[*i]);
        let near = |requirement: &Requirement| {
            requirement.near.filter(|_| matches!(key, Key::NearDigit { .. } | Key::Near { .. }))
        };
        let wider = |a: Near, b: Near| Near {
            reach: a.reach.max(b.reach),
            through: a.through.union(&b.through),
            class: a.class,
        };
        Self {
            starts,
            is_literal: key == Key::Literal,
            near: own().filter_map(near).reduce(wider),
            digits: match key {
                Key::Digit { .. } => members.iter().map(|i| openings[*i].digits()).min().unwrap_or(0),
                _ => 0,
            },
            solid: own().map(|requirement| requirement.solid).min().unwrap_or(0),
            is_token: matches!(key, Key::NearDigit { .. } | Key::Solid { .. }),
            is_coarse: matches!(key, Key::Digit { .. } | Key::NearDigit { .. } | Key::Solid { .. }),
            members,
        }
    }

    /// Lanes by family: those of tokens together, each other by itself.
    pub(super) fn families(lanes: &[Self]) -> Vec<Lanes> {
        let mut families: Vec<Lanes> = Vec::new();
        let mut tokens = 0;
        for (bit, lane) in lanes.iter().enumerate() {
            match lane.is_token {
                true => tokens |= 1 << bit,
                false => families.push(1 << bit),
            }
        }
        families.push(tokens);
        families
    }
}
