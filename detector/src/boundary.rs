//! Boundary rules: what may not adjoin a match.
//!
//! A rule looks at one character before and one after a match. It is the engine's own code, not a look-around in the
//! regular expression, for two reasons: an automaton with Unicode word boundaries must give up on text that is not
//! ASCII, and a rule outside the automaton can be decided once for each start, for all patterns.

use regex_syntax::{
    ParserBuilder,
    hir::{Class, HirKind},
};
use std::fmt;

/// A set of byte values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);

    /// The set of all bytes.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// The set of these bytes.
    pub fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut set = Self::EMPTY;
        for byte in bytes {
            set.insert(byte);
        }
        set
    }

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Whether the byte is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }

    /// Whether every byte of `other` is in this set.
    pub fn is_superset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, others)| others & !own == 0)
    }

    /// The bytes of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The bytes of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|byte| self.contains(*byte))
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped: String = self.iter().map(|byte| std::ascii::escape_default(byte).to_string()).collect();
        write!(f, "[{escaped}]")
    }
}

/// What may not adjoin a match, on either side. The ends of a turn adjoin nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Boundary {
    /// Bytes that may not stand before a match.
    pub before: ByteSet,
    /// Bytes that may not stand after a match.
    pub after: ByteSet,
    /// Whether no Unicode letter or digit may adjoin either.
    pub unicode: bool,
}

impl Boundary {
    /// The names of the ready-made rules.
    pub const NAMES: [&'static str; 5] = ["token", "digits", "email", "unicode", "none"];

    /// A ready-made rule.
    ///
    /// `token` (the default): no ASCII letter, digit or underscore adjoins. ASCII on purpose: in Chinese or Thai a
    /// number stands between letters without a space. `digits`: no ASCII digit adjoins. `email`: no character of an
    /// unquoted local part stands before and none of a host label after. `unicode`: no letter or digit of any script
    /// adjoins. `none`: anything may.
    pub fn named(name: &str) -> Option<Self> {
        let digits = ByteSet::of(b'0'..=b'9');
        let word = ByteSet::of((0..128u8).filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'));
        let with = |more: &[u8]| ByteSet::of(word.iter().chain(more.iter().copied()));
        Some(match name {
            "token" => Self { before: word, after: word, unicode: false },
            "digits" => Self { before: digits, after: digits, unicode: false },
            "email" => Self { before: with(b".%+-"), after: with(b"-"), unicode: false },
            "unicode" => Self { before: word, after: word, unicode: true },
            "none" => Self { before: ByteSet::EMPTY, after: ByteSet::EMPTY, unicode: false },
            _ => return None,
        })
    }

    /// Whether a match may start at `at`: on a character's first byte, with nothing forbidden before it.
    #[inline]
    pub fn starts(&self, bytes: &[u8], at: usize) -> bool {
        let Some(previous) = at.checked_sub(1).and_then(|i| bytes.get(i)) else { return true };
        if self.before.contains(*previous) || bytes.get(at).is_some_and(|byte| is_continuation(*byte)) {
            return false;
        }
        !(self.unicode && *previous >= 0x80 && char_before(bytes, at).is_some_and(char::is_alphanumeric))
    }

    /// Whether a match may end at `at`: before a character's first byte, with nothing forbidden after it.
    #[inline]
    pub fn ends(&self, bytes: &[u8], at: usize) -> bool {
        let Some(next) = bytes.get(at) else { return true };
        if self.after.contains(*next) || is_continuation(*next) {
            return false;
        }
        !(self.unicode && *next >= 0x80 && char_after(bytes, at).is_some_and(char::is_alphanumeric))
    }
}

/// Whether the byte continues a UTF-8 sequence.
pub(crate) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The character that ends at `at`; `None` at a break or at the start.
pub(crate) fn char_before(bytes: &[u8], at: usize) -> Option<char> {
    let from = (at.saturating_sub(4)..at).rev().find(|i| !is_continuation(bytes[*i]))?;
    std::str::from_utf8(&bytes[from..at]).ok()?.chars().next_back()
}

/// The character that starts at `at`; `None` at a break or at the end.
pub(crate) fn char_after(bytes: &[u8], at: usize) -> Option<char> {
    let length = match bytes.get(at)? {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return None,
    };
    std::str::from_utf8(bytes.get(at..at + length)?).ok()?.chars().next()
}

/// The bytes of an ASCII class written as in a regular expression, such as `[A-Za-z0-9_-]`. The error says what is
/// wrong with it.
pub fn byte_class(class: &str) -> Result<ByteSet, String> {
    let hir =
        ParserBuilder::new().unicode(false).utf8(false).build().parse(class).map_err(|error| error.to_string())?;
    let mut set = ByteSet::EMPTY;
    match hir.kind() {
        HirKind::Class(Class::Bytes(class)) => {
            for range in class.iter() {
                (range.start()..=range.end()).for_each(|byte| set.insert(byte));
            }
        }
        HirKind::Literal(literal) if literal.0.len() == 1 => set.insert(literal.0[0]),
        HirKind::Empty => {}
        _ => return Err("it is more than one class".into()),
    }
    match set.iter().find(|byte| *byte >= 0x80) {
        Some(_) => Err("it reaches beyond ASCII".into()),
        None => Ok(set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_bounded_by_ascii_letters_digits_and_underscore() {
        let token = Boundary::named("token").unwrap();
        for (text, at, starts) in
            [("x1", 1, false), ("_1", 1, false), ("-1", 1, true), ("号1", 3, true), ("1", 0, true)]
        {
            assert_eq!(token.starts(text.as_bytes(), at), starts, "{text}");
        }
        assert!(token.ends("1号".as_bytes(), 1));
        assert!(!token.ends(b"1a", 1));
    }

    #[test]
    fn a_match_never_starts_or_ends_within_a_character() {
        let none = Boundary::named("none").unwrap();
        let text = "é1".as_bytes();
        assert!(!none.starts(text, 1));
        assert!(!none.ends(text, 1));
        assert!(none.starts(text, 2));
    }

    #[test]
    fn the_unicode_rule_knows_letters_of_every_script() {
        let unicode = Boundary::named("unicode").unwrap();
        assert!(!unicode.starts("号1".as_bytes(), 3));
        assert!(unicode.starts("—1".as_bytes(), 3));
        assert!(!unicode.ends("1é".as_bytes(), 1));
        assert!(unicode.ends(b"1\xFFa", 1), "a break adjoins nothing");
    }

    #[test]
    fn classes_are_ascii() {
        assert!(byte_class("[A-Za-z]").unwrap().contains(b'q'));
        assert!(byte_class("-").unwrap().contains(b'-'));
        assert_eq!(byte_class("[^a]"), Err("it reaches beyond ASCII".into()));
        assert!(byte_class("ab").is_err());
    }
}
