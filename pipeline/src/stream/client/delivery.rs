//! Records that are handed to a producer together, and what the broker answers for each.

use super::connection::{Context, Own};
use rdkafka::{
    error::{KafkaError, RDKafkaErrorCode},
    message::Message as _,
    producer::{BaseRecord, DeliveryResult, NoCustomPartitioner, ProducerContext, ThreadedProducer},
};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A producer that reports what became of every record to the [`Delivery`] which it belongs to.
pub type Producer = ThreadedProducer<Context<Reporting>>;

/// A record on its way into a [`Delivery`].
pub type Outgoing<'r> = BaseRecord<'r, [u8], [u8], Arc<Reports>>;

/// Hands the broker's answers on.
pub struct Reporting;

/// A record that the broker did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// The topic that it was for.
    pub topic: String,
    /// Why.
    pub error: KafkaError,
}

/// Why not every record of a delivery counts as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unacknowledged {
    /// The broker did not take one.
    Refused(Undelivered),
    /// The broker has not answered for all of them in time; they may be there all the same.
    TimedOut,
}

impl Unacknowledged {
    /// The client's error.
    pub fn into_error(self) -> KafkaError {
        match self {
            Self::Refused(undelivered) => undelivered.error,
            Self::TimedOut => KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut),
        }
    }
}

/// The broker's answers for the records of one delivery.
#[derive(Debug, Default)]
pub struct Reports {
    counted: Mutex<Counted>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct Counted {
    acknowledged: usize,
    refused: usize,
    first_refused: Option<Undelivered>,
    /// How many answers somebody waits for.
    awaited: Option<usize>,
}

impl Counted {
    fn has_all_of(&self, awaited: usize) -> bool {
        self.acknowledged + self.refused >= awaited
    }
}

impl Reports {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, answer: Result<(), Undelivered>) {
        let mut counted = self.counted();
        match answer {
            Ok(()) => counted.acknowledged += 1,
            Err(undelivered) => {
                counted.refused += 1;
                counted.first_refused.get_or_insert(undelivered);
            }
        }
        // Who waits is woken once, not by every answer.
        if counted.awaited.is_some_and(|awaited| counted.has_all_of(awaited)) {
            drop(counted);
            self.came.notify_all();
        }
    }
}

impl Own for Reporting {}

impl ProducerContext<NoCustomPartitioner> for Context<Reporting> {
    type DeliveryOpaque = Arc<Reports>;

    fn delivery(&self, result: &DeliveryResult<'_>, reports: Arc<Reports>) {
        reports.count(match result {
            Ok(_) => Ok(()),
            Err((error, message)) => Err(Undelivered { topic: message.topic().into(), error: error.clone() }),
        });
    }
}

/// Records that are handed to a producer together.
///
/// Its answers are waited for as they come. `Producer::flush` of rust-rdkafka 0.39 looks only every 100 ms whether the last
/// has come, which was most of a commit's time.
pub struct Delivery<'p> {
    producer: &'p Producer,
    timeout: Duration,
    handed_over: usize,
    reports: Arc<Reports>,
}

impl<'p> Delivery<'p> {
    /// Nothing is handed over yet. Handing over one record may take the time-out, and so may waiting for all answers.
    pub fn new(producer: &'p Producer, timeout: Duration) -> Self {
        Self { producer, timeout, handed_over: 0, reports: Arc::default() }
    }

    /// A record for a topic, to be filled and [sent](Self::send).
    pub fn record<'r>(&self, topic: &'r str) -> Outgoing<'r> {
        BaseRecord::with_opaque_to(topic, self.reports.clone())
    }

    /// Hands a record of this delivery to the producer; waits while its queue is full.
    ///
    /// # Errors
    /// The client does not take it.
    pub fn send(&mut self, mut record: Outgoing<'_>) -> Result<(), Undelivered> {
        let deadline = Instant::now() + self.timeout;
        loop {
            let topic = record.topic;
            match self.producer.send(record) {
                Ok(()) => {
                    self.handed_over += 1;
                    return Ok(());
                }
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), back))
                    if Instant::now() < deadline =>
                {
                    self.producer.poll(Duration::from_millis(20));
                    record = back;
                }
                Err((error, _)) => return Err(Undelivered { topic: topic.into(), error }),
            }
        }
    }

    /// Waits until the broker has answered for every record; says how many there were.
    ///
    /// # Errors
    /// One was not taken, or the answers have not all come in time.
    pub fn acknowledged(self) -> Result<usize, Unacknowledged> {
        let mut counted = self.reports.counted();
        counted.awaited = Some(self.handed_over);
        let missing = |counted: &mut Counted| !counted.has_all_of(self.handed_over);
        let waited = self.reports.came.wait_timeout_while(counted, self.timeout, missing);
        let (counted, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &counted.first_refused {
            Some(undelivered) => Err(Unacknowledged::Refused(undelivered.clone())),
            None if counted.acknowledged == self.handed_over => Ok(counted.acknowledged),
            None => Err(Unacknowledged::TimedOut),
        }
    }
}
