//! The partitions that are assigned: what of them is committed, and what the broker has.

use rdkafka::statistics::Topic;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the assigned partitions.
#[derive(Debug, Default)]
pub struct Partitions {
    /// `None` until the group has answered for the first time.
    assigned: Option<BTreeMap<i32, Partition>>,
}

#[derive(Debug, Default)]
struct Partition {
    /// What is committed; `None` until it was read.
    committed: Option<i64>,
    /// What the client last said of the broker.
    at_broker: Option<AtBroker>,
}

/// Offsets at the broker.
#[derive(Debug)]
struct AtBroker {
    /// One past the last record that a reader of committed records can have.
    end: i64,
    /// Whether everything up to the end was handed to the stream.
    is_drained: bool,
}

impl Partitions {
    /// More partitions, or none: the group has answered.
    pub fn assigned(&mut self, partitions: impl IntoIterator<Item = i32>) {
        let own = self.assigned.get_or_insert_default();
        for partition in partitions {
            own.entry(partition).or_default();
        }
    }

    /// These were taken away.
    pub fn gone(&mut self, partitions: &BTreeSet<i32>) {
        if let Some(own) = &mut self.assigned {
            own.retain(|partition, _| !partitions.contains(partition));
        }
    }

    /// All were lost: others may have them, and the group has to answer anew.
    pub fn lost(&mut self) {
        self.assigned = None;
    }

    /// What is committed now.
    pub fn committed(&mut self, offsets: &BTreeMap<i32, i64>) {
        for (partition, own) in self.assigned.iter_mut().flatten() {
            if let Some(offset) = offsets.get(partition) {
                own.committed = own.committed.max(Some(*offset));
            }
        }
    }

    /// What is committed, by partition, where anything is.
    pub fn committed_offsets(&self) -> BTreeMap<i32, i64> {
        let committed = |(partition, own): (&i32, &Partition)| Some((*partition, own.committed?));
        self.assigned.iter().flatten().filter_map(committed).collect()
    }

    /// What the client says of the topic. Offsets that it does not know yet are negative.
    pub fn statistics(&mut self, topic: &Topic) {
        for (partition, own) in self.assigned.iter_mut().flatten() {
            let Some(said) = topic.partitions.get(partition).filter(|said| said.ls_offset >= 0) else { continue };
            own.at_broker = Some(AtBroker {
                end: said.ls_offset,
                is_drained: said.next_offset >= said.ls_offset && said.fetchq_cnt == 0,
            });
        }
    }

    /// Whether it is assigned.
    pub fn has(&self, partition: i32) -> bool {
        self.assigned.as_ref().is_some_and(|own| own.contains_key(&partition))
    }

    /// How many are assigned; `None` before the group has answered.
    pub fn count(&self) -> Option<usize> {
        self.assigned.as_ref().map(BTreeMap::len)
    }

    /// Offsets between what is committed and the end, by partition; nothing where the broker has not said. The marks
    /// that end a producer's transaction have offsets too: where all was handed out and nothing is in hand, they are
    /// not taken for records that wait.
    pub fn lag(&self, nothing_in_hand: bool) -> BTreeMap<i32, u64> {
        let lag = |(partition, own): (&i32, &Partition)| {
            let at_broker = own.at_broker.as_ref()?;
            let behind = u64::try_from(at_broker.end - own.committed?).unwrap_or(0);
            Some((*partition, if at_broker.is_drained && nothing_in_hand { 0 } else { behind }))
        };
        self.assigned.iter().flatten().filter_map(lag).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(partition: i32, next: i64, end: i64, queued: i64) -> Topic {
        let said = rdkafka::statistics::Partition {
            partition,
            next_offset: next,
            ls_offset: end,
            fetchq_cnt: queued,
            ..Default::default()
        };
        Topic { partitions: [(partition, said)].into(), ..Topic::default() }
    }

    #[test]
    fn none_assigned_is_an_answer_of_the_group() {
        let mut partitions = Partitions::default();
        assert_eq!(partitions.count(), None);
        partitions.assigned([]);
        assert_eq!(partitions.count(), Some(0));
        partitions.lost();
        assert_eq!(partitions.count(), None);
    }

    #[test]
    fn lag_is_from_what_is_committed_to_the_end() {
        let mut partitions = Partitions::default();
        partitions.assigned([0, 1]);
        assert!(partitions.lag(true).is_empty(), "the broker has not said");
        partitions.committed(&[(0, 10)].into());
        partitions.statistics(&topic(0, -1001, -1001, 0));
        assert!(partitions.lag(true).is_empty(), "the client does not know yet");
        partitions.statistics(&topic(0, 20, 50, 5));
        assert_eq!(partitions.lag(true), [(0, 40)].into());
        partitions.committed(&[(0, 30), (7, 9)].into());
        assert_eq!(partitions.lag(true), [(0, 20)].into());
        partitions.gone(&[0].into());
        assert!(partitions.lag(true).is_empty() && !partitions.has(0) && partitions.has(1));
    }

    #[test]
    fn the_mark_of_a_transaction_is_no_record_that_waits() {
        let mut partitions = Partitions::default();
        partitions.assigned([0]);
        partitions.committed(&[(0, 49)].into());
        partitions.statistics(&topic(0, 50, 50, 0));
        assert_eq!(partitions.lag(true), [(0, 0)].into());
        assert_eq!(partitions.lag(false), [(0, 1)].into(), "it may be a record that is in hand");
        partitions.statistics(&topic(0, 50, 50, 1));
        assert_eq!(partitions.lag(true), [(0, 1)].into(), "it may be a record that waits in the client");
    }
}
