//! Options that are passed on to librdkafka, and those that are not.

use super::security::Security;

/// Options that the delivery guarantees depend on. Sorted.
pub const OPTIONS_WE_NEED: &[&str] = &[
    "acks",
    "allow.auto.create.topics",
    "auto.offset.reset",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "enable.partition.eof",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "isolation.level",
    "max.in.flight",
    "max.in.flight.requests.per.connection",
    "message.max.bytes",
    "message.send.max.retries",
    "message.timeout.ms",
    "partition.assignment.strategy",
    "receive.message.max.bytes",
    "request.required.acks",
    "retries",
    "session.timeout.ms",
    "transaction.timeout.ms",
    "transactional.id",
];

/// Options that hold secrets, and the environment variable that each is read from, or with `_FILE` after its name the
/// file.
pub const SECRETS: &[(&str, &str)] = &[
    ("sasl.password", "MAYSEND_KAFKA_SASL_PASSWORD"),
    ("ssl.key.password", "MAYSEND_KAFKA_SSL_KEY_PASSWORD"),
    ("ssl.keystore.password", "MAYSEND_KAFKA_SSL_KEYSTORE_PASSWORD"),
];

/// Options that have a key of their own in the configuration, and what that is.
const OWN_KEYS: &[(&str, &str)] = &[
    ("bootstrap.servers", "`brokers` under [kafka]"),
    ("metadata.broker.list", "`brokers` under [kafka]"),
    ("security.protocol", "`protocol` under [kafka.security]"),
    ("sasl.mechanism", "`mechanism` under [kafka.security]"),
    ("sasl.mechanisms", "`mechanism` under [kafka.security]"),
    ("sasl.username", "`username` under [kafka.security]"),
    ("ssl.ca.location", "`ca_file` under [kafka.security]"),
    ("ssl.ca.pem", "`ca_file` under [kafka.security]"),
    ("ssl.certificate.location", "`certificate_file` under [kafka.security]"),
    ("ssl.certificate.pem", "`certificate_file` under [kafka.security]"),
    ("ssl.key.location", "`key_file` under [kafka.security]"),
    ("ssl.key.pem", "`key_file` under [kafka.security]"),
];

/// What begins the options of ways to log in that are not built in, and what there is in place of each.
const NOT_BUILT_IN: &[(&str, &str, &str)] = &[
    (
        "sasl.oauthbearer.",
        "fetching tokens (OIDC) needs libcurl, which is not built in",
        "let a projected service account or a sidecar write the token to a file, and name that as `token_file` under [kafka.security]",
    ),
    ("enable.sasl.oauthbearer.", "it makes tokens that nobody signed", "`token_file` under [kafka.security]"),
    ("sasl.kerberos.", "Kerberos is not built in", "another `mechanism` under [kafka.security]"),
    (
        "enable.ssl.certificate.verification",
        "without it, whoever answers is given the transcripts",
        "leave it out, and name who signed the brokers' certificates as `ca_file` under [kafka.security]",
    ),
];

/// What is wrong with setting an option, and what would be right.
pub(super) fn refusal(option: &str, security: &Security) -> Option<(&'static str, String)> {
    if OPTIONS_WE_NEED.contains(&option) {
        return Some(("the guarantees depend on it", "leave it out".into()));
    }
    if let Some((_, variable)) = SECRETS.iter().find(|(secret, _)| *secret == option) {
        return Some(("a secret", format!("set {variable} or {variable}_FILE in the environment")));
    }
    if let Some((_, right)) = OWN_KEYS.iter().find(|(own, _)| *own == option) {
        return Some(("it has a place of its own", (*right).into()));
    }
    if let Some((_, wrong, right)) = NOT_BUILT_IN.iter().find(|(start, ..)| option.starts_with(start)) {
        return Some((wrong, (*right).into()));
    }
    let is_idle = option.starts_with("ssl.") && security.tls.is_none();
    let right = "set `protocol` under [kafka.security] to `ssl` or `sasl_ssl`";
    is_idle.then(|| ("it does nothing without TLS", right.into()))
}
