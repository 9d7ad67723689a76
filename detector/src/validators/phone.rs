//! Phone numbers, by the metadata of libphonenumber: which lengths and ranges each numbering plan has issued.
//!
//! The metadata is read once, when the first number is checked (about 5 ms). A number that is too long for any plan
//! is refused before it is parsed.

use super::{Validator, regional, rule};
use rlibphonenumber::{PHONE_NUMBER_UTIL, Region};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    slow(rule("phone.international", "ITU-T E.164; libphonenumber metadata", international)),
    slow(regional("phone.national", "national numbering plans; libphonenumber metadata", national)),
];

/// Each plan that is tried takes microseconds.
const fn slow(rule: Validator) -> Validator {
    Validator { is_slow: true, ..rule }
}

/// The digits that E.164 allows, with a dialling prefix (`00`, `011`), a bracketed trunk zero and an extension.
const MOST_DIGITS: usize = 24;

/// How many country codes are remembered as tried for one number; more are tried again.
const MOST_PLANS: usize = 32;

/// A match that may be a number, as text: ASCII, of no more than so many digits.
fn text_of(text: &[u8]) -> Option<&str> {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    ((4..=MOST_DIGITS).contains(&digits) && text.len() <= 4 * MOST_DIGITS && text.is_ascii())
        .then(|| std::str::from_utf8(text).ok())
        .flatten()
}

/// A number with its country code, after `+` or a dialling prefix (`00`, `011`), valid in that country's plan.
pub(super) fn international(text: &[u8]) -> bool {
    let Some(text) = text_of(text.trim_ascii()) else { return false };
    let rest = text.strip_prefix('+').or_else(|| text.strip_prefix("00")).or_else(|| text.strip_prefix("011"));
    let Some(rest) = rest else { return false };
    let number = format!("+{}", rest.trim_start_matches([' ', '-', '.', '/']));
    PHONE_NUMBER_UTIL.parse(&number, None).is_ok_and(|number| number.is_valid())
}

/// A number as dialled within a country, valid in the plan of at least one of the regions. Regions that share a country
/// code share a plan: a number of Guernsey is valid for GB, and one of Canada for US.
pub(super) fn national(text: &[u8], regions: &[&'static str]) -> bool {
    let Some(text) = text_of(text.trim_ascii()) else { return false };
    let mut plans = [0; MOST_PLANS];
    !text.starts_with('+')
        && regions.iter().any(|region| {
            let Ok(region) = region.parse::<Region>() else { return false };
            let Some(plan) = PHONE_NUMBER_UTIL.get_country_code_for_region(region) else { return false };
            if plans.contains(&plan) {
                return false;
            }
            if let Some(free) = plans.iter_mut().find(|tried| **tried == 0) {
                *free = plan;
            }
            let number = PHONE_NUMBER_UTIL.parse(text, Some(region));
            number.is_ok_and(|number| number.country_code == plan && number.is_valid())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn international_numbers() {
        for (text, valid) in [
            ("+31207946095", true),
            ("+31 20 794 6095", true),
            ("0031 20 794 6095", true),
            ("011 44 20 7946 0958", true),
            ("+49 (0)30 901820", true),
            ("+44 (0)20 7946 0958", true),
            ("+39 06 698 12345", true),
            ("+1 (415) 555-2671", true),
            ("+1-415-555-2671x4587", true),
            ("+999 123 4567", false),
            ("+31 20", false),
            ("+44 00 0000 0000", false),
            ("31207946095", false),
            ("+", false),
            ("", false),
        ] {
            assert_eq!(international(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn national_numbers() {
        for (text, regions, valid) in [
            ("020 794 6095", &["NL"] as &[&str], true),
            ("06-12345678", &["NL"], true),
            ("020 7946 0958", &["NL", "GB"], true),
            ("07911 123456", &["GB"], true),
            ("01 42 68 53 00", &["FR"], true),
            ("(030) 901820", &["DE"], true),
            ("612 345 678", &["ES"], true),
            ("347 123 4567", &["IT"], true),
            ("(415) 555-0132", &["US", "CA"], true),
            ("415-155-2671", &["US", "CA"], false),
            ("01 42 68 53 00", &["NL"], false),
            ("020 794 6095", &[], false),
            ("020 794 6095", &["ZZ", ""], false),
            ("000 000 0000", &["NL", "GB", "DE"], false),
        ] {
            assert_eq!(national(text.as_bytes(), regions), valid, "{text}");
        }
    }
}
