//! The reading of a turn with what is encoded in it decoded: percent-encoding (RFC 3986, section 2.1), character
//! references of HTML, backslash escapes and emphasis of Markdown, line breaks of quoted mail, and base64 of short texts.

use super::{ByteView, Folded, Reading, fold::fold};
use crate::bits::{BLOCK, bits, blocks, ones};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use memchr::{memchr_iter, memchr2, memchr3};
use std::{iter::Peekable, ops::Range};

/// How far emphasis is looked for its end. A number is shorter.
const EMPHASIS: usize = 128;

/// Characters of a base64 run that is decoded: from a number of nine digits up to a short text.
const BASE64: std::ops::RangeInclusive<usize> = 12..=128;

/// Names of HTML's character references that can stand in a number or an address.
const NAMES: [(&str, &str); 19] = [
    ("amp", "&"),
    ("apos", "'"),
    ("colon", ":"),
    ("commat", "@"),
    ("dash", "-"),
    ("emsp", " "),
    ("ensp", " "),
    ("gt", ">"),
    ("hyphen", "-"),
    ("lowbar", "_"),
    ("lt", "<"),
    ("mdash", "-"),
    ("nbsp", " "),
    ("ndash", "-"),
    ("num", "#"),
    ("period", "."),
    ("plus", "+"),
    ("quot", "\""),
    ("thinsp", " "),
];

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(false);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

impl ByteView {
    /// Adds the decoded reading of a turn, if there is anything to decode. Linear.
    pub(super) fn add_decoded(&mut self, turn: usize, text: &str) {
        let mut decoder = Decoder { text, emphasis: [None; 3] };
        if !decoder.may_find() {
            return;
        }
        let mut runs = decoder.runs().peekable();
        let mut copied = 0;
        let mut at = 0;
        let mut has_begun = false;
        while let Some(next) = decoder.next(at, &mut runs) {
            let Some((end, decoded)) = decoder.decode(next) else {
                at = next + 1;
                continue;
            };
            if !has_begun {
                self.begin(Reading::Decoded, turn);
                has_begun = true;
            }
            if copied < next {
                self.append(turn, text, copied..next);
            }
            self.append_decoded(turn, next..end, &decoded);
            (at, copied) = (end, end);
        }
        if has_begun {
            self.append(turn, text, copied..text.len());
        }
    }

    /// Appends what was decoded, folded: its characters have no places of their own.
    fn append_decoded(&mut self, turn: usize, place: Range<usize>, decoded: &str) {
        let as_written = |c: char| match fold(c) {
            Folded::Same => Some(c),
            Folded::Ascii(byte) => Some(char::from(byte)),
            Folded::Ignorable | Folded::Mark => None,
        };
        let folded: String = decoded.chars().filter_map(as_written).collect();
        self.append_read(turn, place, &folded);
    }
}

struct Decoder<'t> {
    text: &'t str,
    /// Where the emphasis that is open ends, for `*`, `**` and `_`.
    emphasis: [Option<usize>; 3],
}

impl<'t> Decoder<'t> {
    /// Whether the turn has a byte that something encoded must have, or base64. Linear.
    fn may_find(&self) -> bool {
        let bytes = self.text.as_bytes();
        memchr3(b'%', b'&', b'\\', bytes).is_some()
            || memchr2(b'*', b'_', bytes).is_some()
            || memchr_iter(b'\n', bytes).any(|at| bytes.get(at + 1) == Some(&b'>'))
            || self.runs().any(|run| self.base64(run).is_some())
    }

