//! Erases a customer: closes them at the gate, states who owes a cleanup, deletes our own copies, and reads again.
//!
//! Every step can be repeated, and one that was done changes nothing the second time. What is deleted is deleted only
//! after the statement of who owes a cleanup is kept: it is made of what is deleted.

mod close;
mod confirm;
mod copies;
mod delete;
mod error;
mod hold;
mod known;
mod noted;
mod replay;
mod stored;

pub use error::ErasureError;
pub use hold::Holds;
pub use known::Known;
pub use replay::Replayed;

use super::{
    handoffs::{Question, Work, ask},
    log::{Log, New, Writer},
    passed::{Waited, wait_until_passed},
    person::{HASH, Person, is_name},
    predicate::View,
    records::{
        Chain, Closed, Customer, Deleted, ErasureStatement, Head, Owed, ReadUpTo, SigningKey, Statement, Supplement,
        Why,
    },
    requests::{Book, Calendar, Event, EventRecord, Right},
    store::Store,
};
use crate::{
    config::Config,
    redact::{Key, keyed_hash},
    ruleset::day_of,
    stream::failpoint::point,
    wire::kept::Schema,
};
use close::Closings;
use copies::{Found, OfPerson, Theirs};
use jiff::{Timestamp, civil::Date};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use stored::Rows;

/// The names that records have for a person.
fn named(person: &Person, key: &Key) -> Customer {
    let Person { tenant, keys, senders } = person;
    let mut keys: Vec<String> = keys.iter().map(|own| hash(key, tenant, own)).collect();
    let mut senders: Vec<String> = senders.iter().map(|own| hash_of_sender(key, tenant, own)).collect();
    keys.sort();
    senders.sort();
    Customer { tenant: tenant.clone(), keys, senders }
}

/// The name that records have for one key of a customer.
fn hash(key: &Key, tenant: &str, own: &str) -> String {
    keyed_hash(key, tenant, "erased customer", own)
}

/// The name that records have for a sender, whom rows name as whoever wrote them did.
fn hash_of_sender(key: &Key, tenant: &str, own: &str) -> String {
    keyed_hash(key, tenant, "erased sender", own)
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
    /// Whose, by the keys and senders that are given; others of the same person are found in the ledger.
    pub person: Person,
}

/// What erasing came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The number of the record of the erasure.
    pub record: u64,
    /// All names of the person. Once they are erased nothing here can tell them.
    pub person: Person,
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

/// A person, with their holds and rows in the store.
struct Listed {
    who: Person,
    holds: Holds,
    rows: Rows,
}

