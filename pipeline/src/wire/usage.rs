//! What senders report of reserved requests, and what the gate concludes from it.

use super::{
    kept::{Kept, Schema, not_empty, time},
    records::Source,
    schema::Time,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sender's later record for a reservation: a record of `usage`. It holds no text of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Version of the wire form.
    pub schema: Schema,
    /// The reservation that the requests were made under.
    #[serde(deserialize_with = "not_empty")]
    pub reservation_id: String,
    /// The tenant.
    #[serde(deserialize_with = "not_empty")]
    pub tenant: String,
    /// The customer's opaque key; absent for an anonymous chat.
    #[serde(default)]
    pub customer_key: Option<String>,
    /// The destination.
    #[serde(deserialize_with = "not_empty")]
    pub destination: String,
    /// Its provider.
    #[serde(deserialize_with = "not_empty")]
    pub provider: String,
    /// Requests that reached the provider, or may have.
    pub requests_used: u32,
    /// What became of the work.
    pub outcome: Outcome,
    /// The provider's ids of the requests, by which it can find them.
    #[serde(default)]
    pub provider_request_ids: Vec<String>,
    /// The terms that the cleared record names. Without them, those that applied when this was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// The plan that the sender saw in use; absent if it could not see any.
    #[serde(default)]
    pub plan: Option<String>,
    /// The endpoint that it called; absent if it called none.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The kind of work that the requests were made for; without it a transcript's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// When it was reported.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub reported_at: Timestamp,
}

/// What became of the work that a reservation was made for. It does not matter to who owes a cleanup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The provider answered.
    Completed,
    /// A call failed.
    Failed,
    /// It was begun and given up.
    Abandoned,
    /// Nothing was called.
    Refused,
}

impl Kept for Usage {
    const FORM: &'static str = "usage: {\"schema\": 1, \"reservation_id\": …, \"tenant\": …, \"customer_key\": …, \"destination\": …, \"provider\": …, \"requests_used\": 1, \"outcome\": \"completed\", \"provider_request_ids\": […], \"plan\": …, \"endpoint\": …, \"reported_at\": \"2026-03-02T09:14:03Z\"}";
}

/// That usage has contradicted the register: a record of `contradictions`. Until the register has other terms for the
/// destination, nothing of these is taken to be proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// Version of the wire form.
    pub schema: Schema,
    /// The destination.
    #[serde(deserialize_with = "not_empty")]
    pub destination: String,
    /// The terms that are contradicted, as records name them.
    #[serde(deserialize_with = "not_empty")]
    pub terms: String,
    /// The plan that the sender saw, if it is another.
    #[serde(default)]
    pub plan: Option<String>,
    /// The endpoint that it called, if it is another.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The reservation that the usage is for.
    pub reservation_id: String,
    /// Where the usage stands.
    pub source: Source,
    /// When it was found.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub found_at: Timestamp,
}

impl Kept for Contradiction {
    const FORM: &'static str = "a contradiction: {\"schema\": 1, \"destination\": …, \"terms\": …, \"reservation_id\": …, \"source\": …, \"found_at\": \"2026-03-02T09:14:03Z\"}";
}

#[cfg(test)]
mod tests {
    use super::{super::kept::read, *};

    #[test]
    fn usage_is_read_and_written() {
        let text = r#"{"schema":1,"reservation_id":"r-1","tenant":"acme","customer_key":null,"destination":"summaries-eu","provider":"example-models","requests_used":2,"outcome":"abandoned","provider_request_ids":["req-1"],"terms":"2026-02-11 sha256:aa","plan":"business","endpoint":"https://eu.models.example/v1/responses","reported_at":"2026-03-02T09:14:03Z"}"#;
        let usage: Usage = read(Some(text.as_bytes())).unwrap();
        assert_eq!(serde_json::to_string(&usage).unwrap(), text);
        let refused = r#"{"schema":1,"reservation_id":"r-1","tenant":"acme","destination":"d","provider":"p","requests_used":0,"outcome":"refused","reported_at":"2026-03-02T09:14:03Z"}"#;
        assert_eq!(read::<Usage>(Some(refused.as_bytes())).unwrap().outcome, Outcome::Refused);
        assert!(read::<Usage>(Some(refused.replace("refused", "lost").as_bytes())).is_err());
    }

    #[test]
    fn a_contradiction_is_read_and_written() {
        let text = r#"{"schema":1,"destination":"d","terms":"2026-02-11 sha256:aa","plan":"free","endpoint":null,"reservation_id":"r-1","source":{"topic":"t.usage","partition":0,"offset":7},"found_at":"2026-03-02T09:14:03Z"}"#;
        let found: Contradiction = read(Some(text.as_bytes())).unwrap();
        assert_eq!(serde_json::to_string(&found).unwrap(), text);
    }
}
