//! Identifiers with a check letter: Spain's DNI and NIE, Italy's tax code.

use super::{
    Validator, dates,
    digits::{characters, characters_up_to, digits, number, number_of, unprefixed, weighted},
    luhn, rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("es.dni", "Orden EHA/451/2008, control letter modulo 23", es_dni),
    rule("es.nie", "Orden INT/2058/2008, control letter modulo 23", es_nie),
    rule("es.nif", "Orden EHA/451/2008 (series K, L, M)", es_nif),
    rule("es.cif", "Orden EHA/451/2008 (legal persons)", es_cif),
    rule("it.codicefiscale", "Decreto Ministeriale 23 dicembre 1976", it_codicefiscale),
    rule("cy.vat", "Department of Taxation, tax identification code", cy_vat),
    rule("gb.upn", "Department for Education, Unique Pupil Numbers guide", gb_upn),
    rule("ie.pps", "Social Welfare Consolidation Act 2005 (PPSN), modulo 23", ie_pps),
    rule("sg.nric", "National Registration Act 1965; Immigration and Checkpoints Authority", sg_nric),
    rule("sg.uen", "Accounting and Corporate Regulatory Authority, UEN", sg_uen),
    rule("tw.id", "戶籍法 (國民身分證統一編號)", tw_id),
    rule("cn.uscc", "GB 32100-2015, modulo 31", cn_uscc),
    rule("pt.cc", "Cartão de Cidadão, validação de número de documento", pt_cc),
];

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
    letters && (12..15).all(|i| digit(i).is_some()) && dates::short(year, month, day % 40) && {
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

/// Spanish tax number: that of a citizen or foreigner, of an organisation, or of a person without either (K, L, M).
fn es_nif(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    match characters[0] {
        b'K' | b'L' | b'M' => number_of(&characters[1..8]).is_some_and(|n| spanish_letter(n) == characters[8]),
        b'0'..=b'9' => es_dni(text),
        b'X'..=b'Z' => es_nie(text),
        _ => es_cif(text),
    }
}

/// Spanish number of an organisation: a letter for its kind, seven digits, and Luhn's check digit or its letter.
fn es_cif(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    let Some(mut own) = digits::<8>(&[&characters[1..8], b"0"].concat()) else { return false };
    let check = (0..10).find(|check| {
        own[7] = *check;
        luhn::passes(&own)
    });
    b"ABCDEFGHJNPQRSUVW".contains(&characters[0])
        && check
            .is_some_and(|check| characters[8] == b'0' + check || characters[8] == b"JABCDEFGHI"[usize::from(check)])
}

/// Cypriot tax code: eight digits not from 12, those at odd places by a table, and a letter modulo 26.
fn cy_vat(text: &[u8]) -> bool {
    let Some((characters, 9)) = unprefixed::<9>(text, b"CY") else { return false };
    let Some(digits) = digits::<8>(&characters[..8]) else { return false };
    let value = |(at, digit): (usize, &u8)| if at % 2 == 0 { ODD[usize::from(*digit)] } else { u32::from(*digit) };
    let sum: u32 = digits.iter().enumerate().map(value).sum();
    !digits.starts_with(&[1, 2]) && characters[8] == b'A' + (sum % 26) as u8
}

/// English pupil number: a check letter modulo 23, then a local authority's three digits, eight digits, and a digit or
/// letter.
fn gb_upn(text: &[u8]) -> bool {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRTUVWXYZ0123456789";
    let Some(characters) = characters::<13>(text) else { return false };
    let mut sum = 0;
    for (character, weight) in characters[1..].iter().zip(2..) {
        let Some(value) = ALPHABET.iter().position(|other| other == character) else { return false };
        sum += value * weight;
    }
    let authority = number_of(&characters[1..4]).unwrap_or(0);
    characters[1..12].iter().all(u8::is_ascii_digit)
        && matches!(authority, 201..=213 | 301..=320 | 330..=336 | 340..=344 | 350..=359 | 370..=373 | 380..=384
            | 390..=394 | 420 | 800..=803 | 805..=808 | 810..=813 | 815 | 816 | 821..=823 | 825 | 826 | 830 | 831
            | 835..=837 | 840 | 841 | 845 | 846 | 850..=852 | 855..=857 | 860 | 861 | 865..=874 | 876..=896 | 908 | 909
            | 916 | 919 | 921 | 925 | 926 | 928 | 929 | 931 | 933 | 935..=938)
        && characters[0] == ALPHABET[sum % 23]
}

/// Irish public service number: seven digits, a check letter modulo 23, and since 2013 a second letter that counts.
fn ie_pps(text: &[u8]) -> bool {
    let Some((characters, count @ (8 | 9))) = characters_up_to::<9>(text) else { return false };
    let Some(digits) = digits::<7>(&characters[..7]) else { return false };
    let second = match (count, characters[8]) {
        (9, letter @ (b'A' | b'B' | b'H')) => u32::from(letter - b'A') + 1,
        (9, b'W' | b'T' | b'X') | (8, _) => 0,
        _ => return false,
    };
    let sum = weighted(&digits, &[8, 7, 6, 5, 4, 3, 2]) + 9 * second;
    characters[7] == b"WABCDEFGHIJKLMNOPQRSTUV"[(sum % 23) as usize]
}

/// Singapore identity or foreign number: a letter for the series, seven digits and the series' check letter.
fn sg_nric(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    let Some(digits) = digits::<7>(&characters[1..8]) else { return false };
    let (added, letters) = match characters[0] {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        b'M' => (3, b"XWUTRQPNJLK"),
        _ => return false,
    };
    characters[8] == letters[((weighted(&digits, &[2, 7, 6, 5, 4, 3, 2]) + added) % 11) as usize]
}

/// Singapore entity number: of businesses eight digits, of companies the year and five, of others R, S or T with year,
/// kind and four digits; each with its check letter modulo 11.
fn sg_uen(text: &[u8]) -> bool {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWX0123456789";
    const KINDS: &[u8] = b"CCCDCHCLCMCPCSCXDPFBFCFMFNGAGBGSHSLLLPMBMCMDMHMMMQNBNRPAPBPFRFRPSMSSTCTUVHXL";
    let Some((characters, count)) = characters_up_to::<10>(text) else { return false };
    match (count, characters[0]) {
        (9, _) => digits::<8>(&characters[..8]).is_some_and(|digits| {
            characters[8] == b"XMKECAWLJDB"[(weighted(&digits, &[10, 4, 9, 3, 8, 2, 7, 1]) % 11) as usize]
        }),
        (10, b'0'..=b'9') => digits::<9>(&characters[..9]).is_some_and(|digits| {
            number(&digits[..4]) <= dates::LATEST_YEAR
                && characters[9] == b"ZKCMDNERGWH"[(weighted(&digits, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11) as usize]
        }),
        (10, b'R' | b'S' | b'T') => {
            let mut sum = 0;
            for (character, weight) in characters[..9].iter().zip([4, 3, 5, 3, 10, 2, 2, 5, 7]) {
                let Some(value) = ALPHABET.iter().position(|other| other == character) else { return false };
                sum += value as i32 * weight;
            }
            let check = ALPHABET[(sum - 5).rem_euclid(11) as usize];
            super::form::is_of(&characters[..9], "@##@@####")
                && KINDS.chunks(2).any(|kind| *kind == characters[3..5])
                && characters[9] == check
        }
        _ => false,
    }
}

/// Taiwanese identity number: a letter for the place, 1, 2, 8 or 9, and eight digits.
fn tw_id(text: &[u8]) -> bool {
    const PLACES: &[u8] = b"ABCDEFGHJKLMNPQRSTUVXYWZIO";
    let Some(characters) = characters::<10>(text) else { return false };
    let Some(digits) = digits::<9>(&characters[1..]) else { return false };
    let Some(place) = PLACES.iter().position(|letter| *letter == characters[0]) else { return false };
    let place = place as u32 + 10;
    let sum = place / 10 + place % 10 * 9 + weighted(&digits, &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    matches!(digits[0], 1 | 2 | 8 | 9) && sum.is_multiple_of(10)
}

/// Chinese unified social credit code: eighteen characters without I, O, S, V and Z, the last modulo 31.
fn cn_uscc(text: &[u8]) -> bool {
    const ALPHABET: &[u8] = b"0123456789ABCDEFGHJKLMNPQRTUWXY";
    let Some(characters) = characters::<18>(text) else { return false };
    let mut sum = 0;
    let mut weight = 1;
    for character in &characters[..17] {
        let Some(value) = ALPHABET.iter().position(|other| other == character) else { return false };
        sum += value * weight;
        weight = weight * 3 % 31;
    }
    characters[..8].iter().all(|byte| byte.is_ascii_digit()) && characters[17] == ALPHABET[(31 - sum % 31) % 31]
}

/// Portuguese citizen card: eight digits with their check digit, two characters of the version, and Luhn's check over
/// all, letters counting 10 to 35.
fn pt_cc(text: &[u8]) -> bool {
    let Some(characters) = characters::<12>(text) else { return false };
    let value = |character: u8| super::sum::value(character).unwrap_or(0);
    let term = |(at, character): (usize, &u8)| match at % 2 {
        0 => value(*character),
        _ if value(*character) > 4 => 2 * value(*character) - 9,
        _ => 2 * value(*character),
    };
    super::form::is_of(&characters, "#########**#")
        && characters.iter().rev().enumerate().map(term).sum::<i32>() % 10 == 0
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
