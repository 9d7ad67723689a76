//! Checks by the remainder modulo 97: the Belgian national register number and the French NIR.

use super::digits::{characters, digits, number, number_of};

/// The last year of the twenty-first century, in two digits, that is read as a year of birth. A fixed year keeps the
/// check a pure function of the match; people born later have numbers that pass as of the century before at the rate
/// of chance until it is raised.
const LATEST_YEAR_OF_BIRTH: u64 = 30;

/// Belgian national register number: eleven digits, `YYMMDD` (month and day may be 0 when unknown or used up), a
/// serial, and 97 minus the remainder of the first nine modulo 97; a 2 is put before them for those born since 2000.
/// About 2 in 1,000 random strings pass.
pub(super) fn be_nn(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let (base, check) = (number(&digits[..9]), number(&digits[9..]));
    let month = number(&digits[2..4]);
    let passes = |base: u64| 97 - base % 97 == check;
    let recent = number(&digits[..2]) <= LATEST_YEAR_OF_BIRTH && passes(2_000_000_000 + base);
    month <= 12 && number(&digits) > 0 && (passes(base) || recent)
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
