//! Secrets: JSON web tokens, and passwords said in a sentence.

use super::{Validator, rule};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde::{Deserialize, de::IgnoredAny};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("secret.jwt", "RFC 7519; RFC 7515, section 3.1", jwt),
    rule(
        "secret.password_prose",
        "NIST SP 800-63B, section 5.1.1: a memorized secret is no dictionary word",
        password_prose,
    ),
    rule("secret.github_token", "GitHub, authentication token formats (CRC-32 in base 62)", github_token),
    rule("secret.basic", "RFC 7617, section 2", basic),
    rule("secret.random", "Shannon entropy of the characters", random),
];

/// A GitHub token: after the prefix thirty characters, and the CRC-32 of them in six digits of base 62.
fn github_token(text: &[u8]) -> bool {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some(at) = text.iter().position(|byte| *byte == b'_') else { return false };
    let Some((own, check)) = text[at + 1..].split_at_checked(30).filter(|(_, check)| check.len() == 6) else {
        return false;
    };
    let digit = |byte: &u8| DIGITS.iter().position(|other| other == byte).map(|value| value as u64);
    let value = check.iter().try_fold(0u64, |value, byte| Some(value * 62 + digit(byte)?));
    value == Some(u64::from(crc32fast::hash(own)))
}

/// Most bytes of a header's credentials that are decoded.
const LONGEST_CREDENTIALS: usize = 1024;

/// Credentials of HTTP's basic scheme: base64 of a name, a colon and a password, all of them printable.
fn basic(text: &[u8]) -> bool {
    let end = text.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    text.len() <= LONGEST_CREDENTIALS
        && STANDARD_NO_PAD
            .decode(&text[..end])
            .is_ok_and(|decoded| decoded.contains(&b':') && decoded.iter().all(|byte| !byte.is_ascii_control()))
}

/// A string that looks drawn at random: at least 3.5 bits a character by how often each occurs, and of at least two of
/// digits, small letters and capitals. Integer arithmetic. Linear.
fn random(text: &[u8]) -> bool {
    /// 1,000 times the binary logarithm of 1 to 64.
    const LOGS: [u64; 65] = logs();
    let mut counts = [0u64; 256];
    text.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let classes: [fn(&u8) -> bool; 3] = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase];
    let kinds = classes.iter().filter(|class| text.iter().any(class)).count();
    let length = text.len() as u64;
    if kinds < 2 || !(10..=64).contains(&length) {
        return kinds >= 2 && length > 64 && counts.iter().filter(|count| **count > 0).count() >= 16;
    }
    let used: u64 = counts.iter().map(|count| count * LOGS[(*count).min(64) as usize]).sum();
    let entropy = LOGS[length as usize] - used / length;
    entropy >= 3_500 || (length < 16 && entropy >= 3_000)
}

/// 1,000 times the binary logarithm of each number up to 64, 0 for 0, by squaring.
const fn logs() -> [u64; 65] {
    let mut table = [0; 65];
    let mut n = 1;
    while n < 65 {
        // Of n to the power 1,000: halve while it is large, and count.
        let mut bits = 0;
        let mut k = 0;
        let mut x: u128 = 1 << 60;
        while k < 1000 {
            x *= n;
            while x >= 1 << 61 {
                x >>= 1;
                bits += 1;
            }
            k += 1;
        }
        table[n as usize] = bits;
        n += 1;
    }
    table
}

/// Most bytes of a token's header that are read: real ones have a few hundred.
const LONGEST_HEADER: usize = 8192;

/// What a token's header must hold; its other members are passed over.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "alg")]
    _algorithm: IgnoredAny,
}

/// A JSON web token: three parts of base64url, the first a JSON object with a member `alg` (RFC 7515, sections 3.1 and
/// 4.1.1). Linear; holds the decoded header.
pub(super) fn jwt(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'.');
    let (Some(header), Some(payload), Some(signature), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let url_safe = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    !payload.is_empty()
        && url_safe(payload)
        && url_safe(signature)
        && header.len() <= LONGEST_HEADER
        && URL_SAFE_NO_PAD.decode(header).is_ok_and(|json| serde_json::from_slice::<Header>(&json).is_ok())
}

