//! Verhoeff's check digit, by the dihedral group of order ten (J. Verhoeff, Error detecting decimal codes, 1969).

use super::{Validator, digits::digits, rule};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("in.aadhaar", "UIDAI, A UID Numbering Scheme; Verhoeff 1969", in_aadhaar),
    rule("in.abha", "National Health Authority, Ayushman Bharat Health Account; Verhoeff 1969", |text| {
        digits::<14>(text).is_some_and(|digits| passes(&digits))
    }),
    rule("ng.nin", "no published rule; the cards seen carry Verhoeff's check digit, 1969", |text| {
        digits::<11>(text).is_some_and(|digits| digits != [0; 11] && passes(&digits))
    }),
    rule("in.vid", "UIDAI, Virtual ID; Verhoeff 1969", |text| {
        digits::<16>(text).is_some_and(|digits| {
            digits[0] >= 2 && !digits.iter().take(8).eq(digits.iter().rev().take(8)) && passes(&digits)
        })
    }),
];

/// The group's operation.
const PRODUCT: [[u8; 10]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
    [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
    [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
    [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
    [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
    [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
    [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
    [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
];

/// The permutation for a digit's place from the right; it has order eight.
const PERMUTED: [[u8; 10]; 8] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
    [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
    [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
    [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
    [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
    [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
    [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
];

/// Whether the digits, each less than ten, pass. Linear.
pub(super) fn passes(digits: &[u8]) -> bool {
    digits
        .iter()
        .rev()
        .enumerate()
        .fold(0, |check: u8, (i, digit)| PRODUCT[usize::from(check)][usize::from(PERMUTED[i % 8][usize::from(*digit)])])
        == 0
}

/// Indian Aadhaar number: twelve digits from 2, no palindrome, with Verhoeff's check digit. About 1 random string in
/// 12 passes.
pub(super) fn in_aadhaar(text: &[u8]) -> bool {
    digits::<12>(text).is_some_and(|digits| {
        digits[0] >= 2 && !digits.iter().take(6).eq(digits.iter().rev().take(6)) && passes(&digits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_examples_pass() {
        assert!(passes(&[2, 3, 6, 3]));
        assert!(!passes(&[2, 3, 6, 4]));
        assert!(!passes(&[3, 2, 6, 3]), "a transposition is noticed");
    }

    #[test]
    fn aadhaar_numbers() {
        for (text, valid) in [
            ("2341 2341 2346", true),
            ("4991-1866-5246", true),
            ("2341 2341 2347", false),
            ("2222 2222 2222", false),
            ("1341 2341 2346", false),
            ("2341 2341 234", false),
        ] {
            assert_eq!(in_aadhaar(text.as_bytes()), valid, "{text}");
        }
    }
}
