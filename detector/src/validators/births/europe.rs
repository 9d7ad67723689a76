//! Identifiers of Europe that hold a date of birth.

use super::super::{
    Validator,
    dates::{LATEST_YEAR, exists, pair, short},
    digits::{characters, digits, digits_up_to, number, number_of, weighted},
    luhn,
    mod11::twice,
    rule, sum,
    sum::{MOD_11_0, Sum, TO_11, TO_11_0},
    verhoeff,
};

/// The rules of this family.
pub(in super::super) const RULES: &[Validator] = &[
    rule("pl.pesel", "Ustawa o ewidencji ludności, article 15", pl_pesel),
    rule("fi.hetu", "Valtioneuvoston asetus 128/2010, § 2", fi_hetu),
    sum(
        "at.vnr",
        "ASVG § 31; Dachverband der Sozialversicherungsträger",
        Sum::new(&[3, 7, 9, 5, 8, 4, 2, 1, 6], sum::MOD_11).at(3).and(|number| number[0] != b'0'),
    ),
    sum(
        "bg.egn",
        "Закон за гражданската регистрация (ЕГН)",
        Sum::new(&[2, 4, 8, 5, 10, 9, 7, 3, 6], MOD_11_0).and(bg_date),
    ),
    rule("cz.rc", "Zákon č. 133/2000 Sb., o evidenci obyvatel", cz_rc),
    rule("sk.rc", "Zákon č. 301/1995 Z. z., o rodnom čísle", cz_rc),
    rule("dk.cpr", "CPR-kontoret, Personnummeret i CPR (no check digit since 2007)", dk_cpr),
    rule("ee.ik", "EVS 585:2007", |text| {
        digits::<11>(text).is_some_and(|digits| baltic_date(&digits) && baltic(&digits))
    }),
    rule("lt.asmens", "Lietuvos Respublikos gyventojų registro įstatymas", |text| {
        digits::<11>(text).is_some_and(|digits| (digits[0] == 9 || baltic_date(&digits)) && baltic(&digits))
    }),
    rule("lv.pvn", "Fizisko personu reģistra likums; Ministru kabineta noteikumi (PVN)", lv_pvn),
    rule("gb.chi", "NHS Scotland, Community Health Index; NHS NUMBER check", |text| {
        digits::<10>(text).is_some_and(|digits| {
            short(pair(&digits, 4), pair(&digits, 2), pair(&digits, 0))
                && weighted(&digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
        })
    }),
    rule("gr.amka", "Νόμος 3655/2008 (ΑΜΚΑ)", |text| {
        digits::<11>(text)
            .is_some_and(|digits| short(pair(&digits, 4), pair(&digits, 2), pair(&digits, 0)) && luhn::passes(&digits))
    }),
    rule("hu.personal", "1996. évi XX. törvény, 2. melléklet (személyi azonosító)", hu_personal),
    sum(
        "is.kennitala",
        "Lög um skráningu einstaklinga, nr. 140/2019",
        Sum::new(&[3, 2, 7, 6, 5, 4, 3, 2, 0], TO_11).at(8).and(is_date),
    ),
    rule("lu.nin", "Loi du 19 juin 2013; Luhn and Verhoeff over the same eleven digits", |text| {
        digits::<13>(text).is_some_and(|digits| {
            let verhoeff = [&digits[..11], &digits[12..]].concat();
            luhn::passes(&digits[..12]) && verhoeff::passes(&verhoeff)
        })
    }),
    rule("no.fodselsnummer", "Folkeregisterforskriften § 2-2-1", no_fodselsnummer),
    sum(
        "ro.cnp",
        "Ordonanța de urgență 97/2005 (CNP)",
        Sum::new(&[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], b"01234567891").and(ro_date),
    ),
    rule("se.personnummer", "Folkbokföringslag (1991:481), § 18", se_personnummer),
    sum(
        "si.emso",
        "Zakon o centralnem registru prebivalstva (EMŠO)",
        Sum::new(&[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11_0).and(jmbg_date),
    ),
    sum(
        "rs.jmbg",
        "Zakon o jedinstvenom matičnom broju građana",
        Sum::new(&[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11_0).and(jmbg_date),
    ),
];

/// Polish PESEL: eleven digits, `YYMMDD` with the century in the month (1800s +80, 2000s +20, 2100s +40, 2200s +60),
/// and a check digit by weights 1, 3, 7, 9 modulo 10. About 2 random strings in 100 pass.
fn pl_pesel(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let month = number(&digits[2..4]);
    let century = [1900, 2000, 2100, 2200, 1800][(month / 20) as usize];
    let sum = weighted(&digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]);
    sum.is_multiple_of(10) && exists(century + number(&digits[..2]), month % 20, number(&digits[4..6]))
}

/// Finnish personal identity code: `DDMMYY`, a sign for the century, three digits from 002 and a check character, the
/// nine digits modulo 31. 900 to 999 are given for a time by hospitals and registers, and name a person all the same.
/// About 7 random strings of the shape in 10,000 pass.
fn fi_hetu(text: &[u8]) -> bool {
    const CHECK: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let Ok(text) = <&[u8; 11]>::try_from(text) else { return false };
    let century = match text[6].to_ascii_uppercase() {
        b'+' => 1800,
        b'-' | b'U'..=b'Y' => 1900,
        b'A'..=b'F' => 2000,
        _ => return false,
    };
    let (Some(date), Some(serial)) = (number_of(&text[..6]), number_of(&text[7..10])) else { return false };
    exists(century + date % 100, date / 100 % 100, date / 10_000)
        && serial >= 2
        && CHECK[((date * 1000 + serial) % 31) as usize] == text[10].to_ascii_uppercase()
}

/// Bulgarian civil number: `YYMMDD`, 20 added to the month for the 1800s, 40 for the 2000s.
fn bg_date(number: &[u8]) -> bool {
    digits::<10>(number).is_some_and(|digits| match pair(&digits, 2) {
        month @ 1..=12 => exists(1900 + pair(&digits, 0), month, pair(&digits, 4)),
        month @ 21..=32 => exists(1800 + pair(&digits, 0), month - 20, pair(&digits, 4)),
        month @ 41..=52 => exists(2000 + pair(&digits, 0), month - 40, pair(&digits, 4)),
        _ => false,
    })
}

/// Czech or Slovak birth number: `YYMMDD`, 50 added to the month of women and 20 where numbers ran out, three digits
/// until 1953, since then four, of which the last is the check: the nine before it modulo 11.
pub(in super::super) fn cz_rc(text: &[u8]) -> bool {
    let Some((digits, count @ (9 | 10))) = digits_up_to::<10>(text) else { return false };
    let year = match (count, pair(&digits, 0)) {
        (9, year @ 80..) => 1800 + year,
        (9, year @ 54..) if year < 80 => return false,
        (10, year @ ..54) => 2000 + year,
        (_, year) => 1900 + year,
    };
    let check = number(&digits[..9]) % 11 % 10;
    exists(year, pair(&digits, 2) % 50 % 20, pair(&digits, 4)) && (count == 9 || check == u64::from(digits[9]))
}

/// Danish personal number: `DDMMYY` and four digits, the first of which says the century. Numbers without the former
/// check modulo 11 are given out since 2007, so only the date decides.
fn dk_cpr(text: &[u8]) -> bool {
    digits::<10>(text).is_some_and(|digits| {
        let year = match (digits[6], pair(&digits, 4)) {
            (5..=8, year @ 58..) => 1800 + year,
            (0..=3, year) | (4 | 9, year @ 37..) => 1900 + year,
            (_, year) => 2000 + year,
        };
        year <= LATEST_YEAR && exists(year, pair(&digits, 2), pair(&digits, 0))
    })
}

/// Estonian and Lithuanian personal code: sex and century, `YYMMDD`, three digits.
fn baltic_date(digits: &[u8; 11]) -> bool {
    let century = match digits[0] {
        century @ 1..=8 => 1800 + (u64::from(century) - 1) / 2 * 100,
        _ => return false,
    };
    exists(century + pair(digits, 1), pair(digits, 3), pair(digits, 5))
}

/// Their check digit modulo 11, by a second row of weights where the first leaves 10.
fn baltic(digits: &[u8; 11]) -> bool {
    twice(digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1], &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3])
        .is_some_and(|check| check % 10 == u32::from(digits[10]))
}

