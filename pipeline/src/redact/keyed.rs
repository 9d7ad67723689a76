//! Keyed hashes: names for values that only who has the key can make, and that differ between tenants.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::{collections::BTreeSet, fmt};

/// The environment variable that holds the key.
pub const VARIABLE: &str = "MAYSEND_KEY";

/// The fewest bytes of a key: as many as the hash has.
pub const MIN_BYTES: usize = 32;

/// The key. Prints nothing of itself and is overwritten when it goes.
#[derive(Clone)]
pub struct Key(Vec<u8>);

/// Why there is no key. Holds nothing of what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The variable is not set.
    #[error("{VARIABLE} is not set; it takes {RIGHT}")]
    Missing,
    /// The value is neither hexadecimal nor base64.
    #[error("{VARIABLE} is neither hexadecimal nor base64; it takes {RIGHT}")]
    NotEncoded,
    /// The key is too short.
    #[error("{VARIABLE} has {bytes} bytes; it takes {RIGHT}")]
    TooShort {
        /// Bytes of the key that was given.
        bytes: usize,
    },
    /// The key repeats a handful of bytes, as a key that someone typed does.
    #[error("{VARIABLE} is not random; it takes {RIGHT}")]
    NotRandom,
}

const RIGHT: &str = "at least 32 random bytes in hexadecimal or base64, such as `openssl rand -hex 32` makes";

impl Key {
    /// The key in [`VARIABLE`].
    ///
    /// # Errors
    /// It is not set, or no key.
    pub fn from_env() -> Result<Self, KeyError> {
        let value = std::env::var_os(VARIABLE).ok_or(KeyError::Missing)?;
        Self::parse(value.to_str().ok_or(KeyError::NotEncoded)?)
    }

    /// Reads a key in hexadecimal, or else in base64 (either alphabet, padded or not). Blanks around it do not count.
    ///
    /// # Errors
    /// It is neither, shorter than [`MIN_BYTES`], or has fewer than eight different bytes.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let key = hexadecimal(text).or_else(|| from_base64(text)).map(Self).ok_or(KeyError::NotEncoded)?;
        if key.0.len() < MIN_BYTES {
            return Err(KeyError::TooShort { bytes: key.0.len() });
        }
        if key.0.iter().collect::<BTreeSet<_>>().len() < 8 {
            return Err(KeyError::NotRandom);
        }
        Ok(key)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        std::hint::black_box(&mut self.0).fill(0);
        std::hint::black_box(&self.0);
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Either alphabet of RFC 4648, padded or not.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabets = [alphabet::STANDARD, alphabet::URL_SAFE];
    alphabets.iter().find_map(|alphabet| GeneralPurpose::new(alphabet, config).decode(text).ok())
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

/// HMAC-SHA-256 of a value under the key, for one tenant and one kind of value, cut to 64 bits.
///
/// Each part is preceded by its length, so that no two triples are the same message. The hash is written as 16 of the
/// letters `a` to `p`, one for each four bits: hexadecimal would now and then be a run of digits that reads as a
/// number of something. `kind` keeps an identifier's hash apart from that of a value in a text. Linear in the value.
pub fn keyed_hash(key: &Key, tenant: &str, kind: &str, value: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.0).expect("HMAC takes a key of any length");
    for part in [tenant, kind, value] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    let hash = mac.finalize().into_bytes();
    hash.iter().take(8).flat_map(|byte| [byte >> 4, byte & 15]).map(|nibble| char::from(b'a' + nibble)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1F";

    #[test]
    fn hexadecimal_and_base64_give_the_same_key() {
        let hex = Key::parse(HEX).unwrap();
        let coded = Key::parse("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
        assert_eq!(hex.0, coded.0);
        assert_eq!(format!("{hex:?}"), "Key(…)");
    }

    #[test]
    fn the_hash_is_hmac_sha_256_of_the_parts() {
        // printf '\0\0\0\0\0\0\0\4acme\0\0\0\0\0\0\0\15contact.email\0\0\0\0\0\0\0\1x' | openssl dgst -sha256 \
        //   -mac HMAC -macopt hexkey:0001…1f, the first 16 digits
        let hash = keyed_hash(&Key::parse(HEX).unwrap(), "acme", "contact.email", "x");
        let letters = |hex: &str| -> String {
            hex.chars().filter_map(|c| c.to_digit(16)).filter_map(|d| char::from_u32(97 + d)).collect()
        };
        assert_eq!(hash, letters("f2bd3ffac15f54a2"));
    }

    #[test]
    fn tenant_kind_and_value_all_count_and_do_not_run_together() {
        let key = Key::parse(HEX).unwrap();
        let parts = [("a", "b", "c"), ("ab", "", "c"), ("a", "bc", ""), ("", "ab", "c"), ("a", "b", "d")];
        let hashes: BTreeSet<String> = parts.iter().map(|(t, k, v)| keyed_hash(&key, t, k, v)).collect();
        assert_eq!(hashes.len(), parts.len());
        assert!(hashes.iter().all(|hash| hash.len() == 16));
    }

    #[test]
    fn an_error_says_what_would_be_right_and_repeats_nothing() {
        for (text, error) in [
            ("", KeyError::TooShort { bytes: 0 }),
            ("canary!", KeyError::NotEncoded),
            (&HEX[..62], KeyError::TooShort { bytes: 31 }),
            (&"00".repeat(32), KeyError::NotRandom),
        ] {
            assert_eq!(Key::parse(text).unwrap_err(), error);
            assert!(error.to_string().contains("openssl rand -hex 32") && !error.to_string().contains("canary"));
        }
    }
}
