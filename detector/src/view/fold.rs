//! Folding: what a character beyond ASCII is written for.
//!
//! The sets are those of the Unicode Character Database as `regex-syntax` has them; compositions are those of
//! `icu_normalizer`. Only a few signs that Unicode does not call dashes or full stops are listed here.

use icu_normalizer::properties::CanonicalCompositionBorrowed;
use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use std::sync::LazyLock;

/// What a character stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// Itself.
    Same,
    /// This ASCII character: a digit of another script, a full-width form, a look-alike dash, dot or space.
    Ascii(u8),
    /// Nothing: it has no width (`Default_Ignorable_Code_Point`).
    Ignorable,
    /// A mark on the character before it (general category M).
    Mark,
}

/// Full-width forms of the characters from `!` to `~`.
const FULL_WIDTH: std::ops::RangeInclusive<char> = '\u{FF01}'..='\u{FF5E}';

/// Written for a full stop: middle dots, one-dot leader, ideographic and small full stops, dot operators.
const DOTS: [char; 7] = ['\u{B7}', '\u{2024}', '\u{2219}', '\u{22C5}', '\u{3002}', '\u{FE52}', '\u{FF61}'];

/// Ranges of characters that do not stand for themselves, in order, and apart.
static RANGES: LazyLock<Vec<(char, char, Kind)>> = LazyLock::new(ranges);

#[derive(Clone, Copy)]
enum Kind {
    /// Decimal digits. Unicode gives each script's ten in a row, from zero (stability policy of `Nd`).
    Digits,
    Space,
    Dash,
    Ignorable,
    Mark,
}

/// What a character stands for. ASCII stands for itself. Logarithmic in the number of ranges for what is rare.
pub fn fold(c: char) -> Folded {
    match c {
        ..'\u{A0}' => Folded::Same,
        // Letters of Latin, Greek, Cyrillic and the like, Han and Hangul: most of what is beyond ASCII.
        '\u{C0}'..'\u{300}' | '\u{370}'..'\u{483}' | '\u{4E00}'..'\u{A000}' | '\u{AC00}'..'\u{D7A4}' => Folded::Same,
        _ if FULL_WIDTH.contains(&c) => Folded::Ascii((c as u32 - 0xFEE0) as u8),
        _ if DOTS.contains(&c) => Folded::Ascii(b'.'),
        '\u{2212}' => Folded::Ascii(b'-'),
        _ => listed(c),
    }
}

fn listed(c: char) -> Folded {
    let at = RANGES.partition_point(|(_, last, _)| *last < c);
    match RANGES.get(at) {
        Some((first, _, kind)) if *first <= c => match kind {
            Kind::Digits => Folded::Ascii(b'0' + ((c as u32 - *first as u32) % 10) as u8),
            Kind::Space => Folded::Ascii(b' '),
            Kind::Dash => Folded::Ascii(b'-'),
            Kind::Ignorable => Folded::Ignorable,
            Kind::Mark => Folded::Mark,
        },
        _ => Folded::Same,
    }
}

/// The character that two compose to, canonically; a mark on an ASCII character that composes to nothing is left out.
pub(super) fn with_mark(base: char, mark: char) -> Option<char> {
    const COMPOSITION: CanonicalCompositionBorrowed<'static> = CanonicalCompositionBorrowed::new();
    COMPOSITION.compose(base, mark).or(base.is_ascii_graphic().then_some(base))
}

fn ranges() -> Vec<(char, char, Kind)> {
    let ignorable = class(r"\p{Default_Ignorable_Code_Point}");
    let sets = [
        (class(r"\p{Nd}"), Kind::Digits),
        (class(r"\p{Zs}"), Kind::Space),
        (class(r"\p{Pd}"), Kind::Dash),
        (class(r"[\p{M}--\p{Default_Ignorable_Code_Point}]"), Kind::Mark),
        (ignorable, Kind::Ignorable),
    ];
    let mut ranges: Vec<(char, char, Kind)> = sets
        .iter()
        .flat_map(|(set, kind)| set.iter().map(|range| (range.start(), range.end(), *kind)))
        .filter(|(first, _, _)| !first.is_ascii())
        .collect();
    ranges.sort_unstable_by_key(|(first, _, _)| *first);
    ranges
}

fn class(pattern: &str) -> ClassUnicode {
    match regex_syntax::parse(pattern).expect("a class of Unicode properties").into_kind() {
        HirKind::Class(Class::Unicode(class)) => class,
        _ => ClassUnicode::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_stand_for_what_they_are_written_for() {
        for (c, byte) in [
            ('４', b'4'),
            ('٧', b'7'),
            ('۰', b'0'),
            ('९', b'9'),
            ('𝟗', b'9'),
            ('＠', b'@'),
            ('Ａ', b'A'),
            ('．', b'.'),
            ('。', b'.'),
            ('·', b'.'),
            ('\u{2011}', b'-'),
            ('–', b'-'),
            ('−', b'-'),
            ('－', b'-'),
            ('\u{A0}', b' '),
            ('\u{202F}', b' '),
            ('\u{3000}', b' '),
        ] {
            assert_eq!(fold(c), Folded::Ascii(byte), "{c}");
        }
        for c in ['\u{AD}', '\u{200B}', '\u{200D}', '\u{2060}', '\u{FE0F}', '\u{FEFF}', '\u{202E}'] {
            assert_eq!(fold(c), Folded::Ignorable, "{:x}", c as u32);
        }
        for c in ['\u{301}', '\u{336}', '\u{20E3}'] {
            assert_eq!(fold(c), Folded::Mark, "{:x}", c as u32);
        }
        for c in ['4', 'a', '\n', 'é', 'ж', '号', '½', '①', '²', '👍', '•'] {
            assert_eq!(fold(c), Folded::Same, "{c}");
        }
    }

    /// The short ways past the tables say what the tables say, and every digit has its value.
    #[test]
    fn the_tables_hold_for_every_character() {
        for c in ('\u{80}'..=char::MAX).filter(|c| !FULL_WIDTH.contains(c) && !DOTS.contains(c) && *c != '\u{2212}') {
            assert_eq!(fold(c), listed(c), "{:x}", c as u32);
        }
        assert!(
            class(r"\p{Nd}").iter().all(|range| (range.end() as u32 - range.start() as u32 + 1).is_multiple_of(10))
        );
    }

    #[test]
    fn marks_compose_or_are_left_out() {
        assert_eq!(with_mark('u', '\u{308}'), Some('ü'));
        assert_eq!(with_mark('4', '\u{336}'), Some('4'));
        assert_eq!(with_mark('ก', '\u{e49}'), None);
    }
}
