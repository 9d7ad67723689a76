//! Identifiers outside Europe that hold a date of birth.

use super::super::{
    Validator,
    dates::{exists, pair, short},
    digits::{characters, characters_up_to, digits, number, weighted},
    form, luhn,
    mod11::twice,
    rule,
    sum::value,
};

/// The rules of this family.
pub(in super::super) const RULES: &[Validator] = &[
    rule("ca.ramq", "Régie de l'assurance maladie du Québec, numéro d'assurance maladie", ca_ramq),
    rule("cn.ric", "GB 11643-1999; ISO 7064 modulo 11,2", cn_ric),
    rule("cu.ni", "Carné de Identidad, Cuba", cu_ni),
    rule("eg.nid", "Civil Status Law 143/1994 (national number)", eg_nid),
    rule("id.nik", "Undang-Undang 24/2013 (NIK)", |text| digits::<16>(text).is_some_and(|digits| is_nik(&digits))),
    rule("kr.rrn", "주민등록법 (resident registration number; no check digit since October 2020)", kr_rrn),
    rule("kz.iin", "Закон о национальных реестрах идентификационных номеров (ИИН)", kz_iin),
    rule("lk.nic", "Registration of Persons Act, National Identity Card", lk_nic),
    rule("mu.nid", "National Identity Card Act, modulo 17", mu_nid),
    rule("mx.curp", "Instructivo normativo para la asignación de la CURP", mx_curp),
    rule("mx.rfc", "Código Fiscal de la Federación, Servicio de Administración Tributaria (RFC)", mx_rfc),
    rule("my.nric", "National Registration Regulations 1990 (MyKad)", my_nric),
    rule("za.idnr", "Identification Act 68 of 1997; Luhn", |text| {
        digits::<13>(text).is_some_and(|digits| {
            short(pair(&digits, 0), pair(&digits, 2), pair(&digits, 4)) && digits[10] <= 2 && luhn::passes(&digits)
        })
    }),
];

/// Health number of Quebec: four letters, `YYMMDD` with 50 added to the month of women, two digits. The rule of the
/// last is not published.
fn ca_ramq(text: &[u8]) -> bool {
    let Some(characters) = characters::<12>(text) else { return false };
    characters[..4].iter().all(u8::is_ascii_uppercase)
        && digits::<8>(&characters[4..])
            .is_some_and(|digits| short(pair(&digits, 0), pair(&digits, 2) % 50, pair(&digits, 4)))
}

