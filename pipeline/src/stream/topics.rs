//! The topics: their names, and what each must be like.
//!
//! | topic | kept | cleanup |
//! |---|---|---|
//! | cleared | days | delete, and compact for tombstones |
//! | review, held | until judged, then days | compact and delete, so that a tombstone removes bytes by a stated date |
//! | decisions | a declared period | delete, and compact |
//! | reservations | for ever | never compacted; no unclean leader |
//! | dead-letter | days | delete |
//! | usage, verdicts | for ever | never compacted; no unclean leader |
//! | erasures, contradictions, rulesets | for ever | no deletion; no unclean leader |
//! | erasure-records, requests | for ever | no deletion; no unclean leader |

use crate::stages::Output;

/// Names of the topics, from one prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topics {
    /// What is read.
    pub input: String,
    /// Who was erased: read whole before anything is decided, and followed.
    pub erasures: String,
    /// What senders report of reserved requests: followed.
    pub usage: String,
    /// Terms that usage has contradicted: written by the gate, read whole and followed.
    pub contradictions: String,
    /// Every ruleset that was in use, by its digest: written by the gate.
    pub rulesets: String,
    /// What reviewers decide.
    pub verdicts: String,
    /// What was done about each erasure, signed: written and read by `maysend ledger`.
    pub erasure_records: String,
    /// The life of each request: written and read by `maysend ledger`.
    pub requests: String,
    outputs: Vec<(Output, String)>,
}

impl Topics {
    /// The topics of a prefix: `transcripts` gives `transcripts` and `transcripts.cleared`, ….
    pub fn new(prefix: &str) -> Self {
        let name = |name: &str| format!("{prefix}.{name}");
        Self {
            input: prefix.into(),
            erasures: name("erasures"),
            usage: name("usage"),
            contradictions: name("contradictions"),
            rulesets: name("rulesets"),
            verdicts: name("verdicts"),
            erasure_records: name("erasure-records"),
            requests: name("requests"),
            outputs: Output::ALL.into_iter().map(|output| (output, name(output.as_str()))).collect(),
        }
    }

    /// The topic of an output.
    pub fn of(&self, output: Output) -> &str {
        let found = self.outputs.iter().find(|(own, _)| *own == output);
        &found.expect("there is a topic for every output").1
    }

    /// Every topic, the input first, with what it must be like.
    pub fn all(&self) -> impl Iterator<Item = (&str, Vec<(&'static str, &'static str)>)> {
        let outputs = self.outputs.iter().map(|(output, name)| (name.as_str(), settings(*output)));
        let kept = [
            &self.erasures,
            &self.usage,
            &self.contradictions,
            &self.rulesets,
            &self.verdicts,
            &self.erasure_records,
            &self.requests,
        ];
        std::iter::once((self.input.as_str(), vec![("cleanup.policy", "delete")]))
            .chain(outputs)
            .chain(kept.map(|name| (name.as_str(), kept_for_ever())))
    }

    /// The topics that the stream reads or writes: each must be there before it starts.
    pub fn needed(&self) -> impl Iterator<Item = &str> {
        let others = [&self.verdicts, &self.erasure_records, &self.requests];
        self.all().map(|(name, _)| name).filter(move |name| others.iter().all(|other| other != name))
    }
}

const DAY_MS: &str = "86400000";
const WEEK_MS: &str = "604800000";
const YEAR_MS: &str = "31536000000";

/// The topic settings that an output's guarantees depend on.
fn settings(output: Output) -> Vec<(&'static str, &'static str)> {
    match output {
        Output::Cleared => {
            vec![("cleanup.policy", "compact,delete"), ("retention.ms", WEEK_MS), ("segment.ms", DAY_MS)]
        }
        // An active segment is never cleaned: a short one, and a bound on the lag, make a tombstone's date a promise.
        Output::Review | Output::Held => vec![
            ("cleanup.policy", "compact,delete"),
            ("retention.ms", "2592000000"),
            ("segment.ms", DAY_MS),
            ("max.compaction.lag.ms", DAY_MS),
            ("delete.retention.ms", DAY_MS),
        ],
        Output::Decisions => vec![("cleanup.policy", "compact,delete"), ("retention.ms", YEAR_MS)],
        Output::Reservations => kept_for_ever(),
        Output::DeadLetter => vec![("cleanup.policy", "delete"), ("retention.ms", "1209600000")],
    }
}

/// The settings of a topic of which no record may ever go.
fn kept_for_ever() -> Vec<(&'static str, &'static str)> {
    vec![
        ("cleanup.policy", "delete"),
        ("retention.ms", "-1"),
        ("retention.bytes", "-1"),
        ("unclean.leader.election.enable", "false"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_evidence_is_kept_for_ever_and_never_compacted() {
        let topics = Topics::new("transcripts");
        let all: Vec<_> = topics.all().collect();
        assert_eq!(all.len(), 14);
        assert_eq!(all[0].0, "transcripts");
        let kept = ["reservations", "usage", "erasures", "contradictions", "rulesets", "verdicts"];
        for kept in kept.into_iter().chain(["erasure-records", "requests"]) {
            let (_, settings) = all.iter().find(|(name, _)| *name == format!("transcripts.{kept}")).unwrap();
            assert!(settings.contains(&("cleanup.policy", "delete")) && settings.contains(&("retention.ms", "-1")));
        }
        assert_eq!(topics.of(Output::DeadLetter), "transcripts.dead-letter");
    }
}
