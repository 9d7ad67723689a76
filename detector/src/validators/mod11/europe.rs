//! Identifiers of Europe with more than one sum modulo 11, or forms that differ.

use super::{
    super::{
        Validator, births, by_name,
        digits::{characters, characters_up_to, digits, digits_up_to, number, unprefixed, weighted},
        luhn, rule,
        sum::{MOD_11_0, Sum, TO_11, TO_11_LAST, value},
    },
    twice,
};

/// The rules of this family.
pub(in super::super) const RULES: &[Validator] = &[
    rule("bg.vat", "Закон за данък върху добавената стойност", bg_vat),
    rule("by.unp", "Налоговый кодекс Республики Беларусь (УНП)", by_unp),
    rule("cz.bankaccount", "ČNB, vyhláška č. 169/2011 Sb.", cz_bankaccount),
    rule("cz.dic", "Zákon č. 280/2009 Sb., daňový řád (DIČ)", cz_dic),
    rule("es.ccc", "Consejo Superior Bancario, código cuenta cliente", |text| {
        digits::<20>(text).is_some_and(|digits| es_ccc(&digits))
    }),
    rule("no.kontonr", "Norsk Standard kontonummer, modulus 11", no_kontonr),
    rule("pl.regon", "Główny Urząd Statystyczny (REGON)", pl_regon),
    rule("ru.inn", "Приказ ФНС ММВ-7-6/435@ (ИНН)", ru_inn),
    rule("sk.dph", "Zákon č. 222/2004 Z. z.", sk_dph),
    rule("tr.vkn", "Gelir İdaresi Başkanlığı (vergi kimlik numarası)", tr_vkn),
    rule("nl.onderwijsnummer", "Regeling onderwijsnummer; eleven test with remainder 5", nl_onderwijsnummer),
];

/// Dutch education number: nine digits from 10, the sum of the eleven test 5 more than a multiple.
pub(in super::super) fn nl_onderwijsnummer(text: &[u8]) -> bool {
    digits::<9>(text)
        .is_some_and(|digits| digits.starts_with(&[1, 0]) && weighted(&digits, &[9, 8, 7, 6, 5, 4, 3, 2, 10]) % 11 == 5)
}

/// Bulgarian identification number for value added tax: nine digits of a company, or ten of a person or foreigner.
pub(in super::super) fn bg_vat(text: &[u8]) -> bool {
    const OTHERS: Sum = Sum::new(&[4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11);
    let Some((characters, count)) = unprefixed::<10>(text, b"BG") else { return false };
    let number = &characters[..count];
    let company = || {
        digits::<9>(number).is_some_and(|digits| {
            let check = twice(&digits, &[1, 2, 3, 4, 5, 6, 7, 8], &[3, 4, 5, 6, 7, 8, 9, 10]);
            check.is_some_and(|check| check % 10 == u32::from(digits[8]))
        })
    };
    let person = || by_name("bg.egn").is_some_and(|rule| rule.check.passes(number, &[]));
    let foreigner = || by_name("bg.pnf").is_some_and(|rule| rule.check.passes(number, &[]));
    company() || person() || foreigner() || OTHERS.holds(number)
}

/// Belarusian payer's number: nine digits, or two letters and seven digits for persons.
pub(in super::super) fn by_unp(text: &[u8]) -> bool {
    const LETTERS: &[u8] = b"ABCEHKMOPT";
    let Some(mut characters) = characters::<9>(text) else { return false };
    if !b"1234567ABCEHKM".contains(&characters[0]) {
        return false;
    }
    if characters[0].is_ascii_uppercase() {
        match LETTERS.iter().position(|letter| *letter == characters[1]) {
            Some(place) => characters[1] = b'0' + place as u8,
            None => return false,
        }
    }
    if !characters[1..].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let values = characters.map(|character| value(character).unwrap_or(0) as u8);
    weighted(&values[..8], &[29, 23, 19, 17, 13, 7, 5, 3]) % 11 == u32::from(values[8])
}

/// The bank codes that the Czech National Bank has given out.
#[rustfmt::skip]
const CZECH_BANKS: [u64; 47] = [
    100, 300, 600, 710, 800, 2010, 2060, 2070, 2100, 2200, 2220, 2250, 2260, 2600, 2700, 3030, 3060, 3500, 4300, 5500,
    5800, 6000, 6200, 6210, 6300, 6363, 6700, 6800, 7910, 7950, 7960, 7970, 7990, 8030, 8040, 8060, 8090, 8150, 8190,
    8198, 8220, 8250, 8255, 8265, 8500, 8610, 8660,
];

/// Czech account number: a prefix of up to six digits, up to ten, and the bank; both parts modulo 11.
pub(in super::super) fn cz_bankaccount(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'/');
    let (Some(account), Some(bank), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let (prefix, root) = match account.iter().position(|byte| *byte == b'-') {
        Some(at) => (&account[..at], &account[at + 1..]),
        None => (&account[..0], account),
    };
    let part = |text: &[u8], fewest: usize, most: usize| {
        digits_up_to::<10>(text).is_some_and(|(digits, count)| {
            let sum: u32 = digits[..count]
                .iter()
                .rev()
                .zip([1, 2, 4, 8, 5, 10, 9, 7, 3, 6])
                .map(|(digit, weight)| u32::from(*digit) * weight)
                .sum();
            (fewest..=most).contains(&count) && sum.is_multiple_of(11)
        })
    };
    part(prefix, 0, 6)
        && part(root, 2, 10)
        && digits::<4>(bank).is_some_and(|bank| CZECH_BANKS.binary_search(&number(&bank)).is_ok())
}

/// Czech tax number: eight digits of a company, nine from 6 for special cases, or a birth number.
pub(in super::super) fn cz_dic(text: &[u8]) -> bool {
    const COMPANY: Sum = Sum::new(&[8, 7, 6, 5, 4, 3, 2], TO_11_LAST);
    let Some((characters, count)) = unprefixed::<10>(text, b"CZ") else { return false };
    let number = &characters[..count];
    let special = || {
        digits::<9>(number).is_some_and(|digits| {
            let sum = weighted(&digits[1..8], &[8, 7, 6, 5, 4, 3, 2]) % 11;
            digits[0] == 6 && (8 - (10 - sum as i32) % 11).rem_euclid(10) == i32::from(digits[8])
        })
    };
    match count {
        8 => number[0] != b'9' && COMPANY.holds(number),
        9 if special() => true,
        9 | 10 => births::europe::cz_rc(number),
        _ => false,
    }
}

/// The two check digits within a Spanish account number.
pub(in super::super) fn es_ccc(digits: &[u8; 20]) -> bool {
    let check = |digits: &[u8], weights: &[u32]| match 11 - weighted(digits, weights) % 11 {
        11 => 0,
        10 => 1,
        check => check as u8,
    };
    digits[8] == check(&digits[..8], &[4, 8, 5, 10, 9, 7, 3, 6])
        && digits[9] == check(&digits[10..], &[1, 2, 4, 8, 5, 10, 9, 7, 3, 6])
}

/// Norwegian account number: eleven digits modulo 11, or seven of the former postal giro by Luhn's check.
pub(in super::super) fn no_kontonr(text: &[u8]) -> bool {
    const ACCOUNT: Sum = Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11);
    match digits_up_to::<11>(text) {
        Some((digits, 7)) => luhn::passes(&digits[..7]),
        Some((digits, 11)) if digits.starts_with(&[0; 4]) => luhn::passes(&digits[4..]),
        Some((_, 11)) => ACCOUNT.passes(text),
        _ => false,
    }
}

