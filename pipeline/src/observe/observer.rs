//! The handle that the stream tells what happens.

use super::{
    latency::{Latency, quantiles_in_ms},
    partitions::Partitions,
    readiness::{Bounds, Facts},
    reservations::Reservations,
    usage::Usage,
};
use crate::{ruleset::Ruleset, stages::Tally};
use jiff::Timestamp;
use prometheus_client::metrics::histogram::Histogram;
use rdkafka::statistics::Statistics;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Knows what the stream has done and how it stands. Calls take a lock for a moment; there are a few for each batch, and
/// one for each turn of the polling thread.
#[derive(Debug)]
pub struct Observer {
    bounds: Bounds,
    state: Mutex<State>,
}

/// A batch that was cut and is to be scanned.
#[derive(Debug)]
pub struct Cut {
    /// Its number.
    pub id: u64,
    /// Bytes of its records.
    pub bytes: usize,
    /// The offset to commit for each partition.
    pub offsets: BTreeMap<i32, i64>,
    /// When each record was published, in milliseconds since 1970; 0 where nobody says.
    pub published_ms: Vec<i64>,
}

/// What scanning a batch has shown.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Counts of its attempts.
    pub tally: Tally,
    /// The partition and the id of each reservation that is to be written.
    pub reserved: Vec<(i32, String)>,
    /// How long it took.
    pub took: Duration,
}

/// A batch that was cut and has not ended.
#[derive(Debug)]
struct InHand {
    cut: Cut,
    scanned: Scanned,
    /// Whether the committer has it. What it has not is forgotten with its epoch.
    is_committing: bool,
}

/// The ruleset in use.
pub(super) struct InUse {
    pub(super) ruleset: Arc<Ruleset>,
    pub(super) since: Timestamp,
    /// Why the one that came after it was refused.
    pub(super) refused: Option<String>,
}

impl std::fmt::Debug for InUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InUse({}, since {})", self.ruleset.digest, self.since)
    }
}

/// Everything that is known.
#[derive(Debug)]
pub(super) struct State {
    pub(super) tally: Tally,
    pub(super) end_to_end: Latency,
    pub(super) scanning: Latency,
    pub(super) committing: Latency,
    pub(super) batch_records: Histogram,
    pub(super) batch_bytes: Histogram,
    pub(super) transactions: Transactions,
    pub(super) reservations: Reservations,
    pub(super) rebalances: BTreeMap<&'static str, u64>,
    pub(super) partitions: Partitions,
    pub(super) in_flight_bytes: usize,
    pub(super) ruleset: Option<InUse>,
    pub(super) reloads: Reloads,
    pub(super) usage: Usage,
    pub(super) last_error: Option<(Timestamp, String)>,
    pub(super) last_commit: Option<Timestamp>,
    in_hand: BTreeMap<u64, InHand>,
    /// Batches that were aborted, or whose outcome nobody knows, until what is committed is read again.
    unsure: Vec<InHand>,
    turned: Option<Instant>,
    waiting_since: Option<Instant>,
    broker: Option<Broker>,
    is_stopping: bool,
}

/// When any broker last answered, as of when the client said so: a thread that does not poll hears nothing of either.
#[derive(Clone, Copy, Debug)]
struct Broker {
    answered: Instant,
    seen: Instant,
}

/// Transactions by result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Transactions {
    pub(super) committed: u64,
    pub(super) aborted: u64,
}

/// Rulesets that came after the first, by result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reloads {
    pub(super) loaded: u64,
    pub(super) refused: u64,
}

