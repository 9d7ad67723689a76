//! The attempts at one input record, and what becomes of what was withheld: 1, 2 and 4.

use super::{
    Place,
    index::{Decision, Index},
    source,
};
use crate::kafka::Record;
use std::collections::{BTreeMap, BTreeSet};

/// What is withheld until somebody decides again.
const WITHHELD: [&str; 2] = ["review", "held"];

/// Whether a record removes one that was withheld.
pub(super) fn is_tombstone(output: &str, record: &Record) -> bool {
    WITHHELD.contains(&output) && record.value.is_none()
}

impl Index<'_> {
    pub(super) fn attempts(&mut self) {
        self.never_cleared_and_withheld();
        let broken: Vec<_> =
            [self.later_attempts_are_linked(), self.one_outcome_of_each_later(), self.sent_once(), self.replaced()]
                .concat();
        for (invariant, what) in broken {
            self.broken(invariant, what);
        }
    }

    /// 1 and 2: a later attempt follows one at the same record, and no other follows it.
    fn later_attempts_are_linked(&self) -> Vec<(u8, String)> {
        let all: BTreeMap<&str, Place> = self.decisions.iter().map(|d| (d.attempt.as_str(), d.place)).collect();
        let mut followed: BTreeSet<&str> = BTreeSet::new();
        let mut broken = Vec::new();
        for Decision { attempt, previous, place, .. } in &self.decisions {
            let Some(previous) = previous else { continue };
            if all.get(previous.as_str()) != Some(place) {
                broken.push((1, format!("{attempt} of {place:?} follows {previous}, which is no attempt at it")));
            }
            if !followed.insert(previous) {
                broken.push((2, format!("{previous} of {place:?} was decided again twice")));
            }
        }
        broken
    }

    /// 1 and 2: a later attempt has one outcome, and whatever says that it is one was decided.
    fn one_outcome_of_each_later(&self) -> Vec<(u8, String)> {
        let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
        for output in ["cleared", "review", "held", "dead-letter"] {
            for attempt in self.history.of(output).iter().filter_map(|record| self.later_attempt(output, record)) {
                *outcomes.entry(attempt).or_default() += 1;
            }
        }
        let mut broken = Vec::new();
        for decision in self.decisions.iter().filter(|decision| decision.previous.is_some()) {
            match (outcomes.remove(&decision.attempt).unwrap_or(0), decision.is_of_erased) {
                (1, false) | (0, true) => {}
                (0, false) => broken.push((1, format!("{} has no outcome", decision.attempt))),
                (more, _) => broken.push((2, format!("{} has {more} outcomes", decision.attempt))),
            }
        }
        broken.extend(outcomes.into_keys().map(|attempt| (1, format!("{attempt} has an outcome and no decision"))));
        broken
    }

    /// 2: of all attempts at a record one sends it at the most.
    fn sent_once(&self) -> Vec<(u8, String)> {
        let mut sent: BTreeMap<Place, BTreeSet<&str>> = BTreeMap::new();
        for decision in self.history.of("cleared").iter().filter_map(|record| self.cleared_by(record)) {
            sent.entry(decision.place).or_default().insert(&decision.attempt);
        }
        let twice = sent.into_iter().filter(|(_, attempts)| attempts.len() > 1);
        twice.map(|(place, attempts)| (2, format!("{place:?} was sent by {attempts:?}"))).collect()
    }

    /// 1, 2 and 4: what was withheld stays until a later attempt replaces it, and then it is gone.
    fn replaced(&self) -> Vec<(u8, String)> {
        let followed: BTreeSet<&str> = self.decisions.iter().filter_map(|d| d.previous.as_deref()).collect();
        let sent: BTreeSet<Place> =
            self.decisions.iter().filter(|d| d.is_enforced && d.is_sent).map(|decision| decision.place).collect();
        let mut broken = Vec::new();
        for output in WITHHELD {
            let mut live: BTreeMap<(i32, &[u8]), &Record> = BTreeMap::new();
            for record in self.history.of(output) {
                let Some(key) = record.key.as_deref() else { continue };
                let before = match &record.value {
                    Some(_) => live.insert((record.partition, key), record),
                    None => live.remove(&(record.partition, key)),
                };
                let here = format!("{output} {}/{}", record.partition, record.offset);
                match (is_tombstone(output, record), before.map(Record::json)) {
                    (true, None) => broken.push((2, format!("the tombstone {here} removes nothing where it stands"))),
                    (true, Some(gone)) if !followed.contains(gone["attempt"].as_str().unwrap_or_default()) => {
                        broken.push((1, format!("{here} removes what no later attempt replaces")));
                    }
                    _ => {}
                }
            }
            for json in live.into_values().map(Record::json).filter(|json| json["shadow"] != true) {
                let attempt = json["attempt"].as_str().unwrap_or_default();
                let Some(place) = source(&json) else { continue };
                if sent.contains(&place) {
                    broken.push((4, format!("{place:?} was sent, and {attempt} of it is still in {output}")));
                } else if followed.contains(attempt) {
                    broken.push((2, format!("{attempt} of {place:?} was decided again, and is still in {output}")));
                }
            }
        }
        broken
    }

    /// 4: what is enforced is not both cleared and withheld.
    fn never_cleared_and_withheld(&mut self) {
        let enforced: BTreeMap<&str, Place> = self
            .decisions
            .iter()
            .filter(|decision| decision.is_enforced)
            .map(|decision| (decision.attempt.as_str(), decision.place))
            .collect();
        let attempts = |output: &str| -> BTreeSet<String> {
            let all = self.history.of(output).iter().map(Record::json);
            all.filter_map(|json| json["attempt"].as_str().map(Into::into)).collect()
        };
        let cleared = attempts("cleared");
        let withheld: BTreeSet<String> = attempts("review").into_iter().chain(attempts("held")).collect();
        let both: Vec<String> = cleared
            .intersection(&withheld)
            .filter_map(|attempt| enforced.get(attempt.as_str()).map(|place| format!("{attempt} of {place:?}")))
            .collect();
        for what in both {
            self.broken(4, format!("{what} is both cleared and withheld"));
        }
    }
}
