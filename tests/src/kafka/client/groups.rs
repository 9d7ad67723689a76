//! Groups of consumers, and what they have committed.

use super::{CALL, client, partitions};
use crate::kafka::Deadline;
use rdkafka::{
    Offset, TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer},
};
use std::collections::BTreeMap;

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
