//! What senders report, against what the register says of their destinations.
//!
//! Usage that names another plan or endpoint than the terms it was sent under contradicts them: the register does not
//! describe what is in use, so nothing in it is proven, and the destination is taken at its worst until the register
//! has other terms. `usage` is large and read once, by one of the processes; what it comes to is written into
//! `contradictions`, which is small, read whole by every process before it decides anything, and followed. A record of
//! usage counts as read only once its contradiction is acknowledged.

use super::current::Current;
use crate::{
    observe::UsageRead,
    ruleset::destinations::Destinations,
    stream::{
        StreamError,
        client::{Clients, connection::Asking, delivery::Producer, failure::is_final, publish::publish},
        record::Location,
        scanner::now,
        topics::Topics,
    },
    wire::{
        Contradiction, Usage,
        kept::{self, Schema},
    },
};
use rdkafka::{
    Message as _,
    consumer::Consumer as _,
    error::{KafkaError, RDKafkaErrorCode as Code},
    message::BorrowedMessage,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// How long one poll waits for a record.
const POLL: Duration = Duration::from_millis(100);

/// What usage contradicts: the terms, by their id, and what it saw instead.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Other {
    terms: String,
    plan: Option<String>,
    endpoint: Option<String>,
}

/// Compares usage with the terms that it names, or with those that applied when it was reported. A destination that the
/// register does not have is refused anyway.
fn contradicts(usage: &Usage, register: &Destinations) -> Option<Other> {
    let destination = register.get(&usage.destination)?;
    let named = usage.terms.as_deref().and_then(|id| destination.terms_by_id(id));
    let terms = named.or_else(|| destination.terms_at(usage.reported_at))?;
    let other = |seen: &Option<String>, said: &str| seen.clone().filter(|seen| seen != said);
    let plan = other(&usage.plan, &terms.plan);
    let endpoint = other(&usage.endpoint, &terms.endpoint);
    (plan.is_some() || endpoint.is_some()).then(|| Other { terms: terms.terms_id().into(), plan, endpoint })
}

/// Reads usage, as one of the processes that share it.
pub struct UsageReader {
    consumer: Asking,
    producer: Producer,
    topics: Topics,
    current: Arc<Current>,
    timeout: Duration,
}

impl UsageReader {
    /// For this process. `timeout` bounds one call to the broker.
    ///
    /// # Errors
    /// The clients cannot be set up.
    pub fn new(
        clients: &Clients,
        topics: &Topics,
        current: Arc<Current>,
        timeout: Duration,
    ) -> Result<Self, StreamError> {
        let consumer = clients.usage()?;
        consumer.subscribe(&[&topics.usage]).map_err(StreamError::Client)?;
        Ok(Self { consumer, producer: clients.kept()?, topics: topics.clone(), current, timeout })
    }

    /// Reads until it is told to stop.
    ///
    /// # Errors
    /// Usage can no longer be read, or what it comes to cannot be written.
    pub fn read(self, stop: &AtomicBool) -> Result<(), StreamError> {
        while !stop.load(Ordering::SeqCst) {
            match self.consumer.poll(POLL) {
                Some(Ok(record)) => {
                    let came_to = self.take_in(&record)?;
                    self.current.observer().usage_read(came_to);
                    self.consumer.store_offset_from_message(&record).or_else(given_away)?;
                }
                Some(Err(error)) if is_final(&error) => {
                    return Err(StreamError::Unreadable { topic: self.topics.usage, error });
                }
                Some(Err(_)) | None => {}
            }
        }
        Ok(())
    }

    /// Usage that cannot be read decides nothing, so it does not stop the stream; it is said, and the ledger
    /// finds it missing.
    fn take_in(&self, record: &BorrowedMessage<'_>) -> Result<UsageRead, StreamError> {
        let location = Location::of(record);
        let usage: Usage = match kept::read(record.payload()) {
            Ok(usage) => usage,
            Err(error) => {
                let Location { partition, offset, .. } = location;
                let message = format!("{}/{partition}/{offset} is not taken into account: {error}", record.topic());
                tracing::error!("{message}");
                self.current.observer().error(&message);
                return Ok(UsageRead::Unreadable);
            }
        };
        let settings = self.current.settings();
        let Some(Other { terms, plan, endpoint }) = contradicts(&usage, &settings.ruleset().rules.destinations) else {
            return Ok(UsageRead::Agrees);
        };
        if settings.contradictions().contains(&(usage.destination.clone(), terms.clone())) {
            return Ok(UsageRead::Contradicts);
        }
        let contradiction = Contradiction {
            schema: Schema,
            destination: usage.destination,
            terms,
            plan,
            endpoint,
            reservation_id: usage.reservation_id,
            source: location.source(record.topic()),
            found_at: now(),
        };
        let key = &contradiction.destination.clone();
        publish(&self.producer, &self.topics.contradictions, key, &contradiction, self.timeout)?;
        Ok(UsageRead::Contradicts)
    }
}

/// A partition that was given to another process meanwhile is read by that one.
fn given_away(error: KafkaError) -> Result<(), StreamError> {
    match error {
        KafkaError::StoreOffset(Code::State) => Ok(()),
        error => Err(StreamError::Client(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Ruleset;

    const PLAN: &str = "business";
    const ENDPOINT: &str = "https://eu.models.example/v1/responses";

    fn usage(plan: Option<&str>, endpoint: Option<&str>, terms: Option<&str>) -> Usage {
        let text = serde_json::json!({
            "schema": 1, "reservation_id": "r", "tenant": "acme", "destination": "summaries-eu",
            "provider": "example-models", "requests_used": 1, "outcome": "completed", "plan": plan,
            "endpoint": endpoint, "terms": terms, "reported_at": "2026-03-02T09:14:03Z",
        });
        kept::read(Some(text.to_string().as_bytes())).unwrap()
    }

    #[test]
    fn usage_contradicts_when_it_names_another_plan_or_endpoint() {
        let ruleset = Ruleset::builtin().unwrap();
        let register = &ruleset.rules.destinations;
        let terms = register.get("summaries-eu").unwrap().terms()[0].terms_id();
        let found = |plan, endpoint, terms| contradicts(&usage(plan, endpoint, terms), register);
        assert_eq!(found(Some(PLAN), Some(ENDPOINT), Some(terms)), None);
        assert_eq!(found(Some(PLAN), Some(ENDPOINT), None), None, "the terms of the day");
        assert_eq!(found(None, None, Some(terms)), None, "who called nothing has seen nothing");
        let other = |plan: Option<&str>, endpoint: Option<&str>| {
            Some(Other { terms: terms.into(), plan: plan.map(Into::into), endpoint: endpoint.map(Into::into) })
        };
        assert_eq!(found(Some("free"), Some(ENDPOINT), Some(terms)), other(Some("free"), None));
        assert_eq!(found(Some(PLAN), Some("https://x.example"), None), other(None, Some("https://x.example")));
        let nowhere = Usage { destination: "nowhere".into(), ..usage(Some("free"), None, None) };
        assert_eq!(contradicts(&nowhere, register), None);
        let before = Usage { reported_at: "2020-01-01T00:00:00Z".parse().unwrap(), ..usage(Some("free"), None, None) };
        assert_eq!(contradicts(&before, register), None, "no terms, so none that are contradicted");
    }
}
