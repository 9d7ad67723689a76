//! Payment card numbers: issuer ranges, lengths and Luhn's check digit (ISO/IEC 7812-1).

use super::{Validator, digits::digits_up_to, luhn, rule};
use std::ops::RangeInclusive;

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[rule("payment.card", "ISO/IEC 7812-1", payment_card)];

/// The first six digits of an issuer's numbers, and how many digits the numbers have.
struct Issuer {
    prefixes: RangeInclusive<u32>,
    lengths: &'static [u8],
}

const fn issuer(from: u32, to: u32, lengths: &'static [u8]) -> Issuer {
    Issuer { prefixes: from..=to, lengths }
}

const FROM_16: &[u8] = &[16, 17, 18, 19];
const FROM_12: &[u8] = &[12, 13, 14, 15, 16, 17, 18, 19];

/// As the networks publish them.
const ISSUERS: &[Issuer] = &[
    issuer(100_000, 179_999, &[15]),         // UATP (airlines)
    issuer(180_000, 180_099, &[15]),         // JCB, the older range
    issuer(180_100, 199_999, &[15]),         // UATP (airlines)
    issuer(213_100, 213_199, &[15]),         // JCB, the older range
    issuer(220_000, 220_499, FROM_16),       // Mir
    issuer(222_100, 272_099, &[16]),         // Mastercard
    issuer(300_000, 305_999, &[14, 16]),     // Diners Club
    issuer(309_500, 309_599, &[14, 16]),     // Diners Club
    issuer(340_000, 349_999, &[15]),         // American Express
    issuer(352_800, 358_999, FROM_16),       // JCB
    issuer(360_000, 369_999, &[14, 16]),     // Diners Club
    issuer(370_000, 379_999, &[15]),         // American Express
    issuer(380_000, 399_999, &[14, 16]),     // Diners Club
    issuer(400_000, 499_999, &[13, 16, 19]), // Visa
    issuer(500_000, 509_999, FROM_12),       // Maestro; Dankort, Elo, RuPay and Verve within it
    issuer(510_000, 559_999, &[16]),         // Mastercard
    issuer(560_000, 589_999, FROM_12),       // Maestro
    issuer(600_000, 699_999, FROM_12),       // Maestro; Discover, UnionPay, RuPay, Troy within it
    issuer(810_000, 829_999, FROM_16),       // UnionPay, RuPay
    issuer(979_200, 979_299, &[16]),         // Troy
];

/// A card number: 12 to 19 digits of an issuer's range and length that pass Luhn's check. About 1 random string of
/// sixteen digits in 30 passes.
pub(super) fn payment_card(text: &[u8]) -> bool {
    let Some((digits, count @ 12..)) = digits_up_to::<19>(text) else { return false };
    let prefix = digits[..6].iter().fold(0, |prefix, digit| prefix * 10 + u32::from(*digit));
    let issued = |issuer: &Issuer| issuer.prefixes.contains(&prefix) && issuer.lengths.contains(&(count as u8));
    ISSUERS.iter().any(issued) && luhn::passes(&digits[..count])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_are_in_order_and_apart() {
        for pair in ISSUERS.windows(2) {
            assert!(pair[0].prefixes.end() < pair[1].prefixes.start(), "{:?}", pair[1].prefixes);
        }
    }

    #[test]
    fn the_networks_specimens_pass() {
        for (text, valid) in [
            ("4111111111111111", true),
            ("4111 1111 1111 1111", true),
            ("5555-5555-5555-4444", true),
            ("2223003122003222", true),
            ("378282246310005", true),
            ("30569309025904", true),
            ("38520000023237", true),
            ("6011111111111117", true),
            ("3530111333300000", true),
            ("6200000000000005", true),
            ("6304939304310009610", true),
            ("4222222222222", true),
            ("122000000000003", true),
            ("4111111111111112", false),
            ("1111111111111117", false),
            ("37828224631000", false),
            ("41111111111111", false),
            ("9999999999999995", false),
            ("4111111111111111111111", false),
            ("", false),
        ] {
            assert_eq!(payment_card(text.as_bytes()), valid, "{text}");
        }
    }
}
