//! Coarse expressions: what an expression matches if any digit, capital or small letter stands for all of its kind.
//!
//! Patterns tell digits and letters apart, each in its own way, and an automaton of hundreds of them has a state for each
//! mixture: thousands, more than a cache holds. The automaton of their coarse expressions has a state for each length and
//! grouping, and says which patterns need to be asked at all.

use crate::boundary::ByteSet;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::ops::RangeInclusive;

/// The kinds whose members are not told apart.
const KINDS: [RangeInclusive<u8>; 3] = [b'0'..=b'9', b'A'..=b'Z', b'a'..=b'z'];

/// The coarse expression: it matches whatever this one does.
pub(super) fn coarse(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => hir.clone(),
        HirKind::Literal(literal) => Hir::concat(literal.0.iter().map(|byte| of_byte(*byte)).collect()),
        HirKind::Class(Class::Bytes(class)) => {
            let own = ByteSet::of(class.iter().flat_map(|range| range.start()..=range.end()));
            let kinds = kinds(|byte| own.contains(byte)).map(|kind| ClassBytesRange::new(*kind.start(), *kind.end()));
            Hir::class(Class::Bytes(ClassBytes::new(class.iter().copied().chain(kinds))))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let has = |byte| class.iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)));
            let kinds = kinds(has).map(|kind| ClassUnicodeRange::new((*kind.start()).into(), (*kind.end()).into()));
            Hir::class(Class::Unicode(ClassUnicode::new(class.iter().copied().chain(kinds))))
        }
        HirKind::Repetition(repetition) => Hir::repetition(repetition.with(coarse(&repetition.sub))),
        HirKind::Capture(capture) => coarse(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(coarse).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(coarse).collect()),
    }
}

/// The kinds of which a class has a member.
fn kinds(has: impl Fn(u8) -> bool) -> impl Iterator<Item = RangeInclusive<u8>> {
    KINDS.into_iter().filter(move |kind| kind.clone().any(&has))
}

/// The bytes of a literal's byte.
fn of_byte(byte: u8) -> Hir {
    match kinds(|other| other == byte).next() {
        Some(kind) => Hir::class(Class::Bytes(ClassBytes::new([ClassBytesRange::new(*kind.start(), *kind.end())]))),
        None => Hir::literal([byte]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_syntax::ParserBuilder;

    #[test]
    fn digits_and_letters_of_a_kind_are_not_told_apart() {
        let parse =
            |regex: &str| ParserBuilder::new().unicode(!regex.is_ascii()).utf8(true).build().parse(regex).unwrap();
        for (regex, expected) in [
            ("[1-3][0-9]{2}", "[0-9][0-9]{2}"),
            ("NL[A-F]-x(?<value>[0;])", "[A-Z][A-Z][A-Z]-[a-z][0-9;]"),
            ("[a-cX.é]", "[a-zA-Z.é]"),
        ] {
            assert_eq!(coarse(&parse(regex)), parse(expected), "{regex}");
        }
    }
}
