//! What was erased is not sent: 13.

use super::{
    History, Place,
    index::{Decision, Index},
};
use crate::kafka::Record;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// That nothing older than a time may be sent of a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The tenant.
    pub tenant: String,
    /// The customer.
    pub customer: String,
    /// Until when.
    pub erased_at: Timestamp,
    /// The gate knew it by then, if that can be told from outside: it was written when the last process started. What
    /// processes knew of it otherwise shows in what they decided.
    pub known_at: Option<Timestamp>,
}

impl Erased {
    /// What a record of `erasures` says; `None` if it is none. `started` is when the last process did.
    pub fn of(record: &Record, started: Option<Timestamp>) -> Option<Self> {
        let json = record.json();
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        Some(Self {
            tenant: text("tenant")?,
            customer: text("customer_key")?,
            erased_at: text("erased_at")?.parse().ok()?,
            known_at: started.filter(|started| started.as_millisecond() > record.timestamp_ms),
        })
    }

    fn is_of(&self, decision: &Decision) -> bool {
        (&self.tenant, &self.customer) == (&decision.tenant, &decision.customer)
    }
}

impl Index<'_> {
    /// 13: once an erasure was read, nothing older of that customer is sent.
    pub(super) fn nothing_of_erased_customers(&mut self) {
        let history: &History = self.history;
        let input: BTreeMap<Place, &Record> = history.input.iter().map(|r| ((r.partition, r.offset), r)).collect();
        let mut broken = Vec::new();
        for erased in &history.erased {
            let of_customer = || self.decisions.iter().filter(|decision| erased.is_of(decision));
            // A batch has one time and one set of erasures.
            let seen = of_customer().filter(|decision| decision.is_of_erased).filter_map(|decision| decision.as_of);
            let Some(known_at) = seen.chain(erased.known_at).min() else { continue };
            for decision in of_customer().filter(|decision| decision.is_sent && decision.as_of >= Some(known_at)) {
                if input.get(&decision.place).is_none_or(|record| is_older(record, erased.erased_at)) {
                    broken.push(format!(
                        "{} of {:?} is of an erased customer, and sent",
                        decision.attempt, decision.place
                    ));
                }
            }
        }
        for what in broken {
            self.broken(13, what);
        }
    }
}

/// Whether a record is not newer than a time, by what was said last in it or by its own time. One without is older.
fn is_older(record: &Record, than: Timestamp) -> bool {
    let json = record.json();
    let turns = json["turns"].as_array().cloned().unwrap_or_default();
    let said: Option<Timestamp> =
        turns.iter().filter_map(|turn| Value::as_str(&turn["at"])).filter_map(|at| at.parse().ok()).max();
    said.is_none_or(|said| said <= than) || record.timestamp_ms <= than.as_millisecond()
}
