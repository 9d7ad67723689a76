//! Checks by a weighted sum modulo 11.

use super::{
    Additive,
    digits::{digits, digits_up_to, weighted},
};

/// Dutch citizen service number, by the eleven test: 9·d1 + 8·d2 + … + 2·d8 − d9 is a multiple of 11. Eight digits
/// are read as nine with a leading zero, which spreadsheets drop. One random string in eleven passes.
pub(super) fn nl_bsn(text: &[u8]) -> bool {
    let Some((digits, count)) = digits_up_to::<9>(text) else { return false };
    let digits = &digits[..count];
    let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| bsn_term(i, *digit)).sum();
    matches!(count, 8 | 9) && sum.is_multiple_of(11) && digits.iter().any(|digit| *digit != 0)
}

/// The last digit counts −1, which is 10 modulo 11; the others their place from the right.
fn bsn_term(position: usize, digit: u8) -> u32 {
    let weight = if position == 0 { 10 } else { position as u32 % 11 + 1 };
    weight * u32::from(digit) % 11
}

/// The eleven test as a sum.
pub(super) const NL_BSN: Additive = Additive { modulus: 11, residue: 0, term: bsn_term, nonzero: true };

/// NHS number: ten digits, 10·d1 + 9·d2 + … + 1·d10 a multiple of 11. One random string in eleven passes.
pub(super) fn gb_nhs(text: &[u8]) -> bool {
    digits::<10>(text).is_some_and(|digits| {
        let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| nhs_term(i, *digit)).sum();
        sum.is_multiple_of(11) && digits != [0; 10]
    })
}

fn nhs_term(position: usize, digit: u8) -> u32 {
    (position as u32 % 11 + 1) * u32::from(digit) % 11
}

/// The NHS number's check as a sum.
pub(super) const GB_NHS: Additive = Additive { modulus: 11, residue: 0, term: nhs_term, nonzero: true };

/// Brazilian CPF: two check digits modulo 11, the second over the first too. Repetitions of one digit pass the sums
/// and are never issued. One random string in a hundred passes.
pub(super) fn br_cpf(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let check = |sum: u32| (sum * 10 % 11 % 10) as u8;
    digits.iter().any(|digit| *digit != digits[0])
        && digits[9] == check(weighted(&digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]))
        && digits[10] == check(weighted(&digits[..10], &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_tests() {
        for (check, text, valid) in [
            (nl_bsn as fn(&[u8]) -> bool, "111222333", true),
            (nl_bsn, "1234.56.782", true),
            (nl_bsn, "111222334", false),
            (nl_bsn, "012345672", true),
            (nl_bsn, "12345672", true),
            (nl_bsn, "1234-5672", true),
            (nl_bsn, "000000000", false),
            (nl_bsn, "0000000000", false),
            (gb_nhs, "943 476 5919", true),
            (gb_nhs, "943 476 5918", false),
            (gb_nhs, "0000000000", false),
            (br_cpf, "111.444.777-35", true),
            (br_cpf, "529.982.247-25", true),
            (br_cpf, "529.982.247-26", false),
            (br_cpf, "529.982.247-15", false),
            (br_cpf, "222.222.222-22", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }
}