/// Everything that an erasure works on. Only one at a time: a second one takes the right to write from the first.
pub struct Erasing {
    config: Arc<Config>,
    log: Log,
    writer: Writer,
    store: Store,
    chain: Chain,
    book: Book,
    /// As they were read, once they were needed.
    closings: Option<Closings>,
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
        Self { config, log, writer, store, chain, book, closings: None, signing, hashes }
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
        self.may_delete()?;
        let who = self.everybody(&request.person)?;
        let known = self.known(request)?;
        let erased_at = self.close(&who, &request.id, known.as_ref().map(|known| known.erased_at))?;
        point("erase_after_close");
        let read = self.wait(patience, "the customer is closed at the gate, nothing else was done")?;
        // Listed before it is asked what is owed: what comes in between is stated and stays, never the other way round.
        let listed = self.list(who)?;
        let who = &listed.who;
        let new = self.owed(who, known.as_ref(), View::Erase)?;
        let news = News { erased_at, read, owed: new.clone(), why: Why::CameLater };
        let record = self.state(request, who, known.as_ref(), news)?;
        point("erase_after_statement");
        let stated = self.known(request)?.ok_or_else(|| ErasureError::NotErased(request.id.clone()))?;
        let found = self.copies([(&listed, &stated)])?;
        let OfPerson { copies, .. } = found.persons.into_iter().next().unwrap_or_default();
        let deleted = self.delete(&listed, copies, &stated)?;
        Ok(Erased { record, person: listed.who, owed: stated.owed, new, deleted, head: self.chain.head() })
    }

    fn may_delete(&mut self) -> Result<(), ErasureError> {
        match self.store.read(stored::may_delete)? {
            true => Ok(()),
            false => Err(ErasureError::NoEraser(self.store.name())),
        }
    }

    /// All names of a person: those that the ledger knows, and those that stand for keys which are personal data.
    fn everybody(&mut self, person: &Person) -> Result<Person, ErasureError> {
        let whole = person.whole(&mut self.store)?;
        Ok(self.with_names(whole))
    }

    fn with_names(&self, mut person: Person) -> Person {
        let name = |own: &String| format!("{HASH}{}", keyed_hash(&self.hashes, &person.tenant, CUSTOMER_KEY, own));
        let names: Vec<String> = person.keys.iter().filter(|own| !is_name(own)).map(name).collect();
        person.keys.extend(names);
        person
    }

    /// What the chain says of a request, if it is that of this customer.
    fn known(&self, request: &Request) -> Result<Option<Known>, ErasureError> {
        let Some(known) = Known::of(&self.chain, &request.person.tenant, &request.id) else { return Ok(None) };
        let names = named(&request.person, &self.hashes);
        let is_theirs = names.keys.iter().any(|name| known.keys.contains(name))
            || names.senders.iter().any(|name| known.senders.contains(name));
        match is_theirs {
            true => Ok(Some(known)),
            false => Err(ErasureError::OtherCustomer { request: request.id.clone(), number: known.record }),
        }
    }

    /// Waits until the ledger has passed the ends of its topics as they are now. `done` is what was done before.
    fn wait(&mut self, patience: Duration, done: &'static str) -> Result<Vec<ReadUpTo>, ErasureError> {
        match wait_until_passed(&self.config, &mut self.store, patience)? {
            Waited::Passed(ends) => Ok(ends.topics.into_iter().flat_map(read_up_to).collect()),
            Waited::Behind(behind) => Err(ErasureError::Behind { done, behind }),
        }
    }

    /// What is owed beside what was stated.
    fn owed(&mut self, who: &Person, known: Option<&Known>, view: View) -> Result<Vec<Owed>, ErasureError> {
        let stated = known.map(|known| known.reservations.clone()).unwrap_or_default();
        let folder = self.config.ruleset.folder.clone();
        let question = Question { view, person: who, stated: &stated };
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
            until_by_contract: work.copy_may_exist.until_by_contract,
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
        who: &Person,
        known: Option<&Known>,
        News { erased_at, read, owed, why }: News,
    ) -> Result<u64, ErasureError> {
        let providers: BTreeSet<String> = owed.iter().map(|owed| owed.provider.clone()).collect();
        let customer = named(who, &self.hashes);
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
                let (mut keys, mut senders) = (customer.keys, customer.senders);
                keys.retain(|name| !known.keys.contains(name));
                senders.retain(|name| !known.senders.contains(name));
                if owed.is_empty() && keys.is_empty() && senders.is_empty() {
                    return Ok(known.record);
                }
                Statement::Supplement(Supplement { of: known.record, why, keys, senders, read, handoffs: owed })
            }
        };
        let record = self.chain.next_number();
        let owed = providers.into_iter().map(|provider| Event::HandoffOwed { provider, record });
        self.sign_of(request, statement, owed)?;
        Ok(known.map_or(record, |known| known.record))
    }

    /// Signs a statement of a request, and writes down with it what follows from it today. The last day that is written down
    /// may be later than today is in UTC, and stops nothing.
    fn sign_of(
        &mut self,
        request: &Request,
        statement: Statement,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<(), ErasureError> {
        let (mut book, mut records, today) = (self.book.clone(), Vec::new(), day_of(Timestamp::now()));
        let tenant = &request.person.tenant;
        let is_new = book.get(tenant, &request.id).is_none();
        let received = is_new.then_some(Event::Received { right: Right::Erasure });
        for event in received.into_iter().chain(events) {
            let on = book.get(tenant, &request.id).map_or(request.received, |life| today.max(life.last()));
            let (tenant, request_id, recorded_at) = (tenant.clone(), request.id.clone(), Timestamp::now());
            let event = EventRecord { schema: Schema, tenant, request_id, recorded_at, on, event };
            book.admit(&event, &Calendar::default())?;
            let value = serde_json::to_vec(&event).expect("strings and dates");
            records.push(New::of_officer(&self.log.topics.requests, value));
        }
        self.sign(statement, records)?;
        self.book = book;
        Ok(())
    }

    fn list(&mut self, who: Person) -> Result<Listed, ErasureError> {
        let holds = Holds::on(&self.chain, &who, &self.hashes);
        let rows = self.store.read(|transaction| Rows::of(transaction, &who, &holds))?;
        Ok(Listed { who, holds, rows })
    }

    /// The records of these persons in our topics, each of which is read once for all.
    fn copies<'t>(&self, all: impl IntoIterator<Item = (&'t Listed, &'t Known)>) -> Result<Found, ErasureError> {
        let theirs = |(Listed { who, holds, rows }, known): (&'t Listed, &'t Known)| Theirs {
            who,
            holds,
            attempts: rows.attempts(),
            reservations: known.reservations.iter().map(String::as_str).chain(rows.reservations()).collect(),
        };
        let all: Vec<Theirs<'t>> = all.into_iter().map(theirs).collect();
        Ok(copies::find(&self.log, &all, self.config.stream.transaction_timeout)?)
    }

    /// Signs a statement, and writes it together with what holds only if the statement does. Returns its number.
    fn sign(&mut self, statement: Statement, mut together: Vec<New>) -> Result<u64, ErasureError> {
        let mut chain = self.chain.clone();
        let number = chain.next_number();
        let bytes = chain.sign(statement, &self.signing, Timestamp::now())?;
        together.push(New::of_officer(&self.log.topics.erasure_records, bytes));
        self.writer.write(&together)?;
        self.chain = chain;
        Ok(number)
    }
}

fn read_up_to((topic, ends): (String, BTreeMap<i32, i64>)) -> impl Iterator<Item = ReadUpTo> {
    ends.into_iter().map(move |(partition, end)| ReadUpTo { topic: topic.clone(), partition, end })
}
