//! Checks by a weighted sum modulo 10, and one modulo 9.

use super::{
    Validator,
    digits::{characters, digits, digits_up_to, number, number_of, weighted},
    rule,
    sum::{MOD_10, Sum, TO_10},
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    super::sum("bg.pnf", "Наредба Н-10 (личен номер на чужденец)", Sum::new(&[21, 19, 17, 13, 11, 9, 7, 3, 1], MOD_10)),
    super::sum(
        "ch.ssn",
        "AHVV art. 133; GS1 General Specifications, EAN-13",
        Sum::new(&[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3], TO_10).and(|number| number.starts_with(b"756")),
    ),
    super::sum(
        "de.lanr",
        "KBV, Richtlinie nach § 75 Absatz 7 SGB V (Arztnummer)",
        // The last two digits are the specialty.
        Sum::new(&[4, 9, 4, 9, 4, 9, 0, 0], TO_10)
            .at(6)
            .and(|number| matches!(number_of(&number[7..]), Some(1..=69 | 99))),
    ),
    super::sum(
        "de.perso",
        "ICAO Doc 9303, part 3, section 4.9; Personalausweisverordnung",
        Sum::new(&[7, 3, 1, 7, 3, 1, 7, 3, 1], MOD_10).letters().and(|number| number[0].is_ascii_uppercase()),
    ),
    super::sum("hu.anum", "2003. évi XCII. törvény (adószám)", Sum::new(&[9, 7, 3, 1, 9, 7, 3], TO_10).prefixed("HU")),
    super::sum("hu.taj", "1996. évi XX. törvény, 4. melléklet", Sum::new(&[3, 7, 3, 7, 3, 7, 3, 7], MOD_10)),
    super::sum(
        "md.idno",
        "Hotărîrea Guvernului nr. 272/2002 (IDNP, IDNO)",
        Sum::new(&[7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1], MOD_10),
    ),
    super::sum(
        "mx.clabe",
        "Asociación de Bancos de México, CLABE",
        Sum::new(&[3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7], TO_10),
    ),
    super::sum(
        "pl.dowod",
        "Rozporządzenie MSWiA (dowód osobisty); ICAO Doc 9303 weights",
        Sum::new(&[7, 3, 1, 7, 3, 1, 7, 3], MOD_10)
            .at(3)
            .letters()
            .and(|number| number[..3].iter().all(u8::is_ascii_uppercase) && number[3..].iter().all(u8::is_ascii_digit)),
    ),
    super::sum(
        "pt.niss",
        "Instituto da Segurança Social (NISS)",
        Sum::new(&[29, 23, 19, 17, 13, 11, 7, 5, 3, 2], b"9876543210").and(|number| matches!(number[0], b'1' | b'2')),
    ),
    super::sum(
        "uy.ci",
        "Dirección Nacional de Identificación Civil (cédula)",
        Sum::new(&[2, 9, 8, 7, 6, 3, 4], TO_10).padded(7),
    ),
    super::sum("au.acn", "Corporations Regulations 2001 (ACN check digit)", Sum::new(&[8, 7, 6, 5, 4, 3, 2, 1], TO_10)),
    super::sum(
        "jp.cn",
        "法人番号の指定等に関する省令 (corporate number), modulo 9",
        Sum::new(&[2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1], b"987654321").at(0),
    ),
    rule("ar.cbu", "Banco Central de la República Argentina, Comunicación A 2728", ar_cbu),
    rule("au.medicare", "Services Australia, Medicare number check digit", au_medicare),
    rule("de.kvnr", "SGB V § 290; GKV-Spitzenverband, Krankenversichertennummer", de_kvnr),
    rule("de.serial", "Personalausweisverordnung; Passverordnung; ICAO Doc 9303, part 3, section 4.9", de_serial),
    rule("de.svnr", "VKVV § 2; Deutsche Rentenversicherung, Versicherungsnummer", de_svnr),
    rule("kr.brn", "National Tax Service, business registration number", kr_brn),
    rule("tr.tckimlik", "5490 sayılı Nüfus Hizmetleri Kanunu", tr_tckimlik),
    rule("us.dea", "21 CFR 1301; DEA registration number", us_dea),
    rule("us.rtn", "ANSI X9.100; American Bankers Association routing number", us_rtn),
];

/// German card or passport number without its check digit: nine characters, no vowels among them. A passport's letter
/// before eight digits is the form of other countries' documents too: then the last is a check digit, as some write it.
fn de_serial(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    let digits = characters.iter().filter(|character| character.is_ascii_digit()).count();
    let letters = characters.iter().all(|c| c.is_ascii_digit() || b"CFGHJKLMNPRTVWXYZ".contains(c));
    let checked = || Sum::new(&[7, 3, 1, 7, 3, 1, 7, 3], MOD_10).letters().holds(&characters);
    letters
        && digits >= 2
        && match characters[0] {
            b'C' | b'F' | b'G' | b'H' | b'J' | b'K' if digits == 8 => checked(),
            first => first.is_ascii_uppercase(),
        }
}

/// Argentine CBU: bank and branch with a check digit, the account with another, weights 7, 1, 3, 9 from the right.
pub(super) fn ar_cbu(text: &[u8]) -> bool {
    let holds = |part: &[u8]| {
        let weights = std::iter::once(1).chain([3, 1, 7, 9].into_iter().cycle());
        part.iter().rev().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum::<u32>().is_multiple_of(10)
    };
    digits::<22>(text).is_some_and(|digits| holds(&digits[..8]) && holds(&digits[8..]))
}

