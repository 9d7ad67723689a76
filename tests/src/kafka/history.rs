//! The whole history of a stream, and the invariants that it must keep.

use super::{Record, witness::Seen};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// The outputs, by the ends of their topics' names.
pub const OUTPUTS: &[&str] = &["reservations", "cleared", "review", "held", "decisions", "dead-letter"];

/// The header that names the reservation of a cleared record.
pub const RESERVATION: &str = "maysend-reservation-id";

/// Where an input record stands: partition and offset.
pub type Place = (i32, i64);

/// All that happened. Made by [`super::Prefix::history`].
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The records that were to be read.
    pub input: Vec<Record>,
    /// What a reader of committed records has, by output.
    pub committed: BTreeMap<&'static str, Vec<Record>>,
    /// What a reader of uncommitted records has, by output: also what was aborted.
    pub uncommitted: BTreeMap<&'static str, Vec<Record>>,
    /// What the group has committed, by partition.
    pub offsets: BTreeMap<i32, i64>,
    /// What a witness saw on the way, if there was one.
    pub seen: Seen,
    /// Destinations that nothing may be cleared for in enforce mode.
    pub refused: Vec<String>,
    /// Strings that stand in transcripts, and must not be said.
    pub canaries: Vec<String>,
    /// What processes said, by the name of the file.
    pub said: Vec<(String, String)>,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its number in the design.
    pub invariant: u8,
    /// What breaks it.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariant {}: {}", self.invariant, self.what)
    }
}

/// Where the input record of an output record stands.
pub fn source(output: &Value) -> Option<Place> {
    let source = &output["source"];
    Some((i32::try_from(source["partition"].as_i64()?).ok()?, source["offset"].as_i64()?))
}

/// The id of a reservation in a record.
pub fn reservation_id(record: &Value) -> Option<String> {
    record["reservation_id"].as_str().map(Into::into)
}

/// A committed decision.
struct Decision {
    attempt: String,
    is_enforced: bool,
    is_nothing: bool,
}

/// The history, put in order for the checks.
struct Index<'h> {
    history: &'h History,
    decisions: BTreeMap<Place, Vec<Decision>>,
    /// The source of each reservation id, as decisions say.
    reserved_for: BTreeMap<String, Place>,
    violations: Vec<Violation>,
}

impl History {
    /// Fails the test unless every invariant is kept, and everything that was to be read has an outcome.
    #[track_caller]
    pub fn holds(&self) -> &Self {
        let violations = self.violations();
        let all: Vec<String> = violations.iter().take(20).map(ToString::to_string).collect();
        assert!(violations.is_empty(), "{} violations:\n{}\n{}", violations.len(), all.join("\n"), self.words());
        self
    }

    /// Fails the test unless every input record is before what is committed.
    #[track_caller]
    pub fn is_complete(&self) -> &Self {
        let open = self.input.iter().filter(|record| !self.is_finished((record.partition, record.offset)));
        assert_eq!(open.count(), 0, "input records that are not committed\n{}", self.words());
        self
    }

    /// Reservations that nothing cleared stands for: possible disclosures, counted and kept.
    pub fn orphans(&self) -> usize {
        let cleared: BTreeSet<&str> = self.of("cleared").iter().filter_map(|r| r.header(RESERVATION)).collect();
        let reserved: BTreeSet<String> = self.reservations();
        reserved.iter().filter(|id| !cleared.contains(id.as_str())).count()
    }

    /// Committed records of an output.
    pub fn of(&self, output: &str) -> &[Record] {
        self.committed.get(output).map_or(&[], Vec::as_slice)
    }

    /// The committed records of an output that came of this input record.
    pub fn of_source(&self, output: &str, place: Place) -> Vec<&Record> {
        self.of(output).iter().filter(|record| source(&record.json()) == Some(place)).collect()
    }

    /// Every broken invariant.
    pub fn violations(&self) -> Vec<Violation> {
        let mut index = Index::of(self);
        index.one_outcome_each();
        index.nothing_beyond_what_is_committed();
        index.reserved_before_cleared();
        index.never_cleared_and_withheld();
        index.byte_for_byte_in_shadow_mode();
        index.in_order();
        index.no_canary();
        index.offsets_never_go_back();
        index.nothing_for_refused_destinations();
        index.reservations_cover_what_is_cleared();
        index.violations
    }

    fn is_finished(&self, (partition, offset): Place) -> bool {
        self.offsets.get(&partition).is_some_and(|committed| offset < *committed)
    }

