//! Secrets: JSON web tokens, and passwords said in a sentence.

/// Most bytes of a token's header that are read: real ones have a few hundred.
const LONGEST_HEADER: usize = 8192;

/// A JSON web token: three parts of base64url, the first a JSON object with a member `alg` (RFC 7515, sections 3.1 and
/// 4.1.1). Linear; holds the decoded header.
pub(super) fn jwt(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'.');
    let (Some(header), Some(payload), Some(signature), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let url_safe = |part: &[u8]| part.iter().all(|byte| sextet(*byte).is_some());
    !payload.is_empty()
        && url_safe(payload)
        && url_safe(signature)
        && header.len() <= LONGEST_HEADER
        && decoded(header).is_some_and(|json| has_member(&json, b"alg"))
}

/// The six bits of a character of base64url (RFC 4648, section 5).
fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    }))
}

/// What base64url without padding encodes.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let bits = group.iter().try_fold(0, |bits, byte| Some(bits << 6 | sextet(*byte)?))? << (6 * (4 - group.len()));
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(bytes.get(1..group.len())?);
    }
    (text.len() % 4 != 1).then_some(out)
}

/// Whether bytes are a JSON object that has a member of this name at its top. It is a reader of names and nesting, not
/// a validator of JSON: it need not tell more than an object from chance.
fn has_member(json: &[u8], name: &[u8]) -> bool {
    let json = json.trim_ascii();
    if !(json.starts_with(b"{") && json.ends_with(b"}")) {
        return false;
    }
    let mut depth = 0usize;
    let mut found = false;
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            b'"' => {
                let start = at + 1;
                let Some(end) = string_end(json, start) else { return false };
                let is_name = json[end + 1..].trim_ascii_start().starts_with(b":");
                found |= depth == 1 && is_name && &json[start..end] == name;
                at = end;
            }
            byte if byte.is_ascii_control() && !byte.is_ascii_whitespace() => return false,
            _ => {}
        }
        at += 1;
    }
    found && depth == 0 && std::str::from_utf8(json).is_ok()
}

/// Where the string that starts after its quotation mark ends.
fn string_end(json: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        match json.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
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
    fn members_are_named_at_the_top() {
        for (json, there) in [
            (r#"{"alg":"none"}"#, true),
            (r#"{"a":{"alg":1}}"#, false),
            (r#"{"a":"alg"}"#, false),
            (r#"{"a\"":"}","alg":1}"#, true),
            (r#"{"alg":1}}"#, false),
            (r#"["alg"]"#, false),
            (r#"{"alg"#, false),
        ] {
            assert_eq!(has_member(json.as_bytes(), b"alg"), there, "{json}");
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
