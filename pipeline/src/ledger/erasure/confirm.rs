//! Reads everything again after an erasure.

use super::{
    Erasing, ErasureError, Request, copies,
    copies::{Found, OfPerson},
    known::STORE,
    named, read_up_to,
};
use crate::{
    ledger::{
        datamap::{Settings, expires},
        records::{Check, Confirmation, Head, Statement},
        requests::Event,
        store::Engine,
    },
    ruleset::day_of,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

impl Erasing {
    /// Reads everything again, and signs what it finds. `settings` are those of our topics; `patience` is how long the ledger
    /// is waited for. Where nothing is left the row of the data map is ticked off, and
    /// where something is it is open again.
    ///
    /// # Errors
    /// Nothing was erased, the ledger is behind, or something cannot be read.
    pub fn confirm(
        &mut self,
        request: &Request,
        settings: &BTreeMap<String, Settings>,
        patience: Duration,
    ) -> Result<(Vec<Check>, Option<Head>), ErasureError> {
        let who = self.everybody(&request.person)?;
        let known = self.known(request)?.ok_or_else(|| ErasureError::NotErased(request.id.clone()))?;
        let names = named(&who, &self.hashes);
        let missing = known.keys.iter().filter(|name| !names.keys.contains(name)).count()
            + known.senders.iter().filter(|name| !names.senders.contains(name)).count();
        if missing > 0 {
            return Err(ErasureError::MissingNames(missing));
        }
        let mut read_up_to_now = self.wait(patience, "nothing was done")?;
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
        // Decisions were read by both; the ledger's end is the earlier one.
        let read = read.into_iter().flat_map(read_up_to);
        let known_ends: BTreeSet<(String, i32)> =
            read_up_to_now.iter().map(|end| (end.topic.clone(), end.partition)).collect();
        read_up_to_now.extend(read.filter(|end| !known_ends.contains(&(end.topic.clone(), end.partition))));
        let confirmation = Confirmation { of: known.record, read: read_up_to_now, checks: checks.clone() };
        let seen_to = self.seen_to(request, &checks, self.chain.next_number());
        self.sign_of(request, Statement::Confirmation(confirmation), seen_to)?;
        Ok((checks, self.chain.head()))
    }

    /// The rows of the data map in whose systems nothing is left, and those that were ticked off and hold something again.
    fn seen_to(&self, request: &Request, checks: &[Check], record: u64) -> Vec<Event> {
        let store = match self.store.engine() {
            Engine::Sqlite => "store:sqlite",
            Engine::Postgres => "store:postgres",
        };
        let mut systems: BTreeMap<String, Vec<&Check>> = BTreeMap::new();
        for check in checks {
            let system = match check.place.starts_with(STORE) {
                true => store.to_owned(),
                false => format!("topic:{}", check.place),
            };
            systems.entry(system).or_default().push(check);
        }
        let life = self.book.get(&request.person.tenant, &request.id);
        let event = |(system, checks): (String, Vec<&Check>)| {
            let left: u64 = checks.iter().map(|check| check.found + check.on_hold).sum();
            if left > 0 {
                let result = format!("{left} found again, by record {record}");
                let was_done = life.is_some_and(|life| life.done.contains_key(&system));
                return was_done.then_some(Event::SystemOpen { system, result });
            }
            let gone = checks.iter().find_map(|check| check.gone_by).map(|day| format!("; bytes are gone by {day}"));
            let result = format!("nothing was found again, by record {record}{}", gone.unwrap_or_default());
            Some(Event::SystemDone { system, result })
        };
        systems.into_iter().filter_map(event).collect()
    }
}
