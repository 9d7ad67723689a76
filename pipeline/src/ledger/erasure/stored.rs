//! A customer's rows in the ledger's store.

use super::{Holds, Who};
use crate::ledger::{
    identity::Customer,
    store::{Record, StoreError, Transaction, Value},
};
use std::collections::BTreeSet;

/// A table with rows of customers, and the statements that list and delete a customer's. A row of usage names no
/// transcript: it is held where its reservation is.
struct Listed {
    name: &'static str,
    list: &'static str,
    delete: &'static str,
}

const TABLES: [Listed; 4] = [
    Listed {
        name: "reservations",
        list: "SELECT id, transcript_id, attempt, reservation_id FROM reservations WHERE customer = $1",
        delete: "DELETE FROM reservations WHERE customer = $1 AND id = $2",
    },
    Listed {
        name: "usage",
        list: "SELECT id, NULL, NULL, reservation_id FROM usage WHERE customer = $1",
        delete: "DELETE FROM usage WHERE customer = $1 AND id = $2",
    },
    Listed {
        name: "decisions",
        list: "SELECT id, transcript_id, attempt, reservation_id FROM decisions WHERE customer = $1",
        delete: "DELETE FROM decisions WHERE customer = $1 AND id = $2",
    },
    Listed {
        name: "customers",
        list: "SELECT id, NULL, NULL, NULL FROM customers WHERE customer = $1",
        delete: "DELETE FROM customers WHERE customer = $1 AND id = $2",
    },
];

/// A row of the customer.
pub(super) struct Row {
    table: usize,
    customer: Value,
    id: Value,
    attempt: Option<Vec<u8>>,
    is_on_hold: bool,
}

/// The customer's rows.
pub(super) struct Rows(Vec<Row>);

/// How many rows there are in a table, those on hold apart.
pub(super) struct Count {
    /// The table.
    pub(super) table: &'static str,
    /// The statement that listed them.
    pub(super) statement: &'static str,
    /// Those that may be deleted.
    pub(super) free: u64,
    /// Those that may not.
    pub(super) on_hold: u64,
}

impl Rows {
    /// Lists them.
    pub(super) fn of(transaction: &mut Transaction<'_>, who: &Who, holds: &Holds) -> Result<Self, StoreError> {
        let mut rows = Vec::new();
        let mut held: BTreeSet<String> = BTreeSet::new();
        for key in &who.keys {
            let customer: Value = Customer::of(&who.tenant, key).bytes().into();
            for (table, listed) in TABLES.iter().enumerate() {
                for record in transaction.query(listed.list, std::slice::from_ref(&customer))? {
                    let transcript = record.opt_text(1)?;
                    let reservation = record.opt_text(3)?.map(str::to_owned);
                    // Reservations are listed first.
                    let is_on_hold = holds.cover(transcript.unwrap_or_default())
                        || reservation.as_ref().is_some_and(|id| held.contains(id));
                    if is_on_hold {
                        held.extend(reservation);
                    }
                    let (customer, id) = (customer.clone(), record.bytes(0)?.into());
                    let attempt = attempt(&who.tenant, &record)?;
                    rows.push(Row { table, customer, id, attempt, is_on_hold });
                }
            }
        }
        Ok(Self(rows))
    }

    /// Keys of the records in our topics that these rows tell of.
    pub(super) fn attempts(&self) -> BTreeSet<Vec<u8>> {
        self.0.iter().filter_map(|row| row.attempt.clone()).collect()
    }

    /// How many there are, by table.
    pub(super) fn counts(&self) -> impl Iterator<Item = Count> {
        TABLES.iter().enumerate().map(|(table, listed)| {
            let count = |held| self.0.iter().filter(|row| row.table == table && row.is_on_hold == held).count() as u64;
            Count { table: listed.name, statement: listed.list, free: count(false), on_hold: count(true) }
        })
    }

    /// Deletes those that are not on hold.
    pub(super) fn delete(&self, transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
        for row in self.0.iter().filter(|row| !row.is_on_hold) {
            transaction.execute(TABLES[row.table].delete, &[row.customer.clone(), row.id.clone()])?;
        }
        Ok(())
    }
}

fn attempt(tenant: &str, record: &Record) -> Result<Option<Vec<u8>>, StoreError> {
    let (transcript, attempt) = (record.opt_text(1)?, record.opt_text(2)?);
    Ok(transcript.zip(attempt).map(|(transcript, attempt)| format!("{tenant}/{transcript}/{attempt}").into_bytes()))
}
