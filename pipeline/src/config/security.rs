//! `[kafka.security]`: how the brokers and this program know each other. Nothing in it is secret.

use super::section::Section;
use std::path::PathBuf;

/// `[kafka.security]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Security {
    /// How the connection is encrypted; `None`: it is not.
    pub tls: Option<Tls>,
    /// How this program logs in; `None`: it does not, or a client certificate does.
    pub sasl: Option<Sasl>,
}

/// TLS.
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

/// A way to log in.
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
            "`protocol = \"sasl_plaintext\"` under [kafka.security]: credentials and transcripts cross the network in clear; `sasl_ssl` encrypts them",
        )
    }
}

/// The keys, as they were read.
#[derive(Debug, Default)]
struct Keys {
    protocol: Option<Protocol>,
    ca_file: Option<String>,
    certificate_file: Option<String>,
    key_file: Option<String>,
    mechanism: Option<Mechanism>,
    username: Option<String>,
    token_file: Option<String>,
}

/// What is spoken: whether with TLS, and whether with SASL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Protocol {
    has_tls: bool,
    has_sasl: bool,
}

/// What `protocol` takes; the first stands for it when it is not there.
const PROTOCOLS: &[(&str, Protocol)] = &[
    ("plaintext", Protocol { has_tls: false, has_sasl: false }),
    ("ssl", Protocol { has_tls: true, has_sasl: false }),
    ("sasl_plaintext", Protocol { has_tls: false, has_sasl: true }),
    ("sasl_ssl", Protocol { has_tls: true, has_sasl: true }),
];

/// A way to log in, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mechanism {
    Password(PasswordMechanism),
    OAuthBearer,
}

/// What `mechanism` takes.
const MECHANISMS: &[(&str, Mechanism)] = &[
    ("PLAIN", Mechanism::Password(PasswordMechanism::Plain)),
    ("SCRAM-SHA-256", Mechanism::Password(PasswordMechanism::ScramSha256)),
    ("SCRAM-SHA-512", Mechanism::Password(PasswordMechanism::ScramSha512)),
    ("OAUTHBEARER", Mechanism::OAuthBearer),
];

pub(super) fn read(mut section: Section<'_>) -> Security {
    let protocol = section.one_of(
        "protocol",
        PROTOCOLS,
        "What is spoken with the brokers: `ssl` is TLS, `sasl_plaintext` logs in without TLS, `sasl_ssl` with it.",
    );
    let ca_file = section.opt_string(
        "ca_file",
        "Certificates in PEM that the brokers' must be signed by; without it, those that the system trusts.",
    );
    let certificate_file = section.opt_string(
        "certificate_file",
        "The certificate in PEM that this program shows of itself, with those between it and its root.",
    );
    let key_file = section.opt_string("key_file", "The private key of `certificate_file`, in PEM.");
    let mechanism = section.opt_one_of("mechanism", MECHANISMS, "How this program logs in.");
    let username = section.opt_string(
        "username",
        "Who logs in with a password. The password is in MAYSEND_KAFKA_SASL_PASSWORD, or in the file that \
         MAYSEND_KAFKA_SASL_PASSWORD_FILE names.",
    );
    let token_file = section.opt_string(
        "token_file",
        "The file with the token of OAUTHBEARER, a JWT; read again whenever the token is to be renewed.",
    );
    let keys = Keys { protocol, ca_file, certificate_file, key_file, mechanism, username, token_file };
    let security = keys.together(|key, wrong, right| section.mistake(key, wrong, right));
    section.finish();
    security
}

impl Keys {
    /// What the keys mean together. A mistake has its key, what is wrong, and what would be right.
    fn together(self, mut mistake: impl FnMut(&str, &str, &str)) -> Security {
        let Protocol { has_tls, has_sasl } = self.protocol.unwrap_or_default();
        let for_tls = [
            ("ca_file", self.ca_file.is_some()),
            ("certificate_file", self.certificate_file.is_some()),
            ("key_file", self.key_file.is_some()),
        ];
        for (key, _) in for_tls.iter().filter(|(_, is_set)| *is_set && !has_tls) {
            mistake(key, "it does nothing without TLS", "set `protocol` to `ssl` or `sasl_ssl`");
        }
        let for_sasl = [
            ("mechanism", self.mechanism.is_some()),
            ("username", self.username.is_some()),
            ("token_file", self.token_file.is_some()),
        ];
        for (key, _) in for_sasl.iter().filter(|(_, is_set)| *is_set && !has_sasl) {
            mistake(key, "it does nothing without SASL", "set `protocol` to `sasl_ssl`");
        }
        let tls = has_tls.then(|| Tls {
            ca_file: self.ca_file.map(PathBuf::from),
            client: client_certificate(self.certificate_file, self.key_file, &mut mistake),
        });
        let sasl = match has_sasl {
            true => sasl(self.mechanism, self.username, self.token_file, &mut mistake),
            false => None,
        };
        Security { tls, sasl }
    }
}

fn client_certificate(
    certificate: Option<String>,
    key: Option<String>,
    mistake: &mut impl FnMut(&str, &str, &str),
) -> Option<ClientCertificate> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => {
            return Some(ClientCertificate { certificate_file: certificate.into(), key_file: key.into() });
        }
        (None, None) => {}
        (Some(_), None) => {
            mistake("certificate_file", "a certificate without its key", "name the private key as `key_file`");
        }
        (None, Some(_)) => {
            mistake("key_file", "a key without its certificate", "name the certificate as `certificate_file`");
        }
    }
    None
}