    fn reservations(&self) -> BTreeSet<String> {
        let all = self.uncommitted.get("reservations").into_iter().flatten();
        all.filter_map(|record| reservation_id(&record.json())).collect()
    }

    fn words(&self) -> String {
        self.said.iter().map(|(name, text)| format!("{name}:\n{text}")).collect()
    }
}

impl<'h> Index<'h> {
    fn of(history: &'h History) -> Self {
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
                if matches!(*output, "decisions" | "reservations") {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(offset: i64, value: &Value) -> Record {
        Record { offset, value: Some(value.to_string().into_bytes()), ..Record::default() }
    }

    /// Four records: one cleared, one in review, one that cannot be read, one not yet committed; and an orphan.
    fn history() -> History {
        let input = (0..4).map(|offset| record(offset, &json!({"id": offset, "text": "canary"}))).collect();
        let about = |offset: i64, mode: &str| {
            let source = json!({"topic": "t", "partition": 0, "offset": offset});
            json!({"attempt": format!("0-{offset}"), "mode": mode, "source": source, "destination": "d"})
        };
        let with = |mut value: Value, name: &str, member: Value| {
            value[name] = member;
            value
        };
        let mut cleared = record(0, &with(about(0, "enforce"), "reservation_id", json!("r0")));
        cleared.headers.push((RESERVATION.into(), b"r0".to_vec()));
        let decisions = vec![
            record(0, &with(about(0, "enforce"), "reservation_id", json!("r0"))),
            record(1, &about(1, "enforce")),
            record(3, &with(about(2, "enforce"), "reasons", json!([{"reason": "not_json"}]))),
        ];
        let reservations = vec![
            record(0, &with(about(0, "enforce"), "reservation_id", json!("r0"))),
            record(1, &with(about(3, "enforce"), "reservation_id", json!("r3"))),
        ];
        let committed: BTreeMap<&'static str, Vec<Record>> = [
            ("reservations", reservations),
            ("cleared", vec![cleared]),
            ("review", vec![record(0, &about(1, "enforce"))]),
            ("held", vec![]),
            ("decisions", decisions),
            ("dead-letter", vec![record(0, &about(2, "enforce"))]),
        ]
        .into();
        History {
            input,
            uncommitted: committed.clone(),
            committed,
            offsets: [(0, 3)].into(),
            refused: vec!["nowhere".into()],
            canaries: vec!["canary".into()],
            said: vec![("gate.err".into(), "maysend: stopped".into())],
            ..History::default()
        }
    }

    /// The invariants that a history breaks once it is changed so.
    fn broken(change: impl FnOnce(&mut History)) -> BTreeSet<u8> {
        let mut history = history();
        change(&mut history);
        history.violations().iter().map(|violation| violation.invariant).collect()
    }

    fn both(history: &mut History, output: &'static str, change: impl Fn(&mut Vec<Record>)) {
        change(history.committed.get_mut(output).unwrap());
        change(history.uncommitted.get_mut(output).unwrap());
    }

    fn edit(record: &mut Record, change: impl FnOnce(&mut Value)) {
        let mut json = record.json();
        change(&mut json);
        record.value = Some(json.to_string().into_bytes());
    }

    #[test]
    fn a_history_that_breaks_nothing_holds() {
        let history = history();
        assert_eq!(history.holds().orphans(), 1);
        assert_eq!(history.of_source("review", (0, 1)).len(), 1);
    }

    #[test]
    #[should_panic(expected = "input records that are not committed")]
    fn what_is_not_committed_is_not_complete() {
        history().is_complete();
    }

    #[test]
    fn a_lost_decision_breaks_1() {
        assert_eq!(broken(|h| both(h, "decisions", |all| drop(all.remove(1)))), [1].into());
    }

    #[test]
    fn a_lost_outcome_breaks_1() {
        for output in ["cleared", "review", "dead-letter"] {
            assert_eq!(broken(|h| both(h, output, Vec::clear)), [1].into(), "{output}");
        }
    }

    #[test]
    fn an_offset_committed_without_outcomes_breaks_1() {
        assert_eq!(broken(|h| h.offsets = [(0, 4)].into()), [1].into());
    }

    #[test]
    fn an_outcome_of_nothing_breaks_1() {
        let elsewhere = |all: &mut Vec<Record>| {
            let mut invented = all[0].clone();
            edit(&mut invented, |json| json["source"]["offset"] = json!(99));
            all.push(invented);
        };
        assert_eq!(broken(|h| both(h, "review", elsewhere)), [1].into());
    }

    #[test]
    fn a_second_outcome_breaks_2() {
        for output in ["cleared", "review", "decisions", "dead-letter"] {
            assert_eq!(broken(|h| both(h, output, |all| all.push(all[0].clone()))).first(), Some(&2), "{output}");
        }
    }

    #[test]
    fn an_outcome_whose_input_will_be_read_again_breaks_2() {
        assert_eq!(broken(|h| h.offsets = [(0, 2)].into()), [2].into());
        assert_eq!(broken(|h| h.offsets.clear()), [2].into());
    }

    #[test]
    fn a_cleared_record_without_reservation_breaks_3_and_11() {
        assert_eq!(broken(|h| both(h, "reservations", |all| drop(all.remove(0)))), [3, 11].into());
    }

    #[test]
    fn an_aborted_cleared_record_without_reservation_breaks_3() {
        let aborted = |all: &mut Vec<Record>| {
            let mut aborted = all[0].clone();
            aborted.headers = vec![(RESERVATION.into(), b"r9".to_vec())];
            all.push(aborted);
        };
        assert_eq!(broken(|h| aborted(h.uncommitted.get_mut("cleared").unwrap())), [3].into());
    }

    #[test]
    fn a_cleared_record_without_the_header_breaks_1_3_and_11() {
        assert_eq!(broken(|h| both(h, "cleared", |all| all[0].headers.clear())), [1, 3, 11].into());
    }

    #[test]
    fn a_reservation_that_came_late_breaks_3() {
        assert_eq!(broken(|h| h.seen.unreserved.push("0/0: r0".into())), [3].into());
    }

    #[test]
    fn an_attempt_that_is_cleared_and_withheld_breaks_4() {
        let same = |all: &mut Vec<Record>| edit(&mut all[0], |json| json["attempt"] = json!("0-0"));
        assert_eq!(broken(|h| both(h, "review", same)), [4].into());
    }

    #[test]
    fn a_changed_byte_in_shadow_mode_breaks_5() {
        let shadow = |h: &mut History| {
            let raw = h.input[0].value.clone();
            both(h, "cleared", |all| all[0].value = raw.clone());
            both(h, "decisions", |all| edit(&mut all[0], |json| json["mode"] = json!("shadow")));
        };
        assert_eq!(broken(shadow), [].into());
        let changed = |h: &mut History| {
            shadow(h);
            both(h, "cleared", |all| all[0].value.as_mut().unwrap().push(b' '));
        };
        assert_eq!(broken(changed), [5].into());
    }

    #[test]
    fn outputs_out_of_order_break_6() {
        assert_eq!(broken(|h| both(h, "decisions", |all| all.swap(0, 1))), [6].into());
    }

    #[test]
    fn a_canary_anywhere_breaks_7() {
        assert_eq!(broken(|h| h.said.push(("gate.err".into(), "panicked: canary".into()))), [7].into());
        let header = |all: &mut Vec<Record>| all[0].headers.push(("maysend-reason".into(), b"the canary".to_vec()));
        assert_eq!(broken(|h| both(h, "dead-letter", header)), [7].into());
        assert_eq!(broken(|h| both(h, "review", |all| all[0].key = Some(b"acme/canary".to_vec()))), [7].into());
        let value = |all: &mut Vec<Record>| edit(&mut all[1], |json| json["reasons"] = json!(["canary"]));
        assert_eq!(broken(|h| both(h, "decisions", value)), [7].into());
    }

    #[test]
    fn an_offset_that_goes_back_breaks_8() {
        assert_eq!(broken(|h| h.seen.offsets = vec![[(0, 1)].into(), [(0, 2)].into()]), [].into());
        assert_eq!(broken(|h| h.seen.offsets = vec![[(0, 2)].into(), [(0, 1)].into()]), [8].into());
        assert_eq!(broken(|h| h.seen.offsets = vec![[(0, 5)].into()]), [8].into());
    }

    #[test]
    fn a_cleared_record_for_a_refused_destination_breaks_9() {
        let refused = |all: &mut Vec<Record>| edit(&mut all[0], |json| json["destination"] = json!("nowhere"));
        assert_eq!(broken(|h| both(h, "cleared", refused)), [9].into());
    }

    #[test]
    fn a_decision_to_send_without_reservation_breaks_11() {
        let orphaned = |all: &mut Vec<Record>| {
            let mut sent = all[0].clone();
            edit(&mut sent, |json| json["reservation_id"] = json!("r7"));
            *all = vec![sent, all[1].clone(), all[2].clone()];
        };
        assert!(broken(|h| both(h, "decisions", orphaned)).contains(&11));
    }
}
