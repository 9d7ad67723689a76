//! How a pattern is anchored, in a few words: for `check` and for comparing rulesets.

use maysend_detector::{
    boundary::{Boundary, ByteSet},
    pattern::{BoundValidator, Grouping, Length},
    reference::{Date, Share},
};

/// A boundary rule: its name, or the characters that may not adjoin.
pub(crate) fn boundary(boundary: &Boundary) -> String {
    let named = Boundary::NAMES.iter().find(|name| Boundary::named(name).as_ref() == Some(boundary));
    if let Some(name) = named {
        return (*name).into();
    }
    let Boundary { before, after, unicode } = boundary;
    let unicode = if *unicode { ", any letter or digit" } else { "" };
    format!("not after {}, not before {}{unicode}", class(before), class(after))
}

/// A set of bytes as a character class with ranges.
fn class(set: &ByteSet) -> String {
    let bytes: Vec<u8> = set.iter().collect();
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in bytes {
        match ranges.last_mut() {
            // A range of signs would have to be looked up; one of digits or letters is read.
            Some((start, end)) if start.is_ascii_alphanumeric() && follows(*end, byte) => *end = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    let show = |byte: u8| match byte {
        b'-' | b']' | b'^' => format!("\\{}", char::from(byte)),
        byte => std::ascii::escape_default(byte).to_string(),
    };
    let ranges = ranges.into_iter().map(|(start, end)| match end - start {
        0 => show(start),
        1 => format!("{}{}", show(start), show(end)),
        _ => format!("{}-{}", show(start), show(end)),
    });
    format!("[{}]", ranges.collect::<String>())
}

fn follows(end: u8, byte: u8) -> bool {
    byte.is_ascii_alphanumeric() && end.checked_add(1) == Some(byte)
}

/// How long a match may be.
pub(crate) fn length(length: Length) -> String {
    longest(length).map_or_else(|| "token run".into(), |bytes| format!("up to {bytes} bytes"))
}

/// The longest match in bytes; `None` for a token run.
pub(crate) fn longest(length: Length) -> Option<usize> {
    match length {
        Length::Bounded(bytes) => Some(bytes),
        Length::Run => None,
    }
}

/// A validator, with the regions that a pattern gives it.
pub(crate) fn validator(bound: &BoundValidator) -> String {
    let BoundValidator { rule, regions } = bound;
    match regions.is_empty() {
        true => rule.name.into(),
        false => format!("{} for {}", rule.name, regions.join(", ")),
    }
}

/// A grouping as files write it.
pub(crate) fn grouping(grouping: &Grouping) -> String {
    match grouping {
        Grouping::Exact(lengths) => lengths.iter().map(usize::to_string).collect::<Vec<_>>().join("-"),
        Grouping::Repeated(each) => format!("{each}*"),
    }
}

/// A share of a reference's strings.
pub(crate) fn share(share: &Share) -> String {
    match share.of {
        0 | 1 => format!("{} 0.00 % (none seen in a few strings)", share.entity),
        _ => share.to_string(),
    }
}

/// A date of the reference formats.
pub(crate) fn date((year, month, day): Date) -> String {
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_their_names_and_own_ones_their_characters() {
        for name in Boundary::NAMES {
            assert_eq!(boundary(&Boundary::named(name).unwrap()), name);
        }
        let token = Boundary::named("token").unwrap();
        let own = Boundary { before: ByteSet::of(*b"abc+-"), ..token };
        assert_eq!(boundary(&own), "not after [+\\-a-c], not before [0-9A-Z_a-z]");
    }

    #[test]
    fn groupings_are_written_as_they_are_read() {
        for form in ["3-2-4", "4*", "9"] {
            assert_eq!(grouping(&Grouping::parse(form).unwrap()), form);
        }
    }
}
