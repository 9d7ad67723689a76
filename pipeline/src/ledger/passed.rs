//! Whether the ledger has passed the ends of the topics: what is asked before it would be an answer from the past.

use super::{
    LedgerError,
    follow::{connect, followed, positions},
    store::Store,
};
use crate::{
    config::Config,
    stream::{
        StreamError,
        client::{Clients, access},
        followed::reader::{Begin, Reader, bounds_of},
        topics::Topics,
    },
};
use rdkafka::Message as _;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fmt,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long one waits before it looks again.
const PAUSE: Duration = Duration::from_millis(250);

/// Where each partition of each topic that the ledger follows ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// The id of the cluster.
    pub cluster: String,
    /// By topic and partition.
    pub topics: BTreeMap<String, BTreeMap<i32, i64>>,
}

/// A partition of which the ledger has not taken in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// Where the ledger reads on.
    pub next: i64,
    /// Where the partition ended.
    pub end: i64,
}

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topic, partition, next, end } = self;
        write!(f, "{topic}/{partition}: read up to {next} of {end}, {} behind", end - next)
    }
}

/// What came of waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The ledger has passed these ends.
    Passed(Ends),
    /// It has not, and is so far behind.
    Behind(Vec<Behind>),
}

/// Reads where the topics end now, and waits so long until the ledger has passed that.
///
/// # Errors
/// A topic cannot be read, or the store does not go along.
pub fn wait_until_passed(config: &Arc<Config>, store: &mut Store, patience: Duration) -> Result<Waited, LedgerError> {
    let (clients, topics, cluster) = connect(config)?;
    let timeout = config.stream.transaction_timeout;
    wait(&clients, &topics, cluster, store, timeout, patience).map_err(|error| match error {
        LedgerError::Stream(error) => access::explain(error, &clients, &topics).into(),
        error => error,
    })
}

fn wait(
    clients: &Clients,
    topics: &Topics,
    cluster: String,
    store: &mut Store,
    timeout: Duration,
    patience: Duration,
) -> Result<Waited, LedgerError> {
    let mut ends = Ends { cluster, topics: BTreeMap::new() };
    let mut first = BTreeMap::new();
    for (_, topic) in followed(topics) {
        // Read before the end, which only grows: a ledger that has passed it was fed by another topic of this name.
        let known = store.read(|transaction| positions(transaction, &ends.cluster, topic))?;
        let bounds = bounds_of(clients, topic, timeout)?;
        for (partition, next) in known {
            let end = bounds.get(&partition).map_or(0, |(_, end)| *end);
            if next > end {
                return Err(LedgerError::Shortened { topic: topic.into(), partition, next, end });
            }
        }
        ends.topics.insert(topic.into(), bounds.iter().map(|(partition, (_, end))| (*partition, *end)).collect());
        first.insert(topic, bounds);
    }
    let deadline = Instant::now() + patience;
    loop {
        let mut behind = Vec::new();
        for (topic, bounds) in &first {
            let known = store.read(|transaction| positions(transaction, &ends.cluster, topic))?;
            let next = |partition, begins| known.get(partition).copied().unwrap_or(begins);
            let stand = bounds
                .iter()
                .map(|(partition, (begins, end))| (*partition, (next(partition, *begins), *end)))
                .collect();
            behind.extend(with_records(clients, topic, &stand, timeout)?);
        }
        if behind.is_empty() {
            return Ok(Waited::Passed(ends));
        }
        if Instant::now() >= deadline {
            return Ok(Waited::Behind(behind));
        }
        thread::sleep(PAUSE);
    }
}

/// Those partitions in which a record stands between where the ledger reads on and the end. What ends a transaction takes
/// an offset too, and is no record, so an end can only be told from a record by reading on.
fn with_records(
    clients: &Clients,
    topic: &str,
    stand: &BTreeMap<i32, (i64, i64)>,
    timeout: Duration,
) -> Result<Vec<Behind>, StreamError> {
    let (mut behind, mut late) = (Vec::new(), stand.clone());
    late.retain(|_, (next, end)| next < end);
    if late.is_empty() {
        return Ok(behind);
    }
    // Opened after the ends were read, so an end that it reaches is none of before.
    let from = stand.iter().map(|(partition, (next, _))| (*partition, *next)).collect();
    let mut reader = Reader::open_from(clients, topic, Begin::Offsets(from), timeout)?;
    let deadline = Instant::now() + timeout;
    while !late.is_empty() {
        if let Some(record) = reader.poll()? {
            let (partition, offset) = (record.partition(), record.offset());
            if let Some((next, end)) = late.get(&partition).copied() {
                late.remove(&partition);
                if offset < end {
                    behind.push(Behind { topic: topic.into(), partition, next, end });
                }
            }
        }
        late.retain(|partition, _| !reader.has_ended(*partition));
        if Instant::now() >= deadline {
            return Err(StreamError::Unread { topic: topic.into(), waited: timeout });
        }
    }
    Ok(behind)
}
