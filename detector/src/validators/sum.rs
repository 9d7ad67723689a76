//! Weighted sums as data: the check of most of the world's identifiers in one line.

use super::digits::characters_up_to;

/// A check by a weighted sum: each character counts its value times a weight, and the remainder of the sum says what
/// the check character is. Digits count themselves; letters, where they are allowed, 10 to 35.
#[derive(Clone, Copy)]
pub struct Sum {
    /// The weights of the characters from the left, the check character left out.
    weights: &'static [i32],
    /// The check character of each remainder, a space where there is none. The modulus is how many there are.
    checks: &'static [u8],
    /// The place of the check character from the left, if it is not the last.
    place: Option<usize>,
    /// A country's letters before the number, which may stand there or not.
    prefix: &'static [u8],
    /// A number of at least so many characters is read with zeros before it.
    fewest: usize,
    letters: bool,
    also: Option<fn(&[u8]) -> bool>,
}

/// The longest number that is read, with its prefix.
const LONGEST: usize = 24;

impl Sum {
    /// A sum with the check digit last, over digits only.
    pub(super) const fn new(weights: &'static [i32], checks: &'static [u8]) -> Self {
        Self { weights, checks, place: None, prefix: b"", fewest: usize::MAX, letters: false, also: None }
    }

    /// With the check character at this place from the left, from 0.
    pub(super) const fn at(self, place: usize) -> Self {
        Self { place: Some(place), ..self }
    }

    /// With letters before the number that may be left out.
    pub(super) const fn prefixed(self, prefix: &'static str) -> Self {
        Self { prefix: prefix.as_bytes(), ..self }
    }

    /// Numbers of fewer characters are read with zeros before them.
    pub(super) const fn padded(self, fewest: usize) -> Self {
        Self { fewest, ..self }
    }

    /// With letters among the characters.
    pub(super) const fn letters(self) -> Self {
        Self { letters: true, ..self }
    }

    /// With a condition on the characters (digits and upper-case letters, without the prefix).
    pub(super) const fn and(self, also: fn(&[u8]) -> bool) -> Self {
        Self { also: Some(also), ..self }
    }

    /// Whether a match passes. Linear in it.
    pub fn passes(&self, text: &[u8]) -> bool {
        let Some((characters, count)) = characters_up_to::<LONGEST>(text) else { return false };
        let characters = &characters[..count];
        self.holds(characters.strip_prefix(self.prefix).unwrap_or(characters))
    }

    /// Whether the characters of a number pass.
    pub(super) fn holds(&self, characters: &[u8]) -> bool {
        let Some(missing) = (self.weights.len() + 1).checked_sub(characters.len()) else { return false };
        let Some(place) = self.place.or(characters.len().checked_sub(1)) else { return false };
        if (missing > 0 && characters.len() < self.fewest) || place >= characters.len() {
            return false;
        }
        let mut sum = 0;
        let others = characters.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, character)| character);
        for (character, weight) in others.zip(&self.weights[missing..]) {
            match value(*character) {
                Some(value) if value < 10 || self.letters => sum += value * weight,
                _ => return false,
            }
        }
        let check = self.checks[sum.rem_euclid(self.checks.len() as i32) as usize];
        check == characters[place] && self.also.is_none_or(|also| also(characters))
    }
}

/// What a digit or capital letter counts.
pub(super) fn value(character: u8) -> Option<i32> {
    match character {
        b'0'..=b'9' => Some(i32::from(character - b'0')),
        b'A'..=b'Z' => Some(i32::from(character - b'A') + 10),
        _ => None,
    }
}

/// Modulo 10: the remainder itself.
pub(super) const MOD_10: &[u8] = b"0123456789";
/// Modulo 10: what is missing to a multiple of 10.
pub(super) const TO_10: &[u8] = b"0987654321";
/// Modulo 11: the remainder; numbers with a remainder of 10 are not issued.
pub(super) const MOD_11: &[u8] = b"0123456789 ";
/// Modulo 11: the remainder, 0 for 10.
pub(super) const MOD_11_0: &[u8] = b"01234567890";
/// Modulo 11: what is missing to a multiple of 11; not issued for 10.
pub(super) const TO_11: &[u8] = b"0 987654321";
/// Modulo 11: what is missing to a multiple of 11, 0 for 10.
pub(super) const TO_11_0: &[u8] = b"00987654321";
/// Modulo 11: what is missing to 11, its last digit alone (1 for a multiple of 11, 0 for a remainder of 1).
pub(super) const TO_11_LAST: &[u8] = b"10987654321";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_may_stand_anywhere_and_zeros_may_be_left_out() {
        let last = Sum::new(&[3, 1], TO_10);
        assert!(last.passes(b"1-16") && !last.passes(b"117") && !last.passes(b"16") && !last.passes(b"1116"));
        let first = Sum::new(&[3, 1], TO_10).at(0);
        assert!(first.passes(b"611") && !first.passes(b"117"));
        let short = Sum::new(&[3, 1], TO_10).padded(2).prefixed("AB");
        assert!(short.passes(b"19") && short.passes(b"ab 19") && short.passes(b"019") && !short.passes(b"0"));
        assert!(!short.passes(b"") && !short.passes(b"A9"));
        assert!(Sum::new(&[1], MOD_11).letters().passes(b"B0") && !Sum::new(&[1], MOD_11).passes(b"B0"));
    }
}