/// Australian Medicare number: ten digits from 2 to 6 and at times the reference number of a person on the card;
/// the ninth is the check.
pub(super) fn au_medicare(text: &[u8]) -> bool {
    digits_up_to::<11>(text).is_some_and(|(digits, count)| {
        matches!(count, 10 | 11)
            && (2..=6).contains(&digits[0])
            && weighted(&digits[..8], &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == u32::from(digits[8])
    })
}

/// The sum of the digits of each digit times a weight.
fn digit_sums(digits: &[u8], weights: &[u32]) -> u32 {
    let products = digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight);
    products.map(|product| product / 10 + product % 10).sum()
}

/// A letter as the two digits of its place in the alphabet.
fn as_digits(letter: u8) -> Option<[u8; 2]> {
    letter.is_ascii_uppercase().then(|| [(letter - b'A' + 1) / 10, (letter - b'A' + 1) % 10])
}

/// German health insurance number: a letter and nine digits, digit sums by weights 1 and 2.
fn de_kvnr(text: &[u8]) -> bool {
    let Some(characters) = characters::<10>(text) else { return false };
    let (Some(letter), Some(digits)) = (as_digits(characters[0]), digits::<9>(&characters[1..])) else { return false };
    let own = [letter.as_slice(), &digits[..8]].concat();
    digit_sums(&own, &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 == u32::from(digits[8])
}

/// German social security number: an institution, a birth date with 50 added to the day where numbers ran out, a letter
/// and three digits, the last of them the check.
fn de_svnr(text: &[u8]) -> bool {
    let Some(characters) = characters::<12>(text) else { return false };
    let (Some(born), Some(letter), Some(serial)) =
        (digits::<8>(&characters[..8]), as_digits(characters[8]), digits::<3>(&characters[9..]))
    else {
        return false;
    };
    let own = [born.as_slice(), &letter, &serial[..2]].concat();
    matches!(number(&born[2..4]), 1..=31 | 51..=81)
        && matches!(number(&born[4..6]), 1..=12)
        && digit_sums(&own, &[2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 == u32::from(serial[2])
}

/// Korean business registration number: weights 1, 3, 7 in turn; of the ninth digit five times and its tens.
pub(super) fn kr_brn(text: &[u8]) -> bool {
    digits::<10>(text).is_some_and(|digits| {
        let sum = weighted(&digits[..9], &[1, 3, 7, 1, 3, 7, 1, 3, 5]) + u32::from(digits[8]) * 5 / 10;
        number(&digits[..3]) >= 101 && (sum + u32::from(digits[9])).is_multiple_of(10)
    })
}

/// Turkish identity number: eleven digits from 1; the tenth of 7 times the odd places less the even ones, the
/// eleventh the sum of the ten.
pub(super) fn tr_tckimlik(text: &[u8]) -> bool {
    digits::<11>(text).is_some_and(|digits| {
        let places = |from: usize| digits[from..9].iter().step_by(2).map(|digit| i32::from(*digit)).sum::<i32>();
        let tenth = (7 * places(0) - places(1)).rem_euclid(10);
        let eleventh = digits[..10].iter().map(|digit| i32::from(*digit)).sum::<i32>() % 10;
        digits[0] != 0 && i32::from(digits[9]) == tenth && i32::from(digits[10]) == eleventh
    })
}

/// US registration number with the Drug Enforcement Administration: two letters (or a letter and 9), seven digits.
pub(super) fn us_dea(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    let Some(digits) = digits::<7>(&characters[2..]) else { return false };
    b"ABCDEFGHJKLMPRSTUX".contains(&characters[0])
        && (characters[1].is_ascii_uppercase() || characters[1] == b'9')
        && weighted(&digits[..6], &[1, 2, 1, 2, 1, 2]) % 10 == u32::from(digits[6])
}

/// US bank routing number: nine digits, weights 3, 7, 1, of a Federal Reserve district, a thrift, an electronic
/// institution or traveller's cheques.
pub(super) fn us_rtn(text: &[u8]) -> bool {
    digits::<9>(text).is_some_and(|digits| {
        weighted(&digits, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10)
            && matches!(number(&digits[..2]), 1..=12 | 21..=32 | 61..=72 | 80)
    })
}

#[cfg(test)]
mod tests {
    use super::super::by_name;

    #[test]
    fn published_specimens() {
        for (name, text, valid) in [
            ("ch.ssn", "756.9217.0769.85", true),
            ("ch.ssn", "756.9217.0769.84", false),
            ("ch.ssn", "7569217076985", true),
            ("tr.tckimlik", "17291716060", true),
            ("tr.tckimlik", "17291716050", false),
            ("pl.dowod", "ABA300000", true),
            ("pl.dowod", "ABA300001", false),
            ("pl.dowod", "ABA400000", false),
            ("us.rtn", "111000025", true),
            ("us.rtn", "111000026", false),
            ("us.dea", "AB1234563", true),
            ("us.dea", "AB1234564", false),
            ("mx.clabe", "032180000118359719", true),
            ("mx.clabe", "032180000118359718", false),
            ("ar.cbu", "2850590940090418135201", true),
            ("ar.cbu", "2850590940090418135202", false),
            ("hu.taj", "123456788", true),
            ("hu.anum", "HU-12892312", true),
            ("hu.anum", "12892313", false),
            ("kr.brn", "116-82-00276", true),
            ("au.medicare", "2123 45670 1", true),
            ("au.acn", "004 085 616", true),
            ("uy.ci", "1.234.567-2", true),
            ("de.perso", "T220001293", true),
            ("md.idno", "1008600038413", true),
            ("bg.pnf", "7111042925", true),
        ] {
            assert_eq!(by_name(name).unwrap().check.passes(text.as_bytes(), &[]), valid, "{name} {text}");
        }
    }
}
