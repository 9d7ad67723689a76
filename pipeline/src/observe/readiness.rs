//! Whether the process is alive, and whether it is ready: two questions, since a restart cures only the first.
//!
//! Alive: the thread that polls has turned within a bound. Ready: the group has given it partitions (or none), a broker
//! answers, and where records wait, some are committed. Being behind is not a fault, and neither is a new ruleset that
//! was refused: the old one goes on.

use crate::config::Config;
use serde::Serialize;
use std::time::Duration;

/// The bounds, from the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The polling thread may be held up for so long: by a drain, by rewinding.
    pub turns_within: Duration,
    /// Without an answer from any broker for so long, none is there. Heartbeats go out ten times in a session.
    pub broker_answers_within: Duration,
    /// Where records wait, some are committed within this.
    pub commits_within: Duration,
}

impl Bounds {
    /// The bounds that follow from a configuration.
    pub fn of(config: &Config) -> Self {
        let stream = &config.stream;
        Self {
            // A rewind waits for the committer, asks what is committed and seeks, each within its own bound.
            turns_within: stream.drain_timeout + stream.message_timeout * 8,
            broker_answers_within: stream.session_timeout / 2,
            commits_within: config.http.stalled_after,
        }
    }
}

/// What is known of the process at a moment. Times are how long ago something was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// The last turn of the polling thread; `None` while it starts.
    pub turned: Option<Duration>,
    /// Partitions that are assigned; `None` before the group has answered.
    pub assigned: Option<usize>,
    /// The last answer of any broker; `None` before the first.
    pub broker_answered: Option<Duration>,
    /// The last commit, or when records began to wait; `None` while none wait.
    pub stalled: Option<Duration>,
    /// Whether the process ends.
    pub is_stopping: bool,
}

/// Why the process is not ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// One of `not_assigned`, `not_polling`, `no_broker`, `stalled`, `stopping`.
    pub code: &'static str,
    /// The same in words.
    pub message: String,
}

impl Facts {
    /// Whether the process is alive. One that starts is.
    pub fn is_alive(&self, bounds: &Bounds) -> bool {
        self.turned.is_none_or(|turned| turned <= bounds.turns_within)
    }

    /// Every reason why it is not ready; none if it is.
    pub fn obstacles(&self, bounds: &Bounds) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        let mut add = |code, message: String| obstacles.push(Obstacle { code, message });
        if self.is_stopping {
            add("stopping", "the process was told to stop".into());
        }
        if self.assigned.is_none() {
            add("not_assigned", "the group has not given it partitions yet".into());
        }
        if !self.is_alive(bounds) {
            let turned = seconds(self.turned);
            add("not_polling", format!("the thread that polls last turned {turned} s ago"));
        }
        if let Some(answered) = self.broker_answered.filter(|answered| *answered > bounds.broker_answers_within) {
            add("no_broker", format!("no broker has answered for {} s", seconds(Some(answered))));
        }
        if let Some(stalled) = self.stalled.filter(|stalled| *stalled > bounds.commits_within) {
            let stalled = seconds(Some(stalled));
            add("stalled", format!("records wait, and nothing was committed for {stalled} s"));
        }
        obstacles
    }
}

fn seconds(time: Option<Duration>) -> u64 {
    time.unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        turns_within: Duration::from_secs(100),
        broker_answers_within: Duration::from_secs(20),
        commits_within: Duration::from_secs(60),
    };

    fn working() -> Facts {
        let ago = |seconds| Some(Duration::from_secs(seconds));
        Facts { turned: ago(0), assigned: Some(4), broker_answered: ago(1), stalled: ago(5), is_stopping: false }
    }

    fn codes(facts: Facts) -> Vec<&'static str> {
        facts.obstacles(&BOUNDS).into_iter().map(|obstacle| obstacle.code).collect()
    }

    #[test]
    fn a_process_that_starts_is_alive_and_not_ready() {
        assert!(Facts::default().is_alive(&BOUNDS));
        assert_eq!(codes(Facts::default()), ["not_assigned"]);
    }

    #[test]
    fn a_process_that_works_is_ready_also_behind_or_without_partitions() {
        assert!(codes(working()).is_empty());
        assert!(codes(Facts { assigned: Some(0), stalled: None, ..working() }).is_empty());
        assert!(codes(Facts { broker_answered: None, ..working() }).is_empty(), "the client has not said yet");
    }

    #[test]
    fn each_obstacle_is_said() {
        let long = Some(Duration::from_secs(101));
        assert_eq!(codes(Facts { assigned: None, ..working() }), ["not_assigned"]);
        assert_eq!(codes(Facts { broker_answered: long, ..working() }), ["no_broker"]);
        assert_eq!(codes(Facts { stalled: long, ..working() }), ["stalled"]);
        assert_eq!(codes(Facts { is_stopping: true, ..working() }), ["stopping"]);
        let hung = Facts { turned: long, stalled: long, ..working() };
        assert_eq!(codes(hung), ["not_polling", "stalled"]);
        assert!(!hung.is_alive(&BOUNDS));
    }
}
