//! Options that are passed on to librdkafka, and those that are not.

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

/// Options that hold secrets, and the environment variable that each is read from.
pub const SECRETS: &[(&str, &str)] = &[
    ("sasl.password", "MAYSEND_KAFKA_SASL_PASSWORD"),
    ("sasl.oauthbearer.client.secret", "MAYSEND_KAFKA_OAUTHBEARER_CLIENT_SECRET"),
    ("ssl.key.password", "MAYSEND_KAFKA_SSL_KEY_PASSWORD"),
    ("ssl.key.pem", "MAYSEND_KAFKA_SSL_KEY_PEM"),
    ("ssl.keystore.password", "MAYSEND_KAFKA_SSL_KEYSTORE_PASSWORD"),
];

/// Reads `[kafka.options]`.
pub(super) fn read(mut table: Table<'_>) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    for key in table.keys() {
        let value = table.string(&key);
        if OPTIONS_WE_NEED.contains(&key.as_str()) {
            table.mistake(&key, "the guarantees depend on it", "leave it out");
        } else if let Some((_, variable)) = SECRETS.iter().find(|(secret, _)| *secret == key) {
            table.mistake(&key, "a secret", format!("set {variable} in the environment"));
        } else if let Some(value) = value {
            options.insert(key, value);
        }
    }
    table.finish();
    options
}
