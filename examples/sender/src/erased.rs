//! What was erased: cleared records by a tombstone, customers by a record in `erasures`.

use crate::Options;
use jiff::Timestamp;
use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::{KafkaError, RDKafkaErrorCode},
    message::BorrowedMessage,
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Reads ahead of the sender.
pub struct Erased {
    cleared: Ahead,
    erasures: Ahead,
    /// The last tombstone of each key, by partition.
    tombstones: BTreeMap<(i32, Vec<u8>), i64>,
    /// Until when each customer was erased, by tenant and customer key.
    customers: BTreeMap<(String, String), Timestamp>,
}

#[derive(Deserialize)]
struct Erasure {
    schema: u32,
    tenant: String,
    customer_key: String,
    erased_at: String,
}

/// Why it is not known what was erased. The sender must not go on then.
#[derive(Debug, thiserror::Error)]
pub enum ErasedError {
    /// The broker does not say.
    #[error("what was erased cannot be read: {0}")]
    Client(#[from] KafkaError),
    /// A topic is missing.
    #[error("the topic {0} is not there, or may not be seen; `maysend topics --create` makes what is missing")]
    MissingTopic(String),
    /// A record is no erasure.
    #[error("partition {0} offset {1} of erasures is none that this program can read; nothing is sent until it can")]
    Unreadable(i32, i64),
}

impl Erased {
    /// Reads `erasures` from its beginning.
    pub fn new(options: &Options) -> Result<Self, ErasedError> {
        let mut erasures = Ahead::new(options, "erasures")?;
        let metadata = erasures.consumer.fetch_metadata(Some(&erasures.topic), TIMEOUT)?;
        let partitions: Vec<i32> =
            metadata.topics().iter().flat_map(|topic| topic.partitions()).map(|partition| partition.id()).collect();
        if partitions.is_empty() {
            return Err(ErasedError::MissingTopic(erasures.topic));
        }
        for partition in partitions {
            erasures.follow(partition, Offset::Beginning)?;
        }
        let (tombstones, customers) = Default::default();
        let mut erased = Self { cleared: Ahead::new(options, "cleared")?, erasures, tombstones, customers };
        erased.read_erasures()?;
        Ok(erased)
    }

    /// Whether a record must not be sent any more, as of now: everything that was acknowledged before this question has
    /// been read when it is answered. `customer` is the tenant and the customer key, `published` when its transcript was.
    pub fn forbids(
        &mut self,
        (partition, offset, key): (i32, i64, &[u8]),
        customer: Option<(&str, &str)>,
        published: Timestamp,
    ) -> Result<bool, ErasedError> {
        self.read_erasures()?;
        self.cleared.follow(partition, Offset::Offset(offset))?;
        let tombstones = &mut self.tombstones;
        self.cleared.read_to_the_end(Some(partition), |record| {
            if record.payload().is_none() {
                tombstones.insert((record.partition(), record.key().unwrap_or_default().to_vec()), record.offset());
            }
            Ok(())
        })?;
        let is_tombstoned = tombstones.get(&(partition, key.to_vec())).is_some_and(|at| *at > offset);
        let erased_at = customer.and_then(|(tenant, key)| self.customers.get(&(tenant.into(), key.into())));
        Ok(is_tombstoned || erased_at.is_some_and(|at| published <= *at))
    }

    fn read_erasures(&mut self) -> Result<(), ErasedError> {
        let customers = &mut self.customers;
        self.erasures.read_to_the_end(None, |record| {
            let unreadable = ErasedError::Unreadable(record.partition(), record.offset());
            let erasure = record.payload().and_then(|value| serde_json::from_slice::<Erasure>(value).ok());
            let Some(erasure) = erasure.filter(|erasure| erasure.schema == 1) else { return Err(unreadable) };
            let Ok(at) = erasure.erased_at.parse::<Timestamp>() else { return Err(unreadable) };
            let known = customers.entry((erasure.tenant, erasure.customer_key)).or_insert(at);
            *known = at.max(*known);
            Ok(())
        })
    }
}

/// Reads partitions of one topic to their ends, again and again.
struct Ahead {
    consumer: BaseConsumer,
    topic: String,
    /// What is read next, by partition.
    next: BTreeMap<i32, Offset>,
    /// Partitions whose end has not been heard of yet.
    new: BTreeSet<i32>,
}

impl Ahead {
    fn new(options: &Options, topic: &str) -> Result<Self, KafkaError> {
        let consumer = options
            .client()
            // It is in no group; the client wants a name all the same.
            .set("group.id", format!("{}-ahead", options.group()))
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("auto.offset.reset", "error")
            // A tombstone counts as soon as it is there.
            .set("isolation.level", "read_uncommitted")
            .set("fetch.wait.max.ms", "10")
            .create()?;
        Ok(Self { consumer, topic: options.topic(topic), next: BTreeMap::new(), new: BTreeSet::new() })
    }

    fn follow(&mut self, partition: i32, from: Offset) -> Result<(), KafkaError> {
        if self.next.contains_key(&partition) {
            return Ok(());
        }
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&self.topic, partition, from)?;
        self.consumer.incremental_assign(&list)?;
        self.next.insert(partition, from);
        self.new.insert(partition);
        Ok(())
    }

    /// Reads one partition, or all, to where it ends after this call has begun.
    fn read_to_the_end(
        &mut self,
        only: Option<i32>,
        mut each: impl FnMut(&BorrowedMessage<'_>) -> Result<(), ErasedError>,
    ) -> Result<(), ErasedError> {
        let is_meant = |partition: &i32| only.is_none_or(|only| only == *partition);
        let mut open: BTreeSet<i32> = self.next.keys().copied().filter(is_meant).collect();
        for partition in open.difference(&std::mem::take(&mut self.new)) {
            // Seeking takes back what the client said of an end before.
            let from = self.next.get(partition).copied().unwrap_or(Offset::Beginning);
            self.consumer.seek(&self.topic, *partition, from, TIMEOUT)?;
        }
        while !open.is_empty() {
            match self.consumer.poll(TIMEOUT) {
                Some(Ok(record)) => {
                    each(&record)?;
                    self.next.insert(record.partition(), Offset::Offset(record.offset() + 1));
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    open.remove(&partition);
                }
                Some(Err(error)) => return Err(error.into()),
                None => return Err(KafkaError::MessageConsumption(RDKafkaErrorCode::OperationTimedOut).into()),
            }
        }
        Ok(())
    }
}
