//! Options that are passed on to librdkafka, and those that are not.

use super::security::Security;
use maysend_detector::source::Table;
use std::collections::BTreeMap;

/// Options that the delivery guarantees depend on. Sorted.
pub const OPTIONS_WE_NEED: &[&str] = &[
    "acks",
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
    "message.send.max.retries",
    "message.timeout.ms",
    "partition.assignment.strategy",
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

/// Reads `[kafka.options]`.
pub(super) fn read(mut table: Table<'_>, security: &Security) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    for key in table.keys() {
        let value = table.string(&key);
        if OPTIONS_WE_NEED.contains(&key.as_str()) {
            table.mistake(&key, "the guarantees depend on it", "leave it out");
        } else if let Some((_, variable)) = SECRETS.iter().find(|(secret, _)| *secret == key) {
            table.mistake(&key, "a secret", format!("set {variable} or {variable}_FILE in the environment"));
        } else if let Some((_, right)) = OWN_KEYS.iter().find(|(own, _)| *own == key) {
            table.mistake(&key, "it has a place of its own", *right);
        } else if let Some((_, wrong, right)) = NOT_BUILT_IN.iter().find(|(start, ..)| key.starts_with(start)) {
            table.mistake(&key, *wrong, *right);
        } else if key.starts_with("ssl.") && security.tls.is_none() {
            table.mistake(&key, "it does nothing without TLS", "set `protocol` under [kafka.security] to `ssl` or `sasl_ssl`");
        } else if let Some(value) = value {
            options.insert(key, value);
        }
    }
    table.finish();
    options
}
