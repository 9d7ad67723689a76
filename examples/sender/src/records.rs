//! The records that a sender reads and writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The header of a cleared record with its reservation, where the record itself is as the platform published it.
const RESERVATION_HEADER: &str = "maysend-reservation-id";

/// The header of a cleared record with the time at which its transcript was published.
pub const PUBLISHED_HEADER: &str = "maysend-published-at";

/// The gate's own members of a record of another shape.
const OWN: &str = "maysend";

/// A transcript that may be sent, under the reservation that was written before it.
pub struct Cleared {
    /// The record.
    record: Value,
    /// The gate's own members: of the record, or of one that it has in a shape of the platform's.
    own: Map<String, Value>,
    /// The reservation that the gate wrote. It covers one request.
    pub reservation_id: String,
}

impl Cleared {
    /// Reads a record. `None` if it is not one that can be sent: there is no reservation.
    pub fn read(value: &[u8], header: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let members: Map<String, Value> = serde_json::from_slice(value).ok()?;
        let own = members.get(OWN).and_then(Value::as_object).unwrap_or(&members).clone();
        let of_member = || Some(own.get("reservation_id")?.as_str()?.to_owned());
        let reservation_id = header(RESERVATION_HEADER).or_else(of_member)?;
        Some(Self { record: members.into(), own, reservation_id })
    }

    /// A member of the gate's own that is a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.own.get(name)?.as_str()
    }

    /// What the provider is given: the conversation, and nothing else of the record. In a record of another shape it stands
    /// at these JSON Pointers. `None` if there is none.
    pub fn prompt(&self, pointers: &[String]) -> Option<Value> {
        let conversation = match pointers {
            [] => ["turns", "text"].iter().find_map(|name| self.record.get(*name)).cloned()?,
            pointers => {
                let said: Vec<Value> = pointers.iter().filter_map(|at| self.record.pointer(at)).cloned().collect();
                if said.is_empty() {
                    return None;
                }
                said.into()
            }
        };
        Some(json!({ "task": "summarise", "conversation": conversation }))
    }

    /// What usage says of the request that is made under a reservation.
    pub fn subject(&self, reservation_id: String, provider: &str) -> Subject {
        let text = |name| self.text(name).map(str::to_owned);
        Subject {
            reservation_id,
            tenant: text("tenant").unwrap_or_default(),
            customer_key: text("customer_key"),
            destination: text("destination").unwrap_or_default(),
            provider: provider.into(),
            terms: text("terms"),
        }
    }

    /// A reservation for one more request: as the gate's, under an id of its own. `None` in shadow mode, where the record
    /// does not say under which ruleset it was decided.
    pub fn reserve_again(&self, subject: &Subject) -> Option<Value> {
        let mut reservation = Map::new();
        for name in ["schema", "attempt", "transcript_id", "tenant", "customer_key", "destination", "mode", "ruleset"] {
            // A cleared record has the transcript's id under the platform's own name.
            let own = if name == "transcript_id" && !self.own.contains_key(name) { "id" } else { name };
            reservation.insert(name.into(), self.own.get(own)?.clone());
        }
        reservation.insert("program".into(), concat!("maysend-example-sender ", env!("CARGO_PKG_VERSION")).into());
        for name in ["terms", "source"] {
            reservation.insert(name.into(), self.own.get(name)?.clone());
        }
        reservation.extend(self.own.get("published_at").map(|at| ("published_at".to_owned(), at.clone())));
        reservation.insert("reservation_id".into(), subject.reservation_id.clone().into());
        reservation.insert("provider".into(), subject.provider.clone().into());
        reservation.insert("reserved_requests".into(), 1.into());
        reservation.insert("reserved_at".into(), now().into());
        Some(reservation.into())
    }
}

/// Whom usage is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// The reservation.
    pub reservation_id: String,
    /// The tenant.
    pub tenant: String,
    /// The customer's opaque key.
    pub customer_key: Option<String>,
    /// The destination.
    pub destination: String,
    /// Its provider.
    pub provider: String,
    /// The terms that the cleared record was decided under.
    pub terms: Option<String>,
}

/// What became of a reservation.
#[derive(Default)]
pub struct Seen {
    /// The provider's own id of the request.
    pub request_id: Option<String>,
    /// The plan that the provider said it was made under.
    pub plan: Option<String>,
    /// Where it was made.
    pub endpoint: Option<String>,
}

/// A usage record.
pub fn usage(subject: &Subject, requests_used: u32, outcome: &str, seen: &Seen) -> Value {
    let mut usage = json!({
        "schema": 1,
        "reservation_id": subject.reservation_id,
        "tenant": subject.tenant,
        "customer_key": subject.customer_key,
        "destination": subject.destination,
        "provider": subject.provider,
        "requests_used": requests_used,
        "outcome": outcome,
        "provider_request_ids": seen.request_id.iter().collect::<Vec<_>>(),
        "plan": seen.plan,
        "endpoint": seen.endpoint,
        "reported_at": now(),
    });
    if let Some(terms) = &subject.terms {
        usage["terms"] = terms.clone().into();
    }
    usage
}

/// A claim: what the sender is about to do, or was, with the record at an offset. It is written as the metadata of that
/// offset before the call, so that it is known after a crash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// The record's own reservation.
    pub first: String,
    /// Which call this is, from 1.
    pub call: u32,
    /// Whether its end is known, and was reported.
    pub is_over: bool,
    /// What to report of it.
    pub subject: Subject,
}

fn now() -> String {
    Timestamp::now().to_string()
}
