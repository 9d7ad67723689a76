//! What happened to a request.

use crate::wire::{
    kept::{Kept, Schema, not_empty, time},
    schema::Time,
};
use jiff::{Timestamp, civil::Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One event, as it is kept. Nothing changes or removes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRecord {
    /// Version of the form.
    pub schema: Schema,
    /// The tenant.
    #[serde(deserialize_with = "not_empty")]
    pub tenant: String,
    /// The request, as its keeper names it.
    #[serde(deserialize_with = "not_empty")]
    pub request_id: String,
    /// When it was written down.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub recorded_at: Timestamp,
    /// The day on which it happened.
    #[schemars(with = "String")]
    pub on: Date,
    /// What happened.
    pub event: Event,
}

impl Kept for EventRecord {
    const FORM: &'static str = "an event of a request: {\"schema\": 1, \"tenant\": …, \"request_id\": …, \"recorded_at\": …, \"on\": \"2026-03-02\", \"event\": {\"kind\": \"received\", \"right\": \"erasure\"}}";
}

/// What a customer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// To be erased (GDPR Art. 17).
    Erasure,
    /// To know what is kept and who received it (Art. 15).
    Access,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The request came in. The first event, and only that.
    Received {
        /// What is asked for.
        right: Right,
    },
    /// Whoever asks was asked who they are (Art. 12(6)): the clock stands still.
    IdentityAsked,
    /// It was shown: the clock goes on.
    IdentityConfirmed,
    /// Whoever asks was told that it takes two months more (Art. 12(3)); that must be within the first.
    Extended {
        /// Why: the complexity or the number of requests.
        reason: String,
    },
    /// All was done.
    Completed,
    /// Some of it was done.
    Partial {
        /// Why not all.
        ground: String,
    },
    /// It was refused.
    Refused {
        /// Why.
        ground: String,
    },
    /// A system of the data map was seen to.
    SystemDone {
        /// Its id in the data map.
        system: String,
        /// What was found or answered.
        result: String,
    },
    /// Something is in a system of the data map again, or still: it is not seen to any more.
    SystemOpen {
        /// Its id in the data map.
        system: String,
        /// What was found.
        result: String,
    },
    /// A provider owes a cleanup.
    HandoffOwed {
        /// The provider.
        provider: String,
        /// The number of the signed record that says so.
        record: u64,
    },
    /// The provider was asked.
    HandoffAsked {
        /// The provider.
        provider: String,
        /// How, such as `portal` or `letter`.
        channel: String,
        /// What the provider or the channel calls it.
        reference: String,
        /// The provider's own ids of requests that were named, by which it can find them.
        #[serde(default)]
        provider_request_ids: Vec<String>,
    },
    /// The provider answered.
    HandoffAnswered {
        /// The provider.
        provider: String,
        /// Who answered.
        by: String,
        /// What it says was not deleted, such as copies for abuse monitoring.
        #[serde(default)]
        exclusions: Vec<String>,
    },
}

impl Event {
    /// The provider that a handoff's event is about.
    pub fn provider(&self) -> Option<&str> {
        match self {
            Self::HandoffOwed { provider, .. }
            | Self::HandoffAsked { provider, .. }
            | Self::HandoffAnswered { provider, .. } => Some(provider),
            _ => None,
        }
    }

    /// What must say something, with its name.
    pub(super) fn texts(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Received { .. } | Self::IdentityAsked | Self::IdentityConfirmed | Self::Completed => vec![],
            Self::Extended { reason } => vec![("reason", reason)],
            Self::Partial { ground } | Self::Refused { ground } => vec![("ground", ground)],
            Self::SystemDone { system, result } | Self::SystemOpen { system, result } => {
                vec![("system", system), ("result", result)]
            }
            Self::HandoffOwed { provider, .. } => vec![("provider", provider)],
            Self::HandoffAsked { provider, channel, reference, .. } => {
                vec![("provider", provider), ("channel", channel), ("reference", reference)]
            }
            Self::HandoffAnswered { provider, by, .. } => vec![("provider", provider), ("by", by)],
        }
    }
}
