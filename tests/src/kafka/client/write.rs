//! Writing records.

use super::client;
use crate::kafka::PATIENCE;
use jiff::Timestamp;
use rdkafka::{
    ClientContext,
    error::{KafkaError, RDKafkaErrorCode},
    message::{Header, OwnedHeaders},
    producer::{BaseProducer, BaseRecord, DeliveryResult, Producer, ProducerContext},
};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

/// A record to write.
#[derive(Clone, Debug, Default)]
pub struct New {
    /// The partition; `None` lets the client choose by the key.
    pub partition: Option<i32>,
    /// The key.
    pub key: Option<Vec<u8>>,
    /// The value; `None` for a tombstone.
    pub value: Option<Vec<u8>>,
    /// Names and values of the headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Its time; `None` is now.
    pub time: Option<Timestamp>,
}

impl New {
    /// A record with this value.
    pub fn value(value: impl Into<Vec<u8>>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// A record with nothing in it.
    pub fn tombstone() -> Self {
        Self::default()
    }

    /// To this partition.
    pub fn to(mut self, partition: i32) -> Self {
        self.partition = Some(partition);
        self
    }

    /// With this key.
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.into());
        self
    }

    /// With this time.
    pub fn at(mut self, time: Timestamp) -> Self {
        self.time = Some(time);
        self
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

#[derive(Default)]
struct Failures(AtomicUsize);

impl ClientContext for Failures {}

impl ProducerContext for Failures {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if result.is_err() {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Writes records, and returns once the broker has acknowledged each.
#[track_caller]
pub fn produce(bootstrap: &str, topic: &str, records: impl IntoIterator<Item = New>) {
    Writer::new(bootstrap, topic).write(records);
}

/// Writes to a topic.
pub struct Writer {
    producer: BaseProducer<Failures>,
    topic: String,
}

impl Writer {
    /// To this topic.
    pub fn new(bootstrap: &str, topic: &str) -> Self {
        let producer = client(bootstrap)
            .set("enable.idempotence", "true")
            .set("message.timeout.ms", PATIENCE.as_millis().to_string())
            .set("message.max.bytes", (128 << 20).to_string())
            .set("linger.ms", "1")
            .create_with_context(Failures::default())
            .expect("a producer");
        Self { producer, topic: topic.into() }
    }

    /// Writes records, and returns once the broker has acknowledged each.
    #[track_caller]
    pub fn write(&self, records: impl IntoIterator<Item = New>) {
        for new in records {
            let mut record = BaseRecord::<'_, [u8], [u8]>::to(&self.topic);
            if let Some(value) = &new.value {
                record = record.payload(value);
            }
            if let Some(key) = &new.key {
                record = record.key(key);
            }
            if let Some(partition) = new.partition {
                record = record.partition(partition);
            }
            if let Some(time) = new.time {
                record = record.timestamp(time.as_millisecond());
            }
            if !new.headers.is_empty() {
                let headers = new.headers.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
                    headers.insert(Header { key, value: Some(value) })
                });
                record = record.headers(headers);
            }
            self.send(record);
        }
        self.producer.flush(PATIENCE).expect("every record is acknowledged");
        assert_eq!(self.producer.context().0.load(Ordering::SeqCst), 0, "records were not written");
    }

    fn send(&self, mut record: BaseRecord<'_, [u8], [u8]>) {
        while let Err((error, back)) = self.producer.send(record) {
            assert_eq!(error, KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull));
            self.producer.poll(Duration::from_millis(100));
            record = back;
        }
    }
}
