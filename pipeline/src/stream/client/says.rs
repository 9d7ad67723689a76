//! What the clients say again and again.
//!
//! While brokers are away every client of the process tries to reach each of them, and says so each time. The first is
//! news; then it is enough to hear now and then that it goes on, and how often.

use crate::observe::logs::LIBRDKAFKA;
use rdkafka::config::RDKafkaLogLevel;
use std::{
    collections::BTreeMap,
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// So long the same is not said again.
const SILENCE: Duration = Duration::from_secs(60);

/// So many different things are remembered; they are a few dozen where nothing is wrong with the client itself.
const MOST_KINDS: usize = 256;

/// What a client has to say. The same warning is said once, and then now and then with how often it was said.
pub fn client_says(level: RDKafkaLogLevel, facility: &str, message: &str) {
    static REPEATS: LazyLock<Mutex<Repeats>> = LazyLock::new(Mutex::default);
    if level as i32 > RDKafkaLogLevel::Warning as i32 {
        return log(level, facility, message);
    }
    let mut repeats = REPEATS.lock().unwrap_or_else(PoisonError::into_inner);
    match repeats.say(message, Instant::now()) {
        None => {}
        Some(0) => log(level, facility, message),
        Some(left_out) => {
            log(level, facility, &format!("{message} (and {left_out} times more since it was last said)"))
        }
    }
}

/// Logs what is said. librdkafka's messages name hosts, topics and codes, no payloads.
pub fn log(level: RDKafkaLogLevel, facility: &str, message: &str) {
    use RDKafkaLogLevel::{Alert, Critical, Debug, Emerg, Error, Info, Notice, Warning};
    match level {
        Emerg | Alert | Critical | Error => tracing::error!(target: LIBRDKAFKA, facility, "{message}"),
        Warning => tracing::warn!(target: LIBRDKAFKA, facility, "{message}"),
        Notice | Info => tracing::info!(target: LIBRDKAFKA, facility, "{message}"),
        Debug => tracing::debug!(target: LIBRDKAFKA, facility, "{message}"),
    }
}

/// What was said, and when. Messages that differ in numbers only, such as times, are the same.
#[derive(Debug, Default)]
struct Repeats {
    said: BTreeMap<String, Said>,
}

#[derive(Debug)]
struct Said {
    at: Instant,
    left_out: u64,
}

impl Repeats {
    /// Whether this is to be said now, and how many of the same were left out since the last one; `None` if it is to
    /// be left out.
    fn say(&mut self, message: &str, now: Instant) -> Option<u64> {
        let kind = kind(message);
        if let Some(said) = self.said.get_mut(&kind) {
            if now.saturating_duration_since(said.at) < SILENCE {
                said.left_out += 1;
                return None;
            }
            said.at = now;
            return Some(std::mem::take(&mut said.left_out));
        }
        if self.said.len() >= MOST_KINDS {
            self.said.clear();
        }
        self.said.insert(kind, Said { at: now, left_out: 0 });
        Some(0)
    }
}

/// A message without its numbers.
fn kind(message: &str) -> String {
    let mut kind = String::with_capacity(message.len());
    for c in message.chars() {
        match c.is_ascii_digit() {
            true if kind.ends_with('#') => {}
            true => kind.push('#'),
            false => kind.push(c),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_said_once_and_again_after_a_while_with_its_count() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        let down = |ms: u64| format!("127.0.0.1:9092: refused (after {ms}ms)");
        assert_eq!(repeats.say(&down(0), start), Some(0));
        for ms in 1..=1000 {
            assert_eq!(repeats.say(&down(ms), start + Duration::from_millis(50 * ms)), None);
        }
        assert_eq!(repeats.say(&down(7), start + SILENCE), Some(1000));
        assert_eq!(repeats.say(&down(8), start + SILENCE), None);
        assert_eq!(repeats.say(&down(9), start + SILENCE * 2), Some(1));
    }

    #[test]
    fn something_else_is_said_at_once() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        assert_eq!(repeats.say("1/1 brokers are down", start), Some(0));
        assert_eq!(repeats.say("authentication failed", start), Some(0));
        assert_eq!(repeats.say("1/1 brokers are down", start), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        for kind in 0..10 * MOST_KINDS {
            let letters: String = kind.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
            assert_eq!(repeats.say(&letters, start), Some(0));
            assert!(repeats.said.len() <= MOST_KINDS);
        }
    }
}
