//! Identifiers without a check digit, told by the ranges that are issued.

use super::digits::{characters, digits, number};

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
