//! Why the brokers did not let the stream go on: an error of the client says a code, and seldom of what.

use super::{
    Clients,
    connection::{Denied, Resource},
};
use crate::{
    stages::Output,
    stream::{StreamError, committer::CommitError, topics::Topics},
};
use rdkafka::error::RDKafkaErrorCode as Code;

/// The error with what is behind it, where that is known: a refusal seen just before, or what access rules do not allow.
pub fn explain(error: StreamError, clients: &Clients, topics: &Topics) -> StreamError {
    if let Some(hindrance) = clients.connection().hindrance() {
        return hindrance;
    }
    let cause = match &error {
        StreamError::Client(cause) | StreamError::Rebalance(cause) => cause,
        StreamError::Commit(CommitError::Reservations(cause) | CommitError::Transaction(cause)) => cause,
        StreamError::Commit(CommitError::Undelivered(undelivered)) => &undelivered.error,
        StreamError::Unreadable { error: cause, .. } | StreamError::NotPublished { error: cause, .. } => cause,
        StreamError::NoClusterId | StreamError::DrainTimeout(_) => {
            return clients.connection().refused_lately().map_or(error, StreamError::from);
        }
        _ => return error,
    };
    match cause.rdkafka_error_code() {
        Some(code) if Denied::is(code) => denied(code, &error, clients, topics).into(),
        _ => clients.connection().refused_lately().map_or(error, StreamError::from),
    }
}

fn denied(code: Code, error: &StreamError, clients: &Clients, topics: &Topics) -> Denied {
    match code {
        Code::GroupAuthorizationFailed => Denied::one(Resource::Group(match error {
            StreamError::Unreadable { topic, .. } if *topic == topics.usage => clients.usage_group(),
            _ => clients.group().into(),
        })),
        Code::TransactionalIdAuthorizationFailed => {
            Denied::one(Resource::TransactionalId(clients.transactional_id().into()))
        }
        Code::ClusterAuthorizationFailed => Denied::one(Resource::Cluster),
        _ => match error {
            StreamError::Commit(CommitError::Reservations(_)) => {
                Denied::one(Resource::WriteTopic(topics.of(Output::Reservations).into()))
            }
            StreamError::Commit(CommitError::Undelivered(undelivered)) => {
                Denied::one(Resource::WriteTopic(undelivered.topic.clone()))
            }
            StreamError::Unreadable { topic, .. } => Denied::one(Resource::ReadTopic(topic.clone())),
            StreamError::NotPublished { topic, .. } => Denied::one(Resource::WriteTopic(topic.clone())),
            _ => Denied::one(Resource::ReadTopic(topics.input.clone())),
        },
    }
}
