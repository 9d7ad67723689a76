//! The state of the stream, and what is done when something happens: all in the thread that polls.

use super::{Event, StreamConsumer, dead_letters::DeadLetterRate, positions::Positions};
use crate::{
    observe::{Cut, Observer, spans::Filling},
    stream::{
        StreamError,
        committer::{Ended, Job, Request},
        failpoint::point,
        machine::{Command, Machine, Place},
        record::Incoming,
        scanner::Scanner,
    },
};
use rdkafka::{TopicPartitionList, consumer::Consumer, error::KafkaError};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// So often who waits for the committer looks whether the stream was told to stop.
const LOOK: Duration = Duration::from_millis(50);

/// The machine with what it needs to be obeyed.
pub struct Core {
    machine: Machine<Incoming>,
    scanner: Scanner,
    pub(super) positions: Positions,
    drain_timeout: Duration,
    call_timeout: Duration,
    /// In a rebalance: by when what is in flight must have ended.
    drained_by: Option<Instant>,
    started: Instant,
    epoch: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    joined: Option<mpsc::Sender<()>>,
    events: mpsc::Receiver<Event>,
    committer: mpsc::Sender<Request>,
    scanned: BTreeMap<u64, Job>,
    failure: Option<StreamError>,
    stopped: bool,
    dead_letters: DeadLetterRate,
    pub(super) observer: Arc<Observer>,
    filling: Option<Filling>,
    committed: u64,
    aborted: u64,
}

/// What a core is made of.
pub struct Parts {
    /// The machine.
    pub machine: Machine<Incoming>,
    /// Takes batches through the stages.
    pub scanner: Scanner,
    /// Where each partition is read from.
    pub positions: Positions,
    /// How long what is in flight may take to end.
    pub drain_timeout: Duration,
    /// How long one call to the broker may take.
    pub call_timeout: Duration,
    /// Dead letters a minute beyond which the stream stops.
    pub most_dead_letters: u32,
    /// The machine's epoch, for the committer.
    pub epoch: Arc<AtomicU64>,
    /// Whether the stream was told to stop.
    pub stop: Arc<AtomicBool>,
    /// Told when the group has given partitions for the first time, or none.
    pub joined: mpsc::Sender<()>,
    /// What other threads report.
    pub events: mpsc::Receiver<Event>,
    /// The committer.
    pub committer: mpsc::Sender<Request>,
    /// Told what happens.
    pub observer: Arc<Observer>,
}

impl Core {
    /// A core with nothing assigned.
    pub fn new(parts: Parts) -> Self {
        let Parts {
            machine,
            scanner,
            positions,
            drain_timeout,
            call_timeout,
            most_dead_letters,
            epoch,
            stop,
            joined,
            events,
            committer,
            observer,
        } = parts;
        let dead_letters = DeadLetterRate::at_most(most_dead_letters.into());
        Self {
            machine,
            scanner,
            positions,
            drain_timeout,
            call_timeout,
            drained_by: None,
            started: Instant::now(),
            epoch,
            stop,
            joined: Some(joined),
            events,
            committer,
            scanned: BTreeMap::new(),
            failure: None,
            stopped: false,
            dead_letters,
            observer,
            filling: None,
            committed: 0,
            aborted: 0,
        }
    }

    /// Batches committed and aborted so far.
    pub fn counts(&self) -> (u64, u64) {
        (self.committed, self.aborted)
    }

    /// Whether the stream has ended, and why if it failed.
    pub fn ended(&mut self) -> Option<Result<(), StreamError>> {
        match self.failure.take() {
            Some(failure) => Some(Err(failure)),
            None => self.stopped.then_some(Ok(())),
        }
    }

    /// Nothing more is waited for: what is in flight is given up, also when the consumer is closed.
    pub fn close(&mut self) {
        self.stopped = true;
    }

    /// Remembers the first failure.
    pub fn fail(&mut self, error: StreamError) {
        self.failure.get_or_insert(error);
    }

    /// A record came.
    pub fn record(&mut self, consumer: &StreamConsumer, record: Incoming) {
        self.filling.get_or_insert_with(Filling::begin);
        let place =
            Place { partition: record.location.partition, offset: record.location.offset, bytes: record.bytes() };
        let commands = self.machine.on_record(place, record, self.now_ms());
        self.obey(consumer, commands);
    }

