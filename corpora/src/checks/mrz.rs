//! The machine-readable zone of a passport: two lines of 44 characters (TD3).
//!
//! ICAO Doc 9303, part 3 (check digits with the weights 7, 3, 1) and part 4 (the lines of a passport): `document.mrz`.

use super::decimal;
use crate::calendar::birth;
use crate::rng::Rng;

/// The check digit of a field: digits count themselves, letters from 10, the filler nothing.
fn check_digit(field: &str) -> char {
    let sum: u32 = field
        .bytes()
        .zip([7, 3, 1].into_iter().cycle())
        .map(|(byte, weight)| {
            weight
                * match byte {
                    b'0'..=b'9' => u32::from(byte - b'0'),
                    b'A'..=b'Z' => u32::from(byte - b'A') + 10,
                    _ => 0,
                }
        })
        .sum();
    decimal(sum % 10)
}

/// A name in the alphabet of the zone: capitals, everything else as filler.
fn fold(name: &str) -> String {
    crate::text::ascii(name)
        .bytes()
        .map(|byte| if byte.is_ascii_alphabetic() { byte.to_ascii_uppercase() as char } else { '<' })
        .collect()
}

/// Issuing states, as ISO 3166 and Doc 9303 write them.
const STATES: [&str; 7] = ["NLD", "BEL", "FRA", "ESP", "ITA", "GBR", "UTO"];

/// The two lines, with a line feed between them.
pub(crate) fn make_mrz(rng: &mut Rng, given: &str, family: &str) -> String {
    let state = *rng.pick(&STATES);
    let mut first = format!("P<{state}{}<<{}", fold(family), fold(given));
    first.truncate(44);
    while first.len() < 44 {
        first.push('<');
    }
    let number = format!("{}{}", rng.string(b"BCDFGHJKLNPRSTVWX", 2), rng.digits(7));
    let (year, month, day) = birth(rng, 1945, 2007);
    let born = format!("{:02}{month:02}{day:02}", year % 100);
    let (year, month, day) = birth(rng, 2027, 2035);
    let expires = format!("{:02}{month:02}{day:02}", year % 100);
    let optional = "<".repeat(14);
    let numbers = format!("{number}{}", check_digit(&number));
    let dates = (format!("{born}{}", check_digit(&born)), format!("{expires}{}", check_digit(&expires)));
    // An unused optional field may have a filler or a zero for its digit; states write the filler.
    let composite = check_digit(&format!("{numbers}{}{}{optional}<", dates.0, dates.1));
    format!("{first}\n{numbers}{state}{}{}{}{optional}<{composite}", dates.0, rng.pick(&["M", "F"]), dates.1)
}

/// Two lines of 44 characters of the zone's alphabet whose check digits are all right.
pub(super) fn mrz(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let [first, second] = lines[..] else { return false };
    let in_alphabet = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'<';
    if !first.starts_with('P') || lines.iter().any(|line| line.len() != 44 || !line.bytes().all(in_alphabet)) {
        return false;
    }
    let right = |from: usize, to: usize| second[to..].starts_with(check_digit(&second[from..to]));
    let composite = format!("{}{}{}", &second[..10], &second[13..20], &second[21..43]);
    let optional = second[28..43] == *"<".repeat(15) || right(28, 42);
    right(0, 9) && right(13, 19) && right(21, 27) && optional && second.ends_with(check_digit(&composite))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specimen_of_the_standard() {
        let specimen = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10";
        assert!(mrz(specimen));
        assert!(!mrz(&specimen.replace("7408122", "7408123")));
        assert!(!mrz(&specimen.replace("ZE184226B", "ZE184226C")));
    }

    #[test]
    fn what_is_made_is_right() {
        let mut rng = Rng::new(3, &[]);
        for _ in 0..200 {
            let made = make_mrz(&mut rng, "Zoë", "van der Bünning-Ó Briain");
            assert!(mrz(&made), "{made}");
        }
    }
}
