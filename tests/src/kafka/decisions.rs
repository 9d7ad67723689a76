//! Single transcripts, published one by one, and what was decided about each.

use super::{Deadline, Follower, Gate, Isolation, New, PATIENCE, Prefix};
use crate::Transcript;
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

/// The committed decisions, by the transcript's id.
pub struct Decisions {
    follower: Follower,
    by_id: BTreeMap<String, Vec<Value>>,
}

impl Decisions {
    /// Follows those of a prefix.
    pub fn of(prefix: &Prefix) -> Self {
        let follower = Follower::new(prefix.bootstrap(), &prefix.topic("decisions"), Isolation::Committed);
        Self { follower, by_id: BTreeMap::new() }
    }

    /// Publishes a transcript and returns what is decided about it, while this process runs.
    #[track_caller]
    pub fn decide(&mut self, prefix: &Prefix, gate: &mut Gate, transcript: &Transcript) -> Value {
        let value: Value = serde_json::from_str(&transcript.line()).expect("JSON");
        let id = value["id"].as_str().expect("an id").to_owned();
        let known = self.by_id.get(&id).map_or(0, Vec::len);
        prefix.produce([New::value(transcript.line()).key(&id)]);
        self.wait_for(&id, known + 1, gate)
    }

    /// Waits until so many attempts at a transcript are decided, and returns the last decision.
    #[track_caller]
    pub fn wait_for(&mut self, id: &str, attempts: usize, gate: &mut Gate) -> Value {
        let deadline = Deadline::patient();
        loop {
            if let Some(all) = self.by_id.get(id).filter(|all| all.len() >= attempts) {
                return all.last().cloned().expect("at least one");
            }
            assert!(gate.is_running(), "{id} was not decided when the process ended; it says:\n{}", gate.says());
            assert!(!deadline.is_over(), "{id} was not decided in {PATIENCE:?}; it says:\n{}", gate.says());
            self.poll();
        }
    }

    /// Takes in what comes within a moment.
    pub fn poll(&mut self) {
        if let Some(record) = self.follower.poll(Duration::from_millis(100)) {
            let json = record.json();
            let id = json["transcript_id"].as_str().unwrap_or_default().to_owned();
            self.by_id.entry(id).or_default().push(json);
        }
    }

    /// Publishes transcripts, each made from its number, until one is decided as wanted; returns that decision.
    #[track_caller]
    pub fn decide_until(
        &mut self,
        prefix: &Prefix,
        gate: &mut Gate,
        transcript: impl Fn(usize) -> Transcript,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        let deadline = Deadline::patient();
        for n in 0.. {
            let decision = self.decide(prefix, gate, &transcript(n));
            if wanted(&decision) {
                return decision;
            }
            assert!(!deadline.is_over(), "nothing was decided as wanted in {PATIENCE:?}; it says:\n{}", gate.says());
        }
        unreachable!("it counts on")
    }

    /// Waits until a process has said something.
    #[track_caller]
    pub fn wait_until_said(&mut self, gate: &mut Gate, what: &str) {
        let deadline = Deadline::patient();
        while !gate.says().contains(what) {
            assert!(gate.is_running(), "it ended without saying {what:?}; it says:\n{}", gate.says());
            assert!(!deadline.is_over(), "it did not say {what:?} in {PATIENCE:?}; it says:\n{}", gate.says());
            self.poll();
        }
    }
}

/// The codes of a decision's reasons.
pub fn reasons(decision: &Value) -> Vec<&str> {
    let reasons = decision["reasons"].as_array().expect("reasons");
    reasons.iter().map(|reason| reason["reason"].as_str().expect("a code")).collect()
}
