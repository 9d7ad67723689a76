//! Topics: making, changing and deleting them.

use super::{CALL, client, partitions};
use crate::kafka::Deadline;
use rdkafka::{
    Offset, TopicPartitionList,
    admin::{AdminClient, AdminOptions, AlterConfig, NewPartitions, NewTopic, ResourceSpecifier, TopicReplication},
    client::DefaultClientContext,
    consumer::BaseConsumer,
    error::RDKafkaErrorCode,
};

/// Gives a topic more partitions: so many in all. Returns once each has a leader.
pub fn grow(bootstrap: &str, topic: &str, count: usize) {
    let options = AdminOptions::new().operation_timeout(Some(CALL));
    let new = NewPartitions::new(topic, count);
    let results = pollster::block_on(admin(bootstrap).create_partitions(&[new], &options)).expect("grown");
    results[0].as_ref().expect("grown");
    let consumer: BaseConsumer = client(bootstrap).create().expect("a client");
    let deadline = Deadline::patient();
    while partitions(&consumer, topic).len() < count {
        assert!(!deadline.is_over(), "{topic} does not grow");
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