/// Latvian personal code (`DDMMYY`, century, four digits; without a date from 32) or a company's eleven digits.
fn lv_pvn(text: &[u8]) -> bool {
    let Some((characters, 11)) = super::super::digits::unprefixed::<11>(text, b"LV") else { return false };
    let Some(digits) = digits::<11>(&characters) else { return false };
    if digits[0] > 3 {
        return weighted(&digits, &[9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 == 3;
    }
    let check = (1 + weighted(&digits[..10], &[10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11 % 10;
    let dated = || exists(1800 + u64::from(digits[6]) * 100 + pair(&digits, 4), pair(&digits, 2), pair(&digits, 0));
    check == u32::from(digits[10]) && (digits.starts_with(&[3, 2]) || dated())
}

/// Hungarian personal identifier: sex and century, `YYMMDD`, three digits and the check, whose weights go up for those
/// born before 1997 and down for others.
fn hu_personal(text: &[u8]) -> bool {
    const UP: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const DOWN: [u32; 10] = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
    digits::<11>(text).is_some_and(|digits| {
        let holds = |weights: &[u32]| weighted(&digits[..10], weights) % 11 == u32::from(digits[10]);
        (1..=8).contains(&digits[0])
            && short(pair(&digits, 1), pair(&digits, 3), pair(&digits, 5))
            && (holds(&UP) || holds(&DOWN))
    })
}

/// Icelandic number: `DDMMYY`, 40 added to the day of organisations, and the century in the last digit.
fn is_date(number: &[u8]) -> bool {
    digits::<10>(number).is_some_and(|digits| {
        let century = match digits[9] {
            9 => 1900,
            0 => 2000,
            _ => return false,
        };
        let day = pair(&digits, 0);
        exists(century + pair(&digits, 4), pair(&digits, 2), if day > 40 { day - 40 } else { day })
    })
}

/// Norwegian birth number: `DDMMYY` (40 added to the day of a D-number, to the month of an aid's), three digits that
/// say the century, two check digits.
fn no_fodselsnummer(text: &[u8]) -> bool {
    const FIRST: Sum = Sum::new(&[3, 7, 6, 1, 8, 9, 4, 5, 2], TO_11);
    const SECOND: Sum = Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11);
    let (Some(characters), Some(digits)) = (characters::<11>(text), digits::<11>(text)) else { return false };
    let year = match (number(&digits[6..9]), pair(&digits, 4)) {
        (..500, year) => 1900 + year,
        (..750, year @ 54..) => 1800 + year,
        (500.., year @ ..40) => 2000 + year,
        (900.., year) => 1900 + year,
        _ => return false,
    };
    let (day, month) = (pair(&digits, 0), pair(&digits, 2));
    let day = if day > 40 { day - 40 } else { day };
    let month = if month > 40 { month - 40 } else { month };
    year <= LATEST_YEAR && exists(year, month, day) && FIRST.holds(&characters[..10]) && SECOND.holds(&characters)
}

/// Romanian number: sex and century, `YYMMDD`, a county.
fn ro_date(number: &[u8]) -> bool {
    digits::<13>(number).is_some_and(|digits| {
        let century = match digits[0] {
            1 | 2 => 1900,
            3 | 4 => 1800,
            5 | 6 => 2000,
            7..=9 => 1900,
            _ => return false,
        };
        matches!(pair(&digits, 7), 1..=48 | 51 | 52 | 70 | 80..=83)
            && exists(century + pair(&digits, 1), pair(&digits, 3), pair(&digits, 5))
    })
}

/// Swedish personal number: `YYMMDD`, 60 added to the day of a coordination number, three digits and Luhn's check;
/// at times the century before it.
fn se_personnummer(text: &[u8]) -> bool {
    let Some((digits, count @ (10 | 12))) = digits_up_to::<12>(text) else { return false };
    let own = &digits[count - 10..count];
    let day = pair(own, 4);
    let day = if day > 60 { day - 60 } else { day };
    let dated = match count {
        12 => exists(number(&digits[..4]), pair(own, 2), day),
        _ => short(pair(own, 0), pair(own, 2), day),
    };
    dated && luhn::passes(own)
}

/// Number of the former Yugoslavia: `DDMM`, the last three digits of the year, region and serial.
fn jmbg_date(number: &[u8]) -> bool {
    digits::<13>(number).is_some_and(|digits| {
        let year = match super::super::digits::number(&digits[4..7]) {
            year @ 800.. => 1000 + year,
            year => 2000 + year,
        };
        exists(year, pair(&digits, 2), pair(&digits, 0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validators::by_name;

    #[test]
    fn dates_inside_identifiers() {
        for (check, text, valid) in [
            (pl_pesel as fn(&[u8]) -> bool, "44051401359", true),
            (pl_pesel, "02070803628", true),
            (pl_pesel, "44051401358", false),
            (pl_pesel, "44053201350", false),
            (fi_hetu, "131052-308T", true),
            (fi_hetu, "131052-308t", true),
            (fi_hetu, "010203A1230", true),
            (fi_hetu, "150590Y9021", true),
            (fi_hetu, "311299+104K", true),
            (fi_hetu, "131052-308U", false),
            (fi_hetu, "311152-308T", false),
            (fi_hetu, "131052*308T", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn published_specimens() {
        for (name, text, valid) in [
            ("bg.egn", "752316 926 3", true),
            ("bg.egn", "8032056031", true),
            ("bg.egn", "8019010008", false),
            ("cz.rc", "710319/2745", true),
            ("cz.rc", "710319/2746", false),
            ("cz.rc", "601231123", false),
            ("dk.cpr", "211062-5629", true),
            ("dk.cpr", "321062-5629", false),
            ("ee.ik", "36805280109", true),
            ("ee.ik", "36805280108", false),
            ("lt.asmens", "33309240064", true),
            ("lv.pvn", "161175-19997", true),
            ("gr.amka", "01013099997", true),
            ("gr.amka", "01013099999", false),
            ("is.kennitala", "450401-3150", true),
            ("is.kennitala", "320174-3399", false),
            ("no.fodselsnummer", "151086 95088", true),
            ("no.fodselsnummer", "151086-95077", false),
            ("ro.cnp", "1630615123457", true),
            ("ro.cnp", "1630615123458", false),
            ("se.personnummer", "880320-0016", true),
            ("se.personnummer", "880320-0018", false),
            ("se.personnummer", "701063-2391", true),
            ("si.emso", "0101006500006", true),
            ("si.emso", "0101006500007", false),
            ("at.vnr", "1237 010180", true),
        ] {
            assert_eq!(by_name(name).unwrap().check.passes(text.as_bytes(), &[]), valid, "{name} {text}");
        }
    }
}
