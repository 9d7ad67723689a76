//! Identifiers with a check letter: Spain's DNI and NIE, Italy's tax code.

use super::{
    dates,
    digits::{characters, characters_up_to, number_of},
    luhn,
};

/// The letter of a number modulo 23 (Orden EHA/451/2008).
fn spanish_letter(number: u64) -> u8 {
    b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize]
}

/// Spanish DNI: eight digits and their letter; seven are read with the leading zero that is often left out. One random
/// string in 23 passes.
pub(super) fn es_dni(text: &[u8]) -> bool {
    let Some((characters, count @ 8..)) = characters_up_to::<9>(text) else { return false };
    let (number, letter) = (&characters[..count - 1], characters[count - 1]);
    number_of(number).is_some_and(|number| spanish_letter(number) == letter)
}

/// Spanish NIE: X, Y or Z, read as 0, 1 or 2 before seven digits, and the letter. One random string in 23 passes.
pub(super) fn es_nie(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    let series = match characters[0] {
        series @ b'X'..=b'Z' => u64::from(series - b'X'),
        _ => return false,
    };
    number_of(&characters[1..8]).is_some_and(|n| spanish_letter(series * 10_000_000 + n) == characters[8])
}

/// What a letter or digit adds at an odd place of an Italian tax code (Decreto Ministeriale 23 dicembre 1976).
const ODD: [u32; 26] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/// Italian tax code: sixteen characters with a date, a control letter modulo 26, and letters for digits where two
/// people would have one code (omocodia); or the provisional code, eleven digits as of a company. About one random
/// string of the shape in 78 passes.
pub(super) fn it_codicefiscale(text: &[u8]) -> bool {
    match characters_up_to::<16>(text) {
        Some((characters, 16)) => it_person(&characters),
        Some((characters, 11)) => it_provisional(&characters[..11]),
        _ => false,
    }
}

fn it_person(characters: &[u8; 16]) -> bool {
    let digit = |i: usize| match characters[i] {
        digit @ b'0'..=b'9' => Some(u64::from(digit - b'0')),
        letter => b"LMNPQRSTUV".iter().position(|other| *other == letter).map(|value| value as u64),
    };
    let pair = |i: usize| Some(digit(i)? * 10 + digit(i + 1)?);
    let month = b"ABCDEHLMPRST".iter().position(|letter| *letter == characters[8]).map(|month| month as u64 + 1);
    let (Some(year), Some(month), Some(day)) = (pair(6), month, pair(9)) else { return false };
    let letters = [0, 1, 2, 3, 4, 5, 11, 15].iter().all(|i| characters[*i].is_ascii_uppercase());
    letters && (12..15).all(|i| digit(i).is_some()) && dates::italian(year, month, day) && {
        let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
        let sum: u32 = characters[..15]
            .iter()
            .enumerate()
            .map(|(i, byte)| if i % 2 == 0 { ODD[value(*byte) as usize] } else { value(*byte) })
            .sum();
        sum % 26 == u32::from(characters[15] - b'A')
    }
}

/// Seven digits, the province of the office (001 to 100, 120, 121, 888 or 999) and Luhn's check digit.
fn it_provisional(characters: &[u8]) -> bool {
    let (Some(serial), Some(office)) = (number_of(&characters[..7]), number_of(&characters[7..10])) else {
        return false;
    };
    let mut digits = [0; 11];
    for (digit, byte) in digits.iter_mut().zip(characters) {
        if !byte.is_ascii_digit() {
            return false;
        }
        *digit = byte - b'0';
    }
    serial > 0 && matches!(office, 1..=100 | 120 | 121 | 888 | 999) && luhn::passes(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spanish_letters() {
        for (check, text, valid) in [
            (es_dni as fn(&[u8]) -> bool, "12345678Z", true),
            (es_dni, "12.345.678-z", true),
            (es_dni, "00000000T", true),
            (es_dni, "12345678A", false),
            (es_dni, "1234567L", true),
            (es_dni, "123456A", false),
            (es_dni, "X1234567L", false),
            (es_nie, "X1234567L", true),
            (es_nie, "y-1234567-x", true),
            (es_nie, "Z1234567R", true),
            (es_nie, "W1234567L", false),
            (es_nie, "X1234567A", false),
            (es_nie, "12345678Z", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn italian_codes() {
        for (text, valid) in [
            ("RSSMRA85T10A562S", true),
            ("rss mra 85t10 a562s", true),
            ("MRTMTT91D08F205J", true),
            ("RSSMRA85T10A56NH", true),
            ("RSSMRAURTMLARSNL", true),
            ("RSSMRA85T10A562T", false),
            ("RSSMRA85F10A562S", false),
            ("RSSMRA85T32A562S", false),
            ("1SSMRA85T10A562S", false),
            ("00743110157", true),
            ("00743110158", false),
            ("00743113157", false),
        ] {
            assert_eq!(it_codicefiscale(text.as_bytes()), valid, "{text}");
        }
    }
}
