//! A customer's rows in the ledger's store.

use super::{Holds, Known, known::STORE, noted};
use crate::ledger::{
    identity::Customer,
    person::Person,
    store::{Engine, Record, StoreError, Transaction, Value},
};
use std::collections::{BTreeMap, BTreeSet};

/// A table with rows of customers, and the statements that list and delete a customer's. A row of usage names no
/// transcript: it is held where its reservation is.
struct Listed {
    name: &'static str,
    list: &'static str,
    delete: &'static str,
    by: By,
}

/// By which names of a person rows are listed.
#[derive(Clone, Copy)]
enum By {
    Customer,
    Sender,
}

impl By {
    /// The parameters of the listing, for each name.
    fn parameters(self, who: &Person) -> Vec<Vec<Value>> {
        let Person { tenant, keys, senders } = who;
        match self {
            Self::Customer => keys.iter().map(|key| vec![Customer::of(tenant, key).bytes().into()]).collect(),
            Self::Sender => senders.iter().map(|sender| vec![sender.as_str().into(), tenant.as_str().into()]).collect(),
        }
    }
}

const TABLES: [Listed; 5] = [
    Listed {
        name: "reservations",
        list: "SELECT customer, id, transcript_id, attempt, reservation_id FROM reservations WHERE customer = $1",
        delete: "DELETE FROM reservations WHERE customer = $1 AND id = $2",
        by: By::Customer,
    },
    Listed {
        name: "reservations without a key",
        list: "SELECT customer, id, transcript_id, attempt, reservation_id FROM reservations WHERE sender = $1 AND tenant = $2 AND customer_key IS NULL",
        delete: "DELETE FROM reservations WHERE customer = $1 AND id = $2",
        by: By::Sender,
    },
    Listed {
        name: "usage",
        list: "SELECT customer, id, NULL, NULL, reservation_id FROM usage WHERE customer = $1",
        delete: "DELETE FROM usage WHERE customer = $1 AND id = $2",
        by: By::Customer,
    },
    Listed {
        name: "decisions",
        list: "SELECT customer, id, transcript_id, attempt, reservation_id FROM decisions WHERE customer = $1",
        delete: "DELETE FROM decisions WHERE customer = $1 AND id = $2",
        by: By::Customer,
    },
    Listed {
        name: "customers",
        list: "SELECT customer, id, NULL, NULL, NULL FROM customers WHERE customer = $1",
        delete: "DELETE FROM customers WHERE customer = $1 AND id = $2",
        by: By::Customer,
    },
];

/// A row of the customer.
pub(super) struct Row {
    table: usize,
    customer: Value,
    id: Vec<u8>,
    attempt: Option<Vec<u8>>,
    reservation: Option<String>,
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

impl Count {
    /// The place, as records name it.
    pub(super) fn place(&self) -> String {
        place(self.table)
    }
}

fn place(table: &str) -> String {
    format!("{STORE}{table}")
}

/// Whether this user may delete rows. To be asked before anything is done.
pub(super) fn may_delete(transaction: &mut Transaction<'_>) -> Result<bool, StoreError> {
    match transaction.engine() {
        Engine::Sqlite => Ok(true),
        Engine::Postgres => {
            let may = transaction.query("SELECT has_table_privilege('reservations', 'DELETE')", &[])?;
            may.first().map_or(Ok(false), |may| Ok(may.integer(0)? == 1))
        }
    }
}

impl Rows {
    /// Lists them.
    pub(super) fn of(transaction: &mut Transaction<'_>, who: &Person, holds: &Holds) -> Result<Self, StoreError> {
        let mut rows = Vec::new();
        let mut held: BTreeSet<String> = BTreeSet::new();
        // Reservations first: usage is held where its reservation is.
        for (table, listed) in TABLES.iter().enumerate() {
            for parameters in listed.by.parameters(who) {
                for record in transaction.query(listed.list, &parameters)? {
                    let transcript = record.opt_text(2)?;
                    let reservation = record.opt_text(4)?.map(str::to_owned);
                    let is_on_hold = holds.cover(transcript.unwrap_or_default())
                        || reservation.as_ref().is_some_and(|id| held.contains(id));
                    if is_on_hold {
                        held.extend(reservation.clone());
                    }
                    let (customer, id) = (record.bytes(0)?.into(), record.bytes(1)?.to_vec());
                    let attempt = attempt(&who.tenant, &record)?;
                    rows.push(Row { table, customer, id, attempt, reservation, is_on_hold });
                }
            }
        }
        Ok(Self(rows))
    }

    /// Keys of the records in our topics that these rows tell of.
    pub(super) fn attempts(&self) -> BTreeSet<Vec<u8>> {
        self.0.iter().filter_map(|row| row.attempt.clone()).collect()
    }

    /// The reservations that they name.
    pub(super) fn reservations(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|row| row.reservation.as_deref())
    }

    /// How many there are, by table.
    pub(super) fn counts(&self) -> impl Iterator<Item = Count> {
        TABLES.iter().enumerate().map(|(table, listed)| {
            let count = |held| self.0.iter().filter(|row| row.table == table && row.is_on_hold == held).count() as u64;
            Count { table: listed.name, statement: listed.list, free: count(false), on_hold: count(true) }
        })
    }

    /// Deletes those that are not on hold, and notes how many were. PostgreSQL lets nobody delete rows without saying, in the
    /// same transaction, for which request.
    pub(super) fn delete(&self, transaction: &mut Transaction<'_>, known: &Known) -> Result<(), StoreError> {
        let mut free = self.0.iter().filter(|row| !row.is_on_hold).peekable();
        if free.peek().is_some() && transaction.engine() == Engine::Postgres {
            let authorise = "INSERT INTO authorisations (request_id) VALUES ($1)";
            transaction.execute(authorise, &[known.request_id.as_str().into()])?;
        }
        let (mut counts, mut named) = (BTreeMap::<String, u64>::new(), Vec::new());
        for row in free {
            let deleted =
                transaction.execute(TABLES[row.table].delete, &[row.customer.clone(), row.id.as_slice().into()])?;
            *counts.entry(place(TABLES[row.table].name)).or_default() += deleted;
            named.extend_from_slice(&row.id);
        }
        noted::note(transaction, known, &named, &counts)
    }
}

fn attempt(tenant: &str, record: &Record) -> Result<Option<Vec<u8>>, StoreError> {
    let (transcript, attempt) = (record.opt_text(2)?, record.opt_text(3)?);
    Ok(transcript.zip(attempt).map(|(transcript, attempt)| format!("{tenant}/{transcript}/{attempt}").into_bytes()))
}
