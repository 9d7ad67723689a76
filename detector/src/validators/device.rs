//! Identifiers of devices and their subscriptions.

use super::{
    Validator,
    digits::{characters_up_to, digits_up_to, number},
    luhn, rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("imei", "3GPP TS 23.003, section 6.2 and annex B", |text| {
        digits_up_to::<16>(text)
            .is_some_and(|(digits, count)| matches!(count, 14 | 16) || count == 15 && luhn::passes(&digits[..15]))
    }),
    rule("device.iccid", "ITU-T E.118", |text| {
        digits_up_to::<20>(text)
            .is_some_and(|(digits, count)| count >= 18 && digits.starts_with(&[8, 9]) && luhn::passes(&digits[..count]))
    }),
    rule("meid", "3GPP2 S.R0048-A", meid),
];

/// Mobile equipment identifier: fourteen hexadecimal digits or eighteen decimal ones, and at times a check digit.
fn meid(text: &[u8]) -> bool {
    let Some((characters, count)) = characters_up_to::<19>(text) else { return false };
    let own = &characters[..count];
    match (count, digits_up_to::<19>(own)) {
        (18 | 19, Some((digits, _))) => {
            number(&digits[..10]) < 1 << 32
                && number(&digits[10..18]) < 1 << 24
                && (count == 18 || luhn::passes(&digits[..19]))
        }
        (15, Some((digits, _))) => luhn::passes(&digits[..15]),
        (14, Some(_)) => true,
        (14 | 15, None) => own.iter().all(u8::is_ascii_hexdigit) && (count == 14 || hexadecimal(own)),
        _ => false,
    }
}

/// Luhn's check with hexadecimal digits, modulo 16.
fn hexadecimal(characters: &[u8]) -> bool {
    let term = |(at, character): (usize, &u8)| {
        let value = char::from(*character).to_digit(16).unwrap_or(0);
        if at % 2 == 0 { value } else { value * 2 / 16 + value * 2 % 16 }
    };
    characters.iter().rev().enumerate().map(term).sum::<u32>().is_multiple_of(16)
}

#[cfg(test)]
mod tests {
    use crate::validators::by_name;

    #[test]
    fn published_specimens() {
        for (name, text, valid) in [
            ("imei", "35-209900-176148-1", true),
            ("imei", "35-209900-176148-2", false),
            ("imei", "35-686800-004141-20", true),
            ("meid", "AF 01 23 45 0A BC DE C", true),
            ("meid", "AF0123450ABCDED", false),
            ("meid", "29360 87365 0070 3710 0", true),
            ("device.iccid", "89 310 410 10 654378932", true),
            ("device.iccid", "89 310 410 10 654378933", false),
        ] {
            assert_eq!(by_name(name).unwrap().check.passes(text.as_bytes(), &[]), valid, "{name} {text}");
        }
    }
}
