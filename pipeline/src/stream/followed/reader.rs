//! A topic that is read whole: all partitions from their beginning to their end, and then on, outside any group.

use crate::stream::{
    StreamError,
    client::{
        Clients,
        connection::{Asking, ready},
        failure::is_final,
        retry::asking,
    },
};
use jiff::Timestamp;
use rdkafka::{
    Message as _, Offset, TopicPartitionList, consumer::Consumer as _, error::KafkaError, message::BorrowedMessage,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

/// How long one poll waits for a record.
const POLL: Duration = Duration::from_millis(50);

/// How often a topic that is followed is looked at from outside, at least: whether it can be read, and whether it has grown.
const LOOK: Duration = Duration::from_secs(5);

/// Where the reading of a topic begins.
#[derive(Clone, Debug, Default)]
pub enum Begin {
    /// At the beginning of all partitions.
    #[default]
    Beginning,
    /// At the first record that was published at this time or later.
    Since(Timestamp),
    /// At these offsets, and at the beginning of the partitions without one.
    Offsets(BTreeMap<i32, i64>),
}

impl From<Option<Timestamp>> for Begin {
    fn from(since: Option<Timestamp>) -> Self {
        since.map_or(Self::Beginning, Self::Since)
    }
}

/// Reads a topic; only what is committed, unless it was opened otherwise.
pub struct Reader {
    consumer: Asking,
    topic: String,
    from: Begin,
    /// The offset after the last record that was read, by partition; where reading begins before there was one.
    next: BTreeMap<i32, i64>,
    at_end: BTreeSet<i32>,
    timeout: Duration,
    stale_after: Duration,
    looked: Instant,
    answered: Instant,
}

impl Reader {
    /// At the beginning of all partitions. `timeout` bounds one call to the broker.
    ///
    /// # Errors
    /// The topic is not there, or the broker does not answer.
    pub fn open(clients: &Clients, topic: &str, timeout: Duration) -> Result<Self, StreamError> {
        Self::open_from(clients, topic, Begin::Beginning, timeout)
    }

    /// At a place.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_from(clients: &Clients, topic: &str, from: Begin, timeout: Duration) -> Result<Self, StreamError> {
        Self::with(clients, clients.reader()?, topic, from, timeout)
    }

    /// At the beginning, and also what is not committed, or never was.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_uncommitted(clients: &Clients, topic: &str, timeout: Duration) -> Result<Self, StreamError> {
        Self::with(clients, clients.reader_of_uncommitted()?, topic, Begin::Beginning, timeout)
    }

    fn with(
        clients: &Clients,
        consumer: Asking,
        topic: &str,
        from: Begin,
        timeout: Duration,
    ) -> Result<Self, StreamError> {
        ready(&consumer);
        let now = Instant::now();
        let (next, at_end) = (BTreeMap::new(), BTreeSet::new());
        let (topic, stale_after) = (topic.to_owned(), clients.stale_after());
        let mut reader = Self { consumer, topic, from, next, at_end, timeout, stale_after, looked: now, answered: now };
        reader.take_in_partitions().map_err(StreamError::Client)?;
        match reader.next.is_empty() {
            true => Err(StreamError::MissingTopic(reader.topic)),
            false => Ok(reader),
        }
    }

    /// The next record, if one comes soon.
    ///
    /// # Errors
    /// The topic can no longer be read whole.
    pub fn poll(&mut self) -> Result<Option<BorrowedMessage<'_>>, StreamError> {
        self.poll_for(POLL)
    }

    /// The next record, if one comes within this time.
    ///
    /// # Errors
    /// As [`Self::poll`].
    pub fn poll_for(&mut self, time: Duration) -> Result<Option<BorrowedMessage<'_>>, StreamError> {
        match self.consumer.poll(time) {
            None => Ok(None),
            Some(Ok(message)) => {
                self.at_end.remove(&message.partition());
                self.next.insert(message.partition(), message.offset() + 1);
                Ok(Some(message))
            }
            Some(Err(KafkaError::PartitionEOF(partition))) => {
                self.at_end.insert(partition);
                Ok(None)
            }
            Some(Err(error)) if is_final(&error) => Err(StreamError::Unreadable { topic: self.topic.clone(), error }),
            // The client goes on by itself; what stays away for long is seen by looking.
            Some(Err(_)) => Ok(None),
        }
    }

    /// Reads on to the end, as it is when it is reached.
    ///
    /// # Errors
    /// The topic cannot be read, or `each` refuses a record.
    pub fn to_the_end(
        &mut self,
        mut each: impl FnMut(&BorrowedMessage<'_>) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let mut heard = Instant::now();
        while !self.is_at_the_end() {
            let before = self.at_end.len();
            if let Some(message) = self.poll()? {
                heard = Instant::now();
                each(&message)?;
            } else if self.at_end.len() != before {
                heard = Instant::now();
            }
            if heard.elapsed() > self.timeout {
                return Err(StreamError::Unread { topic: self.topic.clone(), waited: self.timeout });
            }
        }
        Ok(())
    }

    /// Looks from time to time whether the topic answers, has new partitions, or is another one by now.
    ///
    /// # Errors
    /// It did not answer for long, or what was read is gone.
    pub fn look(&mut self) -> Result<(), StreamError> {
        if self.looked.elapsed() < LOOK.min(self.stale_after / 4) {
            return Ok(());
        }
        self.looked = Instant::now();
        match self.take_in_partitions().and_then(|()| self.ends()) {
            Ok(ends) => {
                self.answered = Instant::now();
                let shorter = |(partition, end): (&i32, &i64)| self.next.get(partition).is_some_and(|next| next > end);
                match ends.iter().find(|(partition, end)| shorter((partition, end))) {
                    Some((partition, _)) => {
                        Err(StreamError::Shortened { topic: self.topic.clone(), partition: *partition })
                    }
                    None => Ok(()),
                }
            }
            Err(error) if self.answered.elapsed() > self.stale_after => {
                Err(StreamError::Stale { topic: self.topic.clone(), silent: self.stale_after, error })
            }
            Err(_) => Ok(()),
        }
    }

    /// Whether every partition was read to its end, when last heard of.
    pub fn is_at_the_end(&self) -> bool {
        self.at_end.len() == self.next.len()
    }

    /// Whether a partition was read to its end, when last heard of.
    pub fn has_ended(&self, partition: i32) -> bool {
        self.at_end.contains(&partition)
    }

    /// Whether every partition was read up to these ends. What comes last may be no record, so an end that was heard of
    /// counts too.
    pub fn has_reached(&self, ends: &BTreeMap<i32, i64>) -> bool {
        ends.iter().all(|(partition, end)| {
            self.at_end.contains(partition) || self.next.get(partition).is_some_and(|next| next >= end)
        })
    }

    /// Where each partition ends now, by what is committed.
    ///
    /// # Errors
    /// The broker does not answer.
    pub fn ends(&self) -> Result<BTreeMap<i32, i64>, KafkaError> {
        Ok(self.bounds()?.into_iter().map(|(partition, (_, end))| (partition, end)).collect())
    }

    /// The first offset that each partition still has, and where it ends now, by what is committed.
    ///
    /// # Errors
    /// The broker does not answer.
    pub fn bounds(&self) -> Result<BTreeMap<i32, (i64, i64)>, KafkaError> {
        bounds(&self.consumer, &self.topic, self.next.keys().copied(), self.timeout)
    }

    /// The topic.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Reads also the partitions that the topic did not have before.
    fn take_in_partitions(&mut self) -> Result<(), KafkaError> {
        let all = partitions(&self.consumer, &self.topic, self.timeout)?;
        let mut new = TopicPartitionList::new();
        for partition in all.into_iter().filter(|partition| !self.next.contains_key(partition)) {
            let begins = match &self.from {
                Begin::Offsets(offsets) => offsets.get(&partition).map_or(Offset::Beginning, |at| Offset::Offset(*at)),
                Begin::Beginning | Begin::Since(_) => Offset::Beginning,
            };
            new.add_partition_offset(&self.topic, partition, begins)?;
        }
        if new.count() == 0 {
            return Ok(());
        }
        if let Begin::Since(since) = self.from {
            let mut wanted = TopicPartitionList::new();
            for element in new.elements() {
                let time = Offset::Offset(since.as_millisecond());
                wanted.add_partition_offset(element.topic(), element.partition(), time)?;
            }
            new = asking(self.timeout, || self.consumer.offsets_for_times(wanted.clone(), self.timeout))?;
        }
        self.consumer.incremental_assign(&new)?;
        for element in new.elements() {
            let begins = match element.offset() {
                Offset::Offset(offset) => offset,
                _ => 0,
            };
            self.next.insert(element.partition(), begins);
        }
        Ok(())
    }
}

