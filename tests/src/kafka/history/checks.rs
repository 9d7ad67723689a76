//! The invariants, each looked at by itself. The numbers are those of the design.

use super::{History, OUTPUTS, Place, RESERVATION, Violation, reservation_id, source};
use crate::kafka::Record;
use std::collections::{BTreeMap, BTreeSet};

/// A committed decision.
struct Decision {
    attempt: String,
    is_enforced: bool,
    is_nothing: bool,
}

/// The history, put in order for the checks.
pub(super) struct Index<'h> {
    history: &'h History,
    decisions: BTreeMap<Place, Vec<Decision>>,
    /// The source of each reservation id, as decisions say.
    reserved_for: BTreeMap<String, Place>,
    violations: Vec<Violation>,
}

impl<'h> Index<'h> {
    pub(super) fn of(history: &'h History) -> Self {
        let mut decisions: BTreeMap<Place, Vec<Decision>> = BTreeMap::new();
        let mut reserved_for = BTreeMap::new();
        for record in history.of("decisions") {
            let json = record.json();
            let Some(place) = source(&json) else { continue };
            let reservation = reservation_id(&json);
            if let Some(id) = &reservation {
                reserved_for.insert(id.clone(), place);
            }
            let reasons = json["reasons"].as_array().cloned().unwrap_or_default();
            decisions.entry(place).or_default().push(Decision {
                attempt: json["attempt"].as_str().unwrap_or_default().into(),
                is_enforced: json["mode"] == "enforce",
                is_nothing: reasons.iter().any(|reason| reason["reason"] == "customer_erased"),
            });
        }
        Self { history, decisions, reserved_for, violations: Vec::new() }
    }

    /// Looks at every invariant.
    pub(super) fn violations(mut self) -> Vec<Violation> {
        self.one_outcome_each();
        self.nothing_beyond_what_is_committed();
        self.reserved_before_cleared();
        self.never_cleared_and_withheld();
        self.byte_for_byte_in_shadow_mode();
        self.in_order();
        self.no_canary();
        self.offsets_never_go_back();
        self.nothing_for_refused_destinations();
        self.no_personal_data_is_cleared();
        self.reservations_cover_what_is_cleared();
        self.violations
    }

    fn broken(&mut self, invariant: u8, what: impl Into<String>) {
        self.violations.push(Violation { invariant, what: what.into() });
    }

    /// Where a committed record came from; in shadow mode a cleared record does not say it itself.
    fn place_of(&self, output: &str, record: &Record) -> Option<Place> {
        match output {
            "cleared" => self.reserved_for.get(record.header(RESERVATION)?).copied(),
            _ => source(&record.json()),
        }
    }

