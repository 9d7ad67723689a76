//! Calls that are made again while what they meet is known to pass.

use super::failure::settles;
use rdkafka::error::KafkaError;
use std::{
    thread,
    time::{Duration, Instant},
};

/// The pause before a call is made again for the first time.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest pause. A coordinator that has moved answers within a second or two.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Makes a call again, with the same arguments, while `passes` says so of its error. Pauses before each time, for a moment
/// at first and longer then.
///
/// # Errors
/// The call's own, if it does not pass, or when this time is over.
pub fn retrying<T>(
    timeout: Duration,
    passes: impl Fn(&KafkaError) -> bool,
    mut call: impl FnMut() -> Result<T, KafkaError>,
) -> Result<T, KafkaError> {
    let deadline = Instant::now() + timeout;
    let mut pauses = Pauses::default();
    loop {
        match call() {
            Err(error) if passes(&error) => {
                let left = deadline.saturating_duration_since(Instant::now());
                let Some(pause) = pauses.next_within(left) else { return Err(error) };
                thread::sleep(pause);
            }
            other => return other,
        }
    }
}

/// Asks the brokers again while they are settling who answers. The client does not for every such error: that a new
/// leader does not know yet how far its followers are, it hands on.
///
/// # Errors
/// The last answer, if it is another, or when this time is over.
pub fn asking<T>(timeout: Duration, question: impl FnMut() -> Result<T, KafkaError>) -> Result<T, KafkaError> {
    retrying(timeout, settles, question)
}

/// Pauses between calls that are made again: each twice as long as the one before, to a bound.
#[derive(Debug)]
struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(FIRST_PAUSE)
    }
}

impl Pauses {
    /// The next pause, no longer than what is left; `None` if nothing is left.
    fn next_within(&mut self, left: Duration) -> Option<Duration> {
        let pause = self.0.min(left);
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
        (!pause.is_zero()).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rdkafka::error::RDKafkaErrorCode as Code;
    use std::cell::Cell;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Fails so many times, then says how often it was called.
    fn failing(times: u32, code: Code) -> impl FnMut() -> Result<u32, KafkaError> {
        let calls = Cell::new(0);
        move || {
            calls.set(calls.get() + 1);
            if calls.get() <= times { Err(KafkaError::MetadataFetch(code)) } else { Ok(calls.get()) }
        }
    }

    #[test]
    fn what_passes_is_asked_again_until_it_has() {
        assert_eq!(asking(MINUTE, failing(0, Code::OffsetNotAvailable)), Ok(1));
        assert_eq!(asking(MINUTE, failing(3, Code::OffsetNotAvailable)), Ok(4));
    }

    #[test]
    fn what_does_not_pass_is_asked_once() {
        let denied = KafkaError::MetadataFetch(Code::TopicAuthorizationFailed);
        let mut question = failing(1, Code::TopicAuthorizationFailed);
        assert_eq!(asking(MINUTE, &mut question), Err(denied));
        assert_eq!(question(), Ok(2));
    }

    #[test]
    fn what_lasts_is_given_up_when_the_time_is_over() {
        let lasting = failing(u32::MAX, Code::NotCoordinator);
        assert_eq!(asking(Duration::from_millis(1), lasting), Err(KafkaError::MetadataFetch(Code::NotCoordinator)));
    }

    #[test]
    fn pauses_grow_to_a_bound_and_end_with_what_is_left() {
        let mut pauses = Pauses::default();
        let all: Vec<u128> = (0..8).filter_map(|_| pauses.next_within(MINUTE)).map(|p| p.as_millis()).collect();
        assert_eq!(all, [10, 20, 40, 80, 160, 320, 500, 500]);
        assert_eq!(pauses.next_within(Duration::from_millis(7)), Some(Duration::from_millis(7)));
        assert_eq!(pauses.next_within(Duration::ZERO), None);
    }
}
