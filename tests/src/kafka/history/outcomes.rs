//! Each input record has one outcome, in order: 1, 2 and 6, by its first attempt.

use super::{
    OUTPUTS, Place,
    attempts::is_tombstone,
    index::{Decision, Index},
};
use crate::kafka::Record;
use std::collections::{BTreeMap, BTreeSet};

impl Index<'_> {
    pub(super) fn outcomes(&mut self) {
        self.one_outcome_each();
        self.nothing_beyond_what_is_committed();
        self.in_order();
    }

    /// 1 and 2: every finished input record has exactly one decision and exactly one outcome that it speaks of.
    fn one_outcome_each(&mut self) {
        let [cleared, review, held, dead] =
            ["cleared", "review", "held", "dead-letter"].map(|o| self.first_by_source(o));
        let mut first: BTreeMap<Place, Vec<&Decision>> = BTreeMap::new();
        for decision in self.decisions.iter().filter(|decision| decision.previous.is_none()) {
            first.entry(decision.place).or_default().push(decision);
        }
        let mut broken = Vec::new();
        for record in &self.history.input {
            let place = (record.partition, record.offset);
            if !self.history.is_finished(place) {
                continue;
            }
            let decisions = first.get(&place).map_or(&[][..], Vec::as_slice);
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
            let nothing = decisions.iter().any(|decision| decision.is_of_erased);
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
            for record in self.history.of(output).iter().filter(|record| !is_tombstone(output, record)) {
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

    /// 6: within a partition of an output, records of one input partition stand in the order of the input.
    fn in_order(&mut self) {
        let mut broken = Vec::new();
        for output in OUTPUTS.iter().filter(|output| **output != "reservations") {
            let mut last: BTreeMap<(i32, i32), i64> = BTreeMap::new();
            for record in self.history.of(output) {
                let (Some((partition, offset)), None) =
                    (self.place_of(output, record), self.later_attempt(output, record))
                else {
                    continue;
                };
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
}
