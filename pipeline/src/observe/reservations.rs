//! Reservations that this process wrote, and what became of them, as far as one process can know.

use super::partitions::Partitions;
use std::collections::{BTreeMap, BTreeSet};

/// Counts of reservations.
///
/// A reservation is an orphan from when its batch was aborted until the same id is committed. A record that is read
/// again makes the same id, so an orphan of a partition that this process keeps is its own to know. When the partition
/// goes to another process, that one may commit it: only the ledger, which reads the topics, can say.
#[derive(Debug, Default)]
pub struct Reservations {
    /// Records that the broker acknowledged; one that is written again counts again.
    pub acknowledged: u64,
    /// Orphans whose partition went to another process.
    pub handed_on: u64,
    orphans: BTreeMap<i32, BTreeSet<String>>,
}

impl Reservations {
    /// Ids that a batch reserved, by partition, and then was not committed.
    pub fn aborted(&mut self, reserved: Vec<(i32, String)>, partitions: &Partitions) {
        for (partition, id) in reserved {
            match partitions.has(partition) {
                true => drop(self.orphans.entry(partition).or_default().insert(id)),
                false => self.handed_on += 1,
            }
        }
    }

    /// Ids that were committed.
    pub fn committed(&mut self, reserved: &[(i32, String)]) {
        for (partition, id) in reserved {
            if let Some(orphans) = self.orphans.get_mut(partition) {
                orphans.remove(id);
            }
        }
    }

    /// Partitions were taken away.
    pub fn gone(&mut self, partitions: &BTreeSet<i32>) {
        for partition in partitions {
            self.handed_on += self.orphans.remove(partition).map_or(0, |orphans| orphans.len() as u64);
        }
    }

    /// How many orphans of this process's own partitions there are.
    pub fn orphans(&self) -> usize {
        self.orphans.values().map(BTreeSet::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(partition: i32, ids: &[&str]) -> Vec<(i32, String)> {
        ids.iter().map(|id| (partition, (*id).to_owned())).collect()
    }

    #[test]
    fn an_orphan_is_one_until_its_id_is_committed_or_its_partition_goes() {
        let (mut reservations, mut partitions) = (Reservations::default(), Partitions::default());
        partitions.assigned([0, 1]);
        reservations.aborted(ids(0, &["a", "b"]), &partitions);
        reservations.aborted(ids(0, &["b", "c"]), &partitions);
        reservations.aborted(ids(1, &["d"]), &partitions);
        reservations.aborted(ids(2, &["e"]), &partitions);
        assert_eq!((reservations.orphans(), reservations.handed_on), (4, 1), "each id once");
        reservations.committed(&ids(0, &["a", "c", "x"]));
        assert_eq!(reservations.orphans(), 2);
        reservations.gone(&[1].into());
        assert_eq!((reservations.orphans(), reservations.handed_on), (1, 2));
    }
}
