//! Identifiers without a check digit, told by the ranges that are issued.

use super::{
    Validator,
    digits::{characters, digits, digits_up_to, number},
    rule,
};
use crate::countries::is_country;

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("us.ssn", "Social Security Administration, POMS RM 10201.035", us_ssn),
    rule("us.itin", "Internal Revenue Service, Internal Revenue Manual 3.21.263", us_itin),
    rule("us.ein", "Internal Revenue Service, Publication 1635 (campus prefixes)", us_ein),
    rule("gb.nino", "HM Revenue & Customs, NIM39110", gb_nino),
    rule("gb.dl", "Driver and Vehicle Licensing Agency, driver number", gb_dl),
    rule("ad.nrt", "Decret del 27-1-2010 (NRT)", ad_nrt),
    rule("pk.cnic", "National Database and Registration Authority, CNIC", |text| {
        digits::<13>(text).is_some_and(|digits| (1..=7).contains(&digits[0]) && digits[12] != 0)
    }),
    rule("bic", "ISO 9362", |text| {
        let Some((characters, count @ (8 | 11))) = super::digits::characters_up_to::<11>(text) else { return false };
        let country = std::str::from_utf8(&characters[4..6]).unwrap_or("");
        super::form::is_of(&characters[..count], "@@@@@@**|@@@@@@*****") && (is_country(country) || country == "XK")
    }),
    rule("imsi", "ITU-T E.212 (mobile country codes)", imsi),
    rule("vn.cccd", "Nghị định 137/2015/NĐ-CP, điều 13", |text| {
        digits::<12>(text).is_some_and(|digits| (1..=96).contains(&number(&digits[..3])) && digits[3] < 10)
    }),
    rule("sm.coe", "Codice Operatore Economico, San Marino", |text| {
        digits_up_to::<6>(text).is_some_and(|(digits, count)| (1..100_000).contains(&number(&digits[..count])))
    }),
    rule("tn.mf", "Code de l'impôt, matricule fiscal", tn_mf),
];

/// US employer identification number: the first two digits of a campus that gives them out.
fn us_ein(text: &[u8]) -> bool {
    digits::<9>(text).is_some_and(
        |digits| !matches!(number(&digits[..2]), 0 | 7..=9 | 17..=19 | 28 | 29 | 49 | 69 | 70 | 78 | 79 | 89 | 96 | 97),
    )
}

/// UK driver number: five characters of the surname, the birth date with 50 added to the month of women, two
/// initials or 9, an arbitrary character and two more. The check among these is not published.
fn gb_dl(text: &[u8]) -> bool {
    let Some(characters) = characters::<16>(text) else { return false };
    let surname = characters[..5].iter().position(|byte| *byte == b'9').unwrap_or(5);
    let Some(born) = digits::<6>(&characters[5..11]) else { return false };
    let (month, day) = (number(&born[1..3]) % 50, number(&born[3..5]));
    surname > 0
        && characters[..surname].iter().all(u8::is_ascii_uppercase)
        && characters[surname..5].iter().all(|byte| *byte == b'9')
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && number(&born[1..3]) <= 62
        && characters[11..13].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'9')
        && (characters[13].is_ascii_digit() || characters[13].is_ascii_uppercase())
        && characters[14..].iter().all(u8::is_ascii_alphanumeric)
}

/// Andorran tax number: a letter for the kind, six digits in its range and a control letter by an unpublished rule.
fn ad_nrt(text: &[u8]) -> bool {
    let Some(characters) = characters::<8>(text) else { return false };
    let Some(digits) = digits::<6>(&characters[1..7]) else { return false };
    let serial = number(&digits);
    characters[7].is_ascii_uppercase()
        && match characters[0] {
            b'F' => serial <= 699_999,
            b'A' | b'L' => (700_000..800_000).contains(&serial),
            b'C' | b'D' | b'E' | b'G' | b'O' | b'P' | b'U' => true,
            _ => false,
        }
}

/// Tunisian tax number: up to seven digits and a key letter; or, in full, codes for tax and category and an
/// establishment's number, which is 000 except for branches (E).
fn tn_mf(text: &[u8]) -> bool {
    let Some((read, count)) = super::digits::characters_up_to::<13>(text) else { return false };
    let read = &read[..count];
    let serial = read.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &read[serial..];
    (1..=7).contains(&serial)
        && (super::form::is_of(rest, "[A-HJ-NP-TV-Z]")
            || super::form::is_of(rest, "[A-HJ-NP-TV-Z][APBDN][MPCNE]###") && (rest[3..] == *b"000" || rest[2] == b'E'))
}

