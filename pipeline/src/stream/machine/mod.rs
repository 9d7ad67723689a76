//! What the stream does next: a state machine with no client in it.
//!
//! It is told what happened (a record came, a batch was scanned, a commit failed, partitions were revoked) and answers
//! with what to do. Times are given to it, so that it can be tested with none passing. Batches are filled, scanned and
//! committed in order; the next one is scanned while the last one commits, and one transaction is open at a time.
//!
//! Work belongs to an *epoch*. When a transaction is aborted or partitions are lost, a new epoch begins: what was in
//! flight is forgotten, results of an older epoch are dropped when they come, and kept partitions are read again from
//! what was committed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// When a batch is closed, and how much may be in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A batch has at most this many bytes, but for a single record that is larger,
    pub batch_bytes: usize,
    /// and at most this many records.
    pub batch_records: usize,
    /// It is closed when it is full, or at this age of its first record, in milliseconds.
    pub batch_age_ms: u64,
    /// Intake pauses while this many bytes are unfinished, and goes on at half of it.
    pub in_flight_bytes: usize,
}

/// Where a record was read, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// Bytes that it holds in memory.
    pub bytes: usize,
}

/// Records that are decided and committed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<T> {
    /// Its number; they count on.
    pub id: u64,
    /// The epoch that it belongs to.
    pub epoch: u64,
    /// The records, those of one partition in the order of their offsets.
    pub records: Vec<(Place, T)>,
}

impl<T> Batch<T> {
    /// The offset to commit for each partition: one past the last that is in the batch. Offsets have gaps, so this is
    /// never a count.
    pub fn offsets(&self) -> BTreeMap<i32, i64> {
        self.records.iter().map(|(place, _)| (place.partition, place.offset + 1)).collect()
    }

    /// Bytes of its records.
    pub fn bytes(&self) -> usize {
        self.records.iter().map(|(place, _)| place.bytes).sum()
    }
}

/// What to do next, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<T> {
    /// Take the batch through the stages.
    Scan(Batch<T>),
    /// Reserve, then commit the batch of this number in one transaction.
    Commit(u64),
    /// Deliver no more records, and keep polling.
    Pause,
    /// Deliver records again.
    Resume,
    /// Read these partitions again from what was committed.
    Rewind(Vec<i32>),
    /// Leave the group and end: everything is committed or aborted.
    Stop,
}

/// A batch that left the machine and has not ended.
#[derive(Clone, Debug)]
struct InFlight {
    id: u64,
    bytes: usize,
    offsets: BTreeMap<i32, i64>,
}

/// A record that waits to be in a batch.
#[derive(Debug)]
struct Waiting<T> {
    place: Place,
    record: T,
    came_ms: u64,
}

/// The state machine. `T` is whatever a record holds.
#[derive(Debug)]
pub struct Machine<T> {
    limits: Limits,
    epoch: u64,
    next_id: u64,
    assigned: BTreeSet<i32>,
    /// The lowest offset that may come next, by partition: a stale one is dropped.
    expected: BTreeMap<i32, i64>,
    /// What waits, in the order of its coming: more than one batch, while another is scanned.
    filling: VecDeque<Waiting<T>>,
    filling_bytes: usize,
    scanning: Option<InFlight>,
    scanned: Option<InFlight>,
    committing: Option<InFlight>,
    paused: bool,
    stopping: bool,
}

