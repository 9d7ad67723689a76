//! What is known from a topic that is read whole before anything is decided, and followed from then on.

use super::reader::Reader;
use crate::{
    stream::{StreamError, failpoint::point},
    wire::kept::{self, Kept},
};
use rdkafka::{Message as _, message::BorrowedMessage};
use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// So long what comes without a pause is gathered before it is made to hold.
const TOGETHER: Duration = Duration::from_millis(200);

/// What the records of a topic come to.
pub trait Knowledge: Send + 'static {
    /// The records.
    type Record: Kept;

    /// Takes in one more. `false` if it says nothing new.
    fn take_in(&mut self, record: Self::Record) -> bool;

    /// Makes what is known hold for the next batch.
    fn publish(&self);
}

/// A topic that is followed. A record that cannot be read is never passed over, unless somebody has said so: what it
/// would forbid cannot be known.
pub struct Followed<K> {
    reader: Reader,
    topic: String,
    knowledge: K,
    passed_over: BTreeSet<(i32, i64)>,
}

impl<K: Knowledge> Followed<K> {
    /// Reads a topic to its end. `passed_over` are the places of records that need not be read.
    ///
    /// # Errors
    /// The topic or a record cannot be read.
    pub fn read(
        mut reader: Reader,
        topic: &str,
        mut knowledge: K,
        passed_over: BTreeSet<(i32, i64)>,
    ) -> Result<Self, StreamError> {
        reader.to_the_end(|record| take_in(&mut knowledge, record, topic, &passed_over).map(drop))?;
        knowledge.publish();
        Ok(Self { reader, topic: topic.into(), knowledge, passed_over })
    }

    /// Follows the topic until it is told to stop. What comes together is made to hold together.
    ///
    /// # Errors
    /// The topic or a record can no longer be read.
    pub fn follow(mut self, stop: &AtomicBool) -> Result<(), StreamError> {
        point(self.topic.rsplit('.').next().unwrap_or_default());
        let mut news_since: Option<Instant> = None;
        while !stop.load(Ordering::SeqCst) {
            let more = match self.reader.poll()? {
                Some(record) => {
                    if take_in(&mut self.knowledge, &record, &self.topic, &self.passed_over)? {
                        news_since.get_or_insert_with(Instant::now);
                    }
                    true
                }
                None => false,
            };
            if news_since.take_if(|since| !more || since.elapsed() >= TOGETHER).is_some() {
                self.knowledge.publish();
            }
            self.reader.look()?;
        }
        Ok(())
    }
}

fn take_in<K: Knowledge>(
    knowledge: &mut K,
    record: &BorrowedMessage<'_>,
    topic: &str,
    passed_over: &BTreeSet<(i32, i64)>,
) -> Result<bool, StreamError> {
    let place = (record.partition(), record.offset());
    if passed_over.contains(&place) {
        return Ok(false);
    }
    let read = kept::read(record.payload()).map_err(|error| {
        let (partition, offset) = place;
        StreamError::Record { topic: topic.into(), partition, offset, error }
    })?;
    Ok(knowledge.take_in(read))
}
