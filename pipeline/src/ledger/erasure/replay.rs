//! Erases again what a restore has brought back.
//!
//! Who was erased is taken from the signed records, never from the restored store: that one may be from before. A
//! customer is found in it by the keyed hashes that the records name. What was stated stays as it is; what is owed beside
//! it becomes a supplement.

use super::{Erasing, ErasureError, Known, News, Request, Who, hash};
use crate::ledger::{
    log::{New, Placed},
    predicate::View,
    records::{Chain, Deleted, Head, Owed, Why},
    store::Transaction,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
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

impl Erasing {
    /// Runs every erasure of the chain again. Reads the store's customers whole.
    ///
    /// # Errors
    /// See [`ErasureError`]; give it again then.
    pub fn replay(&mut self, patience: Duration) -> Result<(Vec<Replayed>, Option<Head>), ErasureError> {
        let read = self.wait(patience)?;
        let mut all = Vec::new();
        for (known, keys) in self.brought_back()? {
            let who = Who { tenant: known.tenant.clone(), keys };
            let request = Request {
                id: known.request_id.clone(),
                received: known.received,
                tenant: known.tenant.clone(),
                keys: who.keys.clone(),
            };
            let listed = self.list(&who)?;
            let new = self.owed(&who, Some(&known), View::Replay)?;
            let news = News { erased_at: known.erased_at, read: read.clone(), owed: new.clone(), why: Why::Replay };
            self.state(&request, &who, Some(&known), news)?;
            let reservations = known.reservations.iter().chain(new.iter().flat_map(|owed| &owed.reservations));
            let deleted = self.delete(&who, listed, known.record, &reservations.cloned().collect())?;
            all.push(Replayed { record: known.record, request_id: known.request_id, new, deleted });
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

    /// Erasures whose customers are in the store again, each with the keys that were found.
    fn brought_back(&mut self) -> Result<Vec<(Known, BTreeSet<String>)>, ErasureError> {
        let all = Known::all(&self.chain);
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, known) in all.iter().enumerate() {
            known.keys.iter().for_each(|name| by_name.entry(name).or_default().push(at));
        }
        let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let hashes = &self.hashes;
        self.store.read(|transaction: &mut Transaction<'_>| {
            EVERYBODY.iter().try_for_each(|statement| {
                transaction.each(statement, &[], |row| {
                    let (tenant, own) = (row.text(0)?, row.text(1)?);
                    for at in by_name.get(hash(hashes, tenant, own).as_str()).into_iter().flatten() {
                        if all[*at].tenant == tenant {
                            found.entry(*at).or_default().insert(own.to_owned());
                        }
                    }
                    Ok::<_, ErasureError>(())
                })
            })
        })?;
        Ok(found.into_iter().map(|(at, keys)| (all[at].clone(), keys)).collect())
    }
}
