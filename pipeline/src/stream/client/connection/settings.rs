//! What a client is told of how to log in.

use super::{Secret, SecretError, TokenError, token};
use crate::config::{SECRETS, Sasl, Security};
use rdkafka::ClientConfig;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// How a process logs in: the configuration with the secrets that belong to it, read once. Prints none of them.
#[derive(Clone, Debug)]
pub struct Login {
    security: Security,
    secrets: Vec<(&'static str, Secret)>,
}

/// Why nobody can log in. Holds no secret.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// A secret cannot be had.
    #[error("{0}")]
    Secret(#[from] SecretError),
    /// A user without a password.
    #[error(
        "no password for the user `{0}`: set MAYSEND_KAFKA_SASL_PASSWORD, or MAYSEND_KAFKA_SASL_PASSWORD_FILE to the path of a file that holds it"
    )]
    NoPassword(String),
    /// A password that nobody asks for.
    #[error(
        "{variable} is set, and `protocol` under [kafka.security] is {protocol}; set another, or unset the variable"
    )]
    Unused {
        /// The variable.
        variable: &'static str,
        /// The protocol.
        protocol: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}, which `{key}` under [kafka.security] names: {error}", path.display())]
    Unreadable {
        /// The key.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file holds something else.
    #[error("{}, which `{key}` under [kafka.security] names, holds no {what} in PEM", path.display())]
    NoPem {
        /// The key.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// There is no token.
    #[error("{0}")]
    Token(#[from] TokenError),
}

impl Login {
    /// Reads the secrets, and looks once at every file, so that what is wrong is said before anything is begun.
    ///
    /// # Errors
    /// A secret or a file is missing or is not what it should be.
    pub fn new(security: &Security) -> Result<Self, LoginError> {
        let mut secrets = Vec::new();
        for (option, variable) in SECRETS {
            let Some(secret) = Secret::from_env(variable)? else { continue };
            let is_for_sasl = option.starts_with("sasl.");
            let is_asked_for = if is_for_sasl { security.sasl.is_some() } else { security.tls.is_some() };
            if !is_asked_for {
                return Err(LoginError::Unused { variable, protocol: security.protocol() });
            }
            secrets.push((*option, secret));
        }
        match &security.sasl {
            Some(Sasl::Password { username, .. }) if !secrets.iter().any(|(option, _)| *option == "sasl.password") => {
                return Err(LoginError::NoPassword(username.clone()));
            }
            Some(Sasl::Token { .. }) => drop(token::read(security)?),
            _ => {}
        }
        if let Some(tls) = &security.tls {
            let certificate = ("certificate", "-----BEGIN CERTIFICATE-----");
            if let Some(path) = &tls.ca_file {
                check("ca_file", path, certificate)?;
            }
            if let Some(client) = &tls.client {
                check("certificate_file", &client.certificate_file, certificate)?;
                check("key_file", &client.key_file, ("private key", "PRIVATE KEY-----"))?;
            }
        }
        Ok(Self { security: security.clone(), secrets })
    }

    /// How the brokers and this program know each other.
    pub fn security(&self) -> &Security {
        &self.security
    }

    /// Tells a client.
    pub fn apply(&self, client: &mut ClientConfig) {
        client.set("security.protocol", self.security.protocol());
        if let Some(tls) = &self.security.tls {
            if let Some(ca_file) = &tls.ca_file {
                client.set("ssl.ca.location", ca_file.display().to_string());
            }
            if let Some(own) = &tls.client {
                client.set("ssl.certificate.location", own.certificate_file.display().to_string());
                client.set("ssl.key.location", own.key_file.display().to_string());
            }
        }
        match &self.security.sasl {
            Some(Sasl::Password { mechanism, username }) => {
                client.set("sasl.mechanism", mechanism.as_str()).set("sasl.username", username);
            }
            Some(Sasl::Token { .. }) => {
                client.set("sasl.mechanism", "OAUTHBEARER");
            }
            None => {}
        }
        for (option, secret) in &self.secrets {
            client.set(*option, secret.expose());
        }
    }
}

fn check(key: &'static str, path: &Path, (what, begin): (&'static str, &str)) -> Result<(), LoginError> {
    let content = fs::read(path).map_err(|error| LoginError::Unreadable { key, path: path.into(), error })?;
    match String::from_utf8_lossy(&content).contains(begin) {
        true => Ok(()),
        false => Err(LoginError::NoPem { key, path: path.into(), what }),
    }
}
