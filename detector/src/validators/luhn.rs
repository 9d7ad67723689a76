//! Luhn's check digit (ISO/IEC 7812-1, annex B; US patent 2,950,048) and the identifiers that use it alone.

use super::{Additive, digits::digits_up_to};

/// Whether the digits pass: counted from the right, every second one doubled, the digits of the products summed, the
/// sum a multiple of 10.
pub(super) fn passes(digits: &[u8]) -> bool {
    digits.iter().rev().enumerate().map(|(i, digit)| term(i, *digit)).sum::<u32>() % 10 == 0
}

/// What a digit adds at a position counted from the right.
fn term(position: usize, digit: u8) -> u32 {
    let digit = u32::from(digit);
    match position % 2 {
        0 => digit,
        _ if digit > 4 => 2 * digit - 9,
        _ => 2 * digit,
    }
}

/// The check as a sum.
pub(super) const ADDITIVE: Additive = Additive { modulus: 10, residue: 0, term, nonzero: false };

/// 2 to 40 digits that pass. One random string in ten does.
pub(super) fn plain(text: &[u8]) -> bool {
    digits_up_to::<40>(text).is_some_and(|(digits, count)| count > 1 && passes(&digits[..count]))
}

/// Canadian social insurance number: nine digits, the first neither 0 (never issued) nor 8 (business accounts).
pub(super) fn ca_sin(text: &[u8]) -> bool {
    super::digits::digits::<9>(text).is_some_and(|digits| !matches!(digits[0], 0 | 8) && passes(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_counts_from_the_right() {
        for (text, valid) in [("79927398713", true), ("79927398710", false), ("0", false), ("18", true), ("1a8", false)]
        {
            assert_eq!(plain(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn sin_leaves_out_what_is_never_issued() {
        for (text, valid) in
            [("130 692 544", true), ("193-456-787", true), ("046 454 286", false), ("130692545", false)]
        {
            assert_eq!(ca_sin(text.as_bytes()), valid, "{text}");
        }
    }
}
