//! Luhn's check digit (ISO/IEC 7812-1, annex B; US patent 2,950,048) and the identifiers that use it alone.

use super::{
    Additive, Validator,
    digits::{characters, digits, digits_up_to, number, unprefixed},
    rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    Validator { additive: Some(ADDITIVE), ..rule("luhn", "ISO/IEC 7812-1, annex B", plain) },
    rule("ca.sin", "Social Insurance Number Code of Practice; ISO/IEC 7812-1, annex B", ca_sin),
    rule("ae.eid", "Federal Authority for Identity and Citizenship, Emirates ID", |text| {
        digits::<15>(text).is_some_and(|digits| digits.starts_with(&[7, 8, 4]) && passes(&digits))
    }),
    rule("at.tin", "Bundesministerium für Finanzen, Abgabenkontonummer", at_tin),
    rule("at.uid", "Umsatzsteuergesetz 1994 (UID)", |text| {
        let Some((characters, 9)) = unprefixed::<9>(text, b"AT") else { return false };
        characters[0] == b'U'
            && digits::<8>(&characters[1..])
                .is_some_and(|digits| (sum(&digits[..7]) + 4 + u32::from(digits[7])).is_multiple_of(10))
    }),
    rule("ca.bn", "Canada Revenue Agency, business number", |text| {
        let Some((characters, count @ (9 | 15))) = digits_and_more(text) else { return false };
        digits::<9>(&characters[..9]).is_some_and(|digits| passes(&digits))
            && (count == 9 || super::form::is_of(&characters[9..15], "R[CMPRTZ]####"))
    }),
    rule("ca.ohip", "Ontario Ministry of Health, health number", |text| {
        let Some((characters, count @ 10..=12)) = digits_and_more(text) else { return false };
        digits::<10>(&characters[..10]).is_some_and(|digits| digits[0] != 0 && passes(&digits))
            && characters[10..count].iter().all(u8::is_ascii_uppercase)
    }),
    rule("do.cedula", "Junta Central Electoral, cédula", |text| {
        digits::<11>(text).is_some_and(|digits| passes(&digits))
    }),
    rule("ec.ci", "Registro Civil del Ecuador, cédula", ec_ci),
    rule("fr.siren", "INSEE, Code de commerce, article R123-221", |text| {
        digits::<9>(text).is_some_and(|digits| passes(&digits))
    }),
    rule("fr.siret", "INSEE, Code de commerce, article R123-221", fr_siret),
    rule("id.npwp", "PMK 112/PMK.03/2022 (NPWP)", id_npwp),
    rule("il.idnr", "Population Registry Law, identity number", |text| {
        digits_up_to::<9>(text)
            .is_some_and(|(digits, count)| count > 0 && digits[..count] != [0; 9][..count] && passes(&digits[..count]))
    }),
    rule("in.epic", "Election Commission of India, EPIC", |text| {
        let Some(characters) = characters::<10>(text) else { return false };
        characters[..3].iter().all(u8::is_ascii_uppercase)
            && digits::<7>(&characters[3..]).is_some_and(|digits| passes(&digits))
    }),
    rule("in.gstin", "Central Goods and Services Tax Rules 2017, rule 10", in_gstin),
    rule("it.iva", "DPR 633/1972, article 35", it_iva),
    rule("it.tessera", "Decreto 11 marzo 2004; EN 1867", |text| {
        digits::<20>(text).is_some_and(|digits| digits.starts_with(&[8, 0, 3, 8, 0]) && passes(&digits))
    }),
    rule("mx.nss", "Instituto Mexicano del Seguro Social, NSS", |text| {
        digits::<11>(text).is_some_and(|digits| passes(&digits))
    }),
    rule("sa.id", "Ministry of Interior, national and resident identity", |text| {
        digits::<10>(text).is_some_and(|digits| matches!(digits[0], 1 | 2) && passes(&digits))
    }),
    rule("se.orgnr", "Lag (1974:174) om identitetsbeteckning för juridiska personer", |text| {
        digits::<10>(text).is_some_and(|digits| passes(&digits))
    }),
    rule("us.npi", "45 CFR 162.406; CMS, NPI check digit", |text| {
        digits::<10>(text).is_some_and(|digits| matches!(digits[0], 1 | 2) && (sum(&digits) + 24).is_multiple_of(10))
    }),
    rule("za.tin", "South African Revenue Service, tax reference number", |text| {
        digits::<10>(text).is_some_and(|digits| matches!(digits[0], 0..=3 | 9) && passes(&digits))
    }),
];

/// Whether the digits pass: counted from the right, every second one doubled, the digits of the products summed, the
/// sum a multiple of 10.
pub(super) fn passes(digits: &[u8]) -> bool {
    sum(digits).is_multiple_of(10)
}

fn sum(digits: &[u8]) -> u32 {
    digits.iter().rev().enumerate().map(|(i, digit)| term(i, *digit)).sum()
}

