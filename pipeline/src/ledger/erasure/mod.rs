//! Erases a customer: closes them at the gate, states who owes a cleanup, deletes our own copies, and reads again.
//!
//! Every step can be repeated, and one that was done changes nothing the second time. What is deleted is deleted only
//! after the statement of who owes a cleanup is kept: it is made of what is deleted.

mod confirm;
mod copies;
mod error;
mod hold;
mod known;
mod replay;
mod stored;

pub use error::ErasureError;
pub use hold::Holds;
pub use known::Known;
pub use replay::Replayed;

use super::{
    handoffs::{Question, Work, ask, persons_keys},
    log::{Log, New, Writer},
    passed::{Waited, wait_until_passed},
    predicate::View,
    records::{
        Chain, Closed, Customer, Deleted, Deletion, ErasureStatement, Head, Owed, ReadUpTo, SigningKey, Statement,
        Supplement, Why,
    },
    requests::{Book, Calendar, Event, EventRecord, Right},
    store::Store,
};
use crate::{
    config::Config,
    redact::{Key, keyed_hash},
    ruleset::day_of,
    stream::{StreamError, client::publish::publish},
    wire::{Erasure, kept::Schema},
};
use copies::{Found, Theirs};
use jiff::{Timestamp, civil::Date};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use stored::Rows;

/// So many tombstones are written in one transaction.
const AT_ONCE: usize = 10_000;

/// Whose data: one person of a tenant, by all their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The tenant.
    pub tenant: String,
    /// The keys.
    pub keys: BTreeSet<String>,
}

impl Who {
    /// The names that records have for them.
    pub fn customer(&self, key: &Key) -> Customer {
        let mut keys: Vec<String> = self.keys.iter().map(|own| hash(key, &self.tenant, own)).collect();
        keys.sort();
        Customer { tenant: self.tenant.clone(), keys }
    }
}

/// The name that records have for one key of a customer.
fn hash(key: &Key, tenant: &str, own: &str) -> String {
    keyed_hash(key, tenant, "erased customer", own)
}

/// The kind of keyed hash that stands in the place of a customer key which is personal data.
const CUSTOMER_KEY: &str = "customer_key";

/// A request to be erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its id.
    pub id: String,
    /// The day on which it was received.
    pub received: Date,
    /// The tenant.
    pub tenant: String,
    /// The keys that are given; others of the same person are found in the ledger.
    pub keys: BTreeSet<String>,
}

/// What erasing came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The number of the record of the erasure.
    pub record: u64,
    /// All keys of the person. Once they are erased nothing here can tell them.
    pub keys: BTreeSet<String>,
    /// Who owes a cleanup, by all records of the request.
    pub owed: Vec<Owed>,
    /// What was stated anew.
    pub new: Vec<Owed>,
    /// What was deleted.
    pub deleted: Vec<Deleted>,
    /// The chain's head, to be published elsewhere.
    pub head: Option<Head>,
}

/// What is to be stated of an erasure.
struct News {
    erased_at: Timestamp,
    read: Vec<ReadUpTo>,
    owed: Vec<Owed>,
    why: Why,
}

/// Everything that an erasure works on. Only one at a time: a second one takes the right to write from the first.
pub struct Erasing {
    config: Arc<Config>,
    log: Log,
    writer: Writer,
    store: Store,
    chain: Chain,
    book: Book,
    signing: SigningKey,
    hashes: Key,
}

/// With which keys.
pub struct Keys {
    /// Signs records.
    pub signing: SigningKey,
    /// Makes names of customers.
    pub hashes: Key,
}

impl Erasing {
    /// On a chain and a book that were read after `writer` was opened.
    pub fn new(
        config: Arc<Config>,
        log: Log,
        writer: Writer,
        store: Store,
        (chain, book): (Chain, Book),
        Keys { signing, hashes }: Keys,
    ) -> Self {
        Self { config, log, writer, store, chain, book, signing, hashes }
    }

    /// The chain's head.
    pub fn head(&self) -> Option<Head> {
        self.chain.head()
    }

    /// Erases. `patience` is how long the ledger is waited for.
    ///
    /// # Errors
    /// See [`ErasureError`]; give it again then.
    pub fn erase(&mut self, request: &Request, patience: Duration) -> Result<Erased, ErasureError> {
        let who = self.who(request)?;
        let known = self.known(request)?;
        let erased_at = known.as_ref().map_or_else(Timestamp::now, |known| known.erased_at);
        self.close(&who, request, known.as_ref(), erased_at)?;
        let read = self.wait(patience)?;
        // Listed before it is asked what is owed: what comes in between is stated and stays, never the other way round.
        let listed = self.list(&who)?;
        let new = self.owed(&who, known.as_ref(), View::Erase)?;
        let news = News { erased_at, read, owed: new.clone(), why: Why::CameLater };
        let record = self.state(request, &who, known.as_ref(), news)?;
        let stated = self.known(request)?;
        let reservations = stated.as_ref().map(|known| known.reservations.clone()).unwrap_or_default();
        let deleted = self.delete(&who, listed, record, &reservations)?;
        let owed = stated.map(|known| known.owed).unwrap_or_default();
        Ok(Erased { record, keys: who.keys, owed, new, deleted, head: self.chain.head() })
    }