    /// Committed records of each output by their source.
    fn by_source(&self, output: &str) -> BTreeMap<Place, Vec<&'h Record>> {
        let mut by_source: BTreeMap<Place, Vec<&Record>> = BTreeMap::new();
        for record in self.history.of(output) {
            if let Some(place) = self.place_of(output, record) {
                by_source.entry(place).or_default().push(record);
            }
        }
        by_source
    }

    /// 1 and 2: every finished input record has exactly one decision and exactly one outcome that it speaks of.
    fn one_outcome_each(&mut self) {
        let [cleared, review, held, dead] = ["cleared", "review", "held", "dead-letter"].map(|o| self.by_source(o));
        let mut broken = Vec::new();
        for record in &self.history.input {
            let place = (record.partition, record.offset);
            if !self.history.is_finished(place) {
                continue;
            }
            let decisions = self.decisions.get(&place).map_or(&[][..], Vec::as_slice);
            match decisions.len() {
                1 => {}
                0 => broken.push((1, format!("{place:?} is committed and has no decision"))),
                more => broken.push((2, format!("{place:?} has {more} decisions"))),
            }
            let count = |by: &BTreeMap<Place, Vec<&Record>>| by.get(&place).map_or(0, Vec::len);
            let is_copy = |record: &&Record| record.json()["shadow"] == true;
            let withheld = [&review, &held].into_iter().flat_map(|by| by.get(&place)).flatten();
            let (copies, withheld): (Vec<&Record>, Vec<&Record>) = withheld.copied().partition(is_copy);
            let outcomes = count(&cleared) + withheld.len() + count(&dead);
            let nothing = decisions.iter().any(|decision| decision.is_nothing);
            match (outcomes, nothing) {
                (1, false) | (0, true) => {}
                (0, false) => broken.push((1, format!("{place:?} is committed and has no outcome"))),
                (more, _) => broken.push((2, format!("{place:?} has {more} outcomes"))),
            }
            if copies.len() > 1 {
                broken.push((2, format!("{place:?} has {} copies in shadow mode", copies.len())));
            }
        }
        for (invariant, what) in broken {
            self.broken(invariant, what);
        }
    }

    /// 1 and 2: no committed output of an input record that is not committed, or is not there.
    fn nothing_beyond_what_is_committed(&mut self) {
        let inputs: BTreeSet<Place> = self.history.input.iter().map(|r| (r.partition, r.offset)).collect();
        for output in OUTPUTS.iter().filter(|output| **output != "reservations") {
            for record in self.history.of(output) {
                let here = format!("{output} {}/{}", record.partition, record.offset);
                match self.place_of(output, record) {
                    None => self.broken(1, format!("{here} comes of no decided record")),
                    Some(place) if !inputs.contains(&place) => {
                        self.broken(1, format!("{here} comes of {place:?}, which is not there"));
                    }
                    Some(place) if !self.history.is_finished(place) => {
                        self.broken(2, format!("{here} comes of {place:?}, which is to be read again"));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// 3: whatever cleared record anybody could see, its reservation was there before.
    fn reserved_before_cleared(&mut self) {
        let reserved = self.history.reservations();
        for record in self.history.uncommitted.get("cleared").into_iter().flatten() {
            let id = record.header(RESERVATION).unwrap_or("none");
            if !reserved.contains(id) {
                let (partition, offset) = (record.partition, record.offset);
                self.broken(3, format!("cleared {partition}/{offset} is reserved by nothing: {id}"));
            }
        }
        for what in &self.history.seen.unreserved {
            self.broken(3, format!("cleared {what} could be seen before its reservation"));
        }
    }

    /// 4: what is enforced is not both cleared and withheld.
    fn never_cleared_and_withheld(&mut self) {
        let enforced: BTreeMap<&str, Place> = self
            .decisions
            .iter()
            .flat_map(|(place, all)| all.iter().map(move |decision| (place, decision)))
            .filter(|(_, decision)| decision.is_enforced)
            .map(|(place, decision)| (decision.attempt.as_str(), *place))
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

    /// 5: shadow mode forwards byte for byte.
    fn byte_for_byte_in_shadow_mode(&mut self) {
        let input: BTreeMap<Place, &Record> = self.history.input.iter().map(|r| ((r.partition, r.offset), r)).collect();
        for (place, records) in self.by_source("cleared") {
            let is_shadow = self.decisions.get(&place).is_some_and(|all| all.iter().all(|d| !d.is_enforced));
            for record in records {
                if is_shadow && input.get(&place).is_none_or(|input| input.value != record.value) {
                    self.broken(5, format!("{place:?} was not forwarded byte for byte"));
                }
            }
        }
    }

    /// 6: within a partition of an output, records of one input partition stand in the order of the input.
    fn in_order(&mut self) {
        let mut broken = Vec::new();
        for output in OUTPUTS.iter().filter(|output| **output != "reservations") {
            let mut last: BTreeMap<(i32, i32), i64> = BTreeMap::new();
            for record in self.history.of(output) {
                let Some((partition, offset)) = self.place_of(output, record) else { continue };
                let before = last.insert((record.partition, partition), offset).unwrap_or(-1);
                if offset < before {
                    let here = format!("{output} {}/{}", record.partition, record.offset);
                    broken.push(format!("{here} comes of {partition}/{offset}, after {partition}/{before}"));
                }
            }
        }
        for what in broken {
            self.broken(6, what);
        }
    }

    /// 7: no text of a transcript where none may be.
    fn no_canary(&mut self) {
        let mut places: Vec<(String, String)> = self.history.said.clone();
        for (output, records) in &self.history.uncommitted {
            for record in records {
                let here = format!("{output} {}/{}", record.partition, record.offset);
                for (name, value) in &record.headers {
                    places.push((format!("a header of {here}"), name.clone() + &String::from_utf8_lossy(value)));
                }
                let key = record.key.as_deref().unwrap_or_default();
                places.push((format!("the key of {here}"), String::from_utf8_lossy(key).into_owned()));
                let is_without_text = match *output {
                    "decisions" | "reservations" => true,
                    "dead-letter" => record.header("maysend-reason") == Some("too_large"),
                    _ => false,
                };
                if is_without_text {
                    let value = record.value.as_deref().unwrap_or_default();
                    places.push((here, String::from_utf8_lossy(value).into_owned()));
                }
            }
        }
        for canary in &self.history.canaries {
            for (place, _) in places.iter().filter(|(_, text)| text.contains(canary)) {
                self.broken(7, format!("{place} holds text of a transcript"));
            }
        }
    }

    /// 8: what is committed never goes back.
    fn offsets_never_go_back(&mut self) {
        let mut last: BTreeMap<i32, i64> = BTreeMap::new();
        for offsets in self.history.seen.offsets.iter().chain([&self.history.offsets]) {
            for (partition, offset) in offsets {
                let before = last.insert(*partition, *offset).unwrap_or(0);
                if *offset < before {
                    self.broken(8, format!("partition {partition} went back from {before} to {offset}"));
                }
            }
        }
    }

    /// 9: nothing is cleared for a destination that is refused, not even for a reader of uncommitted records.
    fn nothing_for_refused_destinations(&mut self) {
        for record in self.history.uncommitted.get("cleared").into_iter().flatten() {
            let json = record.json();
            let destination = json["destination"].as_str().unwrap_or_default();
            if json["mode"] == "enforce" && self.history.refused.iter().any(|refused| refused == destination) {
                self.broken(9, format!("cleared {}/{} is for {destination}", record.partition, record.offset));
            }
        }
    }

    /// 10: what is cleared in enforce mode has no personal data in it, not even for a reader of uncommitted records.
    fn no_personal_data_is_cleared(&mut self) {
        for record in self.history.uncommitted.get("cleared").into_iter().flatten() {
            let text = String::from_utf8_lossy(record.value.as_deref().unwrap_or_default());
            let is_enforced = record.json()["mode"] == "enforce";
            if is_enforced && self.history.personal.iter().any(|personal| text.contains(personal)) {
                self.broken(10, format!("cleared {}/{} holds personal data", record.partition, record.offset));
            }
        }
    }

    /// 11: every committed cleared record, and every decision to send, has its reservation.
    fn reservations_cover_what_is_cleared(&mut self) {
        let reserved = self.history.reservations();
        let cleared = self.history.of("cleared").iter().map(|r| r.header(RESERVATION).unwrap_or("none").to_owned());
        let missing: BTreeSet<String> =
            cleared.chain(self.reserved_for.keys().cloned()).filter(|id| !reserved.contains(id)).collect();
        for id in missing {
            self.broken(11, format!("there is no reservation {id}"));
        }
    }
}
