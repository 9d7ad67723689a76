//! The committer: reservations first, then one transaction for everything else and the consumed offsets.
//!
//! It runs in a thread of its own, one batch after another. A batch of an older epoch is given up at the last moment
//! before its transaction is committed.

mod ended;
mod job;

pub use ended::{CommitError, Ended};
pub use job::{Job, Request, Tombstone};

use super::{
    StreamError,
    client::{
        Clients,
        delivery::{Delivery, Producer, Unacknowledged, Undelivered},
        failure::{Remedy, remedy},
        retry::retrying,
    },
    consumer::StreamConsumer,
    failpoint::{is_lost, point},
    run::check_topics,
    topics::Topics,
};
use crate::{
    observe::Observer,
    stages::{Output, Produced},
};
use ended::Broken;
use rdkafka::{
    Offset, TopicPartitionList,
    consumer::Consumer,
    error::{KafkaError, RDKafkaErrorCode},
    message::{Header, OwnedHeaders},
    producer::Producer as _,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use tracing::info_span;

/// So many transactions in a row may be aborted because a record was not taken. A topic that cannot be written stops
/// the stream, and one that has no leader for a moment does not.
const MOST_UNDELIVERED: u32 = 3;

/// Commits batches.
pub struct Committer {
    /// How to make the producers.
    pub clients: Clients,
    /// Names of the topics.
    pub topics: Topics,
    /// The consumer whose group the offsets are committed for; none where nothing is consumed for a group.
    pub consumer: Option<Arc<StreamConsumer>>,
    /// The epoch of the machine: a batch of another is not committed.
    pub epoch: Arc<AtomicU64>,
    /// How long one call may take in all, retries included.
    pub timeout: Duration,
    /// For reservations.
    pub reservations: Producer,
    /// For transactions; initialised.
    pub transactions: Producer,
    /// Told what is acknowledged, and how long it takes.
    pub observer: Arc<Observer>,
    /// Transactions in a row that were aborted because a record was not taken.
    pub undelivered: u32,
}

impl Committer {
    /// Serves requests until there are no more, or one fails.
    pub fn serve(mut self, requests: mpsc::Receiver<Request>, ended: impl Fn(Ended)) {
        for request in requests {
            match request {
                Request::Barrier(reached) => {
                    // Whoever asked may have stopped waiting.
                    let _ = reached.send(());
                }
                Request::Commit(job) => {
                    let end = self.commit(&job);
                    let failed = matches!(end, Ended::Failed(_));
                    ended(end);
                    if failed {
                        return;
                    }
                }
            }
        }
    }

    /// Reserves and commits a batch.
    pub fn commit(&mut self, job: &Job) -> Ended {
        let _in_batch = job.span.enter();
        point("before_reservations");
        if let Err(error) = info_span!("reserve").in_scope(|| self.reserve(job)) {
            return Ended::Failed(CommitError::Reservations(error));
        }
        point("after_reservations");
        if self.is_stale(job) {
            return Ended::Aborted(job.id, "its partitions were given away".into());
        }
        let begun = Instant::now();
        match info_span!("commit").in_scope(|| self.transact(job)) {
            Ok(()) => {
                self.undelivered = 0;
                self.observer.transaction_took(begun.elapsed());
                Ended::Committed(job.id, job.dead_letters())
            }
            Err(broken) => self.recover(job, broken),
        }
    }

    fn is_stale(&self, job: &Job) -> bool {
        job.epoch != self.epoch.load(Ordering::SeqCst)
    }

    /// Writes the reservations and waits until the broker has acknowledged each.
    fn reserve(&self, job: &Job) -> Result<(), KafkaError> {
        let mut delivery = Delivery::new(&self.reservations, self.timeout);
        for produced in job.outputs.iter().filter(|produced| produced.output == Output::Reservations) {
            self.send(&mut delivery, produced).map_err(|undelivered| undelivered.error)?;
        }
        self.observer.reserved(delivery.acknowledged().map_err(Unacknowledged::into_error)?);
        Ok(())
    }

    fn transact(&self, job: &Job) -> Result<(), Broken> {
        point("before_begin");
        self.transactions.begin_transaction()?;
        let mut delivery = Delivery::new(&self.transactions, self.timeout);
        for produced in job.outputs.iter().filter(|produced| produced.output != Output::Reservations) {
            self.send(&mut delivery, produced).map_err(Broken::Record)?;
        }
        for tombstone in &job.tombstones {
            self.bury(&mut delivery, tombstone).map_err(Broken::Record)?;
        }
        // Everything is acknowledged before offsets are sent: an abort then finds an empty queue. librdkafka purges what
        // is still queued when it aborts, and renumbers what follows, so a refusal of the offsets would reach into the
        // next transaction.
        delivery.acknowledged()?;
        point("before_send_offsets");
        if let Some(consumer) = &self.consumer {
            let offsets = self.offsets(job)?;
            self.send_offsets(consumer.clone(), offsets)?;
        }
        point("after_send_offsets");
        if self.is_stale(job) {
            return Err(KafkaError::MessageProduction(RDKafkaErrorCode::UnknownMemberId).into());
        }
        point("before_commit");
        if is_lost("commit") {
            return Err(Broken::NoAnswer(self.timeout));
        }
        again(self.timeout, || self.transactions.commit_transaction(self.timeout))?;
        point("after_commit");
        if is_lost("answer") {
            return Err(Broken::NoAnswer(self.timeout));
        }
        Ok(())
    }

    /// Sends offsets to the transaction, from a thread of its own. librdkafka 2.12.1 gives up its connection to a node
    /// that is missing from the metadata for a moment, as one that restarts is, and goes on waiting for it if that node
    /// coordinates the group: there is no time-out. A call that does not come back is left to itself, with its producer;
    /// the next producer of the same id fences it.
    fn send_offsets(&self, consumer: Arc<StreamConsumer>, offsets: TopicPartitionList) -> Result<(), Broken> {
        let (answer, answered) = mpsc::channel();
        let (producer, timeout) = (self.transactions.clone(), self.timeout);
        thread::spawn(move || {
            point("sending_offsets");
            let sent = again(timeout, || {
                // Fetched each time: the generation may have changed.
                let group = consumer.group_metadata().ok_or(KafkaError::Canceled)?;
                producer.send_offsets_to_transaction(&offsets, &group, timeout)
            });
            // Whoever asked may have stopped waiting.
            let _ = answer.send(sent);
        });
        match answered.recv_timeout(self.timeout) {
            Ok(sent) => Ok(sent?),
            Err(_) => Err(Broken::NoAnswer(self.timeout)),
        }
    }

    fn offsets(&self, job: &Job) -> Result<TopicPartitionList, KafkaError> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in &job.offsets {
            list.add_partition_offset(&self.topics.input, *partition, Offset::Offset(*offset))?;
        }
        Ok(list)
    }

    fn recover(&mut self, job: &Job, broken: Broken) -> Ended {
        let why = broken.to_string();
        if matches!(broken, Broken::Record(_)) {
            self.undelivered += 1;
            // Where a topic is unknown, the client gives up every record of the transaction alike.
            if let Err(StreamError::MissingTopic(topic)) = check_topics(&self.transactions, &self.topics, self.timeout)
            {
                return Ended::Failed(CommitError::TopicGone(topic));
            }
        }
        let what = match broken.remedy() {
            _ if self.undelivered >= MOST_UNDELIVERED => Remedy::Stop,
            // A call that may be retried and was, to its end: what became of it is unknown.
            Remedy::Retry => Remedy::Unknown,
            Remedy::Abort => match again(self.timeout, || self.transactions.abort_transaction(self.timeout)) {
                Ok(()) => return Ended::Aborted(job.id, why),
                Err(error) if remedy(&error) == Remedy::Stop => {
                    return Ended::Failed(CommitError::Transaction(error));
                }
                Err(_) => Remedy::Unknown,
            },
            other => other,
        };
        match what {
            Remedy::Unknown => match self.renew() {
                Ok(()) => Ended::Aborted(job.id, why),
                Err(error) => Ended::Failed(error),
            },
            _ => Ended::Failed(broken.into()),
        }
    }

    /// Makes the transactional producer anew under the same id: the broker ends what the old one left open, one way or
    /// the other, before this returns.
    fn renew(&mut self) -> Result<(), CommitError> {
        let producer = self.clients.transactions().map_err(|error| CommitError::Producer(error.to_string()))?;
        producer.init_transactions(self.timeout).map_err(CommitError::Transaction)?;
        self.transactions = producer;
        Ok(())
    }

    /// Adds an output to a delivery.
    fn send(&self, delivery: &mut Delivery<'_>, produced: &Produced) -> Result<(), Undelivered> {
        let record = delivery.record(self.topics.of(produced.output));
        let mut record = record.payload(produced.value.as_slice()).key(produced.key.as_bytes());
        if !produced.headers.is_empty() {
            let headers = produced.headers.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
                headers.insert(Header { key, value: Some(value.as_str()) })
            });
            record = record.headers(headers);
        }
        delivery.send(record)
    }

    /// Adds a tombstone to a delivery.
    fn bury(&self, delivery: &mut Delivery<'_>, tombstone: &Tombstone) -> Result<(), Undelivered> {
        let record = delivery.record(self.topics.of(tombstone.output));
        delivery.send(record.partition(tombstone.partition).key(tombstone.key.as_slice()))
    }
}

/// Makes a call again that belongs to a transaction, as long as its error says that it may be.
fn again(timeout: Duration, call: impl Fn() -> Result<(), KafkaError>) -> Result<(), KafkaError> {
    retrying(timeout, |error| remedy(error) == Remedy::Retry, call)
}
