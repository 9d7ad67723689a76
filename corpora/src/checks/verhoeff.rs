//! Aadhaar numbers, whose check digit is Verhoeff's.
//!
//! J. Verhoeff, "Error detecting decimal codes" (Mathematical Centre Tracts 29, 1969); UIDAI, "Aadhaar numbering
//! scheme" (`in.aadhaar`). The digit detects every single wrong digit and every swap of neighbours.

use super::{all_digits, decimal};
use crate::rng::Rng;

/// Multiplication in the dihedral group of the pentagon, computed instead of tabled: rotations are 0 to 4 and
/// reflections 5 to 9.
const fn times(left: u8, right: u8) -> u8 {
    match (left < 5, right < 5) {
        (true, true) => (left + right) % 5,
        (true, false) => 5 + (left + right - 5) % 5,
        (false, true) => 5 + (left - right) % 5,
        (false, false) => (left + 5 - right) % 5,
    }
}

/// The permutation of one position; that of position *i* is this one *i* times over, and the eighth is the identity.
const PERMUTATION: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

fn permuted(digit: u8, position: usize) -> u8 {
    (0..position % 8).fold(digit, |digit, _| PERMUTATION[usize::from(digit)])
}

/// The product over all digits from the right, the first of them at the given position.
fn product(number: &str, first: usize) -> u8 {
    number.bytes().rev().zip(first..).fold(0, |so_far, (digit, at)| times(so_far, permuted(digit - b'0', at)))
}

/// A number that does not begin with 0 or 1 and does not read the same backwards.
pub(super) fn make_aadhaar(rng: &mut Rng) -> String {
    loop {
        let mut number = format!("{}{}", rng.between(2, 9), rng.digits(10));
        let open = product(&number, 1);
        // The inverse: rotations turn back, reflections undo themselves.
        number.push(decimal(u32::from(if open < 5 { (5 - open) % 5 } else { open })));
        if aadhaar(&number) {
            return number;
        }
    }
}

/// Twelve digits, not beginning with 0 or 1, not a palindrome, with Verhoeff's digit.
pub(super) fn aadhaar(number: &str) -> bool {
    all_digits(number, 12)
        && !number.starts_with(['0', '1'])
        && !number.bytes().eq(number.bytes().rev())
        && product(number, 0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        assert_eq!(product("2363", 0), 0);
        assert_ne!(product("2364", 0), 0);
        assert!(aadhaar("234123412346") && !aadhaar("234123412347"));
        assert!(!aadhaar("222222222222"));
    }

    #[test]
    fn every_single_error_and_swap_is_caught() {
        let mut rng = Rng::new(5, &[]);
        for _ in 0..50 {
            let number = make_aadhaar(&mut rng).into_bytes();
            for at in 0..number.len() {
                for digit in b'0'..=b'9' {
                    let mut other = number.clone();
                    other[at] = digit;
                    assert_eq!(product(std::str::from_utf8(&other).unwrap(), 0) == 0, digit == number[at]);
                }
                if at > 0 && number[at] != number[at - 1] {
                    let mut other = number.clone();
                    other.swap(at, at - 1);
                    assert_ne!(product(std::str::from_utf8(&other).unwrap(), 0), 0);
                }
            }
        }
    }
}
