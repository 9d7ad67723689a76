//! What every match of an expression must have near its start: read from the expression, so that a start without it need
//! not be read at all.

use crate::{boundary::ByteSet, pattern::bytes_of, view::BREAK};
use regex_automata::{
    nfa::thompson::{self, NFA, State},
    util::primitives::StateID,
};
use regex_syntax::hir::{
    Class, Hir, HirKind,
    literal::{ExtractKind, Extractor},
};

/// Bytes of a literal that is looked for: shorter ones stand everywhere.
const PREFIX: usize = 3;

/// Literals that an expression may begin with, at most. Case folds and alternatives multiply.
const MOST_PREFIXES: usize = 1 << 16;

/// Bytes from the start of a match on of which it is known what they may be.
pub(super) const BEGINNING: usize = 4;

/// Classes of bytes of which a pattern may need one, the rarest in text first. They have no byte in common.
pub(super) const NEEDED: [&[u8]; 8] = [b"@", b"_", b"=", b"/", b":", b"0123456789", b"-", b"."];

/// Digits, as an index of [`NEEDED`].
pub(super) const DIGIT: usize = 5;

/// What every match has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    /// The literals that it begins with, cut to [`PREFIX`] bytes, if there are few.
    pub(super) prefixes: Option<Vec<[u8; PREFIX]>>,
    /// A byte of a class, and where.
    pub(super) near: Option<Near>,
    /// Bytes from its start on that are no white space.
    pub(super) solid: usize,
    /// What its first bytes may be; any, where a match may have ended before.
    pub(super) beginning: [ByteSet; BEGINNING],
}

/// A byte of a class near the start of every match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Near {
    /// The class, as an index of [`NEEDED`].
    pub(super) class: usize,
    /// Bytes before it, at most.
    pub(super) reach: usize,
    /// Bytes that may stand before it.
    pub(super) through: ByteSet,
}

impl Requirement {
    /// What every match of this expression has. Linear in the expression, but for the literals. Fails if its automaton
    /// would be too large.
    pub(super) fn of(hir: &Hir) -> Result<Self, Box<thompson::BuildError>> {
        let classes = NEEDED.iter().enumerate();
        let near = classes.filter_map(|(class, bytes)| {
            let needed = Needed::of(hir, &ByteSet::of(bytes.iter().copied()));
            let (reach, through) = needed.first?;
            Some(Near { class, reach, through })
        });
        // A byte right at the start says most; else the rarest one.
        let near = near.min_by_key(|near| (near.reach > 0, near.class));
        Ok(Self { prefixes: prefixes(hir), near, solid: Solid::of(hir).length, beginning: beginning(hir)? })
    }
}

/// The literals that an expression begins with.
fn prefixes(hir: &Hir) -> Option<Vec<[u8; PREFIX]>> {
    let mut extractor = Extractor::new();
    extractor
        .kind(ExtractKind::Prefix)
        .limit_class(8)
        .limit_repeat(PREFIX)
        .limit_literal_len(PREFIX)
        .limit_total(MOST_PREFIXES);
    let literals = extractor.extract(hir);
    let cut = literals.literals()?.iter().map(|literal| literal.as_bytes().first_chunk().copied());
    let mut prefixes: Vec<[u8; PREFIX]> = cut.collect::<Option<_>>()?;
    prefixes.sort_unstable();
    prefixes.dedup();
    Some(prefixes)
}

/// What the first bytes of a match may be, each by itself.
fn beginning(hir: &Hir) -> Result<[ByteSet; BEGINNING], Box<thompson::BuildError>> {
    let config = thompson::Config::new().which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir)?;
    let mut sets = [ByteSet::EMPTY; BEGINNING];
    let mut states = vec![nfa.start_anchored()];
    let mut may_end = false;
    for set in &mut sets {
        let (bytes, after, ends) = step(&nfa, states);
        may_end |= ends;
        *set = if may_end { ByteSet::ALL } else { bytes };
        states = after;
    }
    Ok(sets)
}

