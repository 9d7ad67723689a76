//! Publishes the traffic at its rate, and waits for the gate where that falls behind.

use super::{backlog::Backlog, traffic::Traffic};
use crate::observe::Observer;
use rdkafka::{
    ClientContext,
    config::ClientConfig,
    error::{KafkaError, RDKafkaErrorCode},
    producer::{BaseRecord, DeliveryResult, Producer as _, ProducerContext, ThreadedProducer},
};
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Partitions of every topic.
pub const PARTITIONS: i32 = 4;

/// How long it waits before it looks again.
const LOOK: Duration = Duration::from_millis(5);

/// How long records may take to be acknowledged.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Publishes the traffic.
pub struct Publisher {
    /// What is published.
    pub traffic: Traffic,
    /// Transcripts a second.
    pub rate: u32,
    /// The topic.
    pub topic: String,
    /// Says what is finished.
    pub observer: Arc<Observer>,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// Ends it early.
    pub stop: Arc<AtomicBool>,
}

/// How far publishing is.
#[derive(Debug, Default)]
pub struct Progress {
    published: AtomicU64,
    is_waiting: AtomicBool,
    begun: OnceLock<Instant>,
}

impl Progress {
    /// Records published.
    pub fn published(&self) -> u64 {
        self.published.load(Ordering::SeqCst)
    }

    /// Whether the next record waits for the gate.
    pub fn is_waiting(&self) -> bool {
        self.is_waiting.load(Ordering::SeqCst)
    }

    /// When it began; `None` while the gate starts.
    pub fn begun(&self) -> Option<Instant> {
        self.begun.get().copied()
    }
}

/// Remembers the first record that was not taken.
#[derive(Default)]
struct Reports {
    failure: OnceLock<KafkaError>,
}

impl ClientContext for Reports {
    fn log(&self, _: rdkafka::config::RDKafkaLogLevel, _: &str, _: &str) {}

    fn error(&self, _: KafkaError, _: &str) {}
}

impl ProducerContext for Reports {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if let Err((error, _)) = result {
            self.failure.get_or_init(|| error.clone());
        }
    }
}

impl Publisher {
    /// Publishes everything, once the gate has its partitions, or until it is told to stop.
    ///
    /// # Errors
    /// A record is not taken.
    pub fn publish(self, brokers: &str) -> Result<(), KafkaError> {
        let mut client = ClientConfig::new();
        client
            .set("bootstrap.servers", brokers)
            .set("enable.idempotence", "true")
            .set("linger.ms", "5")
            .set("message.timeout.ms", TIMEOUT.as_millis().to_string());
        let producer: ThreadedProducer<Reports> = client.create_with_context(Reports::default())?;
        while !self.is_stopped() && self.observer.snapshot().partitions.is_none_or(|count| count == 0) {
            thread::sleep(LOOK);
        }
        let begun = *self.progress.begun.get_or_init(Instant::now);
        let mut backlog = Backlog::default();
        for position in 0..self.traffic.documents() {
            let Some(record) = self.traffic.record(position) else { break };
            let partition = i32::try_from(position % PARTITIONS as u64).unwrap_or(0);
            if !self.may_go(begun, position, partition, &mut backlog) {
                break;
            }
            self.send(&producer, &record, partition)?;
            backlog.published(partition, record.len());
            self.progress.published.fetch_add(1, Ordering::SeqCst);
            if let Some(error) = producer.context().failure.get() {
                return Err(error.clone());
            }
        }
        producer.flush(TIMEOUT)?;
        producer.context().failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Returns when a record is due and its partition takes more. `false` if it is told to stop.
    fn may_go(&self, begun: Instant, position: u64, partition: i32, backlog: &mut Backlog) -> bool {
        let due = begun + Duration::from_secs_f64(position as f64 / f64::from(self.rate));
        loop {
            if self.is_stopped() {
                return false;
            }
            let now = Instant::now();
            let is_full = backlog.is_full(partition);
            self.progress.is_waiting.store(is_full, Ordering::SeqCst);
            if now >= due && !is_full {
                return true;
            }
            backlog.finished(&self.observer.committed_offsets());
            thread::sleep(if is_full { LOOK } else { (due - now).min(LOOK) });
        }
    }

    fn send(&self, producer: &ThreadedProducer<Reports>, record: &str, partition: i32) -> Result<(), KafkaError> {
        let mut record: BaseRecord<'_, (), str> = BaseRecord::to(&self.topic).payload(record).partition(partition);
        loop {
            match producer.send(record) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), back)) if !self.is_stopped() => {
                    thread::sleep(LOOK);
                    record = back;
                }
                Err((error, _)) => return Err(error),
            }
        }
    }
}
