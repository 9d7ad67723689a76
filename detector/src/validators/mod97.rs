//! Checks by the remainder of the whole number: modulo 97, 511, 89 and 101.

use super::{
    Validator,
    dates::LATEST_YEAR,
    digits::{characters, digits, digits_up_to, number, number_of, unprefixed, weighted},
    luhn, mod11, rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("be.nn", "Koninklijk besluit of 3 April 1984, national register", be_nn),
    rule("be.bis", "Koninklijk besluit of 8 February 1991, bis number", be_bis),
    rule("be.eid", "Koninklijk besluit of 25 March 2003, identity cards", be_eid),
    rule("be.vat", "Wetboek van economisch recht, book III (ondernemingsnummer)", be_vat),
    rule("fr.nir", "INSEE, numéro d'inscription au répertoire, key modulo 97", fr_nir),
    rule("fr.nif", "Direction générale des Finances publiques (numéro fiscal), key modulo 511", fr_nif),
    rule("fr.tva", "Code général des impôts, article 286 ter", fr_tva),
    rule("es.nuss", "Tesorería General de la Seguridad Social, key modulo 97", es_nuss),
    rule("gb.vat", "HM Revenue & Customs, VAT registration number, modulo 97", gb_vat),
    rule("nl.btw", "Wet op de omzetbelasting; Belastingdienst, btw-id since 2020", nl_btw),
    rule("au.abn", "Australian Business Register, modulo 89", au_abn),
    rule("ru.snils", "Постановление Правительства РФ (СНИЛС), modulo 101", ru_snils),
];

/// Belgian national register number: eleven digits, `YYMMDD` (month and day may be 0 when unknown or used up), a
/// serial, and 97 minus the remainder of the first nine modulo 97; a 2 is put before them for those born since 2000.
/// About 2 in 1,000 random strings pass.
pub(super) fn be_nn(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    number(&digits[2..4]) <= 12 && number(&digits) > 0 && be_key(&digits)
}

/// Belgian number of a person who is not in the register: as the national one, with 20 or 40 added to the month.
pub(super) fn be_bis(text: &[u8]) -> bool {
    digits::<11>(text).is_some_and(|digits| matches!(number(&digits[2..4]), 20..=32 | 40..=52) && be_key(&digits))
}

fn be_key(digits: &[u8; 11]) -> bool {
    let (base, check) = (number(&digits[..9]), number(&digits[9..]));
    let passes = |base: u64| 97 - base % 97 == check;
    passes(base) || number(&digits[..2]) <= LATEST_YEAR - 2000 && passes(2_000_000_000 + base)
}

/// Belgian identity card: twelve digits, the last two the first ten modulo 97; those of foreigners have B and nine
/// digits.
pub(super) fn be_eid(text: &[u8]) -> bool {
    let card = |digits: [u8; 12]| match number(&digits[..10]) % 97 {
        0 => number(&digits[10..]) == 97,
        check => number(&digits[10..]) == check,
    };
    match digits::<12>(text) {
        Some(digits) => card(digits),
        None => super::form::is_of(text, "B#########"),
    }
}

/// Belgian enterprise number: ten digits from 0 or 1 (the older ones are written without the 0), with BE before it in
/// the number for value added tax.
pub(super) fn be_vat(text: &[u8]) -> bool {
    let Some((characters, count @ 9..)) = unprefixed::<10>(text, b"BE") else { return false };
    number_of(&characters[..count])
        .is_some_and(|number| (1..2_000_000_000).contains(&number) && 97 - number / 100 % 97 == number % 100)
}

/// French tax number: thirteen digits from 0 to 3, the last three the first ten modulo 511.
pub(super) fn fr_nif(text: &[u8]) -> bool {
    digits::<13>(text).is_some_and(|digits| digits[0] <= 3 && number(&digits[..10]) % 511 == number(&digits[10..]))
}

/// French number for value added tax: a key of two characters and the nine digits of the company.
pub(super) fn fr_tva(text: &[u8]) -> bool {
    const ALPHABET: &[u8] = b"0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    let Some((characters, 11)) = unprefixed::<11>(text, b"FR") else { return false };
    let Some(siren) = digits::<9>(&characters[2..]) else { return false };
    let place = |character: u8| ALPHABET.iter().position(|other| *other == character).map(|at| at as u64);
    let (Some(first), Some(second)) = (place(characters[0]), place(characters[1])) else { return false };
    let company = number(&siren);
    let key = if characters[..2].iter().all(u8::is_ascii_digit) {
        first * 10 + second == (company * 100 + 12) % 97
    } else {
        let check = if first < 10 { first * 24 + second - 10 } else { first * 34 + second - 100 };
        (company + 1 + check / 11) % 11 == check % 11
    };
    // Companies of Monaco are not in the French register.
    key && (siren.starts_with(&[0, 0, 0]) || luhn::passes(&siren))
}

