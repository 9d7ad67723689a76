//! What to do about an error of the client.
//!
//! | error | what to do |
//! |---|---|
//! | retriable, while sending offsets or committing | the same call again with the same arguments |
//! | requires abort; illegal generation, unknown member, fenced instance | abort, rewind, new epoch |
//! | outcome of the commit unknown | make the producer anew under the same id, re-read what is committed, rewind |
//! | not allowed by the brokers' access rules | stop: the same again would be refused again |
//! | fatal, or fenced by another with the same id | stop with a non-zero exit; the orchestrator restarts it |
//! | anything else | treated as fatal |

use super::connection::Denied;
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Make the same call again.
    Retry,
    /// Abort the transaction and read again from what is committed.
    Abort,
    /// Nobody knows whether it was committed: make the producer anew, then read again from what is committed.
    Unknown,
    /// Stop the process.
    Stop,
}

/// The flags and the code of an error of a transactional call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// The instance cannot be used any more.
    pub fatal: bool,
    /// The same call may be made again.
    pub retriable: bool,
    /// The transaction has to be aborted.
    pub requires_abort: bool,
    /// The code.
    pub code: Code,
}

impl Flags {
    /// What to do about it. A fatal error is fatal whatever else it claims to be.
    pub fn remedy(self) -> Remedy {
        match self {
            Self { fatal: true, .. } => Remedy::Stop,
            Self { code: Code::Fenced | Code::ProducerFenced | Code::InvalidProducerEpoch, .. } => Remedy::Stop,
            Self { code, .. } if Denied::is(code) => Remedy::Stop,
            Self { requires_abort: true, .. } => Remedy::Abort,
            Self { code: Code::IllegalGeneration | Code::UnknownMemberId | Code::FencedInstanceId, .. } => {
                Remedy::Abort
            }
            Self { retriable: true, .. } => Remedy::Retry,
            // A state error without a flag means that what we believe of the transaction is not so.
            Self { code: Code::State | Code::TransactionCoordinatorFenced, .. } => Remedy::Unknown,
            _ => Remedy::Stop,
        }
    }
}

/// What to do about an error of a call that belongs to a transaction.
pub fn remedy(error: &KafkaError) -> Remedy {
    match error {
        KafkaError::Transaction(error) => Flags {
            fatal: error.is_fatal(),
            retriable: error.is_retriable(),
            requires_abort: error.txn_requires_abort(),
            code: error.code(),
        }
        .remedy(),
        // The commit flushes first; what it says then is no error of the transaction.
        KafkaError::Flush(_) => Remedy::Abort,
        KafkaError::MessageProduction(Code::Fatal) => Remedy::Stop,
        // Sizes, topics and rights are looked at before anything is read, so this is something that was changed under
        // way. Doing it again would not help.
        KafkaError::MessageProduction(
            Code::MessageSizeTooLarge | Code::UnknownTopic | Code::UnknownTopicOrPartition | Code::UnknownPartition,
        ) => Remedy::Stop,
        KafkaError::MessageProduction(code) if Denied::is(*code) => Remedy::Stop,
        KafkaError::MessageProduction(_) => Remedy::Abort,
        _ => Remedy::Stop,
    }
}

/// Whether an error is one that a consumer does not get over by itself, as it does when a broker is away.
pub fn is_final(error: &KafkaError) -> bool {
    matches!(
        error,
        KafkaError::MessageConsumption(
            Code::AutoOffsetReset
                | Code::TopicAuthorizationFailed
                | Code::GroupAuthorizationFailed
                | Code::UnknownTopicOrPartition
                | Code::FencedInstanceId
        ) | KafkaError::MessageConsumptionFatal(_)
    )
}

/// Whether an error says that the brokers are settling who leads a partition or serves a group, or how far the one who does
/// has got: the same question is answered soon. Kafka's protocol calls these retriable; the last two are the client's own,
/// for a connection that broke and a coordinator that it looks for.
pub fn settles(error: &KafkaError) -> bool {
    error.rdkafka_error_code().is_some_and(|code| {
        matches!(
            code,
            Code::NotLeaderForPartition
                | Code::LeaderNotAvailable
                | Code::ReplicaNotAvailable
                | Code::OffsetNotAvailable
                | Code::FencedLeaderEpoch
                | Code::UnknownLeaderEpoch
                | Code::KafkaStorageError
                | Code::RequestTimedOut
                | Code::NotCoordinator
                | Code::CoordinatorNotAvailable
                | Code::CoordinatorLoadInProgress
                | Code::UnstableOffsetCommit
                | Code::BrokerTransportFailure
                | Code::WaitingForCoordinator
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(code: Code) -> Flags {
        Flags { fatal: false, retriable: false, requires_abort: false, code }
    }

    #[test]
    fn each_row_of_the_table() {
        let retriable = Flags { retriable: true, ..flags(Code::OperationTimedOut) };
        assert_eq!(retriable.remedy(), Remedy::Retry);
        assert_eq!(Flags { requires_abort: true, ..retriable }.remedy(), Remedy::Abort);
        assert_eq!(Flags { fatal: true, ..retriable }.remedy(), Remedy::Stop);
        for code in [Code::IllegalGeneration, Code::UnknownMemberId, Code::FencedInstanceId] {
            assert_eq!(flags(code).remedy(), Remedy::Abort, "{code}");
        }
        for code in [Code::Fenced, Code::ProducerFenced, Code::InvalidProducerEpoch] {
            assert_eq!(Flags { retriable: true, ..flags(code) }.remedy(), Remedy::Stop, "{code}");
        }
        assert_eq!(flags(Code::State).remedy(), Remedy::Unknown);
        assert_eq!(flags(Code::UnknownTopicOrPartition).remedy(), Remedy::Stop, "without a flag");
        for code in [Code::TopicAuthorizationFailed, Code::GroupAuthorizationFailed] {
            assert_eq!(Flags { requires_abort: true, ..flags(code) }.remedy(), Remedy::Stop, "{code}");
        }
    }

    #[test]
    fn what_is_no_transaction_error_is_told_apart() {
        assert_eq!(remedy(&KafkaError::Flush(Code::OperationTimedOut)), Remedy::Abort);
        assert_eq!(remedy(&KafkaError::MessageProduction(Code::MessageTimedOut)), Remedy::Abort);
        for code in [Code::MessageSizeTooLarge, Code::UnknownTopicOrPartition, Code::TopicAuthorizationFailed] {
            assert_eq!(remedy(&KafkaError::MessageProduction(code)), Remedy::Stop, "{code}");
        }
        assert_eq!(remedy(&KafkaError::Canceled), Remedy::Stop);
    }
}
