//! Secrets: JSON web tokens, and passwords said in a sentence.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, de::IgnoredAny};

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
