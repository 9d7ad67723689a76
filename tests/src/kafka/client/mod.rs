//! Writing to topics and reading them, from outside the program.

mod admin;
mod groups;
mod read;
mod write;

pub use admin::{admin, alter_topic, create_topic, delete_before, delete_topic, ensure_topic, grow};
pub use groups::{Committed, Group, commit, committed};
pub use read::{Follower, Isolation, read, watermarks};
pub use write::{New, Writer, produce};

use super::Deadline;
use rdkafka::{
    ClientConfig, Message,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, Consumer},
    message::{BorrowedMessage, Headers},
};
use serde_json::Value;
use std::{collections::BTreeSet, time::Duration};

/// How long one call to the broker may take.
const CALL: Duration = Duration::from_secs(20);

/// A record as it stands in a topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// The key.
    pub key: Option<Vec<u8>>,
    /// The value; `None` for a tombstone.
    pub value: Option<Vec<u8>>,
    /// When it was published, in milliseconds since 1970; 0 where nobody said.
    pub timestamp_ms: i64,
    /// Names and values of the headers.
    pub headers: Vec<(String, Vec<u8>)>,
}

impl Record {
    fn of(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().into_iter().flat_map(|headers| headers.iter());
        Self {
            partition: message.partition(),
            offset: message.offset(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().map(<[u8]>::to_vec),
            timestamp_ms: message.timestamp().to_millis().unwrap_or(0),
            headers: headers.map(|h| (h.key.to_owned(), h.value.unwrap_or_default().to_vec())).collect(),
        }
    }

    /// The value as JSON; `Null` if it is none.
    pub fn json(&self) -> Value {
        self.value.as_deref().and_then(|value| serde_json::from_slice(value).ok()).unwrap_or_default()
    }

    /// The text of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(own, _)| own == name)?;
        std::str::from_utf8(value).ok()
    }
}

fn partitions(consumer: &BaseConsumer, topic: &str) -> BTreeSet<i32> {
    let deadline = Deadline::patient();
    loop {
        let metadata = consumer.fetch_metadata(Some(topic), CALL);
        let found = metadata.iter().flat_map(|metadata| metadata.topics()).flat_map(|topic| topic.partitions());
        let found: BTreeSet<i32> = found.filter(|partition| partition.leader() >= 0).map(|p| p.id()).collect();
        if !found.is_empty() {
            return found;
        }
        assert!(!deadline.is_over(), "{topic} is not there");
    }
}

fn client(bootstrap: &str) -> ClientConfig {
    let mut client = ClientConfig::new();
    client
        .set("bootstrap.servers", bootstrap)
        .set("reconnect.backoff.ms", "20")
        .set("reconnect.backoff.max.ms", "500")
        .set_log_level(RDKafkaLogLevel::Emerg);
    client
}
