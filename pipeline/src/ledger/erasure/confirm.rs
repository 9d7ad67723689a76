//! Reads everything again after an erasure.

use super::{
    Erasing, ErasureError, Request, copies,
    copies::{Found, OfPerson},
    named, read_up_to,
};
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
        let who = self.everybody(&request.person)?;
        let known = self.known(request)?.ok_or_else(|| ErasureError::NotErased(request.id.clone()))?;
        let names = named(&who, &self.hashes);
        let missing = known.keys.iter().filter(|name| !names.keys.contains(name)).count()
            + known.senders.iter().filter(|name| !names.senders.contains(name)).count();
        if missing > 0 {
            return Err(ErasureError::MissingNames(missing));
        }
        let listed = self.list(who)?;
        let Found { persons, read } = self.copies([(&listed, &known)])?;
        let OfPerson { copies, readable } = persons.into_iter().next().unwrap_or_default();
        let mut checks: Vec<Check> = listed
            .rows
            .counts()
            .map(|count| Check {
                place: count.place(),
                statement: count.statement.into(),
                found: count.free,
                on_hold: count.on_hold,
                readable: 0,
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
                readable: readable.get(&output).copied().unwrap_or(0),
                gone_by: gone.map(day_of),
            });
        }
        let read = read.into_iter().flat_map(read_up_to).collect();
        let confirmation = Confirmation { of: known.record, read, checks: checks.clone() };
        self.sign(Statement::Confirmation(confirmation), Vec::new())?;
        Ok((checks, self.chain.head()))
    }
}
