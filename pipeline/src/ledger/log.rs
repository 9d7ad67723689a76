//! The officer's topics: signed records, and the events of requests. Each is read whole, and written by one process at a
//! time.
//!
//! Both are in partition 0, so that their order is one. A writer has a transactional id of its own: one that starts fences
//! the one before, and reads after that, so two can never continue the same chain in different ways.

use crate::{
    config::Config,
    stream::{
        StreamError,
        client::{
            Clients,
            delivery::{Delivery, Producer, Unacknowledged},
        },
        failpoint::point,
        followed::reader::Reader,
        topics::Topics,
    },
};
use rdkafka::{Message as _, producer::Producer as _};
use std::{sync::Arc, time::Duration};

/// The name of the writers among the clients.
const NAME: &str = "officer";

/// A record as it was read, with where it stands: `topic/partition/offset`.
pub type Placed = (String, Vec<u8>);

/// Reads a topic whole, in order.
///
/// # Errors
/// It cannot be read.
pub fn read(clients: &Clients, topic: &str, timeout: Duration) -> Result<Vec<Placed>, StreamError> {
    let mut records = Vec::new();
    Reader::open(clients, topic, timeout)?.to_the_end(|record| {
        let place = (record.partition(), record.offset());
        // An empty value is no record, and whoever reads it says so.
        records.push((place, record.payload().unwrap_or_default().to_vec()));
        Ok(())
    })?;
    records.sort_by_key(|(place, _)| *place);
    let named = |((partition, offset), value)| (format!("{topic}/{partition}/{offset}"), value);
    Ok(records.into_iter().map(named).collect())
}

/// Reads the officer's topics without a right to write.
pub struct Log {
    /// The clients of this process.
    pub clients: Clients,
    /// The names.
    pub topics: Topics,
    timeout: Duration,
}

impl Log {
    /// For a command by this configuration.
    ///
    /// # Errors
    /// Nobody can log in.
    pub fn new(config: Arc<Config>) -> Result<Self, StreamError> {
        let topics = Topics::new(&config.kafka.topic_prefix);
        let timeout = config.stream.transaction_timeout;
        Ok(Self { clients: Clients::beside(config, NAME)?, topics, timeout })
    }

    /// The signed records.
    ///
    /// # Errors
    /// The topic cannot be read.
    pub fn records(&self) -> Result<Vec<Placed>, StreamError> {
        read(&self.clients, &self.topics.erasure_records, self.timeout)
    }

    /// The events of requests.
    ///
    /// # Errors
    /// The topic cannot be read.
    pub fn events(&self) -> Result<Vec<Placed>, StreamError> {
        read(&self.clients, &self.topics.requests, self.timeout)
    }

    /// The one that may write, until another takes its place. What is read from now on is settled.
    ///
    /// # Errors
    /// No broker answers, or the transactional id may not be used.
    pub fn writer(&self) -> Result<Writer, StreamError> {
        let producer = self.clients.transactions()?;
        self.clients.connect(&producer, self.timeout)?;
        producer.init_transactions(self.timeout).map_err(StreamError::Client)?;
        Ok(Writer { producer, timeout: self.timeout })
    }
}

/// Writes to the officer's topics.
pub struct Writer {
    producer: Producer,
    timeout: Duration,
}

/// One record to be written.
#[derive(Clone, Debug)]
pub struct New {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The key; none for a record of a chain.
    pub key: Option<Vec<u8>>,
    /// The value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
}

impl New {
    /// A record of one of the officer's topics.
    pub fn of_officer(topic: &str, value: Vec<u8>) -> Self {
        Self { topic: topic.into(), partition: 0, key: None, value: Some(value) }
    }
}

impl Writer {
    /// Writes all of these, or none.
    ///
    /// # Errors
    /// They are not written; or, where the brokers do not answer, perhaps they are: read again before writing again.
    pub fn write(&self, records: &[New]) -> Result<(), StreamError> {
        let wrong = StreamError::Client;
        self.producer.begin_transaction().map_err(wrong)?;
        let commit = |()| {
            point("officer_before_commit");
            self.producer.commit_transaction(self.timeout).map_err(wrong)
        };
        let written = self.send(records).and_then(commit);
        if written.is_err() {
            // Whoever writes next ends what this one could not.
            let _ = self.producer.abort_transaction(self.timeout);
        }
        written
    }

    fn send(&self, records: &[New]) -> Result<(), StreamError> {
        let refused = |topic: &str, error| StreamError::NotPublished { topic: topic.into(), error };
        let mut delivery = Delivery::new(&self.producer, self.timeout);
        for record in records {
            let mut new = delivery.record(&record.topic).partition(record.partition);
            if let Some(key) = &record.key {
                new = new.key(key);
            }
            if let Some(value) = &record.value {
                new = new.payload(value);
            }
            delivery.send(new).map_err(|undelivered| refused(&undelivered.topic, undelivered.error))?;
        }
        match delivery.acknowledged() {
            Ok(_) => Ok(()),
            Err(Unacknowledged::Refused(undelivered)) => Err(refused(&undelivered.topic, undelivered.error)),
            Err(late) => Err(StreamError::Client(late.into_error())),
        }
    }
}
