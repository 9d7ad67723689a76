//! ISO 7064 check characters: the hybrid system modulo 11,10.

use super::{
    Validator,
    digits::{digits, unprefixed},
    rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("de.idnr", "Abgabenordnung § 139b; ISO 7064 modulo 11,10", de_idnr),
    rule("de.vat", "Umsatzsteuergesetz § 27a; ISO 7064 modulo 11,10", de_vat),
    rule("hr.oib", "Zakon o osobnom identifikacijskom broju; ISO 7064 modulo 11,10", |text| {
        let Some((characters, 11)) = unprefixed::<11>(text, b"HR") else { return false };
        digits::<11>(&characters).is_some_and(|digits| passes_11_10(&digits))
    }),
    rule("rs.pib", "Zakon o poreskom postupku (PIB); ISO 7064 modulo 11,10", |text| {
        digits::<9>(text).is_some_and(|digits| passes_11_10(&digits))
    }),
];

/// German number for value added tax: nine digits not from 0.
fn de_vat(text: &[u8]) -> bool {
    let Some((characters, 9)) = unprefixed::<9>(text, b"DE") else { return false };
    digits::<9>(&characters).is_some_and(|digits| digits[0] != 0 && passes_11_10(&digits))
}

/// Whether digits with their check digit pass modulo 11,10. Linear.
fn passes_11_10(digits: &[u8]) -> bool {
    let Some((check, rest)) = digits.split_last() else { return false };
    let product = rest.iter().fold(10, |product, digit| match (product + u32::from(*digit)) % 10 {
        0 => 20 % 11,
        sum => sum * 2 % 11,
    });
    (product + u32::from(*check)) % 10 == 1
}

/// German tax identification number: eleven digits from 1; among the first ten exactly one digit occurs twice or three
/// times and no other more than once; check digit modulo 11,10. About 1 random string in 280 passes.
pub(super) fn de_idnr(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let mut counts = [0u8; 10];
    digits[..10].iter().for_each(|digit| counts[usize::from(*digit)] += 1);
    let mut repeated = counts.iter().filter(|count| **count > 1);
    let one_repeats = matches!((repeated.next(), repeated.next()), (Some(2 | 3), None));
    digits[0] != 0 && one_repeats && passes_11_10(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_example_passes() {
        assert!(passes_11_10(&[0, 7, 9, 4, 5]));
        assert!(!passes_11_10(&[0, 7, 9, 4, 6]));
        assert!(!passes_11_10(&[]));
    }

    #[test]
    fn one_digit_repeats_and_no_other() {
        for (text, valid) in [
            ("86095742719", true),
            ("86 095 742 719", true),
            ("47036892816", true),
            ("65929970489", true),
            ("86095742718", false),
            ("12345678903", false),
            ("11223344558", false),
        ] {
            assert_eq!(de_idnr(text.as_bytes()), valid, "{text}");
        }
    }
}
