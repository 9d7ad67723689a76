//! Base64 (RFC 4648), for dead letters that are not text and for keys.

/// The standard alphabet, section 4 of RFC 4648.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes with the standard alphabet and padding. Linear.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let sextet = (bits >> (18 - 6 * i)) & 63;
            text.push(if i <= chunk.len() { ALPHABET[sextet as usize].into() } else { '=' });
        }
    }
    text
}

/// Decodes the standard or the URL alphabet, with or without padding. `None` for any other character, a length that
/// no encoder makes, or bits left over that are not zero. Linear.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let body = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    if (body.len() != text.len() && !text.len().is_multiple_of(4)) || body.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 2);
    for chunk in body.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for i in 0..4 {
            bits = bits << 6 | chunk.get(i).map_or(Some(0), |byte| sextet(*byte))?;
        }
        let [_, whole @ ..] = bits.to_be_bytes();
        let (kept, left) = whole.split_at(chunk.len() - 1);
        if left.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_vectors_of_rfc_4648() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Some(plain.as_bytes()));
            assert_eq!(decode(coded.trim_end_matches('=')).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode("-_-_"), decode("+/+/"));
    }

    #[test]
    fn what_no_encoder_makes_is_refused() {
        for wrong in ["Z", "Zg=", "Zh==", "Zm9=", "Zm 9", "====", "=", "é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn decoding_gives_the_bytes_back(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
