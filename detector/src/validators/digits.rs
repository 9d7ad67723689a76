//! Reading the characters of an identifier out of a match, past its separators, into fixed arrays.
//!
//! Which separators may stand where is the pattern's business; a check takes any byte that is no ASCII letter or
//! digit for one. Nothing here allocates, and a match with another number of characters is refused, not cut.

/// The `N` digits of a match. `None` if there are more or fewer, or a letter among them. Linear in the match.
pub(super) fn digits<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut out = [0; N];
    let mut count = 0;
    for byte in text.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        *out.get_mut(count)? = byte - b'0';
        count += 1;
    }
    (count == N).then_some(out)
}

/// Up to `N` digits of a match, and how many there are. `None` if there are more, or a letter among them.
pub(super) fn digits_up_to<const N: usize>(text: &[u8]) -> Option<([u8; N], usize)> {
    let mut out = [0; N];
    let mut count = 0;
    for byte in text.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        *out.get_mut(count)? = byte - b'0';
        count += 1;
    }
    Some((out, count))
}

/// The `N` letters and digits of a match, in upper case. `None` if there are more or fewer. Linear in the match.
pub(super) fn characters<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let (out, count) = characters_up_to(text)?;
    (count == N).then_some(out)
}

/// Up to `N` letters and digits of a match, in upper case, and how many there are. `None` if there are more.
pub(super) fn characters_up_to<const N: usize>(text: &[u8]) -> Option<([u8; N], usize)> {
    let mut out = [0; N];
    let mut count = 0;
    for byte in text.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        *out.get_mut(count)? = byte.to_ascii_uppercase();
        count += 1;
    }
    Some((out, count))
}

/// Up to `N` letters and digits of a match, in upper case, without the letters of a country where they stand before,
/// and how many there are. `None` if there are more.
pub(super) fn unprefixed<const N: usize>(text: &[u8], prefix: &[u8]) -> Option<([u8; N], usize)> {
    let (read, count) = characters_up_to::<40>(text)?;
    let own = read[..count].strip_prefix(prefix).unwrap_or(&read[..count]);
    let mut out = [0; N];
    out.get_mut(..own.len())?.copy_from_slice(own);
    Some((out, own.len()))
}

/// The number that digits write. At most 19 of them, so that it cannot overflow.
pub(super) fn number(digits: &[u8]) -> u64 {
    debug_assert!(digits.len() <= 19, "{} digits", digits.len());
    digits.iter().fold(0, |number, digit| number * 10 + u64::from(*digit))
}

/// The digits that ASCII characters write. `None` if one of them is no digit.
pub(super) fn number_of(characters: &[u8]) -> Option<u64> {
    characters.iter().try_fold(0u64, |number, byte| match byte {
        b'0'..=b'9' => number.checked_mul(10)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    })
}

/// The sum of each digit times its weight.
pub(super) fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_passed_over_and_lengths_are_exact() {
        assert_eq!(digits::<4>(b"1 2-3.4"), Some([1, 2, 3, 4]));
        assert_eq!(digits::<4>("1\u{a0}2–34".as_bytes()), Some([1, 2, 3, 4]));
        assert_eq!(digits::<4>(b"123"), None);
        assert_eq!(digits::<4>(b"12345"), None);
        assert_eq!(digits::<4>(b"12a34"), None);
        assert_eq!(characters::<3>(b"a-1b"), Some(*b"A1B"));
        assert_eq!(digits_up_to::<4>(b""), Some(([0; 4], 0)));
    }

    #[test]
    fn numbers_are_read_without_overflow() {
        assert_eq!(number(&[9; 19]), 9_999_999_999_999_999_999);
        assert_eq!(number_of(b"0042"), Some(42));
        assert_eq!(number_of(&[b'9'; 40]), None);
        assert_eq!(number_of(b"4x"), None);
    }
}
