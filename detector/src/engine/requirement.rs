//! What every match of an expression must have near its start: read from the expression, so that a start without it need
//! not be read at all.

use crate::{boundary::ByteSet, pattern::bytes_of, trigrams::Trigrams, view::BREAK};
use regex_syntax::hir::{
    Class, Hir, HirKind,
    literal::{ExtractKind, Extractor},
};

/// Bytes of a literal that is looked for, at least: shorter ones stand everywhere.
const SHORTEST: usize = 3;

/// Bytes of a literal that are looked at.
const LONGEST: usize = 4;

/// Bytes before a needed byte that is far.
const FAR: usize = 100;

/// Literals that an expression may begin with, at most. Case folds and alternatives multiply.
const MOST_PREFIXES: usize = 1 << 18;

/// Classes of bytes of which a pattern may need one, the rarest in text first. They have no byte in common.
pub(super) const NEEDED: [&[u8]; 8] = [b"@", b"_", b"=", b"/", b":", b"0123456789", b"-", b"."];

/// Digits, as an index of [`NEEDED`].
pub(super) const DIGIT: usize = 5;

/// What every match has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    /// The literals that it begins with, cut to [`LONGEST`] bytes, if there are few.
    pub(super) prefixes: Option<Vec<Vec<u8>>>,
    /// A byte of a class, and where.
    pub(super) near: Option<Near>,
    /// Bytes from its start on that are no white space.
    pub(super) solid: usize,
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
    /// What every match of this expression has. Linear in the expression, but for the literals.
    pub(super) fn of(hir: &Hir) -> Self {
        let classes = NEEDED.iter().enumerate();
        let near = classes.filter_map(|(class, bytes)| {
            let needed = Needed::of(hir, &ByteSet::of(bytes.iter().copied()));
            let (reach, through) = needed.first?;
            Some(Near { class, reach, through })
        });
        // A byte right at the start says most; else the rarest one that is not far.
        let near = near.min_by_key(|near| (near.reach > 0, near.reach > FAR, near.class));
        Self { prefixes: prefixes(hir), near, solid: Solid::of(hir).length }
    }
}

/// The literals that an expression begins with.
fn prefixes(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let mut extractor = Extractor::new();
    extractor
        .kind(ExtractKind::Prefix)
        .limit_class(8)
        .limit_repeat(LONGEST)
        .limit_literal_len(LONGEST)
        .limit_total(MOST_PREFIXES);
    let literals = extractor.extract(hir);
    let mut prefixes: Vec<Vec<u8>> = literals.literals()?.iter().map(|literal| literal.as_bytes().to_vec()).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    prefixes.iter().all(|prefix| prefix.len() >= SHORTEST).then_some(prefixes)
}

/// Literals, as the three bytes that they begin with and the three from the second on.
pub(super) struct Prefixes {
    first: Trigrams,
    second: Trigrams,
}

impl Prefixes {
    pub(super) fn of<'r>(prefixes: impl Iterator<Item = &'r Vec<Vec<u8>>> + Clone) -> Self {
        let all = prefixes.flatten();
        // Anything may follow a literal of three bytes.
        let second = |prefix: &Vec<u8>| -> Vec<[u8; 3]> {
            match prefix[..] {
                [_, b, c, d, ..] => vec![[b, c, d]],
                [_, b, c] => (0..=u8::MAX).map(|d| [b, c, d]).collect(),
                _ => Vec::new(),
            }
        };
        Self {
            first: Trigrams::of(all.clone().filter_map(|prefix| prefix.first_chunk().copied())),
            second: Trigrams::of(all.flat_map(second)),
        }
    }

    /// Whether these bytes may begin with one. It may say yes wrongly, and never no.
    #[inline]
    pub(super) fn may_begin(&self, bytes: &[u8]) -> bool {
        bytes.first_chunk().is_some_and(|first| self.first.may_hold(*first))
            && bytes
                .get(1..4)
                .is_none_or(|second| second.first_chunk().is_none_or(|second| self.second.may_hold(*second)))
    }
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
    (byte == b' ') | matches!(byte, b'\t'..=b'\r') | (byte == BREAK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_syntax::ParserBuilder;

    fn requirement(regex: &str) -> Requirement {
        Requirement::of(&ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap())
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
        assert_eq!(requirement("sk_(?:live|test)").prefixes, Some(vec![b"sk_l".to_vec(), b"sk_t".to_vec()]));
        assert_eq!(requirement("(?i)ab-").prefixes.map(|prefixes| prefixes.len()), Some(4));
        assert_eq!(requirement("abc|[a-z]{9}").prefixes, None);
        assert_eq!(requirement("ab|abc").prefixes, None, "too short to look for");
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