    fn who(&mut self, request: &Request) -> Result<Who, ErasureError> {
        self.everybody(&request.tenant, &request.keys)
    }

    /// All keys of the person: those that the ledger knows, and the names that stand for keys which are personal data.
    fn everybody(&mut self, tenant: &str, keys: &BTreeSet<String>) -> Result<Who, ErasureError> {
        let mut keys = persons_keys(&mut self.store, tenant, keys)?;
        let hashed: Vec<String> =
            keys.iter().map(|own| format!("hash:{}", keyed_hash(&self.hashes, tenant, CUSTOMER_KEY, own))).collect();
        keys.extend(hashed);
        Ok(Who { tenant: tenant.into(), keys })
    }

    /// What the chain says of a request, if it is that of this customer.
    fn known(&self, request: &Request) -> Result<Option<Known>, ErasureError> {
        let Some(known) = Known::of(&self.chain, &request.tenant, &request.id) else { return Ok(None) };
        let is_theirs = request.keys.iter().any(|own| known.keys.contains(&hash(&self.hashes, &request.tenant, own)));
        match is_theirs {
            true => Ok(Some(known)),
            false => Err(ErasureError::OtherCustomer { request: request.id.clone(), number: known.record }),
        }
    }

    /// Closes at the gate whichever keys are not closed yet.
    fn close(
        &self,
        who: &Who,
        request: &Request,
        known: Option<&Known>,
        erased_at: Timestamp,
    ) -> Result<(), ErasureError> {
        let is_closed = |own: &String| known.is_some_and(|k| k.keys.contains(&hash(&self.hashes, &who.tenant, own)));
        let producer = self.log.clients.kept().map_err(StreamError::from)?;
        for own in who.keys.iter().filter(|own| !is_closed(own)) {
            let record = Erasure {
                schema: Schema,
                tenant: who.tenant.clone(),
                customer_key: own.clone(),
                erased_at,
                request_id: Some(request.id.clone()),
            };
            let key = format!("{}/{own}", who.tenant);
            let timeout = self.config.stream.message_timeout;
            publish(&producer, &self.log.topics.erasures, &key, &record, timeout)?;
        }
        Ok(())
    }

    /// Waits until the ledger has passed the ends of its topics as they are now.
    fn wait(&mut self, patience: Duration) -> Result<Vec<ReadUpTo>, ErasureError> {
        match wait_until_passed(&self.config, &mut self.store, patience)? {
            Waited::Passed(ends) => Ok(ends.topics.into_iter().flat_map(read_up_to).collect()),
            Waited::Behind(behind) => Err(ErasureError::Behind(behind)),
        }
    }

    /// What is owed beside what was stated.
    fn owed(&mut self, who: &Who, known: Option<&Known>, view: View) -> Result<Vec<Owed>, ErasureError> {
        let stated = known.map(|known| known.reservations.clone()).unwrap_or_default();
        let folder = self.config.ruleset.folder.clone();
        let question = Question { view, tenant: &who.tenant, keys: &who.keys, stated: &stated };
        let found = ask(&mut self.store, question, None, folder.as_deref())?;
        let of = |(provider, work): (&String, &Work)| Owed {
            provider: provider.clone(),
            destination: work.destination.clone(),
            source: work.source.clone(),
            terms: work.terms.clone(),
            reserved_requests: u64::try_from(work.reserved_requests).unwrap_or(0),
            requests_used: u64::try_from(work.requests_used).unwrap_or(0),
            first: Some(work.first_at.to_string()),
            last: Some(work.last_at.to_string()),
            reservations: work.reservation_ids.iter().cloned().collect(),
            provider_request_ids: work.provider_request_ids.iter().cloned().collect(),
        };
        let work = found
            .providers
            .iter()
            .flat_map(|handoff| handoff.possibly_sent.iter().map(|work| (&handoff.provider, work)));
        Ok(work.map(of).collect())
    }