/// The bytes on which these states can go on, the states after them, and whether one has matched.
fn step(nfa: &NFA, mut states: Vec<StateID>) -> (ByteSet, Vec<StateID>, bool) {
    let mut seen = vec![false; nfa.states().len()];
    let (mut bytes, mut after, mut ends) = (ByteSet::EMPTY, Vec::new(), false);
    while let Some(state) = states.pop() {
        if std::mem::replace(&mut seen[state.as_usize()], true) {
            continue;
        }
        let mut take = |byte: u8, next: StateID| {
            bytes.insert(byte);
            if after.last() != Some(&next) {
                after.push(next);
            }
        };
        match nfa.state(state) {
            State::ByteRange { trans } => (trans.start..=trans.end).for_each(|byte| take(byte, trans.next)),
            State::Sparse(sparse) => sparse
                .transitions
                .iter()
                .for_each(|trans| (trans.start..=trans.end).for_each(|byte| take(byte, trans.next))),
            State::Dense(dense) => {
                (0..=u8::MAX).for_each(|byte| dense.matches_byte(byte).into_iter().for_each(|next| take(byte, next)));
            }
            State::Look { next, .. } | State::Capture { next, .. } => states.push(*next),
            State::Union { alternates } => states.extend(alternates.iter().copied()),
            State::BinaryUnion { alt1, alt2 } => states.extend([*alt1, *alt2]),
            State::Match { .. } => ends = true,
            State::Fail => {}
        }
    }
    (bytes, after, ends)
}

/// Where the first byte of a class stands in a match.
struct Needed {
    /// If each match has one: bytes before it, at most, and which they may be.
    first: Option<(usize, ByteSet)>,
    /// Bytes of a match, at most.
    longest: Option<usize>,
}

impl Needed {
    fn of(hir: &Hir, class: &ByteSet) -> Self {
        let longest = hir.properties().maximum_len();
        let first = match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => None,
            HirKind::Literal(literal) => literal
                .0
                .iter()
                .position(|byte| class.contains(*byte))
                .map(|at| (at, ByteSet::of(literal.0[..at].iter().copied()))),
            HirKind::Class(own) => is_within(own, class).then_some((0, ByteSet::EMPTY)),
            HirKind::Repetition(repetition) => match repetition.min {
                0 => None,
                _ => Self::of(&repetition.sub, class).first,
            },
            HirKind::Capture(capture) => Self::of(&capture.sub, class).first,
            HirKind::Concat(parts) => {
                let (mut before, mut through) = (Some(0usize), ByteSet::EMPTY);
                let mut first: Option<(usize, ByteSet)> = None;
                for part in parts {
                    let own = Self::of(part, class);
                    if let Some((reach, own_through)) = own.first {
                        let reach = before.map_or(usize::MAX, |before| before.saturating_add(reach));
                        first = Some((reach, through.union(&own_through)));
                        break;
                    }
                    before = before.zip(own.longest).map(|(before, own)| before.saturating_add(own));
                    through = through.union(&bytes_of(part));
                }
                first
            }
            HirKind::Alternation(parts) => parts
                .iter()
                .map(|part| Self::of(part, class).first)
                .reduce(|a, b| a.zip(b).map(|((a, x), (b, y))| (a.max(b), x.union(&y))))
                .flatten(),
        };
        Self { first, longest }
    }
}

/// Whether a class of characters is one of these bytes only.
fn is_within(own: &Class, bytes: &ByteSet) -> bool {
    match own {
        Class::Bytes(own) => own.iter().all(|range| (range.start()..=range.end()).all(|byte| bytes.contains(byte))),
        Class::Unicode(own) => own.iter().all(|range| {
            range.end().is_ascii() && (range.start() as u8..=range.end() as u8).all(|byte| bytes.contains(byte))
        }),
    }
}

/// How many bytes from the start of a match on are no white space.
struct Solid {
    length: usize,
    /// Whether no match has any: then what follows goes on.
    is_whole: bool,
}

