//! Holds what the gate wrote against what the ledger knows, from outside: never by a counter of the gate's own.
//!
//! Every cleared record that anybody could see, committed or not, must have a reservation. A reservation whose attempt was
//! never decided under the same ruleset is an orphan: the process died between the two. It is evidence, stays, and is
//! counted.

use super::{
    LedgerError,
    follow::connect,
    passed::{Behind, Waited, wait_until_passed},
    store::{Record, Store, StoreError, Transaction, Value},
};
use crate::{
    config::Config,
    stages::{Output, RESERVATION_HEADER},
    stream::{StreamError, client::Clients, followed::reader::Reader},
};
use rdkafka::{
    Message as _,
    message::{BorrowedMessage, Headers as _},
};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

/// So many of a kind are named; all are counted.
const NAMED: usize = 100;

/// What does not agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Cleared records that were looked at, committed or not.
    pub cleared: u64,
    /// Places of cleared records without a reservation: an alarm.
    pub unreserved: Named,
    /// Reservations, by their ids, of which records say different things.
    pub conflicting: Named,
    /// Reservations whose attempt has no decision under the same ruleset, since the oldest decision that is still there.
    pub orphans: u64,
    /// Places of records that could not be read.
    pub unread: Named,
}

/// Some of many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Named {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: Vec<String>,
}

impl Named {
    fn push(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(name());
        }
    }
}

impl Findings {
    /// Whether all is as it must be. Orphans are.
    pub fn is_clean(&self) -> bool {
        self.unreserved.count == 0 && self.conflicting.count == 0 && self.unread.count == 0
    }
}

/// What can be seen in the store alone.
///
/// # Errors
/// The store does not go along.
pub fn of_store(store: &mut Store) -> Result<Findings, StoreError> {
    store.read(|transaction| {
        let mut findings = Findings::default();
        within(transaction, &mut findings)?;
        Ok(findings)
    })
}

/// What can be seen in the store and in the topics; or how far behind the ledger is.
///
/// # Errors
/// A topic cannot be read, or the store does not go along.
pub fn with_topics(
    config: &Arc<Config>,
    store: &mut Store,
    patience: Duration,
) -> Result<Result<Findings, Vec<Behind>>, LedgerError> {
    let (clients, topics, _) = connect(config)?;
    let timeout = config.stream.transaction_timeout;
    store.write(|transaction| transaction.define(TEMPORARY))?;
    let cleared = cleared(&clients, topics.of(Output::Cleared), timeout, store)?;
    let since = decided(&clients, topics.of(Output::Decisions), timeout, store)?;
    // Only now: whatever was cleared before had its reservation before, so the ledger must have it by then.
    if let Waited::Behind(behind) = wait_until_passed(config, store, patience)? {
        return Ok(Err(behind));
    }
    let mut findings = Findings { cleared, ..Findings::default() };
    store.read::<_, StoreError>(|transaction| {
        within(transaction, &mut findings)?;
        transaction.each(UNRESERVED, &[], |row: Record| {
            let place = row.text(0)?.to_owned();
            findings.unreserved.push(|| place);
            Ok::<_, StoreError>(())
        })?;
        let orphans = transaction.query(ORPHANS, &[Value::Integer(since)])?;
        findings.orphans = orphans.first().map_or(Ok(0), |row| row.integer(0))?.unsigned_abs();
        Ok(())
    })?;
    Ok(Ok(findings))
}

const TEMPORARY: &str = "CREATE TEMPORARY TABLE seen_cleared (reservation_id TEXT, place TEXT);
    CREATE TEMPORARY TABLE seen_decided (attempt TEXT, ruleset TEXT)";

const UNRESERVED: &str = "SELECT seen_cleared.place FROM seen_cleared
    LEFT JOIN reservations ON reservations.reservation_id = seen_cleared.reservation_id
    WHERE reservations.reservation_id IS NULL";

const ORPHANS: &str = "SELECT count(*) FROM reservations
    LEFT JOIN seen_decided ON seen_decided.attempt = reservations.attempt AND seen_decided.ruleset = reservations.ruleset
    WHERE seen_decided.attempt IS NULL AND reservations.place IS NOT NULL AND reservations.first_at >= $1";

/// Terms, ruleset and mode may differ, since a record may be decided again after a crash; anything else may not.
const CONFLICTING: &str = "SELECT reservation_id FROM (
        SELECT DISTINCT reservation_id, tenant, customer_key, source, provider, destination, reserved_requests, transcript_id, attempt
        FROM reservations
    ) AS said
    GROUP BY reservation_id HAVING count(*) > 1 ORDER BY reservation_id";

