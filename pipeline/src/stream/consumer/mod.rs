//! The consumer, and what happens in the thread that polls it, rebalances included.
//!
//! librdkafka calls back from within a poll, so everything here runs in the one thread that owns the consumer. Waits
//! are bounded.

mod core;
mod dead_letters;
pub mod orphans;
pub mod positions;

pub use self::core::{Core, Parts};

use super::{
    StreamError,
    client::connection::{Context, Own},
    committer::{Ended, Job},
};
use rdkafka::{
    TopicPartitionList,
    consumer::{BaseConsumer, ConsumerContext},
    error::KafkaError,
    statistics::Statistics,
    types::RDKafkaRespErr,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The consumer of the stream.
pub type StreamConsumer = BaseConsumer<StreamContext>;

/// What other threads report to the one that polls.
pub enum Event {
    /// A batch was taken through the stages.
    Scanned(Job),
    /// A batch is committed, or not.
    Ended(Ended),
    /// Something that must go on beside the batches cannot.
    Failed(StreamError),
}

/// The state of the stream, behind a lock that only the polling thread takes.
pub type StreamContext = Context<Mutex<Core>>;

impl StreamContext {
    /// The state.
    pub fn core(&self) -> MutexGuard<'_, Core> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Own for Mutex<Core> {
    fn error(&self, message: &str) {
        self.lock().unwrap_or_else(PoisonError::into_inner).observer.error(message);
    }

    fn statistics(&self, statistics: &Statistics) {
        let core = self.lock().unwrap_or_else(PoisonError::into_inner);
        core.observer.statistics(statistics, &core.positions.topic);
    }
}

impl ConsumerContext for StreamContext {
    fn rebalance(&self, consumer: &StreamConsumer, error: RDKafkaRespErr, partitions: &mut TopicPartitionList) {
        let mut core = self.core();
        let done = match error {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => core.assigned(consumer, partitions),
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS => core.revoked(consumer, partitions),
            other => Err(KafkaError::Rebalance(other.into())),
        };
        if let Err(error) = done {
            core.fail(StreamError::Rebalance(error));
        }
    }
}