/// Spanish social security number: province, up to eight digits and a key modulo 97. A short number is joined to the
/// province without its zeros.
pub(super) fn es_nuss(text: &[u8]) -> bool {
    let Some((digits, count @ (11 | 12))) = digits_up_to::<12>(text) else { return false };
    let (own, key) = (&digits[..count - 2], number(&digits[count - 2..count]));
    let (province, serial) = (number(&own[..2]), number(&own[2..]));
    let base = if serial < 10_000_000 { province * 10_000_000 + serial } else { number(own) };
    base % 97 == key
}

/// UK number for value added tax: nine digits, twelve with a branch, or of a government department or health
/// authority; seven digits by weights and two, together modulo 97, since 2010 with 55 added.
pub(super) fn gb_vat(text: &[u8]) -> bool {
    let Some((characters, count)) = unprefixed::<14>(text, b"GB") else { return false };
    let own = &characters[..count];
    let special = |own: &[u8]| match (own.get(..2), own.get(2..).and_then(number_of)) {
        (Some(b"GD"), Some(code)) => code < 500,
        (Some(b"HA"), Some(code)) => code >= 500,
        _ => false,
    };
    if count == 5 {
        return special(own);
    }
    let Some((digits, 9 | 12)) = digits_up_to::<12>(own) else { return false };
    match weighted(&digits[..9], &[8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97 {
        0 => true,
        42 | 55 => number(&digits[..3]) >= 100,
        _ => false,
    }
}

/// Dutch number for value added tax: nine digits, B, two digits. Older ones hold the citizen or company number, those
/// of sole traders since 2020 make the whole 1 modulo 97.
pub(super) fn nl_btw(text: &[u8]) -> bool {
    let Some((characters, 12)) = unprefixed::<12>(text, b"NL") else { return false };
    let (Some(base), Some(suffix)) = (number_of(&characters[..9]), number_of(&characters[10..])) else { return false };
    // N, L and B are 23, 21 and 11, as in ISO 7064 modulo 97-10.
    let whole = (2_321_000_000_000 + base) % 97 * 100 + 11;
    characters[9] == b'B'
        && base > 0
        && suffix > 0
        && (mod11::nl_bsn(&characters[..9]) || (whole * 100 + suffix) % 97 == 1)
}

/// Australian business number: eleven digits, of the first 1 taken away, whose weighted sum is a multiple of 89.
pub(super) fn au_abn(text: &[u8]) -> bool {
    digits::<11>(text).is_some_and(|digits| {
        let sum = weighted(&digits, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
        digits[0] > 0 && (sum - 10).is_multiple_of(89)
    })
}

/// Russian insurance number: nine digits by weights from 9 down, modulo 101, of which 100 is written 00.
pub(super) fn ru_snils(text: &[u8]) -> bool {
    digits::<11>(text).is_some_and(|digits| {
        let sum = weighted(&digits[..9], &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100;
        u64::from(sum) == number(&digits[9..])
    })
}

/// French social security number: thirteen digits and a key of two, 97 minus their remainder modulo 97. The
/// departments of Corsica, `2A` and `2B`, count as 19 and 18. About one random string in 97 passes.
pub(super) fn fr_nir(text: &[u8]) -> bool {
    let Some(mut characters) = characters::<15>(text) else { return false };
    match &characters[5..7] {
        b"2A" => characters[5..7].copy_from_slice(b"19"),
        b"2B" => characters[5..7].copy_from_slice(b"18"),
        _ => {}
    }
    match (number_of(&characters[..13]), number_of(&characters[13..])) {
        (Some(number), Some(key)) => 97 - number % 97 == key,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_of_97() {
        for (check, text, valid) in [
            (be_nn as fn(&[u8]) -> bool, "93.05.18-223.61", true),
            (be_nn, "85.07.30-033 28", true),
            (be_nn, "17073003384", true),
            (be_nn, "93.05.18-223.62", false),
            (be_nn, "00000000000", false),
            (fr_nir, "2 55 08 14 168 025 38", true),
            (fr_nir, "1 84 12 76 451 089 46", true),
            (fr_nir, "1 69 05 2a 004 123 64", true),
            (fr_nir, "2 78 11 2B 033 041 72", true),
            (fr_nir, "1 69 05 2C 004 123 64", false),
            (fr_nir, "2 55 08 14 168 025 39", false),
            (fr_nir, "2 55 08 14 168 025 3", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }
}
