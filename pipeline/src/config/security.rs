//! `[kafka.tls]` and `[kafka.sasl]`: how the brokers and this program know each other.
//!
//! Which protocol is spoken follows from which of the two tables are there: neither is plaintext, `[kafka.tls]` alone is
//! SSL, `[kafka.sasl]` alone is SASL_PLAINTEXT, both are SASL_SSL. Nothing in them is secret.

use maysend_detector::source::Table;
use std::path::PathBuf;

/// `[kafka.tls]` and `[kafka.sasl]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Security {
    /// `[kafka.tls]`; `None`: the connection is not encrypted.
    pub tls: Option<Tls>,
    /// `[kafka.sasl]`; `None`: nobody logs in, or a client certificate does.
    pub sasl: Option<Sasl>,
}

/// `[kafka.tls]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// Certificates that the brokers' must be signed by, in PEM. `None`: those that the system trusts.
    pub ca_file: Option<PathBuf>,
    /// What this program shows of itself, for mutual TLS.
    pub client: Option<ClientCertificate>,
}

/// A client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate and those between it and its root, in PEM.
    pub certificate_file: PathBuf,
    /// Its private key, in PEM. If it is encrypted, its password is in the environment.
    pub key_file: PathBuf,
}

/// `[kafka.sasl]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sasl {
    /// A user and a password; the password is in the environment.
    Password {
        /// How it is shown to the brokers.
        mechanism: PasswordMechanism,
        /// The user.
        username: String,
    },
    /// OAUTHBEARER with the token in this file, which somebody else keeps fresh.
    Token {
        /// The file; read again whenever the token is to be renewed.
        token_file: PathBuf,
    },
}

/// A mechanism that shows a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordMechanism {
    /// As it is.
    Plain,
    /// By a challenge, with SHA-256.
    ScramSha256,
    /// By a challenge, with SHA-512.
    ScramSha512,
}

impl PasswordMechanism {
    /// Its registered name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
        }
    }
}

impl Security {
    /// The protocol, as librdkafka names it.
    pub fn protocol(&self) -> &'static str {
        match (&self.tls, &self.sasl) {
            (None, None) => "plaintext",
            (Some(_), None) => "ssl",
            (None, Some(_)) => "sasl_plaintext",
            (Some(_), Some(_)) => "sasl_ssl",
        }
    }

    /// What is allowed and yet unwise.
    pub fn warning(&self) -> Option<&'static str> {
        (self.protocol() == "sasl_plaintext").then_some(
            "[kafka.sasl] without [kafka.tls]: credentials and transcripts cross the network in clear; add [kafka.tls]",
        )
    }
}

pub(super) fn read(kafka: &mut Table<'_>) -> Security {
    Security { tls: kafka.opt_table("tls").map(read_tls), sasl: kafka.opt_table("sasl").and_then(read_sasl) }
}

fn read_tls(mut table: Table<'_>) -> Tls {
    let mut path = |key: &str| table.opt_string(key).map(PathBuf::from);
    let (ca_file, certificate, key) = (path("ca_file"), path("certificate_file"), path("key_file"));
    let client = match (certificate, key) {
        (Some(certificate_file), Some(key_file)) => Some(ClientCertificate { certificate_file, key_file }),
        (None, None) => None,
        (Some(_), None) => {
            table.mistake("certificate_file", "a certificate without its key", "name the private key as `key_file`");
            None
        }
        (None, Some(_)) => {
            table.mistake("key_file", "a key without its certificate", "name the certificate as `certificate_file`");
            None
        }
    };
    table.finish();
    Tls { ca_file, client }
}

#[derive(Clone, Copy)]
enum Mechanism {
    Password(PasswordMechanism),
    OAuthBearer,
    Kerberos,
}

const MECHANISMS: &[(&str, Mechanism)] = &[
    ("PLAIN", Mechanism::Password(PasswordMechanism::Plain)),
    ("SCRAM-SHA-256", Mechanism::Password(PasswordMechanism::ScramSha256)),
    ("SCRAM-SHA-512", Mechanism::Password(PasswordMechanism::ScramSha512)),
    ("OAUTHBEARER", Mechanism::OAuthBearer),
];

fn read_sasl(mut table: Table<'_>) -> Option<Sasl> {
    let known: Vec<_> = MECHANISMS.iter().copied().chain([("GSSAPI", Mechanism::Kerberos)]).collect();
    let mechanism = table.one_of("mechanism", &known);
    let username = table.opt_string("username");
    let token_file = table.opt_string("token_file").map(PathBuf::from);
    let sasl = match mechanism {
        None => None,
        Some(Mechanism::Kerberos) => {
            let names: Vec<&str> = MECHANISMS.iter().map(|(name, _)| *name).collect();
            table.mistake("mechanism", "Kerberos is not built in", format!("one of {}", names.join(", ")));
            None
        }
        Some(Mechanism::Password(mechanism)) => {
            if token_file.is_some() {
                let right = "leave it out; the password is in MAYSEND_KAFKA_SASL_PASSWORD, or in the file that MAYSEND_KAFKA_SASL_PASSWORD_FILE names";
                table.mistake("token_file", "only OAUTHBEARER has a token", right);
            }
            if username.as_deref().is_none_or(str::is_empty) {
                let wrong = format!("{} without a user", mechanism.as_str());
                table.mistake(key_or_table(&table, "username"), wrong, "name the user as `username`");
            }
            username.map(|username| Sasl::Password { mechanism, username })
        }
        Some(Mechanism::OAuthBearer) => {
            if username.is_some() {
                table.mistake("username", "the token says who this is", "leave it out");
            }
            if token_file.is_none() {
                let right = "name the file that holds the token as `token_file`; it is read again at each renewal";
                table.mistake("", "OAUTHBEARER without a token", right);
            }
            token_file.map(|token_file| Sasl::Token { token_file })
        }
    };
    table.finish();
    sasl
}

/// A mistake about a key that is not there stands at its table.
fn key_or_table<'k>(table: &Table<'_>, key: &'k str) -> &'k str {
    if table.has(key) { key } else { "" }
}
