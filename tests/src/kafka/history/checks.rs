//! What may be cleared, said and committed: 3, 5 and 7 to 11. The numbers are those of the design.

use super::{Place, RESERVATION, index::Index};
use crate::kafka::Record;
use std::collections::{BTreeMap, BTreeSet};

impl Index<'_> {
    pub(super) fn nothing_cleared_or_said_that_may_not_be(&mut self) {
        self.reserved_before_cleared();
        self.byte_for_byte_in_shadow_mode();
        self.no_canary();
        self.offsets_never_go_back();
        self.nothing_for_refused_destinations();
        self.no_personal_data_is_cleared();
        self.reservations_cover_what_is_cleared();
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

    /// 5: shadow mode forwards byte for byte.
    fn byte_for_byte_in_shadow_mode(&mut self) {
        let input: BTreeMap<Place, &Record> = self.history.input.iter().map(|r| ((r.partition, r.offset), r)).collect();
        for record in self.history.of("cleared") {
            let Some(decision) = self.cleared_by(record).filter(|decision| !decision.is_enforced) else { continue };
            let place = decision.place;
            if input.get(&place).is_none_or(|input| input.value != record.value) {
                self.broken(5, format!("{place:?} was not forwarded byte for byte"));
            }
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
            cleared.chain(self.decided_reservations().cloned()).filter(|id| !reserved.contains(id)).collect();
        for id in missing {
            self.broken(11, format!("there is no reservation {id}"));
        }
    }
}
