//! Where each partition is read from.
//!
//! What the group has committed says it. A partition for which the group has committed nothing is new: the configured
//! start is made an offset, once, and that is committed before anything is read. Were "latest" looked up again after an
//! abort or a crash, it would be further on than what had been read, and the records between would be skipped. So would
//! "earliest" be, where records were deleted meanwhile; against a committed offset that is a gap, and is named.

use super::StreamConsumer;
use crate::stream::{
    StreamError,
    client::{
        connection::{Asking, ready},
        retry::asking,
    },
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
        asking(self.timeout, || {
            let list = ready(&self.client).committed_offsets(wanted.clone(), self.timeout)?;
            let mut committed = BTreeMap::new();
            for element in list.elements() {
                element.error()?;
                committed.insert(element.partition(), element.offset().to_raw().filter(|offset| *offset >= 0));
            }
            Ok(committed)
        })
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
            let start = self.list(&new)?;
            match asking(self.timeout, || member.commit(&start, CommitMode::Sync)) {
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
            let Ok((first, next)) = self.bounds(partition) else { continue };
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
        let (first, next) = self.bounds(partition)?;
        Ok(if self.start == Offset::End { next } else { first })
    }

    /// The first offset that a partition still has, and the one that its next record will have.
    fn bounds(&self, partition: i32) -> Result<(i64, i64), KafkaError> {
        asking(self.timeout, || self.client.fetch_watermarks(&self.topic, partition, self.timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, stream::client::Clients};
    use rdkafka::{
        mocking::MockCluster,
        types::{RDKafkaApiKey as Request, RDKafkaRespErr as Answer},
    };
    use std::sync::Arc;

    /// Asks a cluster that gives these answers to such requests first. An answer that the client hands on at once would
    /// fail the stream, and its test on three real nodes only now and then.
    fn asked_while(request: Request, answers: &[Answer], ask: impl FnOnce(&Positions)) {
        let cluster = MockCluster::new(1).unwrap();
        cluster.create_topic("input", 1, 1).unwrap();
        cluster.request_errors(request, answers);
        let text = format!("[kafka]\nbrokers = \"{}\"\nordinal = 0\n", cluster.bootstrap_servers());
        let clients = Clients::new(Arc::new(Config::parse("maysend.toml", &text).unwrap())).unwrap();
        let client = clients.offsets().unwrap();
        ask(&Positions { client, topic: "input".into(), start: Offset::End, timeout: Duration::from_secs(60) });
    }

    #[test]
    fn a_leader_that_does_not_know_its_end_yet_is_asked_again() {
        for answer in [
            Answer::RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
            Answer::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            Answer::RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
        ] {
            asked_while(Request::ListOffsets, &[answer; 3], |positions| {
                assert_eq!(positions.bounds(0), Ok((0, 0)), "{answer:?}");
            });
        }
    }

    #[test]
    fn a_coordinator_that_is_not_ready_yet_is_asked_again() {
        for answer in [
            Answer::RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
            Answer::RD_KAFKA_RESP_ERR_NOT_COORDINATOR,
            Answer::RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT,
        ] {
            asked_while(Request::OffsetFetch, &[answer; 3], |positions| {
                assert_eq!(positions.committed(&[0]), Ok(BTreeMap::from([(0, None)])), "{answer:?}");
            });
        }
    }

    #[test]
    fn what_is_not_allowed_is_not_asked_again() {
        let denied = Answer::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
        asked_while(Request::ListOffsets, &[denied; 2], |positions| {
            assert_eq!(positions.bounds(0), Err(KafkaError::MetadataFetch(Code::TopicAuthorizationFailed)));
        });
    }
}
