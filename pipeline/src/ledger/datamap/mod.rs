//! The data map: one row for each system that touches a transcript, and what becomes of the copies in it.
//!
//! A system of ours is work that we do and can prove; a system of somebody else's is a request whose fulfilment we infer
//! from what they say. The map never mixes the two. It is made from the topics' settings, the register of
//! destinations and what is declared; nothing here asks a broker or a provider.

mod destinations;
mod html;
mod markdown;
mod own;
mod systems;
mod topics;

pub(super) use markdown::escaped;
pub use own::StoreKind;
pub use systems::Systems;
pub use topics::{Settings, TopicSettings, expires};

use super::{
    erasure::Known,
    requests::{HandoffState, Life},
};
use crate::ruleset::{day_of, destinations::Destinations};
use jiff::{Timestamp, civil::Date};
use serde::Serialize;

/// Who can make sure of what becomes of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// We do: a fact that we can establish.
    Ours,
    /// Somebody else does: a request whose fulfilment we infer.
    Theirs,
}

/// What is done about a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Its records or rows are deleted one by one.
    Delete,
    /// What holds it is written anew without it.
    Rewrite,
    /// Everything under a prefix is deleted.
    Prefix,
    /// An interface is called that deletes it.
    Api,
    /// It goes by itself on a day.
    Expiry,
    /// Its keeper is asked to delete it.
    Handoff,
    /// It stays: it is what erasures are answered by.
    Keep,
}

impl Action {
    /// Its name in TOML and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Rewrite => "rewrite",
            Self::Prefix => "prefix",
            Self::Api => "api",
            Self::Expiry => "expiry",
            Self::Handoff => "handoff",
            Self::Keep => "keep",
        }
    }
}

/// A system, and what becomes of the copies in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What events of requests name it by.
    pub id: String,
    /// What it is called.
    pub system: String,
    /// What copy it has.
    pub copy: String,
    /// Who can make sure of it.
    pub control: Control,
    /// Who sees to it.
    pub owner: String,
    /// What is done.
    pub action: Action,
    /// How long a copy is there.
    pub kept: String,
    /// The last day on which a copy of today can be there; null where nothing bounds it.
    pub gone_by: Option<Date>,
    /// What stays behind.
    pub left_behind: String,
    /// How that is known; null where nobody has said.
    pub evidence: Option<String>,
    /// The day of the evidence.
    pub evidence_date: Option<Date>,
    /// What should worry a reader.
    pub warning: Option<String>,
    /// For one request: when it was seen to, and what was found. Null otherwise, and while it is open.
    pub done: Option<Done>,
}

/// That a system was seen to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Done {
    /// When.
    pub on: Date,
    /// What was found or answered.
    pub result: String,
}

/// What the map is made of.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'s> {
    /// Our topics, with their settings.
    pub topics: &'s TopicSettings,
    /// Where the ledger is.
    pub store: Option<StoreKind>,
    /// The register.
    pub destinations: &'s Destinations,
    /// What is declared.
    pub systems: &'s Systems,
    /// The request whose rows are ticked off.
    pub request: Option<OfRequest<'s>>,
}

/// What is known of a request.
#[derive(Clone, Copy, Debug)]
pub struct OfRequest<'s> {
    /// Its id.
    pub id: &'s str,
    /// What happened to it.
    pub life: &'s Life,
    /// What signed records say of it, if they were read.
    pub erasure: Option<&'s Known>,
}

/// The data map as of a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DataMap {
    /// Version of the form.
    pub schema: u32,
    /// The day that it is true for.
    pub as_of: Date,
    /// Name and version of the program.
    pub program: &'static str,
    /// The request whose rows are ticked off.
    pub request_id: Option<String>,
    /// Systems of ours: work with a completion date.
    pub ours: Vec<Row>,
    /// Somebody else's systems: statements about them. Those that may train on what they get, or ever did, stand first.
    pub theirs: Vec<Row>,
}

/// One part of the map, with the words that stand above it.
struct Part<'m> {
    title: &'static str,
    meaning: &'static str,
    rows: &'m [Row],
}

/// The names of the columns.
const COLUMNS: [&str; 9] =
    ["system", "copy", "control", "owner", "action", "how long", "what stays behind", "evidence", "done"];