    /// Where runs of base64's characters begin that may be base64.
    fn runs(&self) -> impl Iterator<Item = usize> + use<'t> {
        let bytes = self.text.as_bytes();
        // Where a run of twelve ends: one of two ends where one of one does and one before it, and so on.
        const _: () = assert!(*BASE64.start() == 12);
        let mut last = 0;
        let ends = blocks(bytes).flat_map(move |(at, block)| {
            let own = u128::from(bits(&block, is_base64)) << BLOCK | last;
            last = own >> BLOCK;
            let two = own & own << 1;
            let four = two & two << 2;
            let twelve = four & four << 4 & four << 8;
            ones(((twelve & !(twelve << 1)) >> BLOCK) as u64).map(move |bit| at + bit)
        });
        ends.filter_map(move |end| {
            let start = end + 1 - BASE64.start();
            let length = bytes[start..].iter().take_while(|byte| is_base64(**byte)).count();
            let is_joined = start.checked_sub(1).is_some_and(|before| is_joined(bytes[before]));
            (BASE64.contains(&length) && !is_joined).then_some(start)
        })
    }

    /// Where the next thing that may be encoded begins: the next run, unless a sign stands before it.
    fn next(&self, from: usize, runs: &mut Peekable<impl Iterator<Item = usize>>) -> Option<usize> {
        while runs.next_if(|run| *run < from).is_some() {}
        let run = runs.peek().copied();
        let before = self.text.as_bytes().get(from..run.unwrap_or(self.text.len()))?;
        let is_sign = |byte: &u8| matches!(byte, b'%' | b'&' | b'\\' | b'*' | b'_' | b'\n' | b'\r');
        before.iter().position(is_sign).map(|at| from + at).or(run)
    }

    /// What is encoded from here, and where it ends. Bounded, but for what it returns.
    fn decode(&mut self, at: usize) -> Option<(usize, String)> {
        let byte = self.byte(at)?;
        match byte {
            b'%' => self.percent(at),
            b'&' => self.reference(at),
            b'\\' => self.escape(at),
            b'*' | b'_' => self.emphasis(at, byte),
            b'\n' | b'\r' => self.quoted_break(at),
            _ if is_base64(byte) && !self.before(at).is_some_and(is_joined) => self.base64(at),
            _ => None,
        }
    }

    fn before(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.checked_sub(1)?).copied()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// One character in percent-encoding, of up to four bytes.
    fn percent(&self, at: usize) -> Option<(usize, String)> {
        let escaped = |at: usize| {
            let digits = self.text.get(at..at + 3)?.strip_prefix('%')?;
            digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
            u8::from_str_radix(digits, 16).ok()
        };
        let bytes: Vec<u8> = (0..4).map_while(|i| escaped(at + 3 * i)).collect();
        (1..=bytes.len()).find_map(|count| {
            let read = std::str::from_utf8(&bytes[..count]).ok()?;
            (!read.chars().any(char::is_control)).then(|| (at + 3 * count, read.to_owned()))
        })
    }

    /// `&#64;`, `&#x40;`, `&commat;`.
    fn reference(&self, at: usize) -> Option<(usize, String)> {
        const LONGEST: usize = 10;
        let rest = self.text.as_bytes().get(at + 1..)?;
        let length = rest.iter().take(LONGEST).position(|byte| *byte == b';')?;
        let name = self.text.get(at + 1..at + 1 + length)?;
        let end = at + length + 2;
        if let Some(number) = name.strip_prefix('#') {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            let c = code.ok().and_then(char::from_u32).filter(|c| !c.is_control())?;
            return Some((end, c.into()));
        }
        let known = NAMES.iter().find(|(known, _)| *known == name)?;
        Some((end, known.1.to_owned()))
    }

    /// A backslash before punctuation (CommonMark, section 2.4), or `\u0040` of JSON.
    fn escape(&self, at: usize) -> Option<(usize, String)> {
        let next = self.byte(at + 1)?;
        if next.is_ascii_punctuation() {
            return Some((at + 2, char::from(next).into()));
        }
        let digits = self.text.get(at + 2..at + 6).filter(|_| next == b'u')?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        Some((at + 6, char::from_u32(code).filter(|c| !c.is_control())?.into()))
    }

    /// Asterisks and low lines around something, in pairs (CommonMark, section 6.2, without its finer rules).
    fn emphasis(&mut self, at: usize, sign: u8) -> Option<(usize, String)> {
        let bytes = self.text.as_bytes();
        let count = bytes[at..].iter().take(3).take_while(|byte| **byte == sign).count();
        if count > 2 || self.before(at) == Some(sign) {
            return None;
        }
        let kind = if sign == b'_' { 2 } else { count - 1 };
        if self.emphasis[kind] == Some(at) {
            self.emphasis[kind] = None;
            return Some((at + count, String::new()));
        }
        let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
        // A low line within a word is one of its letters.
        let opens = |from: usize| !self.byte(from).is_none_or(|byte| byte.is_ascii_whitespace());
        if !opens(at + count) || (sign == b'_' && is_word(self.before(at))) {
            return None;
        }
        let ends = |end: &usize| {
            bytes[*end..].iter().take(3).take_while(|byte| **byte == sign).count() == count
                && self.before(*end).is_some_and(|byte| byte != sign && !byte.is_ascii_whitespace())
                && !(sign == b'_' && is_word(self.byte(*end + count)))
        };
        let within = at + count..(at + count + EMPHASIS).min(bytes.len());
        let line =
            bytes[within.clone()].iter().position(|byte| *byte == b'\n').map_or(within.end, |end| within.start + end);
        crate::work::count(within.len());
        let end = (within.start..line).filter(|i| bytes[*i] == sign).find(ends)?;
        self.emphasis[kind] = Some(end);
        Some((at + count, String::new()))
    }

    /// A line break between two lines of quoted mail: the signs before the second are not part of what was said.
    fn quoted_break(&self, at: usize) -> Option<(usize, String)> {
        const DEPTH: usize = 8;
        let bytes = self.text.as_bytes();
        if self.before(at) == Some(b'\r') {
            return None;
        }
        let start = at + if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 };
        let signs = bytes.get(start..)?.iter().take(DEPTH).take_while(|byte| matches!(byte, b'>' | b' ')).count();
        bytes.get(start..start + signs)?.contains(&b'>').then(|| (start + signs, " ".to_owned()))
    }

    /// A run of base64 that is text.
    fn base64(&self, at: usize) -> Option<(usize, String)> {
        let bytes = self.text.as_bytes();
        let most = &bytes[at..bytes.len().min(at + BASE64.end() + 1)];
        let length = most.iter().take_while(|byte| is_base64(**byte)).count();
        let run = &most[..length];
        if !BASE64.contains(&length) || !is_mixed(run) {
            return None;
        }
        let padding = bytes[at + length..].iter().take(2).take_while(|byte| **byte == b'=').count();
        // Parts of a longer token, such as a JWT, are no texts of their own.
        let mut after = bytes[at + length + padding..].iter();
        if after
            .next()
            .is_some_and(|byte| is_base64(*byte) || *byte == b'.' && after.next().is_some_and(|byte| is_base64(*byte)))
        {
            return None;
        }
        let alphabet = if run.iter().any(|byte| matches!(byte, b'-' | b'_')) { &URL_SAFE } else { &STANDARD };
        let mut decoded = [0; BASE64.end().div_ceil(4) * 3];
        let count = alphabet.decode_slice(run, &mut decoded).ok()?;
        let read = std::str::from_utf8(&decoded[..count]).ok()?;
        let is_text = read.chars().all(|c| !c.is_control()) && read.bytes().any(|byte| byte.is_ascii_alphanumeric());
        is_text.then(|| (at + length + padding, read.to_owned()))
    }
}

