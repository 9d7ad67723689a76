//! What the brokers' access rules do not allow.

use rdkafka::error::RDKafkaErrorCode;
use std::fmt;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Reading from the topic.
    ReadTopic(String),
    /// Writing to the topic.
    WriteTopic(String),
    /// Seeing that the topic is there.
    DescribeTopic(String),
    /// Reading for, and committing as, the group.
    Group(String),
    /// Writing in transactions under this id.
    TransactionalId(String),
    /// Writing idempotently: brokers before Apache Kafka 2.8 ask for it.
    Cluster,
}

impl Resource {
    fn parts(&self) -> (&'static str, &'static str, &'static str, &str) {
        match self {
            Self::ReadTopic(name) => ("Read", "topic", "--topic ", name),
            Self::WriteTopic(name) => ("Write", "topic", "--topic ", name),
            Self::DescribeTopic(name) => ("Describe", "topic", "--topic ", name),
            Self::Group(name) => ("Read", "group", "--group ", name),
            Self::TransactionalId(name) => ("Write", "transactional id", "--transactional-id ", name),
            Self::Cluster => ("IdempotentWrite", "cluster", "--cluster", ""),
        }
    }
}

/// Operations that the brokers do not allow this client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Denied(pub Vec<Resource>);

impl Denied {
    /// One operation.
    pub fn one(resource: Resource) -> Self {
        Self(vec![resource])
    }

    /// Whether a code is a broker's "not authorized".
    pub fn is(code: RDKafkaErrorCode) -> bool {
        matches!(
            code,
            RDKafkaErrorCode::TopicAuthorizationFailed
                | RDKafkaErrorCode::GroupAuthorizationFailed
                | RDKafkaErrorCode::TransactionalIdAuthorizationFailed
                | RDKafkaErrorCode::ClusterAuthorizationFailed
        )
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the brokers do not allow this client:")?;
        for (i, resource) in self.0.iter().enumerate() {
            let (operation, kind, _, name) = resource.parts();
            let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
            write!(f, "{} {operation} on the {kind}{name}", if i == 0 { "" } else { "," })?;
        }
        f.write_str("; nothing is lost. Add the ACL, for the user that this client logs in as:")?;
        for resource in &self.0 {
            let (operation, _, flag, name) = resource.parts();
            write!(f, " kafka-acls.sh --add --operation {operation} {flag}{name}")?;
        }
        Ok(())
    }
}

/// The topic that a line of the client's log says a transaction could not take up. The error that follows does not name
/// it.
pub(super) fn topic_in_log<'m>(facility: &str, message: &'m str) -> Option<&'m str> {
    if facility != "ADDPARTS" || !message.contains("authorization failed") {
        return None;
    }
    let (_, from) = message.split_once("Failed to add partition \"")?;
    from.split_once('"').map(|(topic, _)| topic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_what_is_missing() {
        let denied = Denied(vec![Resource::WriteTopic("t.review".into()), Resource::WriteTopic("t.held".into())]);
        assert_eq!(
            denied.to_string(),
            "the brokers do not allow this client: Write on the topic `t.review`, Write on the topic `t.held`; nothing is lost. Add the ACL, for the user that this client logs in as: kafka-acls.sh --add --operation Write --topic t.review kafka-acls.sh --add --operation Write --topic t.held"
        );
    }

    #[test]
    fn the_topic_is_in_the_log() {
        let message = "[thrd:b:1/1]: b:1/1: Failed to add partition \"t.held\" [2] to transaction: Broker: Topic authorization failed";
        assert_eq!(topic_in_log("ADDPARTS", message), Some("t.held"));
        assert_eq!(topic_in_log("FAIL", message), None);
        assert_eq!(topic_in_log("ADDPARTS", &message.replace("authorization", "unknown")), None);
    }
}