fn sasl(
    mechanism: Option<Mechanism>,
    username: Option<String>,
    token_file: Option<String>,
    mistake: &mut impl FnMut(&str, &str, &str),
) -> Option<Sasl> {
    match mechanism {
        None => {
            let names: Vec<&str> = MECHANISMS.iter().map(|(name, _)| *name).collect();
            let right = format!("set it to one of {}", names.join(", "));
            mistake("mechanism", "SASL without a mechanism", &right);
            None
        }
        Some(Mechanism::Password(mechanism)) => {
            if token_file.is_some() {
                let right = "leave it out; the password is in MAYSEND_KAFKA_SASL_PASSWORD, or in the file that MAYSEND_KAFKA_SASL_PASSWORD_FILE names";
                mistake("token_file", "only OAUTHBEARER has a token", right);
            }
            let username = username.filter(|username| !username.is_empty());
            if username.is_none() {
                mistake("username", "a password without a user", "name the user as `username`");
            }
            username.map(|username| Sasl::Password { mechanism, username })
        }
        Some(Mechanism::OAuthBearer) => {
            if username.is_some() {
                mistake("username", "the token says who this is", "leave it out");
            }
            if token_file.is_none() {
                let right = "name the file that holds the token as `token_file`; it is read again at each renewal";
                mistake("token_file", "OAUTHBEARER without a token", right);
            }
            token_file.map(|token_file| Sasl::Token { token_file: token_file.into() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigError};

    fn read(lines: &str) -> Result<Security, Vec<String>> {
        let text = format!("[kafka]\nbrokers = \"b:1\"\n{lines}");
        match Config::parse("c", &text) {
            Ok(config) => Ok(config.kafka.security),
            Err(ConfigError::Invalid(mistakes)) => Err(mistakes.0.iter().map(ToString::to_string).collect()),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn nothing_is_plaintext() {
        let security = read("").unwrap();
        assert_eq!((security.protocol(), security.warning()), ("plaintext", None));
    }

    #[test]
    fn each_protocol_is_what_it_is_named() {
        let sasl = "mechanism = \"PLAIN\"\nusername = \"u\"";
        for (protocol, more) in [("plaintext", ""), ("ssl", ""), ("sasl_plaintext", sasl), ("sasl_ssl", sasl)] {
            let security = read(&format!("[kafka.security]\nprotocol = \"{protocol}\"\n{more}")).unwrap();
            assert_eq!(security.protocol(), protocol);
            assert_eq!(security.warning().is_some(), protocol == "sasl_plaintext");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_would() {
        let cases: &[(&str, &[&str])] = &[
            ("protocol = \"tls\"", &["unknown value `tls`; one of plaintext, ssl, sasl_plaintext, sasl_ssl"]),
            ("ca_file = \"f\"", &["ca_file: it does nothing without TLS"]),
            ("username = \"u\"", &["username: it does nothing without SASL"]),
            ("protocol = \"ssl\"\ncertificate_file = \"f\"", &["a certificate without its key; name the private key"]),
            ("protocol = \"ssl\"\nkey_file = \"f\"", &["a key without its certificate"]),
            ("protocol = \"sasl_ssl\"", &["SASL without a mechanism; set it to one of PLAIN"]),
            ("protocol = \"sasl_ssl\"\nmechanism = \"GSSAPI\"\nusername = \"u\"", &["unknown value `GSSAPI`", ""]),
            ("protocol = \"sasl_ssl\"\nmechanism = \"PLAIN\"", &["a password without a user"]),
            (
                "protocol = \"sasl_ssl\"\nmechanism = \"PLAIN\"\nusername = \"u\"\ntoken_file = \"f\"",
                &["token_file: only OAUTHBEARER has a token"],
            ),
            ("protocol = \"sasl_ssl\"\nmechanism = \"OAUTHBEARER\"", &["OAUTHBEARER without a token"]),
            (
                "protocol = \"sasl_ssl\"\nmechanism = \"OAUTHBEARER\"\ntoken_file = \"f\"\nusername = \"u\"",
                &["the token says who this is; leave it out"],
            ),
        ];
        for (lines, said) in cases {
            let mistakes = read(&format!("[kafka.security]\n{lines}")).unwrap_err();
            assert_eq!(mistakes.len(), said.len(), "{mistakes:?}");
            for part in *said {
                assert!(mistakes.iter().any(|mistake| mistake.contains(part)), "{part}: {mistakes:?}");
            }
        }
    }

    #[test]
    fn options_that_have_a_place_of_their_own_or_none_are_refused() {
        let cases = [
            ("security.protocol", "`protocol` under [kafka.security]"),
            ("sasl.mechanism", "`mechanism` under [kafka.security]"),
            ("ssl.ca.location", "`ca_file` under [kafka.security]"),
            ("sasl.password", "MAYSEND_KAFKA_SASL_PASSWORD_FILE"),
            ("sasl.oauthbearer.method", "needs libcurl, which is not built in"),
            ("sasl.oauthbearer.client.secret", "needs libcurl, which is not built in"),
            ("sasl.kerberos.keytab", "Kerberos is not built in"),
            ("enable.ssl.certificate.verification", "whoever answers is given the transcripts"),
            ("ssl.cipher.suites", "it does nothing without TLS"),
        ];
        for (option, said) in cases {
            let mistakes = read(&format!("[kafka.options]\n\"{option}\" = \"canary\"")).unwrap_err();
            assert!(mistakes[0].contains(said) && !mistakes[0].contains("canary"), "{mistakes:?}");
        }
    }
}
