//! Numbers with Luhn's check digit.
//!
//! | entity | standard |
//! |---|---|
//! | `payment.card` | ISO/IEC 7812-1, annex B (US patent 2,950,048), and the issuers' own number ranges |
//! | `ca.sin` | Employment and Social Development Canada, Social Insurance Number Code of Practice |

use super::{all_digits, decimal};
use crate::rng::Rng;

/// The Luhn sum of the digits, the last of them counted once.
fn sum(number: &str) -> u32 {
    number
        .bytes()
        .rev()
        .zip(0_u32..)
        .map(|(digit, at)| {
            let digit = u32::from(digit - b'0');
            if at.is_multiple_of(2) { digit } else { digit * 2 / 10 + digit * 2 % 10 }
        })
        .sum()
}

/// Appends the check digit.
fn close(number: &mut String) {
    number.push('0');
    let check = (10 - sum(number) % 10) % 10;
    number.pop();
    number.push(decimal(check));
}

/// The beginnings of numbers that card schemes and payment processors publish for tests, with the number's length.
///
/// Cards are drawn under these, so that an invented number is not by accident one that somebody carries.
const TEST_PREFIXES: [(&str, usize); 14] = [
    ("411111", 16),
    ("401288", 16),
    ("424242", 16),
    ("400000", 16),
    ("555555", 16),
    ("510510", 16),
    ("520082", 16),
    ("222300", 16),
    ("378282", 15),
    ("371449", 15),
    ("601111", 16),
    ("601100", 16),
    ("356600", 16),
    ("353011", 16),
];

/// A card number of 15 or 16 digits under one of the test prefixes.
pub(super) fn make_card(rng: &mut Rng) -> String {
    let (prefix, length) = *rng.pick(&TEST_PREFIXES);
    let mut number = prefix.to_owned();
    number.push_str(&rng.digits(length - prefix.len() - 1));
    close(&mut number);
    number
}

/// An issuer's range, its length and Luhn's digit: Visa, Mastercard, American Express, Discover and JCB.
pub(super) fn card(number: &str) -> bool {
    let in_range = |length: usize, low: u32, high: u32| {
        let width = low.to_string().len();
        number.len() == length && (low..=high).contains(&number[..width].parse().unwrap_or_default())
    };
    (15..=16).contains(&number.len())
        && all_digits(number, number.len())
        && (in_range(16, 4, 4)
            || in_range(16, 51, 55)
            || in_range(16, 2221, 2720)
            || in_range(15, 34, 34)
            || in_range(15, 37, 37)
            || in_range(16, 6011, 6011)
            || in_range(16, 644, 649)
            || in_range(16, 65, 65)
            || in_range(16, 3528, 3589))
        && sum(number).is_multiple_of(10)
}

/// A SIN of a resident; 0 and 8 begin none, 9 begins temporary ones.
pub(super) fn make_sin(rng: &mut Rng) -> String {
    let mut number = rng.pick(&["1", "2", "3", "4", "5", "6", "7", "9"]).to_string();
    number.push_str(&rng.digits(7));
    close(&mut number);
    number
}

/// Nine digits, not beginning with 0 or 8, with Luhn's digit.
pub(super) fn sin(number: &str) -> bool {
    all_digits(number, 9) && !number.starts_with(['0', '8']) && sum(number).is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        for number in
            ["4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "3530111333300000"]
        {
            assert!(card(number), "{number}");
        }
        assert!(!card("4111111111111112") && !card("1111111111111117") && !card("41111111111111"));
        assert!(sin("123456782") && !sin("999999999") && !sin("046454286"));
    }
}
