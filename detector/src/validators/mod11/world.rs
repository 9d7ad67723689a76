//! Identifiers outside Europe with more than one sum modulo 11, or forms that differ.

use super::super::{
    Validator,
    digits::{characters, characters_up_to, digits, digits_up_to, number, unprefixed, weighted},
    rule,
    sum::{Sum, TO_11_0, value},
};

/// The rules of this family.
pub(in super::super) const RULES: &[Validator] = &[
    rule("au.tfn", "Australian Taxation Office, tax file number", au_tfn),
    rule("br.cnh", "Conselho Nacional de Trânsito, Registro Nacional de Habilitação", br_cnh),
    rule("br.cnpj", "Instrução Normativa RFB 2.229/2024 (CNPJ alfanumérico)", br_cnpj),
    rule("br.cns", "Ministério da Saúde, Cartão Nacional de Saúde", br_cns),
    rule("gh.tin", "Ghana Revenue Authority (TIN)", gh_tin),
    rule("hk.hkid", "Registration of Persons Regulations, Cap. 177A", hk_hkid),
    rule("nz.ird", "Inland Revenue, Resident Withholding Tax specification (IRD number)", nz_ird),
    rule("nz.bankaccount", "Inland Revenue, bank account number validation", nz_bankaccount),
    rule("nz.nhi", "HISO 10046 Consumer Health Identity Standard", nz_nhi),
    rule("pe.cui", "RENIEC (DNI)", pe_cui),
    rule("ve.rif", "SENIAT (RIF)", ve_rif),
    rule("vehicle.vin", "ISO 3779; 49 CFR 565.15 (check digit)", vehicle_vin),
    rule("vn.mst", "Thông tư 105/2020/TT-BTC (mã số thuế)", vn_mst),
];