/// What a digit adds at a position counted from the right.
fn term(position: usize, digit: u8) -> u32 {
    let digit = u32::from(digit);
    match position % 2 {
        0 => digit,
        _ if digit > 4 => 2 * digit - 9,
        _ => 2 * digit,
    }
}

/// The check as a sum.
pub(super) const ADDITIVE: Additive = Additive { modulus: 10, residue: 0, term, nonzero: false };

/// 2 to 40 digits that pass. One random string in ten does.
pub(super) fn plain(text: &[u8]) -> bool {
    digits_up_to::<40>(text).is_some_and(|(digits, count)| count > 1 && passes(&digits[..count]))
}

/// Digits with letters after some of them: the characters of a match, and how many.
fn digits_and_more(text: &[u8]) -> Option<([u8; 15], usize)> {
    super::digits::characters_up_to::<15>(text)
}

/// The offices that Austrian tax account numbers start with.
#[rustfmt::skip]
const AUSTRIAN_OFFICES: [u64; 40] = [
    3, 4, 6, 7, 8, 9, 10, 12, 15, 16, 18, 22, 23, 29, 33, 38, 41, 46, 51, 52, 53, 54, 57, 59, 61, 65, 67, 68, 69, 71, 72,
    81, 82, 83, 84, 90, 91, 93, 97, 98,
];

/// Austrian tax account number: two digits of an office, six and the check, of which the second, fourth and so on are
/// doubled.
fn at_tin(text: &[u8]) -> bool {
    digits::<9>(text).is_some_and(|digits| AUSTRIAN_OFFICES.contains(&number(&digits[..2])) && passes(&digits))
}

/// Ecuadorian identity number: ten digits, the province 01 to 24, 30 or 50, the third digit at most 6.
fn ec_ci(text: &[u8]) -> bool {
    digits::<10>(text)
        .is_some_and(|digits| matches!(number(&digits[..2]), 1..=24 | 30 | 50) && digits[2] <= 6 && passes(&digits))
}

/// French establishment: the company's nine digits and five more. La Poste's are told by the sum of their digits.
fn fr_siret(text: &[u8]) -> bool {
    digits::<14>(text).is_some_and(|digits| {
        let post = number(&digits[..9]) == 356_000_000 && number(&digits[9..]) != 48;
        let total: u32 = digits.iter().map(|digit| u32::from(*digit)).sum();
        passes(&digits[..9]) && if post { total.is_multiple_of(5) } else { passes(&digits) }
    })
}

/// Indonesian tax number: fifteen digits, the first nine with a check digit; sixteen since 2024, with a zero before
/// them, or the identity number.
fn id_npwp(text: &[u8]) -> bool {
    match digits_up_to::<16>(text) {
        Some((digits, 15)) => passes(&digits[..9]),
        Some((digits, 16)) if digits[0] == 0 => passes(&digits[..10]),
        Some((digits, 16)) => super::births::world::is_nik(&digits),
        _ => false,
    }
}

/// Indian goods and services tax number: a state, the PAN, an entity number, Z, and a check character modulo 36.
fn in_gstin(text: &[u8]) -> bool {
    let Some(characters) = characters::<15>(text) else { return false };
    let value = |character: u8| super::sum::value(character).map_or(0, |value| value as u32);
    let term = |(at, character): (usize, &u8)| match (at % 2, value(*character)) {
        (0, value) => value,
        (_, value) => value * 2 / 36 + value * 2 % 36,
    };
    super::form::is_of(&characters, "##@@@[ABCFGHJKLPT]@####@[1-9A-Z]Z*")
        && matches!(super::digits::number_of(&characters[..2]), Some(1..=37))
        && &characters[7..11] != b"0000"
        && characters.iter().rev().enumerate().map(term).sum::<u32>().is_multiple_of(36)
}

/// Italian number for value added tax: seven digits, the province of the office and the check.
fn it_iva(text: &[u8]) -> bool {
    let Some((characters, 11)) = unprefixed::<11>(text, b"IT") else { return false };
    digits::<11>(&characters).is_some_and(|digits| {
        number(&digits[..7]) > 0 && matches!(number(&digits[7..10]), 1..=100 | 120 | 121 | 888 | 999) && passes(&digits)
    })
}

/// Canadian social insurance number: nine digits, the first neither 0 (never issued) nor 8 (business accounts).
pub(super) fn ca_sin(text: &[u8]) -> bool {
    digits::<9>(text).is_some_and(|digits| !matches!(digits[0], 0 | 8) && passes(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_counts_from_the_right() {
        for (text, valid) in [("79927398713", true), ("79927398710", false), ("0", false), ("18", true), ("1a8", false)]
        {
            assert_eq!(plain(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn sin_leaves_out_what_is_never_issued() {
        for (text, valid) in
            [("130 692 544", true), ("193-456-787", true), ("046 454 286", false), ("130692545", false)]
        {
            assert_eq!(ca_sin(text.as_bytes()), valid, "{text}");
        }
    }
}