/// What is said to be a password and is no plain word: it holds a digit beside letters, a sign within it, a capital
/// after a small letter, or four digits and more. Refused are words ("incorrect", "case-sensitive"), masks ("****"),
/// links and addresses, and ordinals ("2nd"). Linear.
pub(super) fn password_prose(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let text = text.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
    let link = ["http:", "https:", "www."]
        .iter()
        .any(|start| text.get(..start.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(start)));
    if link || text.contains("://") || !text.chars().any(char::is_alphanumeric) {
        return false;
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let long_enough = text.chars().count() >= 4;
    let sign = |c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '\'' | '/' | '.');
    let signs = text.chars().any(sign);
    let mixed =
        text.chars().zip(text.chars().skip(1)).any(|(before, after)| before.is_lowercase() && after.is_uppercase());
    // "3-day", "2nd", "24h": a number with a word, as prose has it.
    let measure = digits > 0
        && digits <= 2
        && text.trim_start_matches(|c: char| c.is_ascii_digit()).chars().all(|c| c.is_lowercase() || c == '-')
        && text.starts_with(|c: char| c.is_ascii_digit());
    long_enough
        && !measure
        && ((letters > 0 && digits > 0) || (letters == 0 && digits >= 4) || (signs && letters + digits > 0) || mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_a_header_with_an_algorithm() {
        for (text, valid) in [
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", true),
            ("eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.AAAA-_", true),
            ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", true),
            ("eyJmb28iOiJiYXIifQ.eyJzdWIiOiIxIn0.c2ln", false),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0", false),
            ("eyJhbGciOiJIUzI1NiJ9..c2ln", false),
            ("eyJhbGciOiJIUzI1NiJ.eyJzdWIiOiIxIn0.c2ln", false),
            ("..", false),
            ("", false),
        ] {
            assert_eq!(jwt(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn the_algorithm_is_named_at_the_top_of_a_header() {
        for (json, there) in [
            (r#"{"alg":"none"}"#, true),
            (r#"{"a":{"alg":1}}"#, false),
            (r#"{"a":"alg"}"#, false),
            (r#"{"a\"":"}","alg":1}"#, true),
            (r#"{"alg":1}}"#, false),
            (r#"{"alg"#, false),
        ] {
            let token = format!("{}.e30.x", URL_SAFE_NO_PAD.encode(json));
            assert_eq!(jwt(token.as_bytes()), there, "{json}");
        }
    }

    #[test]
    fn tokens_with_a_check() {
        for (check, text, valid) in [
            (github_token as fn(&[u8]) -> bool, "ghp_000000000000000000000000000000000000", false),
            (basic, "dXNlcjpzM2NyM3Q=", true),
            (basic, "aGVsbG8gd29ybGQ=", false),
            (random, "q8ZrT2mLx0VbN4kYw7Hs", true),
            (random, "aaaaaaaaaaaaaaaaaaaA", false),
            (random, "internationalisation", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }

    #[test]
    fn a_plain_word_is_no_password() {
        for (text, valid) in [
            ("Tr0ub4dor&3", true),
            ("hunter22", true),
            ("s3cr3t-x", true),
            ("Gato_77", true),
            ("correctHorse", true),
            ("p@ssword", true),
            ("12345678", true),
            ("incorrect", false),
            ("Incorrect.", false),
            ("erroné", false),
            ("WRONG", false),
            ("case-sensitive", false),
            ("isn't", false),
            ("********", false),
            ("https://example.org/r", false),
            ("https:/", false),
            ("2nd", false),
            ("8-digit", false),
            ("a1", false),
            ("", false),
        ] {
            assert_eq!(password_prose(text.as_bytes()), valid, "{text}");
        }
    }
}