/// Australian tax file number: nine digits, or eight of the older ones, whose weighted sum is a multiple of 11.
fn au_tfn(text: &[u8]) -> bool {
    digits_up_to::<9>(text).is_some_and(|(digits, count)| {
        count >= 8 && weighted(&digits[..count], &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
    })
}

/// Brazilian driving licence: nine digits and two check digits, the second lowered where the first was 10.
fn br_cnh(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let first = weighted(&digits[..9], &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
    let second = weighted(&digits[..9], &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11;
    let (first, lowered) = if first == 10 { (0, 2) } else { (first, 0) };
    let second = if second == 10 { 0 } else { (second + 11 - lowered) % 11 % 10 };
    digits.iter().any(|digit| *digit != digits[0]) && u32::from(digits[9]) == first && u32::from(digits[10]) == second
}

/// Brazilian company number: twelve digits or, since July 2026, letters, and two check digits; a character counts its
/// place in ASCII after `0`.
fn br_cnpj(text: &[u8]) -> bool {
    let Some(characters) = characters::<14>(text) else { return false };
    let values = characters.map(|character| character - b'0');
    let check = |sum: u32| (sum * 10 % 11 % 10) as u8;
    let first = check(weighted(&values[..12], &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]));
    let second = check(weighted(&values[..13], &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]));
    characters.iter().any(|character| *character != b'0') && values[12] == first && values[13] == second
}

/// Brazilian health card: fifteen digits from 1, 2, 7, 8 or 9 whose sum by weights from 15 down is a multiple of 11.
fn br_cns(text: &[u8]) -> bool {
    digits::<15>(text).is_some_and(|digits| {
        matches!(digits[0], 1 | 2 | 7 | 8 | 9)
            && weighted(&digits, &[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
    })
}

/// Ghanaian taxpayer number: a letter for the kind, two zeros, seven digits and the check, X for 10.
fn gh_tin(text: &[u8]) -> bool {
    let Some(characters) = characters::<11>(text) else { return false };
    let Some(digits) = digits::<9>(&characters[1..10]) else { return false };
    let check = b"0123456789X"[(weighted(&digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11) as usize];
    b"PCGQV".contains(&characters[0]) && digits.starts_with(&[0, 0]) && characters[10] == check
}

/// Hong Kong identity card: one or two letters, six digits and a check digit or A; a missing letter counts 36.
fn hk_hkid(text: &[u8]) -> bool {
    let Some((characters, count)) = characters_up_to::<9>(text) else { return false };
    let (own, check) = match count {
        8 | 9 => (&characters[..count - 1], characters[count - 1]),
        _ => return false,
    };
    let (letters, digits) = own.split_at(count - 7);
    let check = match check {
        b'0'..=b'9' => i32::from(check - b'0'),
        b'A' => 10,
        _ => return false,
    };
    let values = own.iter().filter_map(|character| value(*character)).map(|value| value as u8);
    let missing = if count == 8 { 36 * 9 } else { 0 };
    let sum: i32 =
        values.rev().zip(2..).map(|(value, weight)| i32::from(value) * weight).sum::<i32>() + missing + check;
    letters.iter().all(u8::is_ascii_uppercase) && digits.iter().all(u8::is_ascii_digit) && sum % 11 == 0
}

/// New Zealand tax number: eight or nine digits from 10 to 150 million.
fn nz_ird(text: &[u8]) -> bool {
    let Some((characters, count @ 8..)) = unprefixed::<9>(text, b"NZ") else { return false };
    let Some((digits, _)) = digits_up_to::<9>(&characters[..count]) else { return false };
    let own = &digits[..count];
    let mut padded = [0; 9];
    padded[9 - count..].copy_from_slice(own);
    let missing = |weights: &[u32]| (11 - weighted(&padded[..8], weights) % 11) % 11;
    let check = match missing(&[3, 2, 7, 6, 5, 4, 3, 2]) {
        10 => missing(&[7, 4, 3, 2, 5, 2, 7, 6]),
        check => check,
    };
    (10_000_001..150_000_000).contains(&number(own)) && check == u32::from(padded[8])
}

/// New Zealand bank account: bank, branch, base and suffix, by the check of the bank.
fn nz_bankaccount(text: &[u8]) -> bool {
    let mut digits = [0u8; 16];
    let parts: Vec<&[u8]> =
        text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).take(5).collect();
    let whole: Vec<u8>;
    let parts: Vec<&[u8]> = match parts.len() {
        4 => parts,
        _ => {
            whole = parts.concat();
            let Some((bank, rest)) = whole.split_at_checked(2) else { return false };
            let Some((branch, rest)) = rest.split_at_checked(4) else { return false };
            let Some((base, suffix)) = rest.split_at_checked(7) else { return false };
            vec![bank, branch, base, suffix]
        }
    };
    let mut end = 0;
    for (part, length) in parts.iter().zip([2, 4, 7, 3]) {
        end += length;
        if part.is_empty() || part.len() > length || !part.iter().all(u8::is_ascii_digit) {
            return false;
        }
        digits[end - part.len()..end].iter_mut().zip(*part).for_each(|(digit, byte)| *digit = byte - b'0');
    }
    let (bank, base) = (number(&digits[..2]), number(&digits[6..13]));
    let sum = |weights: [u32; 16], folded: u32| -> u32 {
        let term = |(digit, weight): (&u8, u32)| match u32::from(*digit) * weight {
            term if term > folded => term % folded,
            term => term,
        };
        digits.iter().zip(weights).map(term).sum()
    };
    match bank {
        8 => sum([0, 0, 0, 0, 0, 0, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0], 11) % 11 == 0,
        9 => sum([0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 4, 3, 2, 0, 0, 1], 9) % 11 == 0,
        25 | 33 => sum([0, 0, 0, 0, 0, 0, 1, 7, 3, 1, 7, 3, 1, 0, 0, 0], 10) % 10 == 0,
        26 | 28 | 29 => sum([0, 0, 0, 0, 0, 0, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1], 9) % 10 == 0,
        31 => true,
        1..=38 if base < 990_000 => sum([0, 0, 6, 3, 7, 9, 0, 10, 5, 8, 4, 2, 1, 0, 0, 0], 11) % 11 == 0,
        1..=38 => sum([0, 0, 0, 0, 0, 0, 0, 10, 5, 8, 4, 2, 1, 0, 0, 0], 11) % 11 == 0,
        _ => false,
    }
}

/// New Zealand health index number: three letters without I and O, then four digits by modulo 11, or since 2026 two
/// digits, a letter and a check letter by modulo 23.
fn nz_nhi(text: &[u8]) -> bool {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ";
    let Some(characters) = characters::<7>(text) else { return false };
    let letter = |character: u8| LETTERS.iter().position(|letter| *letter == character).map(|at| at as u32 + 1);
    let mut sum = 0;
    for (at, character) in characters[..6].iter().enumerate() {
        let is_letter = at < 3 || at == 5 && characters[6].is_ascii_uppercase();
        let value = match (is_letter, character) {
            (true, character) => letter(*character),
            (false, b'0'..=b'9') => Some(u32::from(character - b'0')),
            _ => None,
        };
        let Some(value) = value else { return false };
        sum += value * (7 - at as u32);
    }
    match characters[6] {
        check @ b'0'..=b'9' => sum % 11 != 0 && (11 - sum % 11) % 10 == u32::from(check - b'0'),
        check => letter(check) == Some(23 - sum % 23),
    }
}

/// Peruvian identity number: eight digits, and at times the check digit or letter of the card.
fn pe_cui(text: &[u8]) -> bool {
    let Some((characters, count @ 8..)) = characters_up_to::<9>(text) else { return false };
    let Some(digits) = digits::<8>(&characters[..8]) else { return false };
    let remainder = (weighted(&digits, &[3, 2, 7, 6, 5, 4, 3, 2]) % 11) as usize;
    count == 8 || characters[8] == b"65432110987"[remainder] || characters[8] == b"KJIHGFEDCBA"[remainder]
}

/// Venezuelan taxpayer number: a letter for the kind of person, eight digits and the check.
fn ve_rif(text: &[u8]) -> bool {
    let Some(characters) = characters::<10>(text) else { return false };
    let kind = match characters[0] {
        b'V' => 4,
        b'E' => 8,
        b'J' => 12,
        b'P' => 16,
        b'G' => 20,
        _ => return false,
    };
    digits::<9>(&characters[1..]).is_some_and(|digits| {
        let sum = kind + weighted(&digits[..8], &[3, 2, 7, 6, 5, 4, 3, 2]);
        TO_11_0[(sum % 11) as usize] == digits[8] + b'0'
    })
}

/// Vehicle identification number with the check digit that North America and China require: seventeen characters
/// without I, O and Q, the ninth the check. Europe's have none there.
fn vehicle_vin(text: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let Some(characters) = characters::<17>(text) else { return false };
    let mut values = [0; 17];
    for (slot, character) in values.iter_mut().zip(characters) {
        *slot = match character {
            b'0'..=b'9' => character - b'0',
            b'A'..=b'H' => character - b'A' + 1,
            b'J'..=b'N' => character - b'J' + 1,
            b'P' => 7,
            b'R' => 9,
            b'S'..=b'Z' => character - b'S' + 2,
            _ => return false,
        };
    }
    characters[8] == b"0123456789X"[(weighted(&values, &WEIGHTS) % 11) as usize]
}

/// Vietnamese tax number: ten digits, or thirteen of a branch.
fn vn_mst(text: &[u8]) -> bool {
    const NUMBER: Sum = Sum::new(&[31, 29, 23, 19, 17, 13, 7, 5, 3], b" 9876543210");
    let Some((characters, count)) = characters_up_to::<13>(text) else { return false };
    let number = &characters[..count];
    matches!(count, 10 | 13)
        && NUMBER.holds(&number[..10])
        && &number[2..9] != b"0000000"
        && number.get(10..) != Some(b"000")
        && number.iter().all(u8::is_ascii_digit)
}
