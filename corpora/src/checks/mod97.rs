//! Numbers whose check digits are a remainder modulo 97.
//!
//! | entity | standard |
//! |---|---|
//! | `fr.nir` | INSEE, numéro d'inscription au répertoire; décret n° 82-103 du 22 janvier 1982 |
//! | `be.nn` | Arrêté royal du 3 avril 1984 relatif à la composition du numéro d'identification (Rijksregisternummer) |

use super::{all_digits, remainder};
use crate::calendar::{birth, exists};
use crate::rng::Rng;

/// The key of the first thirteen characters; the two Corsican departments count as 19 and 18.
fn nir_key(body: &str) -> String {
    let digits = body.replacen("2A", "19", 1).replacen("2B", "18", 1);
    format!("{:02}", 97 - remainder(&digits, 97))
}

/// Departments of birth: of the mainland, of Corsica and, as 99, abroad.
const DEPARTMENTS: [&str; 16] =
    ["01", "06", "13", "29", "2A", "2B", "31", "33", "34", "35", "44", "59", "67", "69", "75", "99"];

/// A NIR of somebody born between 1945 and 2007.
pub(super) fn make_nir(rng: &mut Rng) -> String {
    let (year, month, _) = birth(rng, 1945, 2007);
    let department = *rng.pick(&DEPARTMENTS);
    let body = format!(
        "{}{:02}{month:02}{department}{:03}{:03}",
        rng.between(1, 2),
        year % 100,
        rng.between(1, 399),
        rng.between(1, 999)
    );
    let key = nir_key(&body);
    body + &key
}

/// Fifteen characters with sex, a month that is issued, and the right key.
///
/// Months 20 to 42 and from 50 are issued where the month of birth is unknown.
pub(super) fn nir(number: &str) -> bool {
    if number.len() != 15 || !number.is_ascii() {
        return false;
    }
    let corsican = matches!(&number[5..7], "2A" | "2B");
    let digits = number.bytes().enumerate().all(|(at, byte)| byte.is_ascii_digit() || (corsican && at == 6));
    digits
        && number.starts_with(['1', '2'])
        && matches!(number[3..5].parse().unwrap_or(0), 1..=12 | 20..=42 | 50..=99)
        && nir_key(&number[..13]) == number[13..]
}

/// The check digits of a Belgian number: births since 2000 have a 2 before the nine digits.
fn nn_check(nine: &str, since_2000: bool) -> String {
    let digits = if since_2000 { format!("2{nine}") } else { nine.to_owned() };
    format!("{:02}", 97 - remainder(&digits, 97))
}

/// A national number of somebody born between 1945 and 2007.
pub(super) fn make_nn(rng: &mut Rng) -> String {
    let (year, month, day) = birth(rng, 1945, 2007);
    let nine = format!("{:02}{month:02}{day:02}{:03}", year % 100, rng.between(1, 997));
    let check = nn_check(&nine, year >= 2000);
    nine + &check
}

/// Eleven digits with a day of the calendar and the check digits of one of the two centuries.
pub(super) fn nn(number: &str) -> bool {
    if !all_digits(number, 11) {
        return false;
    }
    let part = |from: usize| number[from..from + 2].parse::<u32>().unwrap_or_default();
    [false, true].into_iter().any(|since_2000| {
        let century = if since_2000 { 2000 } else { 1900 };
        exists(century + i64::from(part(0)), part(2), part(4)) && nn_check(&number[..9], since_2000) == number[9..]
    })
}

/// Whether another program could in good faith judge a Belgian number otherwise: it passes only as a birth of this
/// century, in a year that may still lie ahead, or its day is one that stands for an unknown one.
pub(super) fn nn_is_contested(number: &str) -> bool {
    if !all_digits(number, 11) {
        return false;
    }
    let part = |from: usize| number[from..from + 2].parse::<u32>().unwrap_or_default();
    let passes = |since_2000: bool| nn_check(&number[..9], since_2000) == number[9..];
    let odd_day = !exists(1900 + i64::from(part(0)), part(2), part(4));
    (passes(true) && !passes(false) && part(0) > 20) || (odd_day && (passes(true) || passes(false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        assert!(nir("295109912611193") && !nir("295109912611199") && !nir("253072C07300443"));
        assert!(nir("253072B07300470") && nir("253072A07300443"));
        assert!(nn("85073003328") && !nn("85073003329") && nn("17073003384"));
        assert!(!nn("85133003328"));
    }
}