/// Polish business register number: nine digits, or fourteen of a local unit that hold the nine.
pub(in super::super) fn pl_regon(text: &[u8]) -> bool {
    const COMPANY: Sum = Sum::new(&[8, 9, 2, 3, 4, 5, 6, 7], MOD_11_0);
    const UNIT: Sum = Sum::new(&[2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8], MOD_11_0);
    let Some((characters, count)) = characters_up_to::<14>(text) else { return false };
    match count {
        9 => COMPANY.holds(&characters[..9]),
        14 => COMPANY.holds(&characters[..9]) && UNIT.holds(&characters),
        _ => false,
    }
}

/// Russian taxpayer number: ten digits of a company with one check digit, twelve of a person with two.
pub(in super::super) fn ru_inn(text: &[u8]) -> bool {
    const COMPANY: Sum = Sum::new(&[2, 4, 10, 3, 5, 9, 4, 6, 8], MOD_11_0);
    const FIRST: Sum = Sum::new(&[7, 2, 4, 10, 3, 5, 9, 4, 6, 8], MOD_11_0);
    const SECOND: Sum = Sum::new(&[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8], MOD_11_0);
    let Some((characters, count)) = characters_up_to::<12>(text) else { return false };
    match count {
        10 => COMPANY.holds(&characters[..10]),
        12 => FIRST.holds(&characters[..11]) && SECOND.holds(&characters),
        _ => false,
    }
}

/// Slovak number for value added tax: ten digits divisible by 11, not from 0, the third of a group in use.
pub(in super::super) fn sk_dph(text: &[u8]) -> bool {
    let Some((characters, count)) = unprefixed::<10>(text, b"SK") else { return false };
    digits::<10>(&characters[..count]).is_some_and(|digits| {
        let company =
            digits[0] != 0 && matches!(digits[2], 2 | 3 | 4 | 7 | 8 | 9) && number(&digits).is_multiple_of(11);
        company || births::europe::cz_rc(&characters[..count])
    })
}

/// Turkish tax number: each digit plus its place, times a power of two, modulo 9.
pub(in super::super) fn tr_vkn(text: &[u8]) -> bool {
    digits::<10>(text).is_some_and(|digits| {
        let term = |(place, digit): (u32, &u8)| match (u32::from(*digit) + place) % 10 {
            0 => 0,
            shifted => match shifted * (1 << place) % 9 {
                0 => 9,
                term => term,
            },
        };
        let sum: u32 = (1..).zip(digits[..9].iter().rev()).map(term).sum();
        (10 - sum % 10) % 10 == u32::from(digits[9])
    })
}
