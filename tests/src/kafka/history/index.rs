//! A history put in order for the checks.

use super::{History, Place, RESERVATION, Violation, reservation_id, source};
use crate::kafka::Record;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A committed decision: that of one attempt.
pub(super) struct Decision {
    pub(super) place: Place,
    pub(super) attempt: String,
    /// The attempt before, of a later one.
    pub(super) previous: Option<String>,
    pub(super) tenant: String,
    pub(super) customer: String,
    pub(super) as_of: Option<Timestamp>,
    pub(super) is_enforced: bool,
    pub(super) is_sent: bool,
    /// Of an erased customer nothing is kept but the decision.
    pub(super) is_of_erased: bool,
}

impl Decision {
    fn of(record: &Record) -> Option<Self> {
        let json = record.json();
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        let reasons = json["reasons"].as_array().cloned().unwrap_or_default();
        Some(Self {
            place: source(&json)?,
            attempt: text("attempt").unwrap_or_default(),
            previous: text("previous_attempt"),
            tenant: text("tenant").unwrap_or_default(),
            customer: text("customer_key").unwrap_or_default(),
            as_of: text("as_of").and_then(|time| time.parse().ok()),
            is_enforced: json["mode"] == "enforce",
            is_sent: reservation_id(&json).is_some(),
            is_of_erased: reasons.iter().any(|reason| reason["reason"] == "customer_erased"),
        })
    }
}

/// The history, put in order for the checks.
pub(super) struct Index<'h> {
    pub(super) history: &'h History,
    pub(super) decisions: Vec<Decision>,
    /// The number of the decision that each reservation was made for, as decisions say.
    reserved_for: BTreeMap<String, usize>,
    violations: Vec<Violation>,
}

impl<'h> Index<'h> {
    pub(super) fn of(history: &'h History) -> Self {
        let (mut decisions, mut reserved_for) = (Vec::new(), BTreeMap::new());
        for record in history.of("decisions") {
            let Some(decision) = Decision::of(record) else { continue };
            if let Some(id) = reservation_id(&record.json()) {
                reserved_for.insert(id, decisions.len());
            }
            decisions.push(decision);
        }
        Self { history, decisions, reserved_for, violations: Vec::new() }
    }

    /// Looks at every invariant.
    pub(super) fn violations(mut self) -> Vec<Violation> {
        self.outcomes();
        self.attempts();
        self.nothing_cleared_or_said_that_may_not_be();
        self.nothing_of_erased_customers();
        self.violations
    }

    pub(super) fn broken(&mut self, invariant: u8, what: impl Into<String>) {
        self.violations.push(Violation { invariant, what: what.into() });
    }

    /// Ids of reservations that decisions name.
    pub(super) fn decided_reservations(&self) -> impl Iterator<Item = &String> {
        self.reserved_for.keys()
    }

    /// The decision that a committed cleared record came of: in shadow mode, and in a shape of the platform's own, it does
    /// not say it itself.
    pub(super) fn cleared_by(&self, record: &Record) -> Option<&Decision> {
        self.decisions.get(*self.reserved_for.get(record.header(RESERVATION)?)?)
    }

    /// Where a committed record came from.
    pub(super) fn place_of(&self, output: &str, record: &Record) -> Option<Place> {
        match output {
            "cleared" => Some(self.cleared_by(record)?.place),
            _ => source(&record.json()),
        }
    }

    /// The attempt that a committed record came of, if it is a later one.
    pub(super) fn later_attempt(&self, output: &str, record: &Record) -> Option<String> {
        match output {
            "cleared" => self.cleared_by(record).filter(|by| by.previous.is_some()).map(|by| by.attempt.clone()),
            _ => {
                let json = record.json();
                json["previous_attempt"].as_str().and(json["attempt"].as_str()).map(Into::into)
            }
        }
    }

    /// Committed records of the first attempts by their source.
    pub(super) fn first_by_source(&self, output: &str) -> BTreeMap<Place, Vec<&'h Record>> {
        let mut by_source: BTreeMap<Place, Vec<&Record>> = BTreeMap::new();
        for record in self.history.of(output) {
            if let (Some(place), None) = (self.place_of(output, record), self.later_attempt(output, record)) {
                by_source.entry(place).or_default().push(record);
            }
        }
        by_source
    }
}
