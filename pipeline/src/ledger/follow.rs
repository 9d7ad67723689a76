//! Follows the topics into the store. What was read of each partition is written in the transaction that takes its records
//! in, so a process that dies at any point goes on from there, and a store that is lost is made again from the topics.

use super::{
    LedgerError,
    events::{EventError, Kind, read},
    rows::Batch,
    store::{Store, StoreError, Transaction, Value},
};
use crate::{
    config::Config,
    stages::Output,
    stream::{
        StreamError,
        client::{Clients, access},
        failpoint::point,
        followed::reader::{Begin, Reader},
        topics::Topics,
    },
    wire::kept::KeptError,
};
use rdkafka::{Message as _, producer::Producer as _};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How long one waits for a record before the next topic is looked at.
const POLL: Duration = Duration::from_millis(50);

/// So many records of a topic, and bytes, are taken in at once.
const AT_ONCE: (usize, usize) = (5_000, 8 << 20);

/// What following came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Records that were taken in.
    pub records: u64,
    /// Records that could not be read.
    pub unread: u64,
}

/// The topics that the ledger follows, and what their records are.
pub fn followed(topics: &Topics) -> [(Kind, &str); 4] {
    [
        (Kind::Ruleset, &topics.rulesets),
        (Kind::Reservation, topics.of(Output::Reservations)),
        (Kind::Usage, &topics.usage),
        (Kind::Decision, topics.of(Output::Decisions)),
    ]
}

/// The clients of a command beside the processes, after a broker has answered; and the id of its cluster.
///
/// # Errors
/// No broker answers, or one refuses this client.
pub fn connect(config: &Arc<Config>) -> Result<(Clients, Topics, String), StreamError> {
    let clients = Clients::beside(config.clone(), "ledger")?;
    let topics = Topics::new(&config.kafka.topic_prefix);
    let timeout = config.stream.transaction_timeout;
    let producer = clients.kept()?;
    clients.connect(&producer, timeout)?;
    let cluster = producer.client().fetch_cluster_id(timeout).ok_or(StreamError::NoClusterId)?;
    Ok((clients, topics, cluster))
}

/// Follows until it is told to stop; with `once` until everything that is there was taken in.
///
/// # Errors
/// A topic can no longer be read whole, or the store does not go along. What was taken in until then stays.
pub fn follow(config: &Arc<Config>, store: &mut Store, once: bool, stop: &AtomicBool) -> Result<Followed, LedgerError> {
    if !store.claim_following()? {
        return Err(LedgerError::Followed(store.name()));
    }
    let (clients, topics, cluster) = connect(config)?;
    let timeout = config.stream.transaction_timeout;
    let ended =
        Follower::open(&clients, &topics, &cluster, store, timeout).and_then(|follower| follower.follow(once, stop));
    ended.map_err(|error| match error {
        LedgerError::Stream(error) => access::explain(error, &clients, &topics).into(),
        error => error,
    })
}

struct Follower<'s> {
    store: &'s mut Store,
    cluster: &'s str,
    readers: Vec<(Kind, Reader)>,
    timeout: Duration,
    done: Followed,
}

/// What is taken in together.
#[derive(Default)]
struct Together {
    batch: Batch,
    /// Where each partition is read from next.
    next: BTreeMap<(String, i32), i64>,
    /// Records that cannot be read, by place, and why.
    unread: Vec<(String, i32, i64, String)>,
}

impl<'s> Follower<'s> {
    fn open(
        clients: &Clients,
        topics: &Topics,
        cluster: &'s str,
        store: &'s mut Store,
        timeout: Duration,
    ) -> Result<Self, LedgerError> {
        let mut readers = Vec::new();
        for (kind, topic) in followed(topics) {
            let positions = store.read(|transaction| positions(transaction, cluster, topic))?;
            let reader = Reader::open_from(clients, topic, Begin::Offsets(positions.clone()), timeout)?;
            check(&reader, &positions)?;
            readers.push((kind, reader));
        }
        Ok(Self { store, cluster, readers, timeout, done: Followed::default() })
    }

