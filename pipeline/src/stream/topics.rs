//! The topics: their names, and what each must be like.
//!
//! | topic | kept | cleanup |
//! |---|---|---|
//! | cleared | days | delete, and compact for tombstones |
//! | review, held | until judged, then days | compact and delete, so that a tombstone removes bytes by a stated date |
//! | decisions | a declared period | delete, and compact |
//! | reservations | for ever | never compacted; no unclean leader |
//! | dead-letter | days | delete |

use crate::stages::Output;

/// Names of the topics, from one prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topics {
    /// What is read.
    pub input: String,
    outputs: Vec<(Output, String)>,
}

impl Topics {
    /// The topics of a prefix: `transcripts` gives `transcripts` and `transcripts.cleared`, ….
    pub fn new(prefix: &str) -> Self {
        let name = |output: Output| (output, format!("{prefix}.{}", output.as_str()));
        Self { input: prefix.into(), outputs: Output::ALL.into_iter().map(name).collect() }
    }

    /// The topic of an output.
    pub fn of(&self, output: Output) -> &str {
        let found = self.outputs.iter().find(|(own, _)| *own == output);
        &found.expect("there is a topic for every output").1
    }

    /// Every topic, the input first, with what it must be like.
    pub fn all(&self) -> impl Iterator<Item = (&str, Vec<(&'static str, &'static str)>)> {
        let outputs = self.outputs.iter().map(|(output, name)| (name.as_str(), settings(*output)));
        std::iter::once((self.input.as_str(), vec![("cleanup.policy", "delete")])).chain(outputs)
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
        Output::Reservations => vec![
            ("cleanup.policy", "delete"),
            ("retention.ms", "-1"),
            ("retention.bytes", "-1"),
            ("unclean.leader.election.enable", "false"),
        ],
        Output::DeadLetter => vec![("cleanup.policy", "delete"), ("retention.ms", "1209600000")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_kept_for_ever_and_never_compacted() {
        let topics = Topics::new("transcripts");
        let all: Vec<_> = topics.all().collect();
        assert_eq!(all.len(), 7);
        assert_eq!(all[0].0, "transcripts");
        let (_, settings) = all.iter().find(|(name, _)| *name == "transcripts.reservations").unwrap();
        assert!(settings.contains(&("cleanup.policy", "delete")) && settings.contains(&("retention.ms", "-1")));
        assert_eq!(topics.of(Output::DeadLetter), "transcripts.dead-letter");
    }
}
