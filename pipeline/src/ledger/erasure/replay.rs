//! Erases again what a restore has brought back.
//!
//! Who was erased is taken from the signed records, never from the restored store: that one may be from before. A
//! customer is found in it by the keyed hashes that the records name, of keys and of senders. What was stated stays as it is; what is owed beside
//! it becomes a supplement.

use super::{
    Erasing, ErasureError, Known, News, Request, copies::OfPerson, hash, hash_of_sender, noted::with_unstated,
};
use crate::ledger::{
    log::{New, Placed},
    person::Person,
    predicate::View,
    records::{Chain, Deleted, Head, Owed, Why},
    store::Transaction,
};
use crate::stream::failpoint::point;
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

/// One erasure that was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The number of its record.
    pub record: u64,
    /// The request.
    pub request_id: String,
    /// What is owed beside what was stated.
    pub new: Vec<Owed>,
    /// What was deleted again.
    pub deleted: Vec<Deleted>,
}

const EVERYBODY: [&str; 4] = [
    "SELECT DISTINCT tenant, customer_key FROM reservations WHERE customer_key IS NOT NULL",
    "SELECT DISTINCT tenant, customer_key FROM usage WHERE customer_key IS NOT NULL",
    "SELECT DISTINCT tenant, customer_key FROM decisions WHERE customer_key IS NOT NULL",
    "SELECT DISTINCT tenant, customer_key FROM customers",
];

/// Who wrote what has no customer key.
const SENDERS: &str =
    "SELECT DISTINCT tenant, sender FROM reservations WHERE customer_key IS NULL AND sender IS NOT NULL";

impl Erasing {
    /// Runs every erasure of the chain again. Reads the store's customers whole, and each topic once for all of them.
    ///
    /// # Errors
    /// See [`ErasureError`]; give it again then.
    pub fn replay(&mut self, patience: Duration) -> Result<(Vec<Replayed>, Option<Head>), ErasureError> {
        self.may_delete()?;
        let read = self.wait(patience, "nothing was done")?;
        let mut due = Vec::new();
        for (before, who) in self.due()? {
            self.close(&self.with_names(who.clone()), &before.request_id, Some(before.erased_at))?;
            due.push((self.list(who)?, before));
        }
        if due.is_empty() {
            return Ok((Vec::new(), self.chain.head()));
        }
        let found = self.copies(due.iter().map(|(listed, before)| (listed, before)))?;
        let mut all = Vec::new();
        // Each is finished before the next is asked about: of two requests of one person the first has what is owed.
        for ((listed, before), OfPerson { copies, .. }) in due.into_iter().zip(found.persons) {
            let who = &listed.who;
            let request = Request { id: before.request_id.clone(), received: before.received, person: who.clone() };
            let new = self.owed(who, Some(&before), View::Replay)?;
            let news = News { erased_at: before.erased_at, read: read.clone(), owed: new.clone(), why: Why::Replay };
            let record = self.state(&request, who, Some(&before), news)?;
            point("replay_after_statement");
            let stated = Known::of(&self.chain, &who.tenant, &request.id).unwrap_or(before);
            let deleted = self.delete(&listed, copies, &stated)?;
            all.push(Replayed { record, request_id: request.id, new, deleted });
        }
        Ok((all, self.chain.head()))
    }

    /// Writes records of an exported chain into a topic that has lost them. Both must be one chain.
    ///
    /// # Errors
    /// They are not, or the records cannot be written.
    pub fn bring_back_records(&mut self, exported: Chain, records: &[Placed]) -> Result<usize, ErasureError> {
        let here = self.chain.head();
        let missing = match &here {
            None => records.len(),
            // What is here may have grown since the export.
            Some(_) if exported.head().is_none_or(|head| self.chain.since(&head).is_ok()) => 0,
            Some(here) => exported.since(here).map_err(|error| ErasureError::OtherChain(Box::new(error)))?,
        };
        let topic = &self.log.topics.erasure_records;
        let lost: Vec<New> = records[records.len().saturating_sub(missing)..]
            .iter()
            .map(|(_, bytes)| New::of_officer(topic, bytes.clone()))
            .collect();
        if !lost.is_empty() {
            self.writer.write(&lost)?;
            self.chain = exported;
        }
        Ok(lost.len())
    }

    /// Erasures whose customers are in the store again, each with the names that were found; and those that a process has
    /// left before it had stated that their rows are deleted.
    fn due(&mut self) -> Result<Vec<(Known, Person)>, ErasureError> {
        let all = Known::all(&self.chain);
        let mut found: BTreeMap<usize, Person> = BTreeMap::new();
        let (mut by_key, mut by_sender) = (HashMap::<&str, Vec<usize>>::new(), HashMap::<&str, Vec<usize>>::new());
        for (at, known) in all.iter().enumerate() {
            known.keys.iter().for_each(|name| by_key.entry(name).or_default().push(at));
            known.senders.iter().for_each(|name| by_sender.entry(name).or_default().push(at));
            if !known.rows_deleted {
                found.insert(at, Person { tenant: known.tenant.clone(), ..Person::default() });
            }
        }
        for at in self.store.read(|transaction| with_unstated(transaction, &all))? {
            let tenant = all[at].tenant.clone();
            found.entry(at).or_insert_with(|| Person { tenant, ..Person::default() });
        }
        let hashes = &self.hashes;
        let mut take = |tenant: &str, named: Option<&Vec<usize>>, add: &dyn Fn(&mut Person)| {
            for at in named.into_iter().flatten().filter(|at| all[**at].tenant == tenant) {
                add(found.entry(*at).or_insert_with(|| Person { tenant: tenant.into(), ..Person::default() }));
            }
        };
        self.store.read(|transaction: &mut Transaction<'_>| {
            for statement in EVERYBODY {
                transaction.each(statement, &[], |row| {
                    let (tenant, own) = (row.text(0)?, row.text(1)?);
                    take(tenant, by_key.get(hash(hashes, tenant, own).as_str()), &|person| {
                        person.keys.insert(own.into());
                    });
                    Ok::<_, ErasureError>(())
                })?;
            }
            transaction.each(SENDERS, &[], |row| {
                let (tenant, own) = (row.text(0)?, row.text(1)?);
                take(tenant, by_sender.get(hash_of_sender(hashes, tenant, own).as_str()), &|person| {
                    person.senders.insert(own.into());
                });
                Ok::<_, ErasureError>(())
            })
        })?;
        Ok(found.into_iter().map(|(at, person)| (all[at].clone(), person)).collect())
    }
}
