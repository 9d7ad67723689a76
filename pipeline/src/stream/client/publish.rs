//! Writes single records of what is kept for ever, each acknowledged before it counts.

use super::delivery::{Delivery, Producer, Unacknowledged};
use crate::{stream::StreamError, wire::kept::Kept};
use std::time::Duration;

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
    let mut delivery = Delivery::new(producer, timeout);
    let record = delivery.record(topic).key(key.as_bytes()).payload(value.as_slice());
    delivery.send(record).map_err(|undelivered| refused(undelivered.error))?;
    delivery.acknowledged().map_err(Unacknowledged::into_error).map_err(refused)?;
    Ok(())
}
