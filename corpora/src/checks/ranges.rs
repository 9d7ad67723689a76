//! Numbers without a check digit: what is known of them is which are never issued.
//!
//! | entity | standard |
//! |---|---|
//! | `gb.nino` | HM Revenue & Customs, National Insurance Manual NIM39110 |
//! | `us.ssn` | Social Security Administration, POMS RM 10201.030 and "SSN Randomization" (2011) |

use super::all_digits;
use crate::rng::Rng;

const NINO_FIRST: &[u8] = b"ABCEGHJKLMNOPRSTWXYZ";
const NINO_SECOND: &[u8] = b"ABCEGHJKLMNPRSTWXYZ";

/// Prefixes that are not issued.
const NINO_NEVER: [&str; 7] = ["BG", "GB", "NK", "KN", "NT", "TN", "ZZ"];

/// A National Insurance number with its suffix.
pub(super) fn make_nino(rng: &mut Rng) -> String {
    loop {
        let number = format!(
            "{}{}{}{}",
            rng.string(NINO_FIRST, 1),
            rng.string(NINO_SECOND, 1),
            rng.digits(6),
            rng.string(b"ABCD", 1)
        );
        if nino(&number) {
            return number;
        }
    }
}

/// Two letters and six digits of any kind and a suffix, of which many are issued to nobody.
pub(super) fn random_nino(rng: &mut Rng) -> String {
    format!("{}{}{}", rng.string(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2), rng.digits(6), rng.string(b"ABCDEF", 1))
}

/// A prefix that is issued, six digits, and a suffix from A to D.
pub(super) fn nino(number: &str) -> bool {
    number.len() == 9
        && number.is_ascii()
        && NINO_FIRST.contains(&number.as_bytes()[0])
        && NINO_SECOND.contains(&number.as_bytes()[1])
        && !NINO_NEVER.contains(&&number[..2])
        && all_digits(&number[2..8], 6)
        && matches!(number.as_bytes()[8], b'A'..=b'D')
}

/// Numbers that were printed in advertisements and manuals, and are nobody's.
const SSN_NEVER: [&str; 7] =
    ["078051120", "457555462", "219099999", "123456789", "111111111", "333333333", "777777777"];

/// A Social Security number that could be somebody's.
pub(super) fn make_ssn(rng: &mut Rng) -> String {
    loop {
        let number = format!("{:03}{:02}{:04}", rng.between(1, 899), rng.between(1, 99), rng.between(1, 9_999));
        if ssn(&number) && !SSN_NEVER.contains(&number.as_str()) {
            return number;
        }
    }
}

/// Nine digits of any kind, half of them with a part that is never issued.
pub(super) fn random_ssn(rng: &mut Rng) -> String {
    let (area, group, serial) = (rng.digits(3), rng.digits(2), rng.digits(4));
    match rng.below(10) {
        0 => format!("000{group}{serial}"),
        1 => format!("666{group}{serial}"),
        2 => format!("9{}{group}{serial}", &area[1..]),
        3 => format!("{area}00{serial}"),
        4 => format!("{area}{group}0000"),
        _ => format!("{area}{group}{serial}"),
    }
}

/// Nine digits with an area, a group and a serial that are issued.
pub(super) fn ssn(number: &str) -> bool {
    all_digits(number, 9)
        && !number.starts_with('9')
        && !matches!(&number[..3], "000" | "666")
        && &number[3..5] != "00"
        && &number[5..] != "0000"
}

/// Whether the number is one of those that only some programs know to be nobody's.
pub(super) fn ssn_is_contested(number: &str) -> bool {
    SSN_NEVER.contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        assert!(nino("AB123456C") && !nino("QQ123456C") && !nino("AO123456C") && !nino("GB123456C"));
        assert!(!nino("AB123456E") && !nino("AB12345C"));
        assert!(ssn("536228145") && !ssn("000228145") && !ssn("666228145") && !ssn("936228145"));
        assert!(!ssn("536008145") && !ssn("536220000"));
    }
}
