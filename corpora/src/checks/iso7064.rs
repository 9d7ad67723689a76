//! The German tax identification number, whose check digit is ISO 7064 MOD 11,10.
//!
//! Bundeszentralamt für Steuern, "Informationen zur Berechnung gültiger Prüfziffern" (`de.idnr`): the first ten digits
//! hold one digit two or three times and every other at most once, and three equal ones never stand side by side.

use super::{all_digits, decimal};
use crate::rng::Rng;

/// ISO/IEC 7064, the hybrid system MOD 11,10, before the check digit.
fn check_digit(number: &str) -> char {
    let product = number.bytes().fold(10, |product, digit| {
        let sum = (product + u32::from(digit - b'0')) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    decimal((11 - product) % 10)
}

/// Whether the first ten digits repeat as the issuer's rule says.
fn repeats_rightly(number: &str) -> bool {
    let mut counts = [0_u32; 10];
    for digit in number.bytes().take(10) {
        counts[usize::from(digit - b'0')] += 1;
    }
    counts.iter().filter(|count| **count > 1).count() == 1 && counts.iter().all(|count| *count <= 3)
}

/// Whether three equal digits stand side by side in the first ten. Not every program knows that rule.
pub(super) fn idnr_is_contested(number: &str) -> bool {
    number.len() == 11 && number.as_bytes()[..10].windows(3).any(|three| three.iter().all(|digit| *digit == three[0]))
}

/// A number under the rule of 2008 (one digit twice) or that of 2016 (one digit three times).
pub(super) fn make_idnr(rng: &mut Rng) -> String {
    loop {
        let mut digits: Vec<char> = ('0'..='9').collect();
        rng.shuffle(&mut digits);
        let spare = if rng.percent(80) { 1 } else { 2 };
        digits.truncate(10 - spare);
        let repeated = digits[0];
        digits.extend(std::iter::repeat_n(repeated, spare));
        rng.shuffle(&mut digits);
        let mut number: String = digits.into_iter().collect();
        number.push(check_digit(&number));
        if idnr(&number) {
            return number;
        }
    }
}

/// A number of ten digits as a real one has, with a check digit that is right one time in ten.
pub(super) fn random_idnr(rng: &mut Rng) -> String {
    let mut number = make_idnr(rng);
    number.pop();
    number.push(decimal(u32::from(rng.digit())));
    number
}

/// Eleven digits, not beginning with 0, repeating as the rule says, with the right check digit.
pub(super) fn idnr(number: &str) -> bool {
    all_digits(number, 11)
        && !number.starts_with('0')
        && repeats_rightly(number)
        && !idnr_is_contested(number)
        && number.ends_with(check_digit(&number[..10]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        assert!(idnr("36574261809") && !idnr("36574261890") && !idnr("36554266806"));
        // Its check digit is right, but no digit of the first nine repeats.
        assert!(!idnr("12345678903"));
    }
}
