//! Secrets: from the environment, or from a file that the environment names.

use std::{env, ffi::OsString, fmt, fs, io, path::PathBuf};

/// A secret. Prints nothing of itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Why a secret cannot be had. Holds nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Two places for one thing.
    #[error("{0} and {0}_FILE are both set; set one of them")]
    Twice(&'static str),
    /// The file cannot be read.
    #[error("cannot read {}, which {variable}_FILE names: {error}", path.display())]
    Unreadable {
        /// The variable for the secret itself.
        variable: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Nothing is there.
    #[error("{0} is empty")]
    Empty(String),
    /// It cannot be a secret.
    #[error("{0} holds bytes that no password has: it is not UTF-8, or has a zero byte or several lines")]
    Invalid(String),
}

impl Secret {
    /// The secret of this variable, or of the file that the variable with `_FILE` after its name names, as Kubernetes
    /// mounts secrets. A line end at the end of the file does not count. `None` if neither is set.
    ///
    /// # Errors
    /// Both are set, or what is set cannot be read, is empty or is no password.
    pub fn from_env(variable: &'static str) -> Result<Option<Self>, SecretError> {
        Self::from(variable, |name| env::var_os(name))
    }

    fn from(variable: &'static str, value: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, SecretError> {
        let file = format!("{variable}_FILE");
        match (value(variable), value(&file)) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(SecretError::Twice(variable)),
            (Some(text), None) => Self::parse(variable.into(), text.into_string().ok()).map(Some),
            (None, Some(path)) => {
                let path = PathBuf::from(path);
                let place = format!("{}, which {file} names,", path.display());
                let bytes = fs::read(&path).map_err(|error| SecretError::Unreadable { variable, path, error })?;
                let text = String::from_utf8(bytes).ok();
                Self::parse(place, text.map(|text| without_line_end(&text).to_owned())).map(Some)
            }
        }
    }

    fn parse(place: String, text: Option<String>) -> Result<Self, SecretError> {
        match text {
            Some(text) if text.is_empty() => Err(SecretError::Empty(place)),
            Some(text) if !text.contains(['\0', '\n', '\r']) => Ok(Self(text)),
            _ => Err(SecretError::Invalid(place)),
        }
    }

    /// For the client, and nobody else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "MAYSEND_TEST_SECRET";

    fn from(set: &[(&str, &str)]) -> Result<Option<Secret>, SecretError> {
        Secret::from(NAME, |name| set.iter().find(|(own, _)| *own == name).map(|(_, value)| value.into()))
    }

    fn file(text: &[u8]) -> (tempfile::NamedTempFile, String) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let path = file.path().display().to_string();
        (file, path)
    }

    #[test]
    fn a_secret_is_in_the_environment_or_in_a_file() {
        assert_eq!(from(&[]).unwrap(), None);
        assert_eq!(from(&[(NAME, "very secret ")]).unwrap().unwrap().expose(), "very secret ");
        for text in ["very secret", "very secret\n", "very secret\r\n"] {
            let (_file, path) = file(text.as_bytes());
            assert_eq!(from(&[("MAYSEND_TEST_SECRET_FILE", &path)]).unwrap().unwrap().expose(), "very secret");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_secret() {
        let (_empty, empty) = file(b"\n");
        let (_lines, lines) = file(b"canary\ncanary");
        let (_bytes, bytes) = file(b"canary\xff");
        let cases = [
            (vec![(NAME, "canary"), ("MAYSEND_TEST_SECRET_FILE", "/canary")], "both set"),
            (vec![(NAME, "")], "MAYSEND_TEST_SECRET is empty"),
            (vec![("MAYSEND_TEST_SECRET_FILE", "/nowhere/secret")], "cannot read /nowhere/secret"),
            (vec![("MAYSEND_TEST_SECRET_FILE", &empty)], "names, is empty"),
            (vec![("MAYSEND_TEST_SECRET_FILE", &lines)], "several lines"),
            (vec![("MAYSEND_TEST_SECRET_FILE", &bytes)], "not UTF-8"),
        ];
        for (set, said) in cases {
            let error = from(&set).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }

    #[test]
    fn a_secret_prints_nothing_of_itself() {
        let secret = from(&[(NAME, "canary")]).unwrap();
        assert_eq!(format!("{secret:?}"), "Some(Secret(…))");
    }
}