fn within(transaction: &mut Transaction<'_>, findings: &mut Findings) -> Result<(), StoreError> {
    transaction.each(CONFLICTING, &[], |row: Record| {
        let id = row.text(0)?.to_owned();
        findings.conflicting.push(|| id);
        Ok::<_, StoreError>(())
    })?;
    let unread = "SELECT topic, partition_number, record_offset, reason FROM unread ORDER BY topic, partition_number, record_offset";
    transaction.each(unread, &[], |row: Record| {
        let place = format!("{}/{}/{}: {}", row.text(0)?, row.integer(1)?, row.integer(2)?, row.text(3)?);
        findings.unread.push(|| place);
        Ok(())
    })
}

/// Rows for a temporary table, so that a topic of any length takes no more memory than so many of them. The table is gone
/// with the connection.
struct Rows<'s> {
    store: &'s mut Store,
    insert: &'static str,
    rows: Vec<[Value; 2]>,
    failed: Result<(), StoreError>,
}

/// So many rows are inserted together.
const AT_ONCE: usize = 10_000;

impl<'s> Rows<'s> {
    fn new(store: &'s mut Store, insert: &'static str) -> Self {
        Self { store, insert, rows: Vec::new(), failed: Ok(()) }
    }

    fn push(&mut self, row: [Value; 2]) {
        self.rows.push(row);
        if self.rows.len() >= AT_ONCE {
            self.insert();
        }
    }

    fn insert(&mut self) {
        let (rows, insert) = (std::mem::take(&mut self.rows), self.insert);
        if self.failed.is_ok() {
            self.failed = self
                .store
                .write(|transaction| rows.iter().try_for_each(|row| transaction.execute(insert, row).map(drop)));
        }
    }

    /// Inserts what is left. Fails with whatever failed before.
    fn finish(mut self) -> Result<(), StoreError> {
        self.insert();
        self.failed
    }
}

/// Keeps the reservation that each cleared record names, if it names any, and its place. Also of transactions that were
/// aborted: a reader of uncommitted records could see those. Returns how many there are.
fn cleared(clients: &Clients, topic: &str, timeout: Duration, store: &mut Store) -> Result<u64, LedgerError> {
    #[derive(Deserialize)]
    struct Names {
        reservation_id: Option<String>,
    }
    let (mut rows, mut count) = (Rows::new(store, "INSERT INTO seen_cleared VALUES ($1, $2)"), 0);
    Reader::open_uncommitted(clients, topic, timeout)?.to_the_end(|record| {
        // Not a tombstone.
        if let Some(value) = record.payload() {
            let of_member = || serde_json::from_slice::<Names>(value).ok()?.reservation_id;
            let id = header(record, RESERVATION_HEADER).or_else(of_member);
            rows.push([id.into(), format!("{topic}/{}/{}", record.partition(), record.offset()).into()]);
            count += 1;
        }
        Ok(())
    })?;
    rows.finish()?;
    Ok(count)
}

fn header(record: &BorrowedMessage<'_>, name: &str) -> Option<String> {
    let header = record.headers()?.iter().find(|header| header.key == name)?;
    std::str::from_utf8(header.value?).ok().map(str::to_owned)
}

/// Keeps each decision that is committed. Returns since when all are there: what was reserved before the oldest one may have
/// been decided, unless none has expired.
fn decided(clients: &Clients, topic: &str, timeout: Duration, store: &mut Store) -> Result<i64, LedgerError> {
    #[derive(Deserialize)]
    struct Decided {
        attempt: String,
        ruleset: String,
        #[serde(with = "crate::wire::kept::time")]
        as_of: jiff::Timestamp,
    }
    let (mut rows, mut oldest) = (Rows::new(store, "INSERT INTO seen_decided VALUES ($1, $2)"), i64::MAX);
    let mut reader = Reader::open(clients, topic, timeout)?;
    reader.to_the_end(|record| {
        // What cannot be read is found by the follower.
        if let Some(decided) = record.payload().and_then(|value| serde_json::from_slice::<Decided>(value).ok()) {
            rows.push([decided.attempt.into(), decided.ruleset.into()]);
            oldest = oldest.min(super::rows::microseconds(decided.as_of));
        }
        Ok(())
    })?;
    rows.finish()?;
    let is_whole = reader.bounds().map_err(StreamError::Client)?.values().all(|(first, _)| *first == 0);
    Ok(if is_whole { i64::MIN } else { oldest })
}
