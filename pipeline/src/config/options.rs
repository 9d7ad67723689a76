//! Options that are passed on to librdkafka, and those that are not.

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

/// Options that hold secrets, and the environment variable that each is read from.
pub const SECRETS: &[(&str, &str)] = &[
    ("sasl.password", "MAYSEND_KAFKA_SASL_PASSWORD"),
    ("sasl.oauthbearer.client.secret", "MAYSEND_KAFKA_OAUTHBEARER_CLIENT_SECRET"),
    ("ssl.key.password", "MAYSEND_KAFKA_SSL_KEY_PASSWORD"),
    ("ssl.key.pem", "MAYSEND_KAFKA_SSL_KEY_PEM"),
    ("ssl.keystore.password", "MAYSEND_KAFKA_SSL_KEYSTORE_PASSWORD"),
];

/// What is wrong with setting an option, and what would be right.
pub(super) fn refusal(option: &str) -> Option<(&'static str, String)> {
    if OPTIONS_WE_NEED.contains(&option) {
        return Some(("the guarantees depend on it", "leave it out".into()));
    }
    let (_, variable) = SECRETS.iter().find(|(secret, _)| *secret == option)?;
    Some(("a secret", format!("set {variable} in the environment")))
}
