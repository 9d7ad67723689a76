//! How many dead letters are too many.

use crate::stream::StreamError;

/// Dead letters of the last minute, against the most that are not a sign of a broken producer upstream.
pub(super) struct DeadLetterRate {
    most_per_minute: u64,
    since_ms: u64,
    count: u64,
}

impl DeadLetterRate {
    /// None yet.
    pub(super) fn at_most(most_per_minute: u64) -> Self {
        Self { most_per_minute, since_ms: 0, count: 0 }
    }

    /// Counts more.
    ///
    /// # Errors
    /// There are more than chance explains.
    pub(super) fn count(&mut self, more: u64, now_ms: u64) -> Result<(), StreamError> {
        if now_ms.saturating_sub(self.since_ms) >= 60_000 {
            (self.since_ms, self.count) = (now_ms, 0);
        }
        self.count += more;
        match self.count > self.most_per_minute {
            true => Err(StreamError::TooManyDeadLetters { count: self.count, most: self.most_per_minute }),
            false => Ok(()),
        }
    }
}
