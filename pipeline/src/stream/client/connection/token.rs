//! OAUTHBEARER: a token in a file that somebody else keeps fresh, as a projected service account's is.

use crate::config::{Sasl, Security};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use rdkafka::client::OAuthToken;
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Why there is no token. Holds nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The brokers want a token, and the configuration names no file.
    #[error("no token is configured; name its file as `token_file` under [kafka.security]")]
    NotConfigured,
    /// The file cannot be read.
    #[error("cannot read the token in {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Nothing is there.
    #[error("the token in {} is empty", .0.display())]
    Empty(PathBuf),
    /// It is something else.
    #[error("{} holds no JWT: that is three parts in base64 with dots between, the second one a JSON object", .0.display())]
    NoJwt(PathBuf),
    /// It does not say how long it is good for.
    #[error("the token in {} has no `exp`: nobody knows when to renew it", .0.display())]
    NoExpiry(PathBuf),
    /// It was not renewed in time.
    #[error("the token in {} expired at {at}; whoever writes that file has to renew it", path.display())]
    Expired {
        /// The file.
        path: PathBuf,
        /// When it expired.
        at: String,
    },
}

/// The token of the configuration, as it is now. Whether it was signed by somebody is for the brokers to say.
pub(super) fn read(security: &Security) -> Result<OAuthToken, TokenError> {
    match &security.sasl {
        Some(Sasl::Token { token_file }) => read_file(token_file, now_ms()),
        _ => Err(TokenError::NotConfigured),
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

fn read_file(path: &Path, now_ms: i64) -> Result<OAuthToken, TokenError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(TokenError::NoJwt(path.into())),
        Err(error) => return Err(TokenError::Unreadable { path: path.into(), error }),
    };
    let token = text.trim();
    if token.is_empty() {
        return Err(TokenError::Empty(path.into()));
    }
    let claims = claims(token).ok_or_else(|| TokenError::NoJwt(path.into()))?;
    // Seconds since 1970, and a fraction is allowed.
    let seconds = claims.get("exp").and_then(Value::as_f64).ok_or_else(|| TokenError::NoExpiry(path.into()))?;
    let expires = Timestamp::from_millisecond((seconds * 1000.0) as i64).unwrap_or(Timestamp::MAX);
    if expires.as_millisecond() <= now_ms {
        return Err(TokenError::Expired { path: path.into(), at: format!("{expires:.0}") });
    }
    let subject = claims.get("sub").and_then(Value::as_str).filter(|subject| !subject.is_empty());
    Ok(OAuthToken {
        token: token.into(),
        principal_name: subject.unwrap_or("maysend").into(),
        lifetime_ms: expires.as_millisecond(),
    })
}

/// The claims of a JWT; its last part, the signature, may be empty.
fn claims(token: &str) -> Option<serde_json::Map<String, Value>> {
    let parts: Vec<&str> = token.split('.').collect();
    let [_header, claims, _signature] = parts.as_slice() else { return None };
    let bytes = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> Result<OAuthToken, TokenError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), content).unwrap();
        read_file(file.path(), 1_000_000)
    }

    fn jwt(claims: &str) -> String {
        format!("{}.{}.", URL_SAFE_NO_PAD.encode("{\"alg\":\"none\"}"), URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn a_token_says_whose_it_is_and_how_long_it_is_good_for() {
        let token = read((jwt("{\"sub\":\"gate\",\"exp\":1001.5}") + "\n").as_bytes()).unwrap();
        assert_eq!((token.principal_name.as_str(), token.lifetime_ms), ("gate", 1_001_500));
        assert!(!token.token.ends_with('\n'));
        assert_eq!(read(jwt("{\"exp\":1001}").as_bytes()).unwrap().principal_name, "maysend");
    }

    #[test]
    fn what_is_wrong_is_said_without_the_token() {
        let cases = [
            (Vec::new(), "is empty"),
            (b" \n".to_vec(), "is empty"),
            (b"canary".to_vec(), "holds no JWT"),
            (b"canary.canary.canary".to_vec(), "holds no JWT"),
            (b"canary\xff".to_vec(), "holds no JWT"),
            (jwt("[\"canary\"]").into_bytes(), "holds no JWT"),
            (jwt("{\"sub\":\"canary\"}").into_bytes(), "has no `exp`"),
            (jwt("{\"exp\":\"canary\"}").into_bytes(), "has no `exp`"),
            (jwt("{\"sub\":\"canary\",\"exp\":1000}").into_bytes(), "expired at 1970-01-01T00:16:40Z"),
        ];
        for (content, said) in cases {
            let error = read(&content).err().unwrap();
            assert!(error.to_string().contains(said), "{error}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
        let missing = read_file(Path::new("/nowhere/token"), 0).err().unwrap();
        assert!(missing.to_string().contains("cannot read the token in /nowhere/token"), "{missing}");
    }
}
