//! International bank account numbers of seven countries, with the national check inside where there is one.
//!
//! ISO 13616 (structure by country, SWIFT's IBAN registry) and ISO 7064 MOD 97-10 (`iban`). National checks: Belgium,
//! Febelfin (modulo 97); Spain, Consejo Superior Bancario (two digits modulo 11); France, relevé d'identité bancaire
//! (modulo 97); Italy, ABI's CIN (the letter of the codice fiscale's table).

use super::letters::italian_letter;
use super::{all_digits, remainder};
use crate::rng::Rng;

/// The remainder modulo 97 of an IBAN turned round, letters counted from 10; 1 for a right one.
fn mod_97_10(number: &str) -> u64 {
    let turned = number.bytes().skip(4).chain(number.bytes().take(4));
    turned.fold(0, |so_far, byte| match byte {
        b'0'..=b'9' => (so_far * 10 + u64::from(byte - b'0')) % 97,
        _ => (so_far * 100 + u64::from(byte.saturating_sub(b'A')) + 10) % 97,
    })
}

/// A Spanish control digit of ten digits.
fn spanish_digit(ten: &str) -> char {
    let weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6];
    let sum: u32 = ten.bytes().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    match 11 - sum % 11 {
        11 => '0',
        10 => '1',
        other => super::decimal(other),
    }
}

/// The French key of bank, branch and account (which is of digits here).
fn french_key(body: &str) -> String {
    let part = |from: usize, to: usize| body[from..to].parse::<u64>().unwrap_or_default();
    format!("{:02}", 97 - (89 * part(0, 5) + 15 * part(5, 10) + 3 * part(10, 21)) % 97)
}

/// The Belgian check of ten digits; a remainder of 0 is written 97.
fn belgian_check(ten: &str) -> String {
    match remainder(ten, 97) {
        0 => "97".to_owned(),
        rest => format!("{rest:02}"),
    }
}

const DUTCH_BANKS: [&str; 5] = ["ABNA", "INGB", "RABO", "SNSB", "TRIO"];
/// Bank codes that the National Bank of Belgium has assigned; programs that know its list refuse others.
const BELGIAN_BANKS: [&str; 5] = ["001", "068", "363", "734", "750"];
const BRITISH_BANKS: [&str; 4] = ["BARC", "NWBK", "LOYD", "MIDL"];

/// The country's own number, without country and check digits.
fn make_national(rng: &mut Rng, country: &str) -> String {
    match country {
        "NL" => format!("{}0{}", rng.pick(&DUTCH_BANKS), rng.digits(9)),
        "BE" => {
            let ten = format!("{}{}", rng.pick(&BELGIAN_BANKS), rng.digits(7));
            let check = belgian_check(&ten);
            ten + &check
        }
        "ES" => {
            let (bank, account) = (rng.digits(8), rng.digits(10));
            format!("{bank}{}{}{account}", spanish_digit(&format!("00{bank}")), spanish_digit(&account))
        }
        "FR" => {
            let body = rng.digits(21);
            let key = french_key(&body);
            body + &key
        }
        "IT" => {
            let body = rng.digits(22);
            format!("{}{body}", italian_letter(&body))
        }
        "GB" => format!("{}{}", rng.pick(&BRITISH_BANKS), rng.digits(14)),
        _ => rng.digits(18),
    }
}

/// Whether a national number has the country's structure and passes the country's own check.
fn national(country: &str, text: &str) -> bool {
    let bank_then_digits =
        |digits: usize| text.bytes().take(4).all(|byte| byte.is_ascii_uppercase()) && all_digits(&text[4..], digits);
    match (country, text.len()) {
        ("NL", 14) => bank_then_digits(10),
        ("GB", 18) => bank_then_digits(14),
        ("DE", 18) => all_digits(text, 18),
        ("BE", 12) => all_digits(text, 12) && belgian_check(&text[..10]) == text[10..],
        ("ES", 20) => {
            all_digits(text, 20)
                && text[8..].starts_with(spanish_digit(&format!("00{}", &text[..8])))
                && text[9..].starts_with(spanish_digit(&text[10..]))
        }
        ("FR", 23) => all_digits(text, 23) && french_key(&text[..21]) == text[21..],
        ("IT", 23) => all_digits(&text[1..], 22) && text.starts_with(italian_letter(&text[1..])),
        _ => false,
    }
}

/// The countries whose numbers are made.
pub(crate) const COUNTRIES: [&str; 7] = ["NL", "DE", "FR", "ES", "IT", "GB", "BE"];

/// An IBAN of one of [`COUNTRIES`], without spaces.
pub(crate) fn make_iban(rng: &mut Rng, country: &str) -> String {
    let body = make_national(rng, country);
    let check = 98 - mod_97_10(&format!("{country}00{body}"));
    format!("{country}{check:02}{body}")
}

/// Whether the international check digits are right and the number inside is not: many programs look no further than
/// the former.
pub(super) fn iban_is_contested(number: &str) -> bool {
    number.len() > 4 && number.is_ascii() && mod_97_10(number) == 1 && !iban(number)
}

/// An IBAN of one of the countries that are made here, right in every way.
pub(super) fn iban(number: &str) -> bool {
    number.len() > 4
        && number.is_ascii()
        && all_digits(&number[2..4], 2)
        && (2..=98).contains(&number[2..4].parse().unwrap_or(0))
        && mod_97_10(number) == 1
        && national(&number[..2], &number[4..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        for number in [
            "NL91ABNA0417164300",
            "DE89370400440532013000",
            "BE68539007547034",
            "ES9121000418450200051332",
            "IT60X0542811101000000123456",
            "GB29NWBK60161331926819",
        ] {
            assert!(iban(number), "{number}");
        }
        assert!(!iban("NL92ABNA0417164300") && !iban("XX91ABNA0417164300") && !iban("NL"));
    }
}
