//! Numbers whose check character is a letter.
//!
//! | entity | standard |
//! |---|---|
//! | `es.dni` | Real Decreto 1553/2005, documento nacional de identidad; letter by the remainder modulo 23 |
//! | `fi.hetu` | Digital and Population Data Services Agency, "The personal identity code"; character modulo 31 |
//! | `it.codicefiscale` | Decreto ministeriale 12 marzo 1974, n. 2227, codice fiscale; letter modulo 26 |

use super::{all_digits, remainder};
use crate::calendar::{birth, exists};
use crate::rng::Rng;

const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// A DNI of eight digits and a letter.
pub(super) fn make_dni(rng: &mut Rng) -> String {
    // Numbers are issued upwards; those of living holders lie under 80 million.
    let number = format!("{:08}", rng.between(1_000_000, 79_999_999));
    let letter = DNI_LETTERS[remainder(&number, 23) as usize];
    number + &String::from(char::from(letter))
}

/// Eight digits and their letter.
pub(super) fn dni(number: &str) -> bool {
    number.len() == 9
        && number.is_ascii()
        && all_digits(&number[..8], 8)
        && number.as_bytes()[8] == DNI_LETTERS[remainder(&number[..8], 23) as usize]
}

const HETU_CHARACTERS: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";

/// A personal identity code of somebody born between 1945 and 2007, with the sign of the century that everybody knows.
pub(super) fn make_hetu(rng: &mut Rng) -> String {
    let (year, month, day) = birth(rng, 1945, 2007);
    let date = format!("{day:02}{month:02}{:02}", year % 100);
    let individual = format!("{:03}", rng.between(2, 899));
    let check = HETU_CHARACTERS[remainder(&format!("{date}{individual}"), 31) as usize];
    format!("{date}{}{individual}{}", if year >= 2000 { 'A' } else { '-' }, char::from(check))
}

/// A day of the calendar, a sign of a century (those of 2023 too), an individual number from 002 to 899, and the
/// right character.
pub(super) fn hetu(number: &str) -> bool {
    if number.len() != 11 || !number.is_ascii() || !all_digits(&number[..6], 6) || !all_digits(&number[7..10], 3) {
        return false;
    }
    let century = match number.as_bytes()[6] {
        b'+' => 1800,
        b'-' | b'U'..=b'Y' => 1900,
        b'A'..=b'F' => 2000,
        _ => return false,
    };
    let part = |from: usize| number[from..from + 2].parse::<u32>().unwrap_or_default();
    let digits = format!("{}{}", &number[..6], &number[7..10]);
    exists(century + i64::from(part(4)), part(2), part(0))
        && (2..=899).contains(&number[7..10].parse().unwrap_or(0))
        && number.as_bytes()[10] == HETU_CHARACTERS[remainder(&digits, 31) as usize]
}

/// What a character in an odd position counts, first for the digits and `A` to `J` alike, then for `K` to `Z`.
const ODD: [u32; 26] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/// The letter that closes a string of capitals and digits under the Italian table; bank account numbers use it too.
pub(super) fn italian_letter(text: &str) -> char {
    let sum: u32 = text
        .bytes()
        .enumerate()
        .map(|(at, byte)| {
            let value = u32::from(if byte.is_ascii_digit() { byte - b'0' } else { (byte - b'A') % 26 });
            // Positions are counted from one, so the first is odd.
            if at % 2 == 0 { ODD[value as usize] } else { value }
        })
        .sum();
    char::from(b'A' + (sum % 26) as u8)
}

const CONSONANTS: &[u8] = b"BCDFGLMNPRSTVZ";
const MONTH_LETTERS: &[u8; 12] = b"ABCDEHLMPRST";

/// Cadastral codes of large municipalities: Roma, Milano, Torino, Napoli, Firenze, Bologna, Genova, Palermo, Bari.
const PLACES: [&str; 9] = ["H501", "F205", "L219", "F839", "D612", "A944", "D969", "G273", "A662"];

/// A codice fiscale of somebody born between 1945 and 2007; women have 40 added to the day.
pub(super) fn make_codice_fiscale(rng: &mut Rng) -> String {
    let (year, month, day) = birth(rng, 1945, 2007);
    let mut code = rng.string(CONSONANTS, 6);
    let day = if rng.percent(50) { day + 40 } else { day };
    let letter = char::from(MONTH_LETTERS[month as usize - 1]);
    code.push_str(&format!("{:02}{letter}{day:02}{}", year % 100, rng.pick(&PLACES)));
    code.push(italian_letter(&code));
    code
}

/// Six letters, a birth date, a place and the right letter. The replacement of digits by letters, which tells two
/// persons with one code apart, is not known here.
pub(super) fn codice_fiscale(code: &str) -> bool {
    let shaped = code.len() == 16
        && code.bytes().enumerate().all(|(at, byte)| match at {
            6 | 7 | 9 | 10 | 12..=14 => byte.is_ascii_digit(),
            _ => byte.is_ascii_uppercase(),
        });
    if !shaped {
        return false;
    }
    let part = |from: usize| code[from..from + 2].parse::<u32>().unwrap_or_default();
    let Some(month) = MONTH_LETTERS.iter().position(|letter| *letter == code.as_bytes()[8]) else { return false };
    // A leap year's February is accepted in any year: the century is not in the code.
    let day = if part(9) > 40 { part(9) - 40 } else { part(9) };
    exists(2000, month as u32 + 1, day) && code.ends_with(italian_letter(&code[..15]))
}

/// Whether the day is 29 February of a year that has none in this century, where programs differ.
pub(super) fn codice_fiscale_is_contested(code: &str) -> bool {
    code.len() == 16 && code.is_ascii() && matches!(&code[8..11], "B29" | "B69")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        assert!(dni("54362315K") && !dni("54362315Z"));
        assert!(hetu("131052-308T") && !hetu("131052-308U") && !hetu("310252-308Y"));
        assert!(codice_fiscale("RCCMNL83S18D969H") && !codice_fiscale("RCCMNL83S18D969"));
        assert!(!codice_fiscale("RCCMNL83S18D969I"));
    }
}