/// International mobile subscriber identity: fourteen or fifteen digits that start with a country's code.
fn imsi(text: &[u8]) -> bool {
    digits_up_to::<15>(text).is_some_and(|(digits, count)| {
        count >= 14
            && matches!(number(&digits[..3]),
                1 | 202 | 204 | 206 | 208 | 212..=214 | 216 | 218..=222 | 226 | 228 | 230..=232 | 234 | 235 | 238 | 240
                | 242 | 244 | 246..=248 | 250 | 255 | 257 | 259 | 260 | 262 | 266 | 268 | 270 | 272 | 274 | 276 | 278
                | 280 | 282..=284 | 286 | 288..=290 | 292..=295 | 297 | 302 | 308 | 310..=316 | 330 | 334 | 338 | 340
                | 342 | 344 | 346 | 348 | 350 | 352 | 354 | 356 | 358 | 360 | 362..=366 | 368 | 370 | 372 | 374 | 376
                | 400..=402 | 404 | 405 | 410 | 412..=422 | 424..=429 | 432 | 434 | 436..=438 | 440 | 441 | 450 | 452
                | 454..=457 | 460 | 466 | 467 | 470 | 472 | 502 | 505 | 510 | 514 | 515 | 520 | 525 | 528 | 530
                | 536 | 537 | 539..=555 | 602..=643 | 645..=655 | 657..=659 | 702 | 704 | 706 | 708 | 710 | 712 | 714
                | 716 | 722 | 724 | 730 | 732 | 734 | 736 | 738 | 740 | 742 | 744 | 746 | 748 | 750 | 901 | 902 | 991
                | 995 | 999)
    })
}

/// US social security number: area not 000, 666 or 900 to 999, group not 00, serial not 0000 (POMS RM 10201.035), and
/// none of the numbers that advertisements made known. 89 random strings in 100 pass.
pub(super) fn us_ssn(text: &[u8]) -> bool {
    let Some(digits) = digits::<9>(text) else { return false };
    let (area, group, serial) = (number(&digits[..3]), number(&digits[3..5]), number(&digits[5..]));
    !matches!(area, 0 | 666 | 900..)
        && group != 0
        && serial != 0
        && !matches!((area, group, serial), (78, 5, 1120) | (219, 9, 9999) | (457, 55, 5462))
}

/// US individual taxpayer identification number: area 900 to 999, group 50 to 65, 70 to 88, 90 to 92 or 94 to 99
/// (Internal Revenue Manual 3.21.263). Of random strings from 9, 44 in 100 pass.
pub(super) fn us_itin(text: &[u8]) -> bool {
    digits::<9>(text)
        .is_some_and(|digits| digits[0] == 9 && matches!(number(&digits[3..5]), 50..=65 | 70..=88 | 90..=92 | 94..=99))
}

/// UK national insurance number: two letters, six digits, A to D. D, F, I, Q, U and V are not used, O not second, and
/// some pairs are never issued (NIM39110). 9 random strings of the shape in 100 pass.
pub(super) fn gb_nino(text: &[u8]) -> bool {
    let Some(characters) = characters::<9>(text) else { return false };
    let letter = |byte: u8| byte.is_ascii_uppercase() && !b"DFIQUV".contains(&byte);
    letter(characters[0])
        && letter(characters[1])
        && characters[1] != b'O'
        && !matches!(&characters[..2], b"BG" | b"GB" | b"KN" | b"NK" | b"NT" | b"TN" | b"ZZ")
        && characters[2..8].iter().all(u8::is_ascii_digit)
        && matches!(characters[8], b'A'..=b'D')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_issued() {
        for (check, text, valid) in [
            (us_ssn as fn(&[u8]) -> bool, "536-90-4399", true),
            (us_ssn, "536904399", true),
            (us_ssn, "000-12-3456", false),
            (us_ssn, "666-12-3456", false),
            (us_ssn, "900-12-3456", false),
            (us_ssn, "536-00-4399", false),
            (us_ssn, "536-90-0000", false),
            (us_ssn, "078-05-1120", false),
            (us_itin, "912-70-1234", true),
            (us_itin, "912-93-1234", false),
            (us_itin, "812-70-1234", false),
            (gb_nino, "AB123456C", true),
            (gb_nino, "ab 12 34 56 c", true),
            (gb_nino, "QQ123456C", false),
            (gb_nino, "AO123456C", false),
            (gb_nino, "GB123456C", false),
            (gb_nino, "AB123456E", false),
            (gb_nino, "AB12345XC", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }
}
