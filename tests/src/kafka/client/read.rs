//! Reading topics.

use super::{CALL, Record, client, partitions};
use crate::kafka::{Deadline, PATIENCE};
use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::KafkaError,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// What a reader sees of transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Only what is committed.
    Committed,
    /// Everything that was ever written, also what was aborted.
    Uncommitted,
}

impl Isolation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Committed => "read_committed",
            Self::Uncommitted => "read_uncommitted",
        }
    }
}

/// Reads a topic to its end, as it is now.
pub fn read(bootstrap: &str, topic: &str, isolation: Isolation) -> Vec<Record> {
    let mut follower = Follower::new(bootstrap, topic, isolation);
    let mut records = Vec::new();
    let deadline = Deadline::patient();
    while !follower.is_at_the_end() {
        assert!(!deadline.is_over(), "{topic} was not read to its end in {PATIENCE:?}");
        records.extend(follower.poll(Duration::from_millis(500)));
    }
    records.sort_by_key(|record| (record.partition, record.offset));
    records
}

/// Follows all partitions of a topic from their beginning.
pub struct Follower {
    consumer: BaseConsumer,
    topic: String,
    partitions: BTreeSet<i32>,
    at_end: BTreeSet<i32>,
    /// The offset after the last record that was read, by partition.
    next: BTreeMap<i32, i64>,
}

impl Follower {
    /// Of this topic.
    pub fn new(bootstrap: &str, topic: &str, isolation: Isolation) -> Self {
        let consumer: BaseConsumer = client(bootstrap)
            .set("group.id", "outside")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("isolation.level", isolation.as_str())
            .set("fetch.wait.max.ms", "50")
            .create()
            .expect("a consumer");
        let partitions = partitions(&consumer, topic);
        let mut list = TopicPartitionList::new();
        for partition in &partitions {
            list.add_partition_offset(topic, *partition, Offset::Beginning).expect("an offset");
        }
        consumer.assign(&list).expect("assigned");
        Self { consumer, topic: topic.into(), partitions, at_end: BTreeSet::new(), next: BTreeMap::new() }
    }

    /// The next record, if one comes in time.
    pub fn poll(&mut self, time: Duration) -> Option<Record> {
        match self.consumer.poll(time)? {
            Ok(message) => {
                self.at_end.remove(&message.partition());
                self.next.insert(message.partition(), message.offset() + 1);
                Some(Record::of(&message))
            }
            Err(KafkaError::PartitionEOF(partition)) => {
                self.at_end.insert(partition);
                None
            }
            // The client goes on by itself, as when a broker is away; who waits has a deadline.
            Err(_) => None,
        }
    }

    /// Where each partition ends now: the offset that its next record will have.
    pub fn ends(&self) -> BTreeMap<i32, i64> {
        self.partitions.iter().map(|p| (*p, bounds(&self.consumer, &self.topic, *p).1)).collect()
    }

    /// Whether it has read up to these ends, where the last record before each is no control record.
    pub fn has_reached(&self, ends: &BTreeMap<i32, i64>) -> bool {
        ends.iter().all(|(partition, end)| self.next.get(partition).copied().unwrap_or(0) >= *end)
    }

    /// Whether every partition was read to its end, when last heard of.
    pub fn is_at_the_end(&self) -> bool {
        self.at_end == self.partitions
    }
}

/// The first and the next offset of each partition.
pub fn watermarks(bootstrap: &str, topic: &str) -> BTreeMap<i32, (i64, i64)> {
    let consumer: BaseConsumer = client(bootstrap).create().expect("a client");
    partitions(&consumer, topic).into_iter().map(|p| (p, bounds(&consumer, topic, p))).collect()
}

/// Asked again while the broker is away.
fn bounds(consumer: &BaseConsumer, topic: &str, partition: i32) -> (i64, i64) {
    let deadline = Deadline::patient();
    loop {
        match consumer.fetch_watermarks(topic, partition, CALL) {
            Ok(bounds) => return bounds,
            Err(error) => assert!(!deadline.is_over(), "watermarks of {topic}/{partition}: {error}"),
        }
    }
}
