//! What the clients say again and again.
//!
//! While brokers are away every client of the process tries to reach each of them, and says so each time. The first is
//! news; then it is enough to hear now and then that it goes on, and how often.

use crate::observe::logs::LIBRDKAFKA;
use rdkafka::{config::RDKafkaLogLevel, error::KafkaError};
use std::{
    collections::BTreeMap,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// So long the same is not said again.
const SILENCE: Duration = Duration::from_secs(60);

/// So many different things are remembered; they are a few dozen where nothing is wrong with the client itself.
const MOST_KINDS: usize = 256;

/// What a client logs. The same warning is said once, and then now and then with how often it was said.
pub fn client_logs(level: RDKafkaLogLevel, facility: &str, message: &str) {
    let message = without_thread(message);
    if level as i32 > RDKafkaLogLevel::Warning as i32 {
        return log(level, facility, message);
    }
    match repeats().say(message, Instant::now()) {
        None => {}
        Some(0) => log(level, facility, message),
        Some(left_out) => {
            log(level, facility, &format!("{message} (and {left_out} times more since it was last said)"))
        }
    }
}

/// An error that a client reports. librdkafka has mostly logged the same by then, and rust-rdkafka 0.39 reports those of
/// producers twice, so one that was said lately is neither said nor counted.
pub fn client_reports(error: &KafkaError, reason: &str) {
    if repeats().echo(reason, Instant::now()) {
        log(RDKafkaLogLevel::Error, "client", &format!("{error}: {reason}"));
    }
}

fn repeats() -> MutexGuard<'static, Repeats> {
    static REPEATS: LazyLock<Mutex<Repeats>> = LazyLock::new(Mutex::default);
    REPEATS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What librdkafka logs without the name of its thread, which stands before it: `[thrd:main]: `.
fn without_thread(message: &str) -> &str {
    let rest = message.strip_prefix("[thrd:").and_then(|rest| rest.split_once("]: "));
    rest.map_or(message, |(_, rest)| rest)
}

/// Logs what is said. librdkafka's messages name hosts, topics and codes, no payloads.
fn log(level: RDKafkaLogLevel, facility: &str, message: &str) {
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
        match self.said.get_mut(&kind(message)) {
            Some(said) if now.saturating_duration_since(said.at) < SILENCE => {
                said.left_out += 1;
                None
            }
            Some(said) => {
                said.at = now;
                Some(std::mem::take(&mut said.left_out))
            }
            None => {
                self.remember(message, now);
                Some(0)
            }
        }
    }

    /// Whether something that may have been said already, and was counted then, is to be said.
    fn echo(&mut self, message: &str, now: Instant) -> bool {
        let is_news =
            self.said.get(&kind(message)).is_none_or(|said| now.saturating_duration_since(said.at) >= SILENCE);
        if is_news {
            self.remember(message, now);
        }
        is_news
    }

    fn remember(&mut self, message: &str, now: Instant) {
        if self.said.len() >= MOST_KINDS {
            self.said.clear();
        }
        self.said.insert(kind(message), Said { at: now, left_out: 0 });
    }
}

/// A message without its numbers, and without what librdkafka adds of the time and of those that it has suppressed itself.
fn kind(message: &str) -> String {
    let message = message.split(" (after ").next().unwrap_or(message);
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
    fn an_error_that_was_logged_already_is_not_said_again_and_not_counted() {
        let (mut repeats, start) = (Repeats::default(), Instant::now());
        let logged = "[thrd:127.0.0.1:9092/bootstrap]: 127.0.0.1:9092/bootstrap: refused (after 1ms)";
        assert_eq!(repeats.say(without_thread(logged), start), Some(0));
        let reported = "127.0.0.1:9092/bootstrap: refused (after 2ms, 1 identical error(s) suppressed)";
        assert!(!repeats.echo(reported, start) && !repeats.echo(reported, start));
        assert_eq!(repeats.say(reported, start + SILENCE), Some(0));
        assert!(repeats.echo("1/1 brokers are down", start), "nobody has said it");
        assert!(!repeats.echo("1/1 brokers are down", start));
        assert!(repeats.echo("1/1 brokers are down", start + SILENCE));
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
