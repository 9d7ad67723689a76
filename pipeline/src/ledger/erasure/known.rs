//! What the chain of records says of one request.

use crate::ledger::records::{Chain, Owed, Statement};
use jiff::{Timestamp, civil::Date};
use std::collections::BTreeSet;

/// What the places of rows begin with.
pub(super) const STORE: &str = "store:";

/// An erasure that was begun, with all that was stated of it since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The number of its record.
    pub record: u64,
    /// The id of the request.
    pub request_id: String,
    /// The tenant.
    pub tenant: String,
    /// Names of the customer's keys.
    pub keys: BTreeSet<String>,
    /// Names of the customer's senders.
    pub senders: BTreeSet<String>,
    /// The day on which it was received.
    pub received: Date,
    /// Up to when nothing of the customer is sent.
    pub erased_at: Timestamp,
    /// Reservations that were stated.
    pub reservations: BTreeSet<String>,
    /// What is owed.
    pub owed: Vec<Owed>,
    /// When copies were last deleted.
    pub deleted_at: Option<Timestamp>,
    /// Transactions of the store whose deletions were stated.
    pub transactions: BTreeSet<String>,
    /// Whether it was stated, since the last handoffs were, that the rows of the store were deleted.
    pub rows_deleted: bool,
}

impl Known {
    /// The erasure of a request.
    pub fn of(chain: &Chain, tenant: &str, request_id: &str) -> Option<Self> {
        Self::all(chain).into_iter().find(|known| known.tenant == tenant && known.request_id == request_id)
    }

    /// Every erasure of a chain.
    pub fn all(chain: &Chain) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for record in chain.records() {
            match &record.statement {
                Statement::Erasure(erasure) => {
                    let mut known = Self {
                        record: record.number,
                        request_id: erasure.request_id.clone(),
                        tenant: erasure.customer.tenant.clone(),
                        keys: erasure.customer.keys.iter().cloned().collect(),
                        senders: erasure.customer.senders.iter().cloned().collect(),
                        received: erasure.received,
                        erased_at: erasure.closed.erased_at,
                        reservations: BTreeSet::new(),
                        owed: Vec::new(),
                        deleted_at: None,
                        transactions: BTreeSet::new(),
                        rows_deleted: false,
                    };
                    known.add(&erasure.handoffs);
                    all.push(known);
                }
                Statement::Supplement(more) => {
                    if let Some(known) = all.iter_mut().find(|known| known.record == more.of) {
                        known.keys.extend(more.keys.iter().cloned());
                        known.senders.extend(more.senders.iter().cloned());
                        known.add(&more.handoffs);
                        known.rows_deleted = false;
                    }
                }
                Statement::Deletion(deletion) => {
                    if let Some(known) = all.iter_mut().find(|known| known.record == deletion.of) {
                        known.deleted_at = Some(record.signed_at);
                        known.transactions.extend(deletion.transactions.iter().cloned());
                        known.rows_deleted |= deletion.deleted.iter().any(|deleted| deleted.place.starts_with(STORE));
                    }
                }
                Statement::Confirmation(_) | Statement::Hold(_) | Statement::Release(_) => {}
            }
        }
        all
    }

    fn add(&mut self, handoffs: &[Owed]) {
        self.reservations.extend(handoffs.iter().flat_map(|owed| owed.reservations.iter().cloned()));
        self.owed.extend(handoffs.iter().cloned());
    }
}