    /// Signs the erasure, or what came beside it. Returns the number of the erasure's record.
    fn state(
        &mut self,
        request: &Request,
        who: &Who,
        known: Option<&Known>,
        News { erased_at, read, owed, why }: News,
    ) -> Result<u64, ErasureError> {
        let providers: BTreeSet<String> = owed.iter().map(|owed| owed.provider.clone()).collect();
        let customer = who.customer(&self.hashes);
        let statement = match known {
            None => Statement::Erasure(ErasureStatement {
                request_id: request.id.clone(),
                received: request.received,
                customer,
                closed: Closed { erased_at },
                read,
                handoffs: owed,
            }),
            Some(known) => {
                let keys: Vec<String> = customer.keys.into_iter().filter(|key| !known.keys.contains(key)).collect();
                if owed.is_empty() && keys.is_empty() {
                    return Ok(known.record);
                }
                Statement::Supplement(Supplement { of: known.record, why, keys, read, handoffs: owed })
            }
        };
        let today = day_of(Timestamp::now());
        let is_new = self.book.get(&request.tenant, &request.id).is_none();
        let received = is_new.then_some((request.received, Event::Received { right: Right::Erasure }));
        let number = self.sign(vec![statement], |record| {
            let owed = providers.into_iter().map(|provider| (today, Event::HandoffOwed { provider, record }));
            let event = |(on, event)| EventRecord {
                schema: Schema,
                tenant: request.tenant.clone(),
                request_id: request.id.clone(),
                recorded_at: Timestamp::now(),
                on,
                event,
            };
            received.into_iter().chain(owed).map(event).collect()
        })?;
        Ok(known.map_or(number, |known| known.record))
    }

    /// The customer's holds, and rows in the store.
    fn list(&mut self, who: &Who) -> Result<(Holds, Rows), ErasureError> {
        let holds = Holds::on(&self.chain, who, &self.hashes);
        let rows = self.store.read(|transaction| Rows::of(transaction, who, &holds))?;
        Ok((holds, rows))
    }

    /// Deletes our own copies, and signs what was deleted. Of the store those rows that are listed.
    fn delete(
        &mut self,
        who: &Who,
        (holds, rows): (Holds, Rows),
        of: u64,
        reservations: &BTreeSet<String>,
    ) -> Result<Vec<Deleted>, ErasureError> {
        let Found { copies, .. } = self.copies(who, &rows, reservations, &holds)?;
        let tombstones: Vec<New> =
            copies.iter().filter(|copy| !copy.is_on_hold).map(|copy| copy.tombstone(&self.log)).collect();
        for some in tombstones.chunks(AT_ONCE) {
            self.writer.write(some)?;
        }
        // Rows last: they tell which records are the customer's.
        self.store.write(|transaction| rows.delete(transaction))?;
        let mut deleted: Vec<Deleted> = rows
            .counts()
            .map(|count| Deleted { place: format!("store:{}", count.table), count: count.free, on_hold: count.on_hold })
            .collect();
        for output in copies::TOPICS {
            let count = |held| copies.iter().filter(|c| c.output == output && c.is_on_hold == held).count() as u64;
            let place = self.log.topics.of(output).into();
            deleted.push(Deleted { place, count: count(false), on_hold: count(true) });
        }
        deleted.retain(|deleted| deleted.count > 0 || deleted.on_hold > 0);
        if deleted.iter().any(|deleted| deleted.count > 0) {
            let deletion = Deletion { of, deleted: deleted.clone() };
            self.sign(vec![Statement::Deletion(deletion)], |_| Vec::new())?;
        }
        Ok(deleted)
    }

    fn copies(
        &self,
        who: &Who,
        rows: &Rows,
        reservations: &BTreeSet<String>,
        holds: &Holds,
    ) -> Result<Found, ErasureError> {
        let theirs = Theirs { attempts: rows.attempts(), reservations };
        Ok(copies::find(&self.log, who, theirs, holds, self.config.stream.transaction_timeout)?)
    }

    /// Signs statements and writes them together with the events that follow from the first one's number, which it
    /// returns.
    fn sign(
        &mut self,
        statements: Vec<Statement>,
        events: impl FnOnce(u64) -> Vec<EventRecord>,
    ) -> Result<u64, ErasureError> {
        let (mut chain, mut book) = (self.chain.clone(), self.book.clone());
        let number = chain.head().map_or(1, |head| head.number + 1);
        let mut records = Vec::new();
        for statement in statements {
            let bytes = chain.sign(statement, &self.signing, Timestamp::now())?;
            records.push(New::of_officer(&self.log.topics.erasure_records, bytes));
        }
        for event in events(number) {
            book.admit(&event, &Calendar::default())?;
            let value = serde_json::to_vec(&event).expect("strings and dates");
            records.push(New::of_officer(&self.log.topics.requests, value));
        }
        self.writer.write(&records)?;
        (self.chain, self.book) = (chain, book);
        Ok(number)
    }
}

fn read_up_to((topic, ends): (String, BTreeMap<i32, i64>)) -> impl Iterator<Item = ReadUpTo> {
    ends.into_iter().map(move |(partition, end)| ReadUpTo { topic: topic.clone(), partition, end })
}
