//! Legal holds, as the chain of records has them.

use super::{Erasing, ErasureError, named};
use crate::{
    ledger::{
        person::Person,
        records::{Chain, Customer, Hold, Release, Statement},
    },
    redact::Key,
};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// What of one customer may not be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    everything: bool,
    transcripts: BTreeSet<String>,
}

impl Holds {
    /// The holds on a customer that were not released.
    pub(super) fn on(chain: &Chain, who: &Person, key: &Key) -> Self {
        let hashes = named(who, key);
        let is_theirs = |customer: &Customer| {
            customer.tenant == hashes.tenant
                && (customer.keys.iter().any(|key| hashes.keys.contains(key))
                    || customer.senders.iter().any(|sender| hashes.senders.contains(sender)))
        };
        let mut open = BTreeMap::new();
        for record in chain.records() {
            match &record.statement {
                Statement::Hold(hold) if is_theirs(&hold.customer) => drop(open.insert(record.number, hold)),
                Statement::Release(release) => drop(open.remove(&release.of)),
                _ => {}
            }
        }
        Self {
            everything: open.values().any(|hold| hold.transcripts.is_empty()),
            transcripts: open.values().flat_map(|hold| hold.transcripts.iter().cloned()).collect(),
        }
    }

    /// Whether a transcript is under a hold.
    pub fn cover(&self, transcript: &str) -> bool {
        self.everything || self.transcripts.contains(transcript)
    }
}

impl Erasing {
    /// Puts copies of a customer under a hold: of all transcripts, or of those that are named. Returns its number.
    ///
    /// # Errors
    /// It cannot be signed or written.
    pub fn hold(
        &mut self,
        person: &Person,
        transcripts: Vec<String>,
        ground: String,
        on: Date,
    ) -> Result<u64, ErasureError> {
        let customer = named(&self.everybody(person)?, &self.hashes);
        self.sign(Statement::Hold(Hold { customer, transcripts, ground, on }), Vec::new())
    }

    /// Ends a hold.
    ///
    /// # Errors
    /// There is none of this number that is open, or it cannot be signed or written.
    pub fn release(&mut self, of: u64, ground: String, on: Date) -> Result<u64, ErasureError> {
        let mut open = false;
        for record in self.chain.records() {
            open |= record.number == of && matches!(record.statement, Statement::Hold(_));
            open &= !matches!(&record.statement, Statement::Release(release) if release.of == of);
        }
        if !open {
            return Err(ErasureError::NoHold(of));
        }
        self.sign(Statement::Release(Release { of, ground, on }), Vec::new())
    }
}