impl<T> Machine<T> {
    /// A machine with nothing assigned.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            epoch: 0,
            next_id: 0,
            assigned: BTreeSet::new(),
            expected: BTreeMap::new(),
            filling: VecDeque::new(),
            filling_bytes: 0,
            scanning: None,
            scanned: None,
            committing: None,
            paused: false,
            stopping: false,
        }
    }

    /// The epoch of new work.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether nothing is being scanned or committed.
    pub fn is_idle(&self) -> bool {
        self.scanning.is_none() && self.scanned.is_none() && self.committing.is_none()
    }

    /// Whether intake is paused: partitions that are assigned now must be paused too.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The partitions that are assigned.
    pub fn assigned(&self) -> &BTreeSet<i32> {
        &self.assigned
    }

    /// Bytes that are unfinished.
    pub fn in_flight_bytes(&self) -> usize {
        let waiting = [&self.scanning, &self.scanned, &self.committing];
        self.filling_bytes + waiting.into_iter().flatten().map(|batch| batch.bytes).sum::<usize>()
    }

    /// Partitions were assigned, to be read from what was committed.
    pub fn on_assigned(&mut self, partitions: impl IntoIterator<Item = i32>) {
        for partition in partitions {
            self.expected.remove(&partition);
            self.assigned.insert(partition);
        }
    }

    /// A record came. It is dropped if its partition is not ours, or if it was seen in this epoch.
    pub fn on_record(&mut self, place: Place, record: T, now_ms: u64) -> Vec<Command<T>> {
        let expected = self.expected.get(&place.partition).copied().unwrap_or(i64::MIN);
        if self.stopping || !self.assigned.contains(&place.partition) || place.offset < expected {
            return Vec::new();
        }
        self.expected.insert(place.partition, place.offset + 1);
        self.filling_bytes += place.bytes;
        self.filling.push_back(Waiting { place, record, came_ms: now_ms });
        self.next(now_ms)
    }

    /// Time passed.
    pub fn on_tick(&mut self, now_ms: u64) -> Vec<Command<T>> {
        self.next(now_ms)
    }

    /// A batch was taken through the stages. A result of an older epoch changes nothing.
    pub fn on_scanned(&mut self, id: u64, now_ms: u64) -> Vec<Command<T>> {
        match self.scanning.take_if(|batch| batch.id == id) {
            Some(batch) => {
                self.scanned = Some(batch);
                self.next(now_ms)
            }
            None => Vec::new(),
        }
    }

    /// A batch was committed. Returns what is committed now, by partition, with what to do next.
    pub fn on_committed(&mut self, id: u64, now_ms: u64) -> (BTreeMap<i32, i64>, Vec<Command<T>>) {
        match self.committing.take_if(|batch| batch.id == id) {
            Some(batch) => (batch.offsets, self.next(now_ms)),
            None => (BTreeMap::new(), Vec::new()),
        }
    }

    /// The transaction of a batch was aborted, or its outcome is unknown and the producer was made anew: whatever is
    /// committed is the truth, and everything after it is read again.
    pub fn on_aborted(&mut self, id: u64) -> Vec<Command<T>> {
        match self.committing.take_if(|batch| batch.id == id) {
            Some(_) => self.new_epoch(),
            None => Vec::new(),
        }
    }

    /// Partitions were revoked after what was in flight had ended, or has to be given up. Records of theirs that are
    /// not in flight are dropped: whoever has the partitions reads them again.
    pub fn on_revoked(&mut self, partitions: &BTreeSet<i32>) -> Vec<Command<T>> {
        self.forget(partitions);
        if self.is_idle() { Vec::new() } else { self.new_epoch() }
    }

    /// Partitions were lost: others may have them already. Nothing in flight may be committed.
    pub fn on_lost(&mut self, partitions: &BTreeSet<i32>) -> Vec<Command<T>> {
        self.forget(partitions);
        self.new_epoch()
    }

    /// The program is to end: no more intake; what is in flight is ended first.
    pub fn on_shutdown(&mut self) -> Vec<Command<T>> {
        self.stopping = true;
        self.filling.clear();
        self.filling_bytes = 0;
        if self.is_idle() { vec![Command::Stop] } else { Vec::new() }
    }

    fn forget(&mut self, partitions: &BTreeSet<i32>) {
        for partition in partitions {
            self.assigned.remove(partition);
            self.expected.remove(partition);
        }
        self.filling.retain(|waiting| !partitions.contains(&waiting.place.partition));
        self.filling_bytes = self.filling.iter().map(|waiting| waiting.place.bytes).sum();
    }

    fn new_epoch(&mut self) -> Vec<Command<T>> {
        self.epoch += 1;
        self.filling.clear();
        self.filling_bytes = 0;
        self.scanning = None;
        self.scanned = None;
        self.committing = None;
        self.expected.clear();
        let mut commands = Vec::new();
        if !self.assigned.is_empty() {
            commands.push(Command::Rewind(self.assigned.iter().copied().collect()));
        }
        commands.extend(self.resume_or_pause());
        if self.stopping {
            commands.push(Command::Stop);
        }
        commands
    }

    /// Moves batches on as far as they can go.
    fn next(&mut self, now_ms: u64) -> Vec<Command<T>> {
        let mut commands = Vec::new();
        if self.committing.is_none()
            && let Some(batch) = self.scanned.take()
        {
            commands.push(Command::Commit(batch.id));
            self.committing = Some(batch);
        }
        if self.scanning.is_none() && self.scanned.is_none() && self.is_full(now_ms) {
            let batch = self.cut();
            self.scanning = Some(InFlight { id: batch.id, bytes: batch.bytes(), offsets: batch.offsets() });
            commands.push(Command::Scan(batch));
        }
        commands.extend(self.resume_or_pause());
        if self.stopping && self.is_idle() {
            commands.push(Command::Stop);
        }
        commands
    }

    /// Whether what waits fills a batch, or has waited long enough.
    fn is_full(&self, now_ms: u64) -> bool {
        self.filling.front().is_some_and(|first| {
            self.filling_bytes >= self.limits.batch_bytes
                || self.filling.len() >= self.limits.batch_records
                || now_ms.saturating_sub(first.came_ms) >= self.limits.batch_age_ms
        })
    }

    /// Takes a batch from the front of what waits: as much as the limits allow, and one record at least.
    fn cut(&mut self) -> Batch<T> {
        let (mut records, mut bytes) = (Vec::new(), 0);
        while let Some(next) = self.filling.pop_front_if(|next| {
            records.is_empty()
                || (records.len() < self.limits.batch_records && bytes + next.place.bytes <= self.limits.batch_bytes)
        }) {
            bytes += next.place.bytes;
            records.push((next.place, next.record));
        }
        self.filling_bytes -= bytes;
        let id = self.next_id;
        self.next_id += 1;
        Batch { id, epoch: self.epoch, records }
    }

    fn resume_or_pause(&mut self) -> Option<Command<T>> {
        let bytes = self.in_flight_bytes();
        if !self.paused && bytes >= self.limits.in_flight_bytes {
            self.paused = true;
            return Some(Command::Pause);
        }
        if self.paused && bytes <= self.limits.in_flight_bytes / 2 {
            self.paused = false;
            return Some(Command::Resume);
        }
        None
    }
}

#[cfg(test)]
mod tests;
