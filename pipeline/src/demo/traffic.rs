//! The traffic of the demonstration: a day of the support platform's, invented, the same for the same seed.

use maysend_corpora::{DESTINATION, Date, Day, Style, rates, rng::Rng};

/// Transcripts in a day.
pub const DAY: u64 = rates::DAY;

/// The day that the transcripts are of.
const DATE: &str = "2026-03-02";

/// Names the stream of random words for destinations, apart from those of the corpus.
const STREAM: u64 = 0x6465_7374;

/// Where transcripts go, of ten thousand. The corpus has one destination; a platform has some that its register knows
/// better than others, and a mistake or two.
const DESTINATIONS: [(u64, &str); 4] = [
    // Keeps nothing: what is tier 1 goes there too, redacted.
    (983, "summaries-eu-zdr"),
    // Nothing allows the transfer.
    (10, "summaries-us"),
    // May train on what it is given.
    (4, "labs-free"),
    // Nobody has registered it.
    (3, "summaries-beta"),
];

/// The transcripts.
#[derive(Clone, Debug)]
pub struct Traffic {
    day: Day,
    seed: u64,
    documents: u64,
}

impl Traffic {
    /// So many transcripts of one day.
    pub fn new(seed: u64, documents: u64) -> Self {
        let date: Date = DATE.parse().expect("a date");
        Self { day: Day::new(seed, date, documents, Style::Normal), seed, documents }
    }

    /// How many there are.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The record at a position, as the platform would publish it; `None` past the end.
    pub fn record(&self, position: u64) -> Option<String> {
        let mut transcript = self.day.get(position)?.transcript;
        transcript.destination = self.destination(position);
        Some(transcript.to_json())
    }

    fn destination(&self, position: u64) -> &'static str {
        let mut left = Rng::new(self.seed, &[STREAM, position]).below(10_000);
        for (share, destination) in DESTINATIONS {
            if left < share {
                return destination;
            }
            left -= share;
        }
        DESTINATION
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Ruleset;
    use std::collections::BTreeMap;

    #[test]
    fn the_same_seed_makes_the_same_records_and_no_more_than_asked_for() {
        let (one, again, other) = (Traffic::new(1, 3), Traffic::new(1, 3), Traffic::new(2, 3));
        assert!(
            (0..3).all(|position| one.record(position).is_some() && one.record(position) == again.record(position))
        );
        assert_ne!(one.record(0), other.record(0));
        assert_eq!(one.record(3), None);
    }

    #[test]
    fn a_day_goes_to_every_registered_destination_and_to_one_that_is_not() {
        let traffic = Traffic::new(1, DAY);
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        (0..DAY).for_each(|position| *counts.entry(traffic.destination(position)).or_default() += 1);
        let mut ids = Ruleset::builtin().unwrap().rules.destinations.ids();
        ids.insert("summaries-beta".into());
        assert!(counts.keys().copied().eq(ids.iter().map(String::as_str)), "{counts:?}");
        assert!(counts[DESTINATION] > DAY * 85 / 100, "{counts:?}");
    }
}
