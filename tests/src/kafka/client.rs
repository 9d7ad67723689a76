//! Writing to topics and reading them, from outside the program.

use super::{Deadline, PATIENCE};
use rdkafka::{
    ClientConfig, ClientContext, Message, Offset, TopicPartitionList,
    admin::{AdminClient, AdminOptions, AlterConfig, NewTopic, ResourceSpecifier, TopicReplication},
    client::DefaultClientContext,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, CommitMode, Consumer},
    error::{KafkaError, RDKafkaErrorCode},
    message::{BorrowedMessage, Header, Headers, OwnedHeaders},
    producer::{BaseProducer, BaseRecord, DeliveryResult, Producer, ProducerContext},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

/// How long one call to the broker may take.
const CALL: Duration = Duration::from_secs(20);

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

/// A record to write.
#[derive(Clone, Debug, Default)]
pub struct New {
    /// The partition; `None` lets the client choose by the key.
    pub partition: Option<i32>,
    /// The key.
    pub key: Option<Vec<u8>>,
    /// The value; `None` for a tombstone.
    pub value: Option<Vec<u8>>,
    /// Names and values of the headers.
    pub headers: Vec<(String, Vec<u8>)>,
}

impl New {
    /// A record with this value.
    pub fn value(value: impl Into<Vec<u8>>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// A record with nothing in it.
    pub fn tombstone() -> Self {
        Self::default()
    }

    /// To this partition.
    pub fn to(mut self, partition: i32) -> Self {
        self.partition = Some(partition);
        self
    }

    /// With this key.
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.into());
        self
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

#[derive(Default)]
struct Failures(AtomicUsize);

impl ClientContext for Failures {}

impl ProducerContext for Failures {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if result.is_err() {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Writes records, and returns once the broker has acknowledged each.
#[track_caller]
pub fn produce(bootstrap: &str, topic: &str, records: impl IntoIterator<Item = New>) {
    Writer::new(bootstrap, topic).write(records);
}

/// Writes to a topic.
pub struct Writer {
    producer: BaseProducer<Failures>,
    topic: String,
}

impl Writer {
    /// To this topic.
    pub fn new(bootstrap: &str, topic: &str) -> Self {
        let producer = client(bootstrap)
            .set("enable.idempotence", "true")
            .set("message.timeout.ms", PATIENCE.as_millis().to_string())
            .set("message.max.bytes", (128 << 20).to_string())
            .set("linger.ms", "1")
            .create_with_context(Failures::default())
            .expect("a producer");
        Self { producer, topic: topic.into() }
    }

    /// Writes records, and returns once the broker has acknowledged each.
    #[track_caller]
    pub fn write(&self, records: impl IntoIterator<Item = New>) {
        for new in records {
            let mut record = BaseRecord::<'_, [u8], [u8]>::to(&self.topic);
            if let Some(value) = &new.value {
                record = record.payload(value);
            }
            if let Some(key) = &new.key {
                record = record.key(key);
            }
            if let Some(partition) = new.partition {
                record = record.partition(partition);
            }
            if !new.headers.is_empty() {
                let headers = new.headers.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
                    headers.insert(Header { key, value: Some(value) })
                });
                record = record.headers(headers);
            }
            self.send(record);
        }
        self.producer.flush(PATIENCE).expect("every record is acknowledged");
        assert_eq!(self.producer.context().0.load(Ordering::SeqCst), 0, "records were not written");
    }

