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
use std::time::Duration;

/// The pause before a call is made again for the first time.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest pause. A coordinator that has moved answers within a second or two.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Pauses between calls that are made again: each twice as long as the one before, to a bound.
#[derive(Debug)]
pub struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(FIRST_PAUSE)
    }
}

impl Pauses {
    /// The next pause, no longer than what is left; `None` if nothing is left.
    pub fn next_within(&mut self, left: Duration) -> Option<Duration> {
        let pause = self.0.min(left);
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
        (!pause.is_zero()).then_some(pause)
    }
}

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
    fn pauses_grow_to_a_bound_and_end_with_what_is_left() {
        let mut pauses = Pauses::default();
        let minute = Duration::from_secs(60);
        let all: Vec<u128> = (0..8).filter_map(|_| pauses.next_within(minute)).map(|p| p.as_millis()).collect();
        assert_eq!(all, [10, 20, 40, 80, 160, 320, 500, 500]);
        assert_eq!(pauses.next_within(Duration::from_millis(7)), Some(Duration::from_millis(7)));
        assert_eq!(pauses.next_within(Duration::ZERO), None);
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