impl DataMap {
    /// Makes the map.
    pub fn new(sources: Sources<'_>, as_of: Timestamp) -> Self {
        let day = day_of(as_of);
        let mut rows = topics::rows(sources.topics, &sources.systems.owner, as_of);
        rows.extend(own::rows(sources.store, &sources.systems.owner));
        rows.extend(destinations::rows(sources.destinations, as_of));
        rows.extend(sources.systems.rows(day));
        if let Some(OfRequest { life, erasure, .. }) = sources.request {
            for row in &mut rows {
                row.done = erasure.and_then(|known| not_owed(row, known)).or_else(|| done(row, life));
            }
        }
        let (ours, theirs) = rows.into_iter().partition(|row| row.control == Control::Ours);
        Self {
            schema: 1,
            as_of: day,
            program: crate::stages::PROGRAM,
            request_id: sources.request.map(|request| request.id.into()),
            ours,
            theirs,
        }
    }

    /// The map as JSON.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("strings and dates");
        text.push('\n');
        text
    }

    fn parts(&self) -> [Part<'_>; 2] {
        [
            Part {
                title: "Ours: work with a completion date",
                meaning: "Each row is a fact that we can establish.",
                rows: &self.ours,
            },
            Part {
                title: "Theirs: statements about somebody else's system",
                meaning: "Each row is a request whose fulfilment we infer from what they say. Nothing here proves a \
                          deletion.",
                rows: &self.theirs,
            },
        ]
    }

    /// Without the last column where there is no request to tick rows off for.
    fn columns(&self) -> &'static [&'static str] {
        if self.request_id.is_some() { &COLUMNS } else { &COLUMNS[..COLUMNS.len() - 1] }
    }
}

impl Row {
    /// The cells, in the order of the columns; a cell may have several lines.
    fn cells(&self, of_request: bool) -> [Vec<String>; 9] {
        let mut system = vec![self.system.clone()];
        system.extend(self.warning.clone());
        let control = match self.control {
            Control::Ours => "ours",
            Control::Theirs => "theirs",
        };
        let mut kept = vec![self.kept.clone()];
        kept.extend(self.gone_by.map(|day| match self.control {
            Control::Ours => format!("a copy of today is gone by {day}"),
            Control::Theirs => format!("a copy of today is gone by {day} by contract"),
        }));
        let evidence = match (&self.evidence, self.evidence_date) {
            (Some(evidence), Some(date)) => vec![evidence.clone(), date.to_string()],
            (Some(evidence), None) => vec![evidence.clone()],
            (None, _) => vec!["none".into()],
        };
        let done = match &self.done {
            Some(done) => vec![format!("☑ {}", done.on), done.result.clone()],
            None if of_request && self.action != Action::Keep => vec!["☐".into()],
            None => vec![],
        };
        [
            system,
            vec![self.copy.clone()],
            vec![control.into()],
            vec![self.owner.clone()],
            vec![self.action.as_str().into()],
            kept,
            vec![self.left_behind.clone()],
            evidence,
            done,
        ]
    }
}

/// That nothing was possibly sent to a destination, by the signed records.
fn not_owed(row: &Row, known: &Known) -> Option<Done> {
    let destination = row.id.strip_prefix("destination:")?;
    let is_owed = known.owed.iter().any(|owed| owed.destination == destination);
    let result = || format!("nothing was possibly sent there, by record {}", known.record);
    (!is_owed).then(|| Done { on: day_of(known.erased_at), result: result() })
}

/// Whether a request's events tick a row off: by its id, or a destination's by the answer of its provider.
fn done(row: &Row, life: &Life) -> Option<Done> {
    if let Some((on, result)) = life.done.get(&row.id) {
        return Some(Done { on: *on, result: result.clone() });
    }
    let handoff = (row.action == Action::Handoff).then(|| life.handoffs.get(&row.owner)).flatten()?;
    let (on, by, exclusions) = handoff.answered.as_ref().filter(|_| handoff.state() == HandoffState::Answered)?;
    let result = match exclusions.is_empty() {
        true => format!("answered by {by}"),
        false => format!("answered by {by}; not deleted: {}", exclusions.join(", ")),
    };
    Some(Done { on: *on, result })
}

#[cfg(test)]
mod tests;