    fn follow(mut self, once: bool, stop: &AtomicBool) -> Result<Followed, LedgerError> {
        let mut heard = Instant::now();
        while !stop.load(Ordering::SeqCst) {
            let together = self.poll()?;
            if !together.next.is_empty() {
                heard = Instant::now();
                self.take_in(together)?;
            } else if once {
                match self.readers.iter().find(|(_, reader)| !reader.is_at_the_end()) {
                    None => break,
                    Some((_, reader)) if heard.elapsed() > self.timeout => {
                        return Err(StreamError::Unread { topic: reader.topic().into(), waited: self.timeout }.into());
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(self.done)
    }

    /// What has come of each topic.
    fn poll(&mut self) -> Result<Together, LedgerError> {
        let mut together = Together::default();
        for (kind, reader) in &mut self.readers {
            let topic = reader.topic().to_owned();
            let (mut records, mut bytes) = (0, 0);
            // One waits only where nothing has come.
            let mut wait = if together.next.is_empty() { POLL } else { Duration::ZERO };
            while records < AT_ONCE.0 && bytes < AT_ONCE.1 {
                let Some(record) = reader.poll_for(wait)? else { break };
                let (partition, offset) = (record.partition(), record.offset());
                match read(*kind, record.payload()) {
                    // A decision that was erased from its topic.
                    Err(EventError::Kept(KeptError::Tombstone)) if *kind == Kind::Decision => {}
                    Ok(event) => together.batch.push(event),
                    Err(wrong) => {
                        tracing::error!(
                            "{topic}/{partition}/{offset} cannot be read, and whom it is about is not known: {wrong}"
                        );
                        together.unread.push((topic.clone(), partition, offset, wrong.to_string()));
                    }
                }
                together.next.insert((topic.clone(), partition), offset + 1);
                (records, bytes, wait) = (records + 1, bytes + record.payload_len(), Duration::ZERO);
            }
            reader.look()?;
        }
        Ok(together)
    }

    fn take_in(&mut self, together: Together) -> Result<(), LedgerError> {
        let Together { batch, next, unread } = together;
        let (records, lost) = (batch.records as u64, unread.len() as u64);
        let cluster = self.cluster;
        self.store.write::<_, StoreError>(|transaction| {
            transaction.take_in(batch)?;
            for (topic, partition, offset, reason) in unread {
                let values =
                    [cluster.into(), topic.into(), Value::Integer(partition.into()), offset.into(), reason.into()];
                transaction.execute(UNREAD, &values)?;
            }
            for ((topic, partition), next) in next {
                let values = [cluster.into(), topic.into(), Value::Integer(partition.into()), next.into()];
                transaction.execute(POSITION, &values)?;
            }
            point("ledger_before_commit");
            Ok(())
        })?;
        point("ledger_after_commit");
        self.done.records += records;
        self.done.unread += lost;
        Ok(())
    }
}

const UNREAD: &str = "INSERT INTO unread (cluster, topic, partition_number, record_offset, reason) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";

/// Never back.
const POSITION: &str = "INSERT INTO positions (cluster, topic, partition_number, next_offset) VALUES ($1, $2, $3, $4)
    ON CONFLICT (cluster, topic, partition_number) DO UPDATE SET next_offset = excluded.next_offset
    WHERE excluded.next_offset > positions.next_offset";

/// Where each partition of a topic is read from next.
///
/// # Errors
/// The store does not go along.
pub fn positions(
    transaction: &mut Transaction<'_>,
    cluster: &str,
    topic: &str,
) -> Result<BTreeMap<i32, i64>, StoreError> {
    let statement = "SELECT partition_number, next_offset FROM positions WHERE cluster = $1 AND topic = $2";
    let rows = transaction.query(statement, &[cluster.into(), topic.into()])?;
    let partition = |row: &super::store::Record| {
        i32::try_from(row.integer(0)?).map_err(|_| StoreError::Unexpected("another number", "a partition"))
    };
    rows.iter().map(|row| Ok((partition(row)?, row.integer(1)?))).collect()
}

/// Whether what was read goes on: nothing between is gone, and no topic is shorter than what was read of it.
fn check(reader: &Reader, positions: &BTreeMap<i32, i64>) -> Result<(), LedgerError> {
    let bounds = reader.bounds().map_err(StreamError::Client)?;
    for (partition, next) in positions {
        let (topic, partition, next) = (reader.topic().to_owned(), *partition, *next);
        match bounds.get(&partition) {
            Some((first, _)) if *first > next => {
                return Err(LedgerError::Gap { topic, partition, next, first: *first });
            }
            Some((_, end)) if *end < next => return Err(LedgerError::Shortened { topic, partition, next, end: *end }),
            None => return Err(LedgerError::Shortened { topic, partition, next, end: 0 }),
            Some(_) => {}
        }
    }
    Ok(())
}