impl Solid {
    fn of(hir: &Hir) -> Self {
        let none = Self { length: 0, is_whole: false };
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self { length: 0, is_whole: true },
            HirKind::Literal(literal) => {
                let length = literal.0.iter().position(|byte| is_space(*byte)).unwrap_or(literal.0.len());
                Self { length, is_whole: length == literal.0.len() }
            }
            HirKind::Class(_) => match bytes_of(hir).iter().any(is_space) {
                true => none,
                false => Self { length: hir.properties().minimum_len().unwrap_or(0), is_whole: true },
            },
            HirKind::Repetition(repetition) => {
                let sub = Self::of(&repetition.sub);
                match (sub.is_whole, repetition.min) {
                    (true, min) => Self { length: sub.length.saturating_mul(min as usize), is_whole: true },
                    (false, 0) => none,
                    (false, _) => sub,
                }
            }
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => {
                let mut own = Self { length: 0, is_whole: true };
                for part in parts {
                    let part = Self::of(part);
                    own = Self { length: own.length.saturating_add(part.length), is_whole: part.is_whole };
                    if !own.is_whole {
                        break;
                    }
                }
                own
            }
            HirKind::Alternation(parts) => parts
                .iter()
                .map(Self::of)
                .reduce(|a, b| Self { length: a.length.min(b.length), is_whole: a.is_whole && b.is_whole })
                .unwrap_or(none),
        }
    }
}

/// Whether a byte ends what is solid: ASCII white space, or the break between turns.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == BREAK || byte == b'\x0B'
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_syntax::ParserBuilder;

    fn requirement(regex: &str) -> Requirement {
        Requirement::of(&ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap()).unwrap()
    }

    fn near(regex: &str) -> Option<(&'static [u8], usize, Vec<u8>)> {
        requirement(regex).near.map(|near| (NEEDED[near.class], near.reach, near.through.iter().collect()))
    }

    #[test]
    fn the_nearest_needed_byte_is_found_through_every_part() {
        let digits: &[u8] = b"0123456789";
        assert_eq!(near("[0-9]{9}"), Some((digits, 0, vec![])));
        assert_eq!(near("[A-C]{2}[ -]?[0-9]{6}"), Some((digits, 3, b" -ABC".to_vec())));
        assert_eq!(near("(?:ab|c)(?<value>[0-9])"), Some((digits, 2, b"abc".to_vec())));
        assert_eq!(near("[a-c]{1,3}@[0-9]"), Some((b"@".as_slice(), 3, b"abc".to_vec())));
        assert_eq!(near("[a-c]+@"), Some((b"@".as_slice(), usize::MAX, b"abc".to_vec())));
        assert_eq!(near("[a-z0-9]{4}"), None, "a letter is no digit");
        assert_eq!(near("a(?:1|b)"), None, "not in each alternative");
        assert_eq!(near("a1?"), None, "not in each repetition");
    }

    #[test]
    fn literals_are_those_of_every_alternative() {
        assert_eq!(requirement("sk_(?:live|test)").prefixes, Some(vec![*b"sk_"]));
        assert_eq!(requirement("(?i)ab-").prefixes.map(|prefixes| prefixes.len()), Some(4));
        assert_eq!(requirement("abc|[a-z]{9}").prefixes, None);
        assert_eq!(requirement("ab|abc").prefixes, None, "too short to look for");
    }

    #[test]
    fn a_beginning_is_known_byte_by_byte_until_a_match_may_end() {
        let beginning = |regex: &str| requirement(regex).beginning.map(|set| set.iter().collect::<Vec<u8>>());
        assert_eq!(beginning("[ab]c?d[0-1]x"), [b"ab".to_vec(), b"cd".to_vec(), b"01d".to_vec(), b"01x".to_vec()]);
        let all: Vec<u8> = (0..=u8::MAX).collect();
        assert_eq!(beginning("ab?"), [b"a".to_vec(), all.clone(), all.clone(), all]);
    }

    #[test]
    fn what_is_solid_ends_at_the_first_white_space_that_may_be() {
        assert_eq!(requirement("[A-Z]{4}[0-9]{2,9}x").solid, 7);
        assert_eq!(requirement("[A-Z]{4}[ ]?[0-9]{2}").solid, 4);
        assert_eq!(requirement("[A-Z]{4}(?: [0-9]{2})?").solid, 4);
        assert_eq!(requirement("abc|de f").solid, 2);
        assert_eq!(requirement("a b").solid, 1);
        assert_eq!(requirement(r"(?:ab\n){2}").solid, 2);
    }
}
