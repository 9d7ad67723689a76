//! What is counted of an attempt, for summaries and metrics. Holds names from the ruleset and numbers, no text.

use super::{Output, Produced, search::Searched};
use crate::{
    gate::{Decision, Reason, Route, Verdict},
    ruleset::{
        Ruleset,
        policy::{Mode, Tier},
    },
    wire::DeadLetterReason,
};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Counts of one attempt, or of many added together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Records read.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The earliest and the latest time of a turn.
    pub times: Option<(Timestamp, Timestamp)>,
    /// Decisions to block, in either mode.
    pub blocked: u64,
    /// Attempts, by what became of them and by destination: its id where it is registered, otherwise `unknown`.
    pub attempts: BTreeMap<(&'static str, String), u64>,
    /// Decisions of what could be decoded, by mode and verdict.
    pub decisions: BTreeMap<(&'static str, &'static str), u64>,
    /// The same by mode and by each reason that applied.
    pub reasons: BTreeMap<(&'static str, &'static str), u64>,
    /// Findings at or over `redact_at`, by tier and entity.
    pub entities: BTreeMap<(u8, String), u64>,
    /// What reference formats hid, by format.
    pub suppressed: BTreeMap<String, u64>,
    /// What was stripped, by field.
    pub stripped: BTreeMap<String, u64>,
    /// Transcripts held, by all their reasons together.
    pub held: BTreeMap<String, u64>,
    /// Dead letters, by reason.
    pub dead_letters: BTreeMap<&'static str, u64>,
    /// Records written, by output.
    pub outputs: BTreeMap<&'static str, u64>,
}

/// The destination of what has none that is registered.
const UNKNOWN: &str = "unknown";

impl Tally {
    pub(super) fn of_decision(
        bytes: usize,
        decision: &Decision,
        mode: Mode,
        searched: &Searched<'_>,
        ruleset: &Ruleset,
    ) -> Self {
        let policy = &ruleset.rules.policy;
        let mut tally = Self { records: 1, bytes: bytes as u64, times: searched.times, ..Self::default() };
        tally.blocked = u64::from(decision.verdict() == Verdict::Block);
        tally.decisions.insert((mode.as_str(), decision.verdict().as_str()), 1);
        tally.reasons = decision.reasons.iter().map(|reason| ((mode.as_str(), reason.code()), 1)).collect();
        for (entity, count) in &decision.entities {
            let tier = match decision.tier1_entities.contains(entity) {
                true => Tier::One,
                false => policy.rule(entity.as_str()).tier,
            };
            tally.entities.insert((tier.number(), entity.to_string()), *count as u64);
        }
        for ((reference, _), count) in &searched.suppressed {
            *tally.suppressed.entry(reference.clone()).or_default() += count;
        }
        tally.stripped = searched.stripped.clone();
        if decision.route() == Route::Held {
            tally.held.insert(cause(&decision.reasons), 1);
        }
        tally
    }

    pub(super) fn of_dead_letter(bytes: u64, reason: DeadLetterReason) -> Self {
        let mut tally = Self { records: 1, bytes, ..Self::default() };
        tally.dead_letters.insert(reason.code(), 1);
        tally
    }

    /// Counts what is written of one attempt, whose destination is given where it is registered.
    pub(super) fn count_outputs(&mut self, outputs: &[Produced], destination: Option<&str>) {
        for produced in outputs {
            *self.outputs.entry(produced.output.as_str()).or_default() += 1;
        }
        let outcome = [Output::Cleared, Output::Review, Output::Held, Output::DeadLetter]
            .into_iter()
            .find(|outcome| outputs.iter().any(|produced| produced.output == *outcome))
            .map_or(Route::Nothing.as_str(), Output::as_str);
        *self.attempts.entry((outcome, destination.unwrap_or(UNKNOWN).to_owned())).or_default() += 1;
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        fn sum<K: Ord + Clone>(own: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
            for (key, count) in other {
                match own.get_mut(key) {
                    Some(own) => *own += count,
                    None => {
                        own.insert(key.clone(), *count);
                    }
                }
            }
        }
        self.records += other.records;
        self.bytes += other.bytes;
        self.blocked += other.blocked;
        self.times = match (self.times, other.times) {
            (Some((first, last)), Some((early, late))) => Some((first.min(early), last.max(late))),
            (own, other) => own.or(other),
        };
        sum(&mut self.attempts, &other.attempts);
        sum(&mut self.decisions, &other.decisions);
        sum(&mut self.reasons, &other.reasons);
        sum(&mut self.entities, &other.entities);
        sum(&mut self.suppressed, &other.suppressed);
        sum(&mut self.stripped, &other.stripped);
        sum(&mut self.held, &other.held);
        sum(&mut self.dead_letters, &other.dead_letters);
        sum(&mut self.outputs, &other.outputs);
    }

    /// Transcripts that a reviewer has to look at.
    pub fn for_review(&self) -> u64 {
        self.outputs.get(Output::Review.as_str()).copied().unwrap_or(0)
    }

    /// Days that the transcripts span, at least one; `None` if no turn has a time.
    pub fn days(&self) -> Option<u64> {
        let (first, last) = self.times?;
        let seconds = last.as_second().saturating_sub(first.as_second()).max(1);
        Some(u64::try_from(seconds).unwrap_or(1).div_ceil(24 * 60 * 60))
    }

    /// Dead letters.
    pub fn dead(&self) -> u64 {
        self.outputs.get(Output::DeadLetter.as_str()).copied().unwrap_or(0)
    }
}

/// What has to be put right for a held transcript. Of an unknown destination nothing is proven, so its other reasons
/// say no more.
fn cause(reasons: &[Reason]) -> String {
    let causes: Vec<&str> = match reasons.contains(&Reason::DestinationUnknown) {
        true => vec![Reason::DestinationUnknown.code()],
        false => reasons.iter().filter(|reason| !reason.is_for_review()).map(|reason| reason.code()).collect(),
    };
    causes.join(" + ")
}