/// Chinese resident number: a county, `YYYYMMDD`, three digits and a check character modulo 11, X for 10. Of the county
/// the province is checked: counties are founded and dissolved each year.
fn cn_ric(text: &[u8]) -> bool {
    let Some(characters) = characters::<18>(text) else { return false };
    let Some(digits) = digits::<17>(&characters[..17]) else { return false };
    let sum = weighted(&digits, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let province = matches!(
        pair(&digits, 0),
        11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81 | 82 | 91
    );
    province
        && exists(number(&digits[6..10]), pair(&digits, 10), pair(&digits, 12))
        && characters[17] == b"10X98765432"[(sum % 11) as usize]
}

/// Cuban identity number: `YYMMDD`, the century in the seventh digit. The last is a check of an unpublished rule.
fn cu_ni(text: &[u8]) -> bool {
    digits::<11>(text).is_some_and(|digits| {
        let century = match digits[6] {
            9 => 1800,
            0..=5 => 1900,
            _ => 2000,
        };
        exists(century + pair(&digits, 0), pair(&digits, 2), pair(&digits, 4))
    })
}

/// Egyptian national number: century (2 or 3), `YYMMDD`, a governorate, five digits. The rule of the last is not
/// published.
fn eg_nid(text: &[u8]) -> bool {
    digits::<14>(text).is_some_and(|digits| {
        matches!(digits[0], 2 | 3)
            && exists(1700 + u64::from(digits[0]) * 100 + pair(&digits, 1), pair(&digits, 3), pair(&digits, 5))
            && matches!(pair(&digits, 7), 1..=4 | 11..=19 | 21..=29 | 31..=35 | 88)
    })
}

/// Indonesian identity number: a province and a place in it, `DDMMYY` with 40 added to the day of women, four digits.
/// Of the place only the province is checked: regencies are founded each year.
pub(in super::super) fn is_nik(digits: &[u8; 16]) -> bool {
    matches!(
        pair(digits, 0),
        11..=19 | 21 | 31..=36 | 51..=53 | 61..=65 | 71..=76 | 81 | 82 | 91..=97
    ) && short(pair(digits, 10), pair(digits, 8), pair(digits, 6) % 40)
}

/// Korean resident number: `YYMMDD`, a digit for sex and century, a place of registration, and a check digit. Numbers
/// of people born since October 2020 have random digits there.
fn kr_rrn(text: &[u8]) -> bool {
    digits::<13>(text).is_some_and(|digits| {
        let year = pair(&digits, 0)
            + match digits[6] {
                1 | 2 | 5 | 6 => 1900,
                3 | 4 | 7 | 8 => 2000,
                _ => 1800,
            };
        let month = pair(&digits, 2);
        let sum = weighted(&digits[..12], &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
        exists(year, month, pair(&digits, 4))
            && ((year, month) >= (2020, 10) || pair(&digits, 7) <= 96 && (11 - sum % 11) % 10 == u32::from(digits[12]))
    })
}

/// Kazakh identification number: `YYMMDD`, sex and century, four digits and the check.
fn kz_iin(text: &[u8]) -> bool {
    digits::<12>(text).is_some_and(|digits| {
        let check = twice(&digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], &[3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]);
        short(pair(&digits, 0), pair(&digits, 2), pair(&digits, 4))
            && digits[6] <= 6
            && check == Some(u32::from(digits[11]))
    })
}

/// Sri Lankan identity card: year and day of the year (500 added for women), and a serial; nine digits with V or X, or
/// twelve.
fn lk_nic(text: &[u8]) -> bool {
    let Some((characters, count)) = characters_up_to::<12>(text) else { return false };
    let day = match count {
        10 if form::is_of(&characters[..10], "#########[VX]") => &characters[2..5],
        12 if form::is_of(&characters, "[12]###########") => &characters[4..7],
        _ => return false,
    };
    matches!(super::super::digits::number_of(day), Some(1..=366 | 501..=866))
}

/// Mauritian identity number: a letter, `DDMMYY`, six digits and a check character modulo 17.
fn mu_nid(text: &[u8]) -> bool {
    let Some(characters) = characters::<14>(text) else { return false };
    let Some(digits) = digits::<12>(&characters[1..13]) else { return false };
    let sum: i32 =
        characters[..13].iter().filter_map(|character| value(*character)).zip((2..=14).rev()).map(|(v, w)| v * w).sum();
    characters[0].is_ascii_uppercase()
        && short(pair(&digits, 4), pair(&digits, 2), pair(&digits, 0))
        && value(characters[13]) == Some((17 - sum % 17) % 17)
}

/// The states of Mexico as the population register abbreviates them.
const MEXICAN_STATES: &[u8] = b"ASBCBSCCCHCLCMCSDFDGGRGTHGJCMCMNMSNENLNTOCPLQRQTSLSPSRTCTLTSVZYNZS";

/// Mexican population code: four letters of the names, `YYMMDD`, sex, state, three letters, a character that tells
/// centuries apart, and a check digit.
fn mx_curp(text: &[u8]) -> bool {
    let Some(characters) = characters::<18>(text) else { return false };
    let Some(born) = digits::<6>(&characters[4..10]) else { return false };
    let century = if characters[16].is_ascii_digit() { 1900 } else { 2000 };
    // The letter that is not in ASCII stands between N and O.
    let term = |(weight, character): (i32, &u8)| match value(*character) {
        Some(letter @ 24..) => (letter + 1) * weight,
        Some(other) => other * weight,
        None => 0,
    };
    let sum: i32 = (2..=18).rev().zip(&characters[..17]).map(term).sum();
    form::is_of(&characters, "@@@@######[HM]@@@@@*#")
        && MEXICAN_STATES.chunks(2).any(|state| *state == characters[11..13])
        && exists(century + pair(&born, 0), pair(&born, 2), pair(&born, 4))
        && i32::from(characters[17] - b'0') == (10 - sum % 10) % 10
}

/// Mexican taxpayer code: four letters of a person or three of a company, `YYMMDD`, and three characters, which a
/// person's may lack. The check character is not required: the tax office gives out codes without it.
fn mx_rfc(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let own = || text.chars().filter(|c| c.is_alphanumeric() || *c == '&');
    let letters = own().take_while(|c| !c.is_ascii_digit()).count();
    let all_letters = own().take(letters).all(|c| c.is_ascii_alphabetic() || matches!(c, '&' | 'Ñ' | 'ñ'));
    let mut rest = [0u8; 9];
    let mut count = 0;
    for character in own().skip(letters) {
        let (Some(slot), true) = (rest.get_mut(count), character.is_ascii()) else { return false };
        *slot = character as u8;
        count += 1;
    }
    let complete = matches!((letters, count), (4, 6 | 9) | (3, 9));
    complete
        && all_letters
        && digits::<6>(&rest[..6]).is_some_and(|born| short(pair(&born, 0), pair(&born, 2), pair(&born, 4)))
}

/// Malaysian identity number: `YYMMDD`, a place of birth, four digits.
fn my_nric(text: &[u8]) -> bool {
    digits::<12>(text).is_some_and(|digits| {
        short(pair(&digits, 0), pair(&digits, 2), pair(&digits, 4))
            && matches!(pair(&digits, 6), 1..=16 | 21..=68 | 71 | 72 | 74..=79 | 82..=93 | 98 | 99)
    })
}

#[cfg(test)]
mod tests {
    use crate::validators::by_name;

    #[test]
    fn published_specimens() {
        for (name, text, valid) in [
            ("cn.ric", "11010519491231002X", true),
            ("cn.ric", "110105194912310025", false),
            ("mx.curp", "BOXW310820HNERXN09", true),
            ("mx.curp", "BOXW310820HNERXN08", false),
            ("mx.rfc", "GODE 561231 GR8", true),
            ("mx.rfc", "GODE561331GR8", false),
            ("mx.rfc", "ÑODE561231", true),
            ("za.idnr", "750330 5044089", true),
            ("za.idnr", "750330 5044088", false),
            ("my.nric", "770305-02-1234", true),
            ("my.nric", "771305-02-1234", false),
            ("kr.rrn", "971013-9019902", true),
            ("kr.rrn", "971013-9019903", false),
            ("kr.rrn", "201105-3019903", true),
            ("id.nik", "3171011708450001", true),
            ("mu.nid", "J2906201304089", true),
            ("cu.ni", "91021027775", true),
            ("lk.nic", "852234567V", true),
            ("lk.nic", "859874567V", false),
            ("eg.nid", "29001011234567", true),
            ("ca.ramq", "BOUF 9401 1419", true),
        ] {
            assert_eq!(by_name(name).unwrap().check.passes(text.as_bytes(), &[]), valid, "{name} {text}");
        }
    }
}
