//! Writes single records of what is kept for ever, each acknowledged before it counts.

use super::{
    StreamError,
    client::{Producer, Tracker},
};
use crate::wire::kept::Kept;
use rdkafka::{
    error::{KafkaError, RDKafkaErrorCode},
    producer::{BaseRecord, Producer as _},
};
use std::{sync::Arc, time::Duration};

/// Writes a record, and returns once all replicas have it.
///
/// # Errors
/// It was not acknowledged in time. It may be there all the same; readers take it for the same if it comes twice.
pub fn publish<T: Kept>(
    producer: &Producer,
    topic: &str,
    key: &str,
    record: &T,
    timeout: Duration,
) -> Result<(), StreamError> {
    let refused = |error| StreamError::NotPublished { topic: topic.into(), error };
    let value = serde_json::to_vec(record).expect("strings, numbers and times");
    let tracker = Arc::new(Tracker::default());
    let record = BaseRecord::with_opaque_to(topic, tracker.clone()).key(key.as_bytes()).payload(value.as_slice());
    producer.send(record).map_err(|(error, _)| refused(error))?;
    producer.flush(timeout).map_err(refused)?;
    match tracker.failure() {
        Some(undelivered) => Err(refused(undelivered.error)),
        None if tracker.acknowledged() == 1 => Ok(()),
        None => Err(refused(KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut))),
    }
}
