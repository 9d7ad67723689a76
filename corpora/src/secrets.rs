//! Secrets that people paste into chats: passwords, keys and tokens, none of which opens anything.
//!
//! | entity | form |
//! |---|---|
//! | `secret.password_prose` | words and digits as people choose them, or random characters |
//! | `secret.aws_key` | `AKIA` and 16 characters of the base32 alphabet of RFC 4648 |
//! | `secret.jwt` | three base64url parts (RFC 7519, RFC 7515), the first two of them JSON |
//! | `secret.private_key_pem` | a block between the markers of RFC 7468, short, of random bytes |

use crate::rng::Rng;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 without padding.
fn encode(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().chain(&[0, 0]).take(3).fold(0, |word, byte| word << 8 | u32::from(*byte));
        for sextet in 0..=chunk.len() {
            text.push(char::from(alphabet[(word >> (18 - 6 * sextet) & 63) as usize]));
        }
    }
    text
}

const STEMS: [&str; 16] = [
    "Zomer", "Winter", "Sonnen", "Fiets", "Dragon", "Purple", "Orchid", "Tijger", "Mozart", "Soleil", "Girasol",
    "Cavallo", "Piano", "Falcon", "Kastanje", "Marble",
];

/// A password. It never ends in a mark that could also end the sentence.
pub(crate) fn password(rng: &mut Rng) -> String {
    if rng.percent(60) {
        let mark = rng.string(b"!#@$%&*_", 1);
        format!("{}{mark}{}{}", rng.pick(&STEMS), rng.between(10, 9_999), rng.string(b"abcdefghxyz", 2))
    } else {
        let body = rng.string(b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ", 5);
        let marks = rng.string(b"!#@$%&*_+", 1);
        format!("{body}{}{marks}{}k", rng.between(100, 999), rng.string(b"abcdefghijkmnpqrstuvwxyzABCDEFGH", 3))
    }
}

/// An access key id of Amazon Web Services.
pub(crate) fn aws_key(rng: &mut Rng) -> String {
    format!("AKIA{}", rng.string(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16))
}

/// A JSON Web Token whose signature is random.
pub(crate) fn jwt(rng: &mut Rng) -> String {
    let algorithm = rng.pick(&["HS256", "HS256", "RS256", "ES256"]);
    let header = format!(r#"{{"alg":"{algorithm}","typ":"JWT"}}"#);
    let issued = rng.between(1_770_000_000, 1_773_000_000);
    let claims = format!(r#"{{"sub":"u{}","iat":{issued},"exp":{}}}"#, rng.digits(5), issued + 3_600);
    let signature: Vec<u8> = (0..32).map(|_| rng.below(256) as u8).collect();
    [header.as_bytes(), claims.as_bytes(), &signature].map(|part| encode(part, BASE64_URL)).join(".")
}

/// A private key block of random bytes, in the lines of 64 characters that programs write.
pub(crate) fn private_key(rng: &mut Rng) -> String {
    let kind = rng.pick(&["", "RSA ", "EC "]);
    // A multiple of three bytes needs no padding.
    let bytes: Vec<u8> = (0..48 * 2 + 36).map(|_| rng.below(256) as u8).collect();
    let body = encode(&bytes, BASE64);
    let mut text = format!("-----BEGIN {kind}PRIVATE KEY-----\n");
    for from in (0..body.len()).step_by(64) {
        text.push_str(&body[from..body.len().min(from + 64)]);
        text.push('\n');
    }
    text.push_str(&format!("-----END {kind}PRIVATE KEY-----"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_published_words() {
        assert_eq!(encode(b"", BASE64), "");
        assert_eq!(encode(b"f", BASE64), "Zg");
        assert_eq!(encode(b"fo", BASE64), "Zm8");
        assert_eq!(encode(b"foobar", BASE64), "Zm9vYmFy");
        assert_eq!(encode(&[0xfb, 0xff], BASE64_URL), "-_8");
    }

    #[test]
    fn secrets_have_their_forms() {
        let mut rng = Rng::new(1, &[]);
        for _ in 0..200 {
            assert_eq!(aws_key(&mut rng).len(), 20);
            let token = jwt(&mut rng);
            assert!(token.starts_with("eyJ") && token.split('.').count() == 3 && token.contains(".eyJ"), "{token}");
            let key = private_key(&mut rng);
            assert!(key.lines().all(|line| line.len() <= 64) && key.ends_with("PRIVATE KEY-----"));
            let password = password(&mut rng);
            assert!(password.len() >= 9 && password.ends_with(|c: char| c.is_ascii_alphabetic()), "{password}");
        }
    }
}
