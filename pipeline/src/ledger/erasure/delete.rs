//! Deletes our own copies, and signs what was deleted.

use super::{
    Erasing, ErasureError, Holds, Known,
    copies::{self, Copy, Found},
    stored::Rows,
};
use crate::{
    ledger::{
        log::New,
        person::Person,
        records::{Deleted, Deletion, Statement},
    },
    stream::failpoint::point,
};

/// So many tombstones are written in one transaction.
const AT_ONCE: usize = 10_000;

impl Erasing {
    /// Deletes the records that are found in our topics, then those rows of the store that are listed: they tell which
    /// records are the customer's. Tombstones are written together with the statement of them. Rows are in another system,
    /// so they are deleted before that is stated: nothing is ever stated that was not done.
    pub(super) fn delete(
        &mut self,
        who: &Person,
        (holds, rows): (Holds, Rows),
        known: &Known,
    ) -> Result<Vec<Deleted>, ErasureError> {
        let of = known.record;
        let Found { copies, .. } = self.copies(who, &rows, &known.reservations, &holds)?;
        let (held, free): (Vec<Copy>, Vec<Copy>) = copies.into_iter().partition(|copy| copy.is_on_hold);
        let mut deleted = Vec::new();
        for some in free.chunks(AT_ONCE) {
            let tombstones: Vec<New> = some.iter().map(|copy| copy.tombstone(&self.log)).collect();
            let stated = self.in_topics(some, &held);
            self.sign(Statement::Deletion(Deletion { of, deleted: stated.clone() }), tombstones)?;
            deleted.extend(stated);
        }
        if free.is_empty() {
            deleted = self.in_topics(&[], &held);
        }
        point("erase_after_tombstones");
        self.store.write(|transaction| rows.delete(transaction, &known.request_id))?;
        point("erase_after_rows");
        let of_store: Vec<Deleted> = rows
            .counts()
            .map(|count| Deleted { place: count.place(), count: count.free, on_hold: count.on_hold })
            .collect();
        if !known.rows_deleted || of_store.iter().any(|deleted| deleted.count > 0) {
            self.sign(Statement::Deletion(Deletion { of, deleted: of_store.clone() }), Vec::new())?;
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
