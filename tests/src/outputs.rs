//! What a run wrote.

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The files of a run, by name, in the order of the alphabet.
pub const FILES: [&str; 6] =
    ["cleared.jsonl", "dead-letter.jsonl", "decisions.jsonl", "held.jsonl", "reservations.jsonl", "review.jsonl"];

/// What the files of a run hold. The folder may be gone.
pub struct Outputs {
    files: BTreeMap<&'static str, String>,
    /// What may be sent.
    pub cleared: Vec<Value>,
    /// What a reviewer is to judge.
    pub review: Vec<Value>,
    /// What waits for terms.
    pub held: Vec<Value>,
    /// What was decided.
    pub decisions: Vec<Value>,
    /// What was possibly sent.
    pub reservations: Vec<Value>,
    /// What could not be read.
    pub dead_letter: Vec<Value>,
}

impl Outputs {
    /// Reads the files of a folder, each of which must be there.
    pub fn of(folder: &Path) -> Self {
        let text = |name| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let files: BTreeMap<&str, String> = FILES.into_iter().map(|name| (name, text(name))).collect();
        let records = |name| {
            let lines = files[name].lines();
            lines.map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
        };
        Self {
            cleared: records("cleared.jsonl"),
            review: records("review.jsonl"),
            held: records("held.jsonl"),
            decisions: records("decisions.jsonl"),
            reservations: records("reservations.jsonl"),
            dead_letter: records("dead-letter.jsonl"),
            files,
        }
    }

    /// A file as it stands.
    pub fn text(&self, name: &str) -> &str {
        &self.files[name]
    }

    /// The lines of a file as they stand.
    pub fn raw_lines(&self, name: &str) -> Vec<&str> {
        self.files[name].lines().collect()
    }

    /// The decision about a transcript.
    #[track_caller]
    pub fn decision(&self, id: &str) -> &Value {
        one(&self.decisions, id)
    }

    /// The codes of the reasons to block a transcript, in their order.
    #[track_caller]
    pub fn reasons(&self, id: &str) -> Vec<&str> {
        reasons(self.decision(id))
    }
}

/// The one record of a transcript.
#[track_caller]
pub fn one<'r>(records: &'r [Value], id: &str) -> &'r Value {
    let all: Vec<&Value> = records.iter().filter(|record| record["transcript_id"] == id).collect();
    match all.as_slice() {
        [one] => one,
        others => panic!("{} records of {id}", others.len()),
    }
}

/// The codes of the reasons in a decision.
pub fn reasons(decision: &Value) -> Vec<&str> {
    let reasons = decision["reasons"].as_array().expect("reasons");
    reasons.iter().map(|reason| reason["reason"].as_str().expect("a code")).collect()
}

/// The ids of transcripts in records.
pub fn ids(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["transcript_id"].as_str().expect("an id")).collect()
}

/// The values of a member, which is a string in each record; two equal ones fail the test.
#[track_caller]
pub fn distinct<'r>(records: &'r [Value], member: &str) -> BTreeSet<&'r str> {
    let values: Vec<&str> = records.iter().map(|record| record[member].as_str().expect("a string")).collect();
    let set: BTreeSet<&str> = values.iter().copied().collect();
    assert_eq!(set.len(), values.len(), "{member} is the same in two records");
    set
}

/// The texts of a record: of its turns, or its one text.
pub fn texts(record: &Value) -> Vec<&str> {
    match record["turns"].as_array() {
        Some(turns) => turns.iter().map(|turn| turn["text"].as_str().expect("a text")).collect(),
        None => vec![record["text"].as_str().expect("a text")],
    }
}
