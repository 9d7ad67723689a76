//! How a batch ended, and why.

use crate::stream::client::{
    delivery::{Unacknowledged, Undelivered},
    failure::{Remedy, remedy},
};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use std::time::Duration;

/// How a batch ended.
#[derive(Debug)]
pub enum Ended {
    /// It is committed, with so many dead letters in it.
    Committed(u64, u64),
    /// It is not; the reason is for the log.
    Aborted(u64, String),
    /// The process must stop.
    Failed(CommitError),
}

/// Why the process must stop.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Reservations were not acknowledged, so nothing may be cleared.
    #[error("reservations are not acknowledged: {0}")]
    Reservations(KafkaError),
    /// The producer cannot go on.
    #[error("the transaction cannot go on: {0}")]
    Transaction(KafkaError),
    /// A topic does not take a record.
    #[error("{topic} does not take a record: {error}{hint}", topic = .0.topic, error = .0.error, hint = hint(&.0.error))]
    Undelivered(Undelivered),
    /// A topic is gone.
    #[error("the topic {0} was deleted since the start. Nothing is lost; create it again, then start again")]
    TopicGone(String),
    /// The producer cannot be made anew.
    #[error("the transactional producer cannot be made: {0}")]
    Producer(String),
}

/// What to do about a record that a topic does not take.
fn hint(error: &KafkaError) -> &'static str {
    match error.rdkafka_error_code() {
        Some(RDKafkaErrorCode::MessageSizeTooLarge) => {
            "; its `max.message.bytes` was lowered since the start. Nothing is lost; raise it, then start again"
        }
        _ => "",
    }
}

/// Why a transaction was not committed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// A call failed.
    #[error("{0}")]
    Call(#[from] KafkaError),
    /// A record was not taken.
    #[error("{topic} does not take a record: {error}", topic = .0.topic, error = .0.error)]
    Record(Undelivered),
    /// A call did not come back.
    #[error("the group's coordinator did not answer within {0:?}")]
    NoAnswer(Duration),
}

impl Broken {
    pub(super) fn remedy(&self) -> Remedy {
        match self {
            Self::Call(error) => remedy(error),
            Self::Record(undelivered) => remedy(&undelivered.error),
            Self::NoAnswer(_) => Remedy::Unknown,
        }
    }
}

impl From<Unacknowledged> for Broken {
    fn from(unacknowledged: Unacknowledged) -> Self {
        match unacknowledged {
            Unacknowledged::Refused(undelivered) => Self::Record(undelivered),
            Unacknowledged::TimedOut => Self::Call(unacknowledged.into_error()),
        }
    }
}

impl From<Broken> for CommitError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Call(error) => Self::Transaction(error),
            Broken::Record(undelivered) => Self::Undelivered(undelivered),
            Broken::NoAnswer(_) => Self::Transaction(KafkaError::Canceled),
        }
    }
}
