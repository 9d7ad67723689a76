//! Where each partition is read from.
//!
//! What the group has committed says it. A partition for which the group has committed nothing is new: the configured
//! start is made an offset, once, and that is committed before anything is read. Were "latest" looked up again after an
//! abort or a crash, it would be further on than what had been read, and the records between would be skipped. So would
//! "earliest" be, where records were deleted meanwhile; against a committed offset that is a gap, and is named.

use super::StreamConsumer;
use crate::stream::{
    StreamError,
    client::connection::{Asking, ready},
};
use rdkafka::{
    Offset, TopicPartitionList,
    consumer::{CommitMode, Consumer},
    error::{KafkaError, RDKafkaErrorCode as Code},
};
use std::{collections::BTreeMap, time::Duration};

/// Asks the broker, and tells it, where partitions of the input are read from.
pub struct Positions {
    /// Reads what the group has committed; no member of the group.
    pub client: Asking,
    /// The topic that is read.
    pub topic: String,
    /// Where to start a partition that has nothing committed: its beginning or its end.
    pub start: Offset,
    /// How long one call may take.
    pub timeout: Duration,
}

impl Positions {
    /// What the group has committed for each partition; `None` for one that is new to it.
    ///
    /// # Errors
    /// The broker does not say.
    pub fn committed(&self, partitions: &[i32]) -> Result<BTreeMap<i32, Option<i64>>, KafkaError> {
        let mut wanted = TopicPartitionList::new();
        for partition in partitions {
            wanted.add_partition(&self.topic, *partition);
        }
        let list = ready(&self.client).committed_offsets(wanted, self.timeout)?;
        let mut committed = BTreeMap::new();
        for element in list.elements() {
            element.error()?;
            committed.insert(element.partition(), element.offset().to_raw().filter(|offset| *offset >= 0));
        }
        Ok(committed)
    }

    /// Where partitions are read from that were just assigned. The start of those that are new is committed.
    ///
    /// # Errors
    /// The broker does not say, or does not take the start.
    pub fn of_assigned(&self, member: &StreamConsumer, partitions: &[i32]) -> Result<BTreeMap<i32, i64>, KafkaError> {
        let (mut known, mut new) = (BTreeMap::new(), BTreeMap::new());
        for (partition, committed) in self.committed(partitions)? {
            match committed {
                Some(offset) => known.insert(partition, offset),
                None => new.insert(partition, self.resolved(partition)?),
            };
        }
        if !new.is_empty() {
            match member.commit(&self.list(&new)?, CommitMode::Sync) {
                Ok(()) => {}
                // The group has given them to another already. Nothing that is read of them can be committed, and they
                // will be taken away.
                Err(KafkaError::ConsumerCommit(Code::IllegalGeneration | Code::UnknownMemberId)) => {}
                Err(error) => return Err(error),
            }
        }
        known.append(&mut new);
        Ok(known)
    }

    /// Where partitions are read from after an abort. Each was committed when it was assigned.
    ///
    /// # Errors
    /// The broker does not say, or has forgotten a partition: its topic was deleted, or the group's offsets were.
    pub fn of_rewound(&self, partitions: &[i32]) -> Result<BTreeMap<i32, i64>, StreamError> {
        let committed = self.committed(partitions).map_err(StreamError::Client)?;
        let known = |(partition, committed): (i32, Option<i64>)| match committed {
            Some(offset) => Ok((partition, offset)),
            None => Err(StreamError::NothingCommitted { topic: self.topic.clone(), partition }),
        };
        committed.into_iter().map(known).collect()
    }

    /// Offsets of the input as the client wants them.
    ///
    /// # Errors
    /// An offset is negative.
    pub fn list(&self, offsets: &BTreeMap<i32, i64>) -> Result<TopicPartitionList, KafkaError> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in offsets {
            list.add_partition_offset(&self.topic, *partition, Offset::Offset(*offset))?;
        }
        Ok(list)
    }

    /// Says what is wrong with the first of these partitions whose committed offset is not in its log.
    pub fn out_of_range(&self, partitions: &[i32]) -> StreamError {
        let unknown = || StreamError::Client(KafkaError::MessageConsumption(Code::AutoOffsetReset));
        let Ok(committed) = self.committed(partitions) else { return unknown() };
        for (partition, committed) in committed {
            let topic = self.topic.clone();
            let Some(committed) = committed else { return StreamError::NothingCommitted { topic, partition } };
            let Ok((first, next)) = self.client.fetch_watermarks(&topic, partition, self.timeout) else { continue };
            if committed < first {
                return StreamError::Gap { topic, partition, committed, first };
            }
            if committed > next {
                return StreamError::BeyondEnd { topic, partition, committed, next };
            }
        }
        unknown()
    }

    fn resolved(&self, partition: i32) -> Result<i64, KafkaError> {
        let (first, next) = self.client.fetch_watermarks(&self.topic, partition, self.timeout)?;
        Ok(if self.start == Offset::End { next } else { first })
    }
}