/// The first offset that each partition of a topic still has, and where it ends now, by what is committed; without anything
/// being read.
///
/// # Errors
/// The topic is not there, or the broker does not answer.
pub fn bounds_of(clients: &Clients, topic: &str, timeout: Duration) -> Result<BTreeMap<i32, (i64, i64)>, StreamError> {
    let consumer = clients.offsets()?;
    ready(&consumer);
    let partitions = partitions(&consumer, topic, timeout).map_err(StreamError::Client)?;
    match partitions.is_empty() {
        true => Err(StreamError::MissingTopic(topic.into())),
        false => bounds(&consumer, topic, partitions, timeout).map_err(StreamError::Client),
    }
}

fn bounds(
    consumer: &Asking,
    topic: &str,
    partitions: impl IntoIterator<Item = i32>,
    timeout: Duration,
) -> Result<BTreeMap<i32, (i64, i64)>, KafkaError> {
    let of = |partition| Ok((partition, asking(timeout, || consumer.fetch_watermarks(topic, partition, timeout))?));
    partitions.into_iter().map(of).collect()
}

fn partitions(consumer: &Asking, topic: &str, timeout: Duration) -> Result<Vec<i32>, KafkaError> {
    let metadata = asking(timeout, || consumer.fetch_metadata(Some(topic), timeout))?;
    Ok(metadata.topics().iter().flat_map(|topic| topic.partitions()).map(|partition| partition.id()).collect())
}
