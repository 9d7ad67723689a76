//! What is published and not finished, so that publishing waits for the gate.
//!
//! The mock keeps the last 5 MiB of a partition and forgets what came before. A reader that is further behind would find
//! a gap, so a partition takes no more while a good deal less than that is unfinished.

use std::collections::{BTreeMap, VecDeque};

/// A partition takes no more while more bytes than this are unfinished.
pub const MOST_UNFINISHED_BYTES: usize = 1 << 20;

/// Records that are published and not committed, by partition.
#[derive(Debug, Default)]
pub struct Backlog {
    partitions: BTreeMap<i32, Unfinished>,
}

#[derive(Debug, Default)]
struct Unfinished {
    /// Sizes of the records, the oldest first.
    sizes: VecDeque<usize>,
    bytes: usize,
    /// The offset of the oldest: nobody else writes to the topic, so the nth record has the offset n.
    first: i64,
}

impl Backlog {
    /// Whether a partition takes no more for now.
    pub fn is_full(&self, partition: i32) -> bool {
        self.partitions.get(&partition).is_some_and(|unfinished| unfinished.bytes > MOST_UNFINISHED_BYTES)
    }

    /// One more record is published to a partition.
    pub fn published(&mut self, partition: i32, bytes: usize) {
        let unfinished = self.partitions.entry(partition).or_default();
        unfinished.sizes.push_back(bytes);
        unfinished.bytes += bytes;
    }

    /// What stands before these offsets is finished.
    pub fn finished(&mut self, committed: &BTreeMap<i32, i64>) {
        for (partition, unfinished) in &mut self.partitions {
            let Some(committed) = committed.get(partition) else { continue };
            while unfinished.first < *committed
                && let Some(bytes) = unfinished.sizes.pop_front()
            {
                unfinished.bytes -= bytes;
                unfinished.first += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_partition_takes_no_more_while_a_mebibyte_is_unfinished() {
        let mut backlog = Backlog::default();
        let half = MOST_UNFINISHED_BYTES / 2;
        backlog.published(0, half);
        backlog.published(0, half);
        assert!(!backlog.is_full(0), "just a mebibyte");
        backlog.published(0, 1);
        assert!(backlog.is_full(0) && !backlog.is_full(1), "each partition by itself");
        backlog.finished(&[(0, 0), (1, 3)].into());
        assert!(backlog.is_full(0), "nothing before offset 0");
        backlog.finished(&[(0, 1)].into());
        assert!(!backlog.is_full(0));
    }

    proptest! {
        /// Whoever asks before publishing never has more unfinished than the bound and one record, and is always let on
        /// in the end.
        #[test]
        fn the_bound_holds_and_lets_on(records in prop::collection::vec((0..3_i32, 1..400_000_usize), 1..200)) {
            let mut backlog = Backlog::default();
            let mut published: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
            let mut committed: BTreeMap<i32, i64> = BTreeMap::new();
            for (partition, bytes) in records {
                while backlog.is_full(partition) {
                    *committed.entry(partition).or_default() += 1;
                    backlog.finished(&committed);
                }
                backlog.published(partition, bytes);
                let sizes = published.entry(partition).or_default();
                sizes.push(bytes);
                let done = usize::try_from(committed.get(&partition).copied().unwrap_or(0)).unwrap();
                let unfinished: usize = sizes[done..].iter().sum();
                prop_assert!(unfinished <= MOST_UNFINISHED_BYTES + bytes);
            }
        }
    }
}
