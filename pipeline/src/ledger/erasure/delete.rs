//! Deletes our own copies, and signs what was deleted.

use super::{
    Erasing, ErasureError, Known, Listed,
    copies::{self, Copy},
    noted::unstated,
};
use crate::{
    ledger::{
        log::New,
        records::{Deleted, Deletion, Statement},
    },
    stream::failpoint::point,
};

/// So many tombstones are written in one transaction.
const AT_ONCE: usize = 10_000;

impl Erasing {
    /// Deletes these records of our topics, then those rows of the store that are listed: they tell which records are the
    /// customer's. Tombstones are written together with the statement of them. Rows are in another system, so how many were
    /// deleted is noted there in one transaction with their deletion, and what is noted is stated then, whoever deleted it.
    pub(super) fn delete(
        &mut self,
        listed: &Listed,
        copies: Vec<Copy>,
        known: &Known,
    ) -> Result<Vec<Deleted>, ErasureError> {
        let of = known.record;
        let (held, free): (Vec<Copy>, Vec<Copy>) = copies.into_iter().partition(|copy| copy.is_on_hold);
        let mut deleted = Vec::new();
        for some in free.chunks(AT_ONCE) {
            let tombstones: Vec<New> = some.iter().map(|copy| copy.tombstone(&self.log)).collect();
            let stated = self.in_topics(some, &held);
            let deletion = Deletion { of, transactions: Vec::new(), deleted: stated.clone() };
            self.sign(Statement::Deletion(deletion), tombstones)?;
            deleted.extend(stated);
        }
        if free.is_empty() {
            deleted = self.in_topics(&[], &held);
        }
        point("erase_after_tombstones");
        self.store.write(|transaction| listed.rows.delete(transaction, known))?;
        point("erase_after_rows");
        let noted = self.store.read(|transaction| unstated(transaction, known))?;
        let of_store: Vec<Deleted> = listed
            .rows
            .counts()
            .map(|count| {
                let place = count.place();
                Deleted { count: noted.counts.get(&place).copied().unwrap_or(0), place, on_hold: count.on_hold }
            })
            .collect();
        if !known.rows_deleted || !noted.ids.is_empty() {
            let transactions = noted.ids.into_iter().collect();
            self.sign(Statement::Deletion(Deletion { of, transactions, deleted: of_store.clone() }), Vec::new())?;
        }
        deleted.extend(of_store);
        deleted.retain(|deleted| deleted.count > 0 || deleted.on_hold > 0);
        Ok(deleted)
    }

    /// How many of these there are in each topic, and how many under a hold.
    fn in_topics(&self, some: &[Copy], held: &[Copy]) -> Vec<Deleted> {
        let count = |copies: &[Copy], output| copies.iter().filter(|copy| copy.output == output).count() as u64;
        let of = |output| Deleted {
            place: self.log.topics.of(output).into(),
            count: count(some, output),
            on_hold: count(held, output),
        };
        copies::TOPICS.into_iter().map(of).filter(|deleted| deleted.count > 0 || deleted.on_hold > 0).collect()
    }
}