    fn send(&self, mut record: BaseRecord<'_, [u8], [u8]>) {
        while let Err((error, back)) = self.producer.send(record) {
            assert_eq!(error, KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull));
            self.producer.poll(Duration::from_millis(100));
            record = back;
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

/// The offsets that a group has committed for a topic, by partition; those that it has committed nothing for are left
/// out.
pub fn committed(bootstrap: &str, group: &str, topic: &str) -> BTreeMap<i32, i64> {
    Committed::new(bootstrap, group, topic).now()
}

/// Asks again and again what a group has committed.
pub struct Committed {
    consumer: BaseConsumer,
    wanted: TopicPartitionList,
}

impl Committed {
    /// By this group for this topic.
    pub fn new(bootstrap: &str, group: &str, topic: &str) -> Self {
        let consumer: BaseConsumer =
            client(bootstrap).set("group.id", group).set("isolation.level", "read_uncommitted").create().expect("");
        let mut wanted = TopicPartitionList::new();
        for partition in partitions(&consumer, topic) {
            wanted.add_partition(topic, partition);
        }
        Self { consumer, wanted }
    }

    /// What it has committed now; those partitions that it has committed nothing for are left out.
    pub fn now(&self) -> BTreeMap<i32, i64> {
        let deadline = Deadline::patient();
        loop {
            match self.consumer.committed_offsets(self.wanted.clone(), CALL) {
                Ok(list) => {
                    let known = |offset: Offset| offset.to_raw().filter(|offset| *offset >= 0);
                    let elements = list.elements();
                    return elements.iter().filter_map(|e| Some((e.partition(), known(e.offset())?))).collect();
                }
                Err(error) => assert!(!deadline.is_over(), "committed offsets: {error}"),
            }
        }
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

/// Sets what a group, which has no members, has committed for a partition. Asked again while its coordinator starts.
pub fn commit(bootstrap: &str, group: &str, topic: &str, partition: i32, offset: i64) {
    let consumer: BaseConsumer = client(bootstrap).set("group.id", group).create().expect("a consumer");
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, partition, Offset::Offset(offset)).expect("an offset");
    let deadline = Deadline::patient();
    while let Err(error) = consumer.commit(&list, CommitMode::Sync) {
        assert!(!deadline.is_over(), "an offset of {topic}/{partition}: {error}");
    }
}

/// A group of consumers as its coordinator knows it.
pub struct Group {
    consumer: BaseConsumer,
    name: String,
}

impl Group {
    /// The group of this name.
    pub fn new(bootstrap: &str, name: &str) -> Self {
        Self { consumer: client(bootstrap).create().expect("a client"), name: name.into() }
    }

    /// Its state, such as `Stable`, and how many members it has.
    pub fn now(&self) -> (String, usize) {
        let groups = self.consumer.fetch_group_list(Some(&self.name), CALL);
        let groups = groups.ok().into_iter().flat_map(|list| {
            list.groups().iter().map(|group| (group.state().to_owned(), group.members().len())).collect::<Vec<_>>()
        });
        groups.last().unwrap_or_default()
    }
}

/// Deletes the records of a partition before an offset.
pub fn delete_before(bootstrap: &str, topic: &str, partition: i32, offset: i64) {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, partition, Offset::Offset(offset)).expect("an offset");
    let options = AdminOptions::new().operation_timeout(Some(CALL));
    let deleted = pollster::block_on(admin(bootstrap).delete_records(&list, &options)).expect("deleted");
    deleted.elements()[0].error().expect("deleted");
}

/// Creates a topic as it is by default.
pub fn create_topic(bootstrap: &str, topic: &str, partitions: i32) {
    let options = AdminOptions::new().operation_timeout(Some(CALL));
    let deadline = Deadline::patient();
    loop {
        let new = [NewTopic::new(topic, partitions, TopicReplication::Fixed(1))];
        let results = pollster::block_on(admin(bootstrap).create_topics(&new, &options)).expect("created");
        match &results[0] {
            Ok(_) => return,
            // It is being deleted.
            Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => assert!(!deadline.is_over(), "{topic} stays"),
            Err((_, error)) => panic!("{topic}: {error}"),
        }
    }
}

/// Deletes a topic, and returns once it is gone.
pub fn delete_topic(bootstrap: &str, topic: &str) {
    let options = AdminOptions::new().operation_timeout(Some(CALL));
    let results = pollster::block_on(admin(bootstrap).delete_topics(&[topic], &options)).expect("deleted");
    results[0].as_ref().expect("deleted");
}

/// Creates a topic unless it is there, with one replica.
pub fn ensure_topic(bootstrap: &str, topic: &str, partitions: i32) {
    let new = NewTopic::new(topic, partitions, TopicReplication::Fixed(1));
    let options = AdminOptions::new().operation_timeout(Some(CALL));
    let results = pollster::block_on(admin(bootstrap).create_topics([&new], &options)).expect("created");
    assert!(matches!(results[0], Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists))), "{:?}", results[0]);
}

/// Changes settings of a topic; the others that it has of its own go back to the broker's.
pub fn alter_topic(bootstrap: &str, topic: &str, settings: &[(&str, &str)]) {
    let change = AlterConfig::new(ResourceSpecifier::Topic(topic));
    let change = settings.iter().fold(change, |change, (key, value)| change.set(key, value));
    let results = pollster::block_on(admin(bootstrap).alter_configs([&change], &AdminOptions::new())).expect("altered");
    results[0].as_ref().expect("altered");
}

/// An administrator.
pub fn admin(bootstrap: &str) -> AdminClient<DefaultClientContext> {
    client(bootstrap).create().expect("an administrator")
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

/// Gives a topic more partitions: so many in all.
pub fn grow(bootstrap: &str, topic: &str, partitions: usize) {
    let options = AdminOptions::new().operation_timeout(Some(CALL));
    let new = rdkafka::admin::NewPartitions::new(topic, partitions);
    let results = pollster::block_on(admin(bootstrap).create_partitions(&[new], &options)).expect("grown");
    results[0].as_ref().expect("grown");
}
