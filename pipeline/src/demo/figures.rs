//! What the demonstration shows: the stream's counts, and what follows from them.

use super::{meter::Rates, traffic::DAY};
use crate::{
    observe::Snapshot,
    ruleset::policy::{Mode, Tier},
    stages::Output,
};
use std::{collections::BTreeMap, time::Duration};

/// What a reviewer needs for a document, in seconds.
pub const REVIEW_SECONDS: u64 = 40;

/// Where the demonstration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The gate waits for its partitions.
    #[default]
    Starting,
    /// Transcripts are published as they are due.
    Running,
    /// The next transcript is due, and waits for the gate.
    Waiting,
    /// What is in flight ends.
    Ending,
}

/// The figures of a moment.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Where it is.
    pub phase: Phase,
    /// What becomes of a block.
    pub mode: Mode,
    /// Transcripts in all.
    pub documents: u64,
    /// Since the first was published.
    pub elapsed: Duration,
    /// Transcripts published.
    pub published: u64,
    /// What happens in a second.
    pub rates: Rates,
    /// Transcripts decided in each half second, the oldest first.
    pub history: Vec<u64>,
    /// What the stream has done.
    pub seen: Snapshot,
}

/// What became of the transcripts to one destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Cleared.
    pub sent: u64,
    /// In review or held.
    pub withheld: u64,
}

impl Figures {
    /// Transcripts decided, and committed.
    pub fn decided(&self) -> u64 {
        self.seen.tally.records
    }

    /// Transcripts read from the broker.
    pub fn read(&self) -> u64 {
        self.decided() + self.seen.in_hand
    }

    /// Decisions to block, whatever the mode makes of them.
    pub fn blocked(&self) -> u64 {
        self.seen.tally.blocked
    }

    /// Transcripts in the reviewers' queue.
    pub fn for_review(&self) -> u64 {
        self.seen.tally.for_review()
    }

    /// Transcripts that only other terms can change.
    pub fn held(&self) -> u64 {
        self.seen.tally.held.values().sum()
    }

    /// Transcripts that were cleared.
    pub fn sent(&self) -> u64 {
        self.seen.tally.outputs.get(Output::Cleared.as_str()).copied().unwrap_or(0)
    }

    /// Hours that the reviewers' queue takes.
    pub fn queue_hours(&self) -> f64 {
        (self.for_review() * REVIEW_SECONDS) as f64 / 3600.0
    }

    /// Hours of review that a day of [`DAY`] transcripts like these makes.
    pub fn queue_hours_a_day(&self) -> f64 {
        self.queue_hours() * DAY as f64 / self.decided().max(1) as f64
    }

    /// Findings of tier 1 by entity, the most frequent first.
    pub fn tier1(&self) -> Vec<(&str, u64)> {
        let tier1 = self.seen.tally.entities.iter().filter(|((tier, _), _)| *tier == Tier::One.number());
        most_first(tier1.map(|((_, entity), count)| (entity.as_str(), *count)))
    }

    /// Held transcripts by cause, the most frequent first.
    pub fn held_by_cause(&self) -> Vec<(&str, u64)> {
        most_first(self.seen.tally.held.iter().map(|(cause, count)| (cause.as_str(), *count)))
    }

    /// Reasons to block, the most frequent first. A decision may have several.
    pub fn reasons(&self) -> Vec<(&str, u64)> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for ((_, reason), count) in &self.seen.tally.reasons {
            *sums.entry(reason).or_default() += count;
        }
        most_first(sums)
    }

    /// What reference formats hid, by format.
    pub fn hidden(&self) -> Vec<(&str, u64)> {
        most_first(self.seen.tally.suppressed.iter().map(|(format, count)| (format.as_str(), *count)))
    }

    /// What became of the transcripts, by destination, the most frequent first.
    pub fn destinations(&self) -> Vec<(&str, Outcomes)> {
        let mut all: BTreeMap<&str, Outcomes> = BTreeMap::new();
        for ((outcome, destination), count) in &self.seen.tally.attempts {
            let outcomes = all.entry(destination).or_default();
            match *outcome == Output::Cleared.as_str() {
                true => outcomes.sent += count,
                false => outcomes.withheld += count,
            }
        }
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|(_, outcomes)| std::cmp::Reverse(outcomes.sent + outcomes.withheld));
        all
    }
}

fn most_first<'f>(counts: impl IntoIterator<Item = (&'f str, u64)>) -> Vec<(&'f str, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    counts
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::{observe::Quantiles, stages::Tally};

    /// Figures from the middle of a day.
    pub(crate) fn figures() -> Figures {
        let mut tally = Tally { records: 15_812, blocked: 67, ..Tally::default() };
        for (entity, count) in [("payment.card", 31), ("nl.bsn", 12), ("us.ssn", 12)] {
            tally.entities.insert((1, entity.into()), count);
        }
        tally.entities.insert((2, "contact.email".into()), 9_000);
        tally.held = [("no_transfer_mechanism".into(), 15), ("destination_unknown".into(), 5)].into();
        tally.outputs = [("cleared", 15_745), ("review", 47), ("held", 20)].into();
        tally.reasons = [(("enforce", "tier1_retained"), 52), (("enforce", "no_transfer_mechanism"), 20)].into();
        tally.suppressed = [("ticket".into(), 1_234)].into();
        tally.attempts = [
            (("cleared", "summaries-eu".into()), 14_200),
            (("review", "summaries-eu".into()), 47),
            (("cleared", "summaries-eu-zdr".into()), 1_545),
            (("held", "summaries-us".into()), 20),
        ]
        .into();
        Figures {
            phase: Phase::Running,
            mode: Mode::Enforce,
            documents: 41_200,
            elapsed: Duration::from_secs(23),
            published: 16_000,
            rates: Rates { published: 687.2, read: 690.4, decided: 684.0 },
            history: (0..60).map(|at| 300 + at % 7 * 10).collect(),
            seen: Snapshot {
                tally,
                in_hand: 101,
                in_flight_bytes: 145_408,
                end_to_end: Some(Quantiles { p50: Duration::from_micros(112_400), p99: Duration::from_millis(1310) }),
                partitions: Some(4),
                last_error: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::figures;
    use super::*;

    #[test]
    fn the_queue_is_forty_seconds_a_document_and_grows_to_a_days_volume() {
        let figures = figures();
        assert!((figures.queue_hours() - 47.0 * 40.0 / 3600.0).abs() < 1e-9);
        assert!((figures.queue_hours_a_day() - 47.0 * 40.0 / 3600.0 * 41_200.0 / 15_812.0).abs() < 1e-9);
        let nothing = Figures { seen: Snapshot::default(), ..figures };
        assert!(nothing.queue_hours_a_day() < 1e-9, "before anything is decided");
    }

    #[test]
    fn only_tier_1_is_listed_and_the_most_frequent_first() {
        assert_eq!(figures().tier1(), [("payment.card", 31), ("nl.bsn", 12), ("us.ssn", 12)]);
    }

    #[test]
    fn what_did_not_go_to_a_destination_was_withheld() {
        let figures = figures();
        let destinations = figures.destinations();
        assert_eq!(destinations[0], ("summaries-eu", Outcomes { sent: 14_200, withheld: 47 }));
        assert_eq!(destinations[2], ("summaries-us", Outcomes { sent: 0, withheld: 20 }));
    }
}
