//! Whether every output fits into its topic.
//!
//! A broker refuses a batch of records that is larger than the topic's `max.message.bytes`, whatever the client was
//! told. If that happened under way, the stream would have to stop at the same record each time. So what the topics
//! allow is compared with what a record can become before anything is read, and again when the policy changes. A
//! topic's setting stands above the broker's `message.max.bytes`, which is only its default.

use super::{
    StreamError,
    client::{Clients, SetupError},
    topics::Topics,
};
use crate::stages::{Output, largest};
use rdkafka::admin::{AdminOptions, ResourceSpecifier};
use std::{fmt, time::Duration};

/// The topic setting that bounds a batch of records, in bytes.
pub const SETTING: &str = "max.message.bytes";

/// Its value where nobody has set it, in bytes.
pub const DEFAULT: usize = 1_048_588;

/// What a batch of one record has beside it, in bytes; rounded up.
const FRAME: usize = 512;

/// What a topic must allow, in bytes: the largest output that a record of up to `max_record_bytes` can become, and at
/// least a batch of smaller ones, which the client fills up to `batch_bytes`.
pub fn needed(output: Output, max_record_bytes: usize, batch_bytes: usize) -> usize {
    (largest(output, max_record_bytes) + FRAME).max(batch_bytes)
}

/// What the topics allow.
#[derive(Debug)]
pub struct SizeLimits {
    limits: Vec<(Output, String, usize)>,
    batch_bytes: usize,
}

impl SizeLimits {
    /// Asks the broker. Logged in with a token nobody can ask, so then nothing is known to be too small; that is said.
    ///
    /// # Errors
    /// It does not answer, or does not show a topic's settings.
    pub fn read(clients: &Clients, topics: &Topics, timeout: Duration) -> Result<Self, StreamError> {
        let admin = match clients.admin() {
            Err(SetupError::NoAdministrator) => {
                tracing::warn!(
                    "whether every output fits into its topic cannot be seen while logged in with a token; one that does not will stop the stream"
                );
                return Ok(Self { limits: Vec::new(), batch_bytes: clients.batch_bytes() });
            }
            admin => admin?,
        };
        let names = Output::ALL.map(|output| (output, topics.of(output)));
        let wanted = names.map(|(_, name)| ResourceSpecifier::Topic(name));
        let options = AdminOptions::new().request_timeout(Some(timeout));
        let described =
            pollster::block_on(admin.describe_configs(wanted.iter(), &options)).map_err(StreamError::Client)?;
        let mut limits = Vec::new();
        for ((output, name), described) in names.into_iter().zip(described) {
            let value = described.ok().and_then(|topic| topic.get(SETTING)?.value.as_ref()?.parse().ok());
            limits.push((output, name.to_owned(), value.ok_or_else(|| StreamError::HiddenSetting(name.into()))?));
        }
        Ok(Self { limits, batch_bytes: clients.batch_bytes() })
    }

    /// Whether everything that a record of up to `max_record_bytes` can become fits.
    ///
    /// # Errors
    /// It does not: all topics that are too small.
    pub fn allow(&self, max_record_bytes: usize) -> Result<(), TooSmall> {
        let topics: Vec<Topic> = self
            .limits
            .iter()
            .map(|(output, topic, limit)| Topic {
                name: topic.clone(),
                limit: *limit,
                needed: needed(*output, max_record_bytes, self.batch_bytes),
            })
            .filter(|topic| topic.limit < topic.needed)
            .collect();
        if topics.is_empty() { Ok(()) } else { Err(TooSmall { max_record_bytes, topics }) }
    }
}

/// Topics that do not allow the largest output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TooSmall {
    max_record_bytes: usize,
    topics: Vec<Topic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Topic {
    name: String,
    limit: usize,
    needed: usize,
}

impl fmt::Display for TooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "what becomes of a record of {} bytes, the `max_record_bytes` of the policy, would not fit; raise what the topics allow, or lower `max_record_bytes`:",
            self.max_record_bytes
        )?;
        for Topic { name, limit, needed } in &self.topics {
            write!(f, "\n  {name}: {SETTING} is {limit}; it must be at least {needed}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: usize = 1_000_000;

    #[test]
    fn what_holds_text_grows_with_the_record_and_a_batch_always_fits() {
        assert_eq!(needed(Output::Review, 1 << 20, BATCH), (2 << 20) + (512 << 10) + FRAME);
        assert_eq!(needed(Output::Decisions, 1 << 20, BATCH), BATCH);
        assert_eq!(needed(Output::Cleared, 1000, BATCH), BATCH);
    }

    #[test]
    fn every_topic_that_is_too_small_is_named_with_what_is_right() {
        let limit = |output: Output, limit| (output, format!("t.{}", output.as_str()), limit);
        let limits = vec![
            limit(Output::Reservations, 1_048_588),
            limit(Output::Cleared, 8 << 20),
            limit(Output::Review, 1_048_588),
            limit(Output::DeadLetter, 2_621_951),
        ];
        let limits = SizeLimits { limits, batch_bytes: BATCH };
        assert_eq!(
            limits.allow(1 << 20).unwrap_err().to_string(),
            "what becomes of a record of 1048576 bytes, the `max_record_bytes` of the policy, would not fit; raise what the topics allow, or lower `max_record_bytes`:\n  \
             t.review: max.message.bytes is 1048588; it must be at least 2621952\n  \
             t.dead-letter: max.message.bytes is 2621951; it must be at least 2621952"
        );
        assert_eq!(limits.allow(100_000), Ok(()));
    }
}
