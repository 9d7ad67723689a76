//! International bank account numbers (ISO 13616-1, with check digits of ISO 7064 modulo 97-10).

use super::{
    Validator,
    digits::{characters_up_to, number_of, weighted},
    mod11, rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[rule("iban", "ISO 13616-1; SWIFT IBAN Registry, release 101", iban)];

/// Structure of the account part by country, in order, from the SWIFT IBAN Registry, release 101: counts of `n` digits,
/// `a` letters, `c` either. The length of a country's numbers is what these add up to, and four.
#[rustfmt::skip]
const COUNTRIES: &[(&str, &str)] = &[
    ("AD", "8n12c"), ("AE", "19n"), ("AL", "8n16c"), ("AT", "16n"), ("AZ", "4a20c"), ("BA", "16n"), ("BE", "12n"),
    ("BG", "4a6n8c"), ("BH", "4a14c"), ("BI", "23n"), ("BR", "23n1a1c"), ("BY", "4c4n16c"), ("CH", "5n12c"),
    ("CR", "18n"), ("CY", "8n16c"), ("CZ", "20n"), ("DE", "18n"), ("DJ", "23n"), ("DK", "14n"), ("DO", "4c20n"),
    ("EE", "16n"), ("EG", "25n"), ("ES", "20n"), ("FI", "14n"), ("FK", "2a12n"), ("FO", "14n"), ("FR", "10n11c2n"),
    ("GB", "4a14n"), ("GE", "2a16n"), ("GI", "4a15c"), ("GL", "14n"), ("GR", "7n16c"), ("GT", "24c"), ("HN", "4a20n"),
    ("HR", "17n"), ("HU", "24n"), ("IE", "4a14n"), ("IL", "19n"), ("IQ", "4a15n"), ("IS", "22n"), ("IT", "1a10n12c"),
    ("JO", "4a4n18c"), ("KW", "4a22c"), ("KZ", "3n13c"), ("LB", "4n20c"), ("LC", "4a24c"), ("LI", "5n12c"),
    ("LT", "16n"), ("LU", "3n13c"), ("LV", "4a13c"), ("LY", "21n"), ("MC", "10n11c2n"), ("MD", "20c"), ("ME", "18n"),
    ("MK", "3n10c2n"), ("MN", "16n"), ("MR", "23n"), ("MT", "4a5n18c"), ("MU", "4a19n3a"), ("NI", "4a20n"),
    ("NL", "4a10n"), ("NO", "11n"), ("OM", "3n16c"), ("PK", "4a16c"), ("PL", "24n"), ("PS", "4a21c"), ("PT", "21n"),
    ("QA", "4a21c"), ("RO", "4a16c"), ("RS", "18n"), ("RU", "14n15c"), ("SA", "2n18c"), ("SC", "4a20n3a"),
    ("SD", "14n"), ("SE", "20n"), ("SI", "15n"), ("SK", "20n"), ("SM", "1a10n12c"), ("SO", "19n"), ("ST", "21n"),
    ("SV", "4a20n"), ("TL", "19n"), ("TN", "20n"), ("TR", "6n16c"), ("UA", "6n19c"), ("VA", "18n"), ("VG", "4a16n"),
    ("XK", "16n"), ("YE", "4a4n18c"),
];

/// An IBAN: a country of the registry with the length and structure that it gives, the whole modulo 97 equal to 1, and
/// the account part's own check digits in Belgium, Montenegro, Norway and Spain. About 1 random string in 100 of a
/// country's shape passes.
pub(super) fn iban(text: &[u8]) -> bool {
    let Some((characters, count @ 5..)) = characters_up_to::<34>(text) else { return false };
    let characters = &characters[..count];
    let (country, account) = (&characters[..2], &characters[4..]);
    if !is_of_one_case(text) {
        return false;
    }
    let Ok(row) = COUNTRIES.binary_search_by_key(&country, |(country, _)| country.as_bytes()) else { return false };
    let check_digits = characters[2..4].iter().all(u8::is_ascii_digit);
    check_digits && is_structured(account, COUNTRIES[row].1) && remainder(characters) == 1 && domestic(country, account)
}

/// Whether the letters of the account part are capitals, as the standard has them, or all small, as people type them, at
/// times after a first capital.
fn is_of_one_case(text: &[u8]) -> bool {
    let letters = || text.iter().filter(|byte| byte.is_ascii_alphabetic()).skip(2);
    letters().all(u8::is_ascii_uppercase) || letters().skip(1).all(u8::is_ascii_lowercase)
}

/// Whether the account part is of this structure, no more and no less.
fn is_structured(account: &[u8], structure: &str) -> bool {
    let mut rest = account;
    let mut length = 0;
    for byte in structure.bytes() {
        let fits: fn(&u8) -> bool = match byte {
            b'0'..=b'9' => {
                length = length * 10 + usize::from(byte - b'0');
                continue;
            }
            b'n' => u8::is_ascii_digit,
            b'a' => u8::is_ascii_uppercase,
            _ => u8::is_ascii_alphanumeric,
        };
        let Some((part, after)) = rest.split_at_checked(length) else { return false };
        if !part.iter().all(fits) {
            return false;
        }
        (rest, length) = (after, 0);
    }
    rest.is_empty()
}

/// The number modulo 97, its first four characters moved to the end and letters read as 10 to 35.
fn remainder(characters: &[u8]) -> u32 {
    let (head, account) = characters.split_at(4);
    account.iter().chain(head).fold(0, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        letter => (remainder * 100 + u32::from(letter - b'A') + 10) % 97,
    })
}

/// The account part's own check digits, where they are known to hold for every account of the country.
fn domestic(country: &[u8], account: &[u8]) -> bool {
    let mut digits = [0; 20];
    for (digit, byte) in digits.iter_mut().zip(account) {
        *digit = byte.wrapping_sub(b'0');
    }
    match country {
        b"BE" => match (number_of(&account[..10]), number_of(&account[10..])) {
            (Some(number), Some(check)) => (if number.is_multiple_of(97) { 97 } else { number % 97 }) == check,
            _ => false,
        },
        b"ME" => number_of(account).is_some_and(|number| number % 97 == 1),
        b"NO" => weighted(&digits[..11], &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11),
        b"ES" => mod11::europe::es_ccc(&digits),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_in_order() {
        assert!(COUNTRIES.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn specimens_of_the_registry() {
        for (text, valid) in [
            ("GB82 WEST 1234 5698 7654 32", true),
            ("NL91ABNA0417164300", true),
            ("nl91 abna 0417 1643 00", true),
            ("DE89 3704 0044 0532 0130 00", true),
            ("FR14 2004 1010 0505 0001 3M02 606", true),
            ("BE68 5390 0754 7034", true),
            ("ES91 2100 0418 4502 0005 1332", true),
            ("NO93 8601 1117 947", true),
            ("IT60 X054 2811 1010 0000 0123 456", true),
            ("CH93 0076 2011 6238 5295 7", true),
            ("MT84 MALT 0110 0001 2345 MTLC AST0 01S", true),
            ("GB82 WEST 1234 5698 7654 33", false),
            ("GB82 WEST 1234 5698 7654 3", false),
            ("GB82 WEST 1234 5698 7654 32 failed", false),
            ("GB82 1234 1234 5698 7654 32", false),
            ("XX82 WEST 1234 5698 7654 32", false),
            ("NL9", false),
            ("", false),
        ] {
            assert_eq!(iban(text.as_bytes()), valid, "{text}");
        }
    }
}