impl Observer {
    /// One that has seen nothing.
    pub fn new(bounds: Bounds) -> Arc<Self> {
        let state = State {
            tally: Tally::default(),
            end_to_end: Latency::default(),
            scanning: Latency::default(),
            committing: Latency::default(),
            batch_records: Histogram::new([1.0, 10.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0, 20_000.0, 100_000.0]),
            batch_bytes: Histogram::new((10..=30).step_by(2).map(|power| f64::from(1 << power))),
            transactions: Transactions::default(),
            reservations: Reservations::default(),
            rebalances: ["assigned", "revoked", "lost"].map(|kind| (kind, 0)).into(),
            partitions: Partitions::default(),
            in_flight_bytes: 0,
            ruleset: None,
            reloads: Reloads::default(),
            usage: Usage::default(),
            last_error: None,
            last_commit: None,
            in_hand: BTreeMap::new(),
            unsure: Vec::new(),
            turned: None,
            waiting_since: None,
            broker: None,
            is_stopping: false,
        };
        Arc::new(Self { bounds, state: Mutex::new(state) })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// A ruleset is in use from now on.
    pub fn ruleset_in_use(&self, ruleset: &Arc<Ruleset>) {
        let mut state = self.state();
        state.reloads.loaded += u64::from(state.ruleset.is_some());
        state.ruleset = Some(InUse { ruleset: ruleset.clone(), since: Timestamp::now(), refused: None });
    }

    /// A changed ruleset cannot be used, for this reason; the one in use stays.
    pub fn ruleset_refused(&self, why: &str) {
        let mut state = self.state();
        state.reloads.refused += 1;
        if let Some(in_use) = &mut state.ruleset {
            in_use.refused = Some(why.to_owned());
        }
    }

    /// What was refused is gone: there is nothing newer than what is in use.
    pub fn ruleset_refusal_over(&self) {
        if let Some(in_use) = &mut self.state().ruleset {
            in_use.refused = None;
        }
    }

    /// Something went wrong; the last such thing is a detail of `/readyz`.
    pub fn error(&self, message: &str) {
        self.state().last_error = Some((Timestamp::now(), message.to_owned()));
    }

    /// The polling thread has turned, with so many bytes in flight.
    pub fn turned(&self, in_flight_bytes: usize) {
        let mut state = self.state();
        state.turned = Some(Instant::now());
        state.in_flight_bytes = in_flight_bytes;
        state.see_whether_records_wait();
    }

    /// The process was told to stop.
    pub fn stopping(&self) {
        self.state().is_stopping = true;
    }

    /// The group has given these partitions, or none.
    pub fn assigned(&self, partitions: &[i32]) {
        let mut state = self.state();
        state.count_rebalance("assigned");
        state.partitions.assigned(partitions.iter().copied());
    }

    /// These partitions were given away, or lost.
    pub fn gone(&self, partitions: &BTreeSet<i32>, is_lost: bool) {
        let mut state = self.state();
        state.count_rebalance(if is_lost { "lost" } else { "revoked" });
        match is_lost {
            true => state.partitions.lost(),
            false => state.partitions.gone(partitions),
        }
        state.reservations.gone(partitions);
    }

    /// What is committed was read. It says what became of batches of which nobody was sure.
    pub fn positions(&self, positions: &BTreeMap<i32, i64>) {
        let mut state = self.state();
        for batch in std::mem::take(&mut state.unsure) {
            let is_committed = |(partition, offset)| positions.get(partition).is_some_and(|known| known >= offset);
            // A transaction is whole: one partition speaks for all.
            match batch.cut.offsets.iter().any(is_committed) {
                true => state.commit(batch),
                false => state.abort(batch),
            }
        }
        state.partitions.assigned(positions.keys().copied());
        state.partitions.committed(positions);
    }

    /// What the client says of itself, once a second.
    pub fn statistics(&self, statistics: &Statistics, topic: &str) {
        let mut state = self.state();
        // Without a connection the client does not say when a broker last answered.
        let ago = statistics.brokers.values().filter_map(|broker| u64::try_from(broker.rxidle).ok()).min();
        let now = Instant::now();
        let answered = ago.and_then(|micros| now.checked_sub(Duration::from_micros(micros)));
        let before = state.broker.map(|broker| broker.answered);
        state.broker = Some(Broker { answered: answered.or(before).unwrap_or(now), seen: now });
        if let Some(topic) = statistics.topics.get(topic) {
            state.partitions.statistics(topic);
        }
    }

    /// A batch was cut.
    pub fn cut(&self, cut: Cut) {
        let in_hand = InHand { cut, scanned: Scanned::default(), is_committing: false };
        self.state().in_hand.insert(in_hand.cut.id, in_hand);
    }

    /// A batch was scanned.
    pub fn scanned(&self, id: u64, scanned: Scanned) {
        let mut state = self.state();
        state.scanning.observe(scanned.took);
        if let Some(batch) = state.in_hand.get_mut(&id) {
            batch.scanned = scanned;
        }
    }

    /// A batch was handed to the committer.
    pub fn committing(&self, id: u64) {
        if let Some(batch) = self.state().in_hand.get_mut(&id) {
            batch.is_committing = true;
        }
    }

    /// The broker has acknowledged so many reservations.
    pub fn reserved(&self, count: usize) {
        self.state().reservations.acknowledged += count as u64;
    }

    /// A batch is committed.
    pub fn committed(&self, id: u64) {
        let mut state = self.state();
        if let Some(batch) = state.in_hand.remove(&id) {
            state.commit(batch);
        }
    }

    /// A transaction took so long, from its begin to its commit.
    pub fn transaction_took(&self, time: Duration) {
        self.state().committing.observe(time);
    }

    /// A batch was aborted, or nobody knows what became of it.
    pub fn aborted(&self, id: u64) {
        let mut state = self.state();
        if let Some(batch) = state.in_hand.remove(&id) {
            state.unsure.push(batch);
        }
    }

    /// The times so far, a line for each kind that was seen.
    pub fn latencies(&self) -> Vec<String> {
        let state = self.state();
        [("end to end", &state.end_to_end), ("scan", &state.scanning), ("commit", &state.committing)]
            .into_iter()
            .filter(|(_, latency)| !latency.micros().is_empty())
            .map(|(kind, latency)| format!("{kind}, ms: {}", quantiles_in_ms(latency.micros())))
            .collect()
    }

    /// A new epoch: what is not with the committer is forgotten.
    pub fn new_epoch(&self) {
        self.state().in_hand.retain(|_, batch| batch.is_committing);
    }
}

impl State {
    /// What `/readyz` judges.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            turned: self.turned.map(|turned| turned.elapsed()),
            assigned: self.partitions.count(),
            broker_answered: self.broker.map(|broker| broker.seen - broker.answered),
            stalled: self.waiting_since.map(|since| since.elapsed()),
            is_stopping: self.is_stopping,
        }
    }

    /// Offsets that are not committed, by partition.
    pub(super) fn lag(&self) -> BTreeMap<i32, u64> {
        self.partitions.lag(self.in_hand.is_empty() && self.in_flight_bytes == 0)
    }

    /// Seconds since the oldest record was published that was read and is not committed; 0 while there is none.
    pub(super) fn oldest_undecided_seconds(&self) -> f64 {
        let published = self.in_hand.values().flat_map(|batch| &batch.cut.published_ms);
        let oldest = published.copied().filter(|ms| *ms > 0).min();
        oldest.map_or(0.0, |oldest| since(oldest).as_secs_f64())
    }

    /// Records in batches that have not ended.
    pub(super) fn in_hand(&self) -> u64 {
        self.in_hand.values().map(|batch| batch.cut.published_ms.len() as u64).sum()
    }

    fn count_rebalance(&mut self, kind: &'static str) {
        *self.rebalances.entry(kind).or_default() += 1;
    }

    fn see_whether_records_wait(&mut self) {
        let waits = self.in_flight_bytes > 0 || !self.in_hand.is_empty() || self.lag().values().any(|lag| *lag > 0);
        match (waits, self.waiting_since) {
            (true, None) => self.waiting_since = Some(Instant::now()),
            (false, Some(_)) => self.waiting_since = None,
            _ => {}
        }
    }

    fn commit(&mut self, batch: InHand) {
        self.transactions.committed += 1;
        self.last_commit = Some(Timestamp::now());
        // Time without a commit begins anew.
        self.waiting_since = None;
        self.tally.add(&batch.scanned.tally);
        self.reservations.committed(&batch.scanned.reserved);
        self.partitions.committed(&batch.cut.offsets);
        self.batch_records.observe(batch.cut.published_ms.len() as f64);
        self.batch_bytes.observe(batch.cut.bytes as f64);
        for published in batch.cut.published_ms.iter().filter(|ms| **ms > 0) {
            self.end_to_end.observe(since(*published));
        }
    }

    fn abort(&mut self, batch: InHand) {
        self.transactions.aborted += 1;
        self.reservations.aborted(batch.scanned.reserved, &self.partitions);
    }
}

/// Time since a moment in milliseconds since 1970; none if it is yet to come, by another machine's clock.
fn since(published_ms: i64) -> Duration {
    let ms = Timestamp::now().as_millisecond().saturating_sub(published_ms);
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
