//! Legal holds, as the chain of records has them.

use super::Who;
use crate::{
    ledger::records::{Chain, Customer, Statement},
    redact::Key,
};
use std::collections::{BTreeMap, BTreeSet};

/// What of one customer may not be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    everything: bool,
    transcripts: BTreeSet<String>,
}

impl Holds {
    /// The holds on a customer that were not released.
    pub(super) fn on(chain: &Chain, who: &Who, key: &Key) -> Self {
        let hashes = who.customer(key);
        let is_theirs = |customer: &Customer| {
            customer.tenant == hashes.tenant && customer.keys.iter().any(|key| hashes.keys.contains(key))
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
