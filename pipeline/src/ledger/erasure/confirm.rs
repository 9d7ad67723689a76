//! Reads everything again after an erasure.

use super::{Erasing, ErasureError, Request, copies, copies::Found, read_up_to};
use crate::{
    ledger::{
        datamap::{Settings, expires},
        records::{Check, Confirmation, Head, Statement},
    },
    ruleset::day_of,
};
use std::collections::BTreeMap;

impl Erasing {
    /// Reads everything again, and signs what it finds. `settings` are those of our topics.
    ///
    /// # Errors
    /// Nothing was erased, or something cannot be read.
    pub fn confirm(
        &mut self,
        request: &Request,
        settings: &BTreeMap<String, Settings>,
    ) -> Result<(Vec<Check>, Option<Head>), ErasureError> {
        let who = self.who(request)?;
        let known = self.known(request)?.ok_or_else(|| ErasureError::NotErased(request.id.clone()))?;
        let named = who.customer(&self.hashes).keys;
        let missing = known.keys.iter().filter(|name| !named.contains(name)).count();
        if missing > 0 {
            return Err(ErasureError::MissingKeys(missing));
        }
        let (holds, rows) = self.list(&who)?;
        let Found { copies, read } = self.copies(&who, &rows, &known.reservations, &holds)?;
        let mut checks: Vec<Check> = rows
            .counts()
            .map(|count| Check {
                place: format!("store:{}", count.table),
                statement: count.statement.into(),
                found: count.free,
                on_hold: count.on_hold,
                gone_by: None,
            })
            .collect();
        for output in copies::TOPICS {
            let topic = self.log.topics.of(output);
            let count = |held| copies.iter().filter(|c| c.output == output && c.is_on_hold == held).count() as u64;
            let gone = settings.get(topic).zip(known.deleted_at).and_then(|(set, at)| expires(set, at));
            checks.push(Check {
                place: topic.into(),
                statement: "all records of the customer that have no tombstone, of all partitions".into(),
                found: count(false),
                on_hold: count(true),
                gone_by: gone.map(day_of),
            });
        }
        let read = read.into_iter().flat_map(read_up_to).collect();
        let confirmation = Confirmation { of: known.record, read, checks: checks.clone() };
        self.sign(vec![Statement::Confirmation(confirmation)], |_| Vec::new())?;
        Ok((checks, self.chain.head()))
    }
}
