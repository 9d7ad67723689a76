//! A record of a topic, and where it stands.

use crate::{stages::Coordinates, wire::Source};
use jiff::Timestamp;
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};

/// Where a record stands in its topic, and when it was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// Milliseconds since 1970 that the broker or the producer gave it; 0 where there are none.
    pub timestamp_ms: i64,
}

impl Location {
    /// Of a record that was read.
    pub fn of(message: &BorrowedMessage<'_>) -> Self {
        Self {
            partition: message.partition(),
            offset: message.offset(),
            timestamp_ms: message.timestamp().to_millis().unwrap_or(0),
        }
    }

    /// How outputs name it.
    pub fn source(&self, topic: &str) -> Source {
        Source::Topic { topic: topic.into(), partition: self.partition, offset: self.offset }
    }

    /// What names of attempts and reservations are made of. The topic's id cannot be had through the client; the record's
    /// time stands in for it, so that a recreated topic does not make the same names.
    pub fn coordinates<'c>(&self, topic: &str, cluster: &'c str) -> Coordinates<'c> {
        Coordinates {
            cluster,
            topic: format!("{topic}@{}", self.timestamp_ms).into(),
            partition: self.partition,
            offset: u64::try_from(self.offset).unwrap_or(0),
            published: self.published(),
        }
    }

    /// When it was published, by the broker or its producer; `None` where neither said.
    fn published(&self) -> Option<Timestamp> {
        (self.timestamp_ms > 0).then(|| Timestamp::from_millisecond(self.timestamp_ms).ok()).flatten()
    }
}

/// A record as it was read, copied out of the client's buffer: a borrowed one pins all that was fetched with it.
pub struct Incoming {
    /// Where it stands.
    pub location: Location,
    /// The bytes; `None` for a tombstone.
    pub payload: Option<Vec<u8>>,
    /// The trace that it belongs to: the one header that goes on.
    pub traceparent: Option<String>,
}

impl Incoming {
    /// Copies a record.
    pub fn of(message: &BorrowedMessage<'_>) -> Self {
        Self {
            location: Location::of(message),
            payload: message.payload().map(<[u8]>::to_vec),
            traceparent: traceparent(message),
        }
    }

    /// Bytes that it holds in memory.
    pub fn bytes(&self) -> usize {
        self.payload.as_ref().map_or(0, Vec::len) + size_of::<Self>()
    }
}

/// The `traceparent` header of a record, if it has the form of one (W3C Trace Context, version 00): whatever else stands
/// there may be text.
fn traceparent(message: &BorrowedMessage<'_>) -> Option<String> {
    let header = message.headers()?.iter().find(|header| header.key == "traceparent")?;
    let text = std::str::from_utf8(header.value?).ok()?;
    is_traceparent(text).then(|| text.to_owned())
}

fn is_traceparent(text: &str) -> bool {
    let is_hex = |part: &str| part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([2, 32, 16, 2]) && parts.iter().all(|part| is_hex(part)) && parts[0] == "00"
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Incoming({}/{}, {} bytes)", self.location.partition, self.location.offset, self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::is_traceparent;

    #[test]
    fn only_what_has_the_form_of_a_traceparent_is_one() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert!(is_traceparent(good));
        for wrong in ["", "00", "mijn BSN is 111222333", &good.to_uppercase(), &good[1..], &good.replace('-', "_")] {
            assert!(!is_traceparent(wrong), "{wrong}");
        }
    }
}