fn is_base64(byte: u8) -> bool {
    let is_sign = (byte == b'+') | (byte == b'/') | (byte == b'-') | (byte == b'_');
    byte.is_ascii_digit() | (byte | 0x20).is_ascii_lowercase() | is_sign
}

/// Whether a byte joins a run to more.
fn is_joined(byte: u8) -> bool {
    is_base64(byte) || byte == b'.'
}

/// Whether a run has capitals and small letters or digits: neither a word nor a number.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_uppercase) && run.iter().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{readings, turn},
        Decoder,
    };
    use proptest::prelude::*;

    fn decoded(text: &str) -> Option<String> {
        readings(&[turn(text)]).into_iter().next()
    }

    #[test]
    fn each_encoding_is_decoded() {
        for (text, expected) in [
            ("to=anna%40example.org&x", "to=anna@example.org&x"),
            ("%2B31%20612%EF%BC%91", "+31 6121"),
            ("anna&#64;example&#x2e;org", "anna@example.org"),
            ("1112&nbsp;22&nbsp;333", "1112 22 333"),
            (r"4111\-1111", "4111-1111"),
            (r"anna\u0040example.org", "anna@example.org"),
            ("**111**222*333*", "111222333"),
            ("is _111222333_, ok", "is 111222333, ok"),
            ("> 4111 1111\n> 1111 1111", "> 4111 1111 1111 1111"),
            ("a\r\n>> b", "a b"),
            ("card NDExMTExMTExMTExMTExMQ== ok", "card 4111111111111111 ok"),
        ] {
            assert_eq!(decoded(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_only_looks_encoded_stays() {
        for text in [
            "100% of it & more; a\\b",
            "%zz %e9 &foo; &#0; &#xD800; \\u00",
            "2**10, 2 * 3 * 4, a_b_c, x_1_ *",
            "a\nb > c",
            "cGFzc3dvcmQ password1234 ABCDEFGHIJKLMNOP",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMTEyMjIzMzMifQ.c2lnbmF0dXJlMTIz",
            "x*\nx*",
        ] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    /// Pieces of which base64 may stand or not when they adjoin each other.
    const PIECES: [&str; 10] =
        [" ", ".", "-", "=", "a", "order", "ORD-2026-959582", "NDExMTExMTExMTExMTExMQ", "NDExMTEx", "号"];

    proptest! {
        #[test]
        fn nothing_is_encoded_where_nothing_may_be_found(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..8)
        ) {
            let text = pieces.concat();
            let mut decoder = Decoder { text: &text, emphasis: [None; 3] };
            let finds = (0..text.len()).any(|at| decoder.decode(at).is_some());
            prop_assert_eq!(decoder.may_find(), finds);
        }
    }

    #[test]
    fn many_signs_take_linear_time() {
        for piece in ["*", "**", "_a", "*a ", "&", "%4", "\\", "\n>", "&#", "%F0%9F"] {
            decoded(&piece.repeat(1 << 16));
        }
    }
}