    /// Takes in what other threads have reported, and lets time pass.
    pub fn turn(&mut self, consumer: &StreamConsumer) {
        while let Ok(event) = self.events.try_recv() {
            self.handle(consumer, event);
        }
        let commands = self.machine.on_tick(self.now_ms());
        self.obey(consumer, commands);
        self.observer.turned(self.machine.in_flight_bytes());
    }

    /// Ends what is in flight, takes nothing more, and stops.
    pub fn shut_down(&mut self, consumer: &StreamConsumer) {
        self.observer.stopping();
        let commands = self.machine.on_shutdown();
        self.obey(consumer, commands);
        let deadline = Instant::now() + self.drain_timeout;
        while !self.is_over() {
            if !self.wait_for_event(consumer, deadline) {
                // What is in flight was not committed, so it is read again by whoever comes next.
                self.fail(StreamError::DrainTimeout(self.drain_timeout));
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stopped || self.failure.is_some()
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Handles the next event. `false` if none came in time.
    fn wait_for_event(&mut self, consumer: &StreamConsumer, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.events.recv_timeout(left) {
            Ok(event) => {
                self.handle(consumer, event);
                true
            }
            Err(_) => false,
        }
    }

    fn handle(&mut self, consumer: &StreamConsumer, event: Event) {
        let now = self.now_ms();
        let commands = match event {
            Event::Scanned(mut job) => {
                let id = job.id;
                self.observer.scanned(id, *std::mem::take(&mut job.scanned));
                if job.epoch == self.machine.epoch() {
                    self.scanned.insert(id, job);
                }
                self.machine.on_scanned(id, now)
            }
            Event::Ended(Ended::Committed(id, dead_letters)) => {
                self.committed += 1;
                self.observer.committed(id);
                if let Err(error) = self.dead_letters.count(dead_letters, now) {
                    self.fail(error);
                }
                self.machine.on_committed(id, now).1
            }
            Event::Ended(Ended::Aborted(id, why)) => {
                self.aborted += 1;
                let message = format!("batch {id} was aborted: {why}");
                tracing::warn!("{message}");
                self.observer.aborted(id);
                self.observer.error(&message);
                self.machine.on_aborted(id)
            }
            Event::Failed(error) => {
                self.fail(error);
                Vec::new()
            }
            Event::Ended(Ended::Failed(error)) => {
                self.fail(StreamError::Commit(error));
                Vec::new()
            }
        };
        self.obey(consumer, commands);
    }

    fn obey(&mut self, consumer: &StreamConsumer, commands: Vec<Command<Incoming>>) {
        let epoch = self.machine.epoch();
        if self.epoch.swap(epoch, Ordering::SeqCst) != epoch {
            self.scanned.retain(|_, job| job.epoch == epoch);
            self.filling = None;
            self.observer.new_epoch();
        }
        for command in commands {
            let done = match command {
                Command::Scan(batch) => {
                    let filling = self.filling.take().unwrap_or_else(Filling::begin);
                    let span = filling.end(batch.id, batch.records.len(), batch.bytes());
                    self.observer.cut(Cut {
                        id: batch.id,
                        bytes: batch.bytes(),
                        offsets: batch.offsets(),
                        published_ms: batch.records.iter().map(|(_, record)| record.location.timestamp_ms).collect(),
                    });
                    self.scanner.scan(batch, span);
                    Ok(())
                }
                Command::Commit(id) => {
                    self.observer.committing(id);
                    if let Some(job) = self.scanned.remove(&id)
                        && self.committer.send(Request::Commit(job)).is_err()
                    {
                        self.fail(StreamError::CommitterGone);
                    }
                    Ok(())
                }
                Command::Pause => consumer.assignment().and_then(|assigned| consumer.pause(&assigned)),
                Command::Resume => consumer.assignment().and_then(|assigned| consumer.resume(&assigned)),
                Command::Rewind(partitions) => self.rewind(consumer, &partitions),
                Command::Stop => {
                    self.stopped = true;
                    Ok(())
                }
            };
            if let Err(error) = done {
                self.fail(StreamError::Client(error));
            }
        }
    }

    /// Reads partitions again from what is committed. Only once the committer has nothing open, so that what it commits
    /// last is seen.
    fn rewind(&mut self, consumer: &StreamConsumer, partitions: &[i32]) -> Result<(), KafkaError> {
        if let Err(error) = self.settled() {
            self.fail(error);
            return Ok(());
        }
        let positions = match self.positions.of_rewound(partitions) {
            Ok(positions) => positions,
            Err(error) => {
                self.fail(error);
                return Ok(());
            }
        };
        self.observer.positions(&positions);
        for element in self.positions.list(&positions)?.elements() {
            consumer.seek(element.topic(), element.partition(), element.offset(), self.call_timeout)?;
        }
        Ok(())
    }

    /// Waits until the committer has nothing open; if the stream is told to stop, no longer than it may take to end.
    fn settled(&self) -> Result<(), StreamError> {
        let (reached, barrier) = mpsc::channel();
        self.committer.send(Request::Barrier(reached)).map_err(|_| StreamError::CommitterGone)?;
        let mut deadline = Instant::now() + self.call_timeout * 4;
        let mut is_stopping = false;
        loop {
            match barrier.recv_timeout(LOOK) {
                Ok(()) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(StreamError::CommitterGone),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !is_stopping && self.stop.load(Ordering::SeqCst) {
                is_stopping = true;
                // A rebalance has waited for it already.
                deadline = deadline.min(self.drained_by.unwrap_or_else(|| Instant::now() + self.drain_timeout));
            }
            match Instant::now() >= deadline {
                true if is_stopping => return Err(StreamError::DrainTimeout(self.drain_timeout)),
                true => return Err(StreamError::CommitterGone),
                false => {}
            }
        }
    }

    /// The topic that is read.
    pub fn input(&self) -> &str {
        &self.positions.topic
    }

    /// What is wrong with an offset that the broker does not have.
    pub fn out_of_range(&self) -> StreamError {
        let assigned: Vec<i32> = self.machine.assigned().iter().copied().collect();
        self.positions.out_of_range(&assigned)
    }

    pub(super) fn assigned(
        &mut self,
        consumer: &StreamConsumer,
        partitions: &TopicPartitionList,
    ) -> Result<(), KafkaError> {
        let new: Vec<i32> = partitions.elements().iter().map(|element| element.partition()).collect();
        let committed = self.positions.of_assigned(consumer, &new)?;
        self.observer.positions(&committed);
        let positions = self.positions.list(&committed)?;
        consumer.incremental_assign(&positions)?;
        tracing::info!("partitions assigned: {new:?}");
        self.observer.assigned(&new);
        if let Some(joined) = self.joined.take() {
            // If nobody waits for it, the stream has ended.
            let _ = joined.send(());
        }
        if self.machine.is_paused() {
            consumer.pause(&positions)?;
        }
        self.machine.on_assigned(new);
        Ok(())
    }

    pub(super) fn revoked(
        &mut self,
        consumer: &StreamConsumer,
        partitions: &TopicPartitionList,
    ) -> Result<(), KafkaError> {
        let gone: BTreeSet<i32> = partitions.elements().iter().map(|element| element.partition()).collect();
        let is_lost = consumer.assignment_lost();
        tracing::info!("partitions {}: {gone:?}", if is_lost { "lost" } else { "revoked" });
        let commands = if is_lost {
            self.machine.on_lost(&gone)
        } else {
            let deadline = Instant::now() + self.drain_timeout;
            self.drained_by = Some(deadline);
            while !self.machine.is_idle() && !self.is_over() && self.wait_for_event(consumer, deadline) {}
            self.machine.on_revoked(&gone)
        };
        // Before anybody else can have them, the committer must know that what it holds of them is stale.
        self.obey(consumer, Vec::new());
        point("revoked");
        self.observer.gone(&gone, is_lost);
        // The machine has forgotten them: what it commands is about those that are kept.
        consumer.incremental_unassign(partitions)?;
        self.obey(consumer, commands);
        self.drained_by = None;
        Ok(())
    }
}
