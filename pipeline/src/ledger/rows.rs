//! What is kept of each record: a row that is named by all that it says, but for the time.
//!
//! So the same record again is the same row, with its first and last time; and of two records that say different things of
//! one reservation there are two rows. Taking in is a union: its order does not matter, nor how often it is done.

use super::{
    events::{Decided, Event, Reserved, TRANSCRIPT},
    identity::{Customer, digest},
    store::Value,
};
use crate::wire::{Alias, RulesetRecord, Usage};
use jiff::Timestamp;

/// What a column holds. A time is an integer: microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Bytes: a digest.
    Bytes,
    /// Text.
    Text,
    /// A whole number.
    Integer,
}

/// A table of rows that are only added to, and merged.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// How many of the first columns name a row.
    pub key: usize,
    /// Its columns; the last two are `first_at` and `last_at`.
    pub columns: &'static [(&'static str, Holds)],
}

use Holds::{Bytes, Integer, Text};

/// Requests that were reserved.
pub static RESERVATIONS: Table = Table {
    name: "reservations",
    key: 2,
    columns: &[
        ("customer", Bytes),
        ("id", Bytes),
        ("tenant", Text),
        ("customer_key", Text),
        ("sender", Text),
        ("source", Text),
        ("reservation_id", Text),
        ("provider", Text),
        ("destination", Text),
        ("terms", Text),
        ("ruleset", Text),
        ("mode", Text),
        ("reserved_requests", Integer),
        ("transcript_id", Text),
        ("attempt", Text),
        ("previous_attempt", Text),
        ("program", Text),
        ("place", Text),
        ("first_at", Integer),
        ("last_at", Integer),
    ],
};

/// Requests that were made.
pub static USAGE: Table = Table {
    name: "usage",
    key: 2,
    columns: &[
        ("customer", Bytes),
        ("id", Bytes),
        ("tenant", Text),
        ("customer_key", Text),
        ("source", Text),
        ("reservation_id", Text),
        ("provider", Text),
        ("destination", Text),
        ("terms", Text),
        ("requests_used", Integer),
        ("outcome", Text),
        ("provider_request_ids", Text),
        ("plan", Text),
        ("endpoint", Text),
        ("first_at", Integer),
        ("last_at", Integer),
    ],
};

/// Transcripts that were blocked: nothing was reserved for them, and copies of them may lie in review and held.
pub static DECISIONS: Table = Table {
    name: "decisions",
    key: 2,
    columns: &[
        ("customer", Bytes),
        ("id", Bytes),
        ("tenant", Text),
        ("customer_key", Text),
        ("destination", Text),
        ("terms", Text),
        ("ruleset", Text),
        ("mode", Text),
        ("verdict", Text),
        ("reasons", Text),
        ("transcript_id", Text),
        ("attempt", Text),
        ("previous_attempt", Text),
        ("reservation_id", Text),
        ("program", Text),
        ("place", Text),
        ("first_at", Integer),
        ("last_at", Integer),
    ],
};

/// Keys of persons; `id` is the digest of the person.
pub static CUSTOMERS: Table = Table {
    name: "customers",
    key: 2,
    columns: &[
        ("customer", Bytes),
        ("id", Bytes),
        ("tenant", Text),
        ("customer_key", Text),
        ("person", Text),
        ("first_at", Integer),
        ("last_at", Integer),
    ],
};

/// Rulesets that were in use.
pub static RULESETS: Table = Table {
    name: "rulesets",
    key: 1,
    columns: &[("digest", Text), ("files", Text), ("first_at", Integer), ("last_at", Integer)],
};

/// Every table that events come to.
pub static TABLES: [&Table; 5] = [&RESERVATIONS, &USAGE, &DECISIONS, &CUSTOMERS, &RULESETS];

/// A row: one value for each column.
pub type Row = Vec<Value>;

/// Rows that are taken in together.
#[derive(Debug, Default)]
pub struct Batch {
    rows: [Vec<Row>; TABLES.len()],
    /// Records taken in, rows or not.
    pub records: usize,
}

impl Batch {
    /// Takes in a record. What the gate let pass has a reservation, and says no more than it: no row comes of it.
    pub fn push(&mut self, event: Event) {
        self.records += 1;
        let (table, row) = match event {
            Event::Reservation(reserved) => (0, reservation(reserved)),
            Event::Usage(usage) => (1, usage_row(usage)),
            Event::Decision(decided) => match decision(decided) {
                Some(row) => (2, row),
                None => return,
            },
            Event::Alias(alias) => (3, customer(alias)),
            Event::Ruleset(ruleset) => (4, ruleset_row(ruleset)),
        };
        self.rows[table].push(row);
    }

    /// The rows of each table, sorted by what names them, and each once.
    pub fn into_tables(self) -> impl Iterator<Item = (&'static Table, Vec<Row>)> {
        TABLES.into_iter().zip(self.rows).filter(|(_, rows)| !rows.is_empty()).map(|(table, mut rows)| {
            // One order for all: two that write the same rows wait for each other, and do not lock each other out.
            rows.sort_unstable_by(|a, b| a[..table.key].cmp(&b[..table.key]));
            rows.dedup_by(|later, kept| {
                let same = later[..table.key] == kept[..table.key];
                if same {
                    let (first, last) = (table.columns.len() - 2, table.columns.len() - 1);
                    let earliest = kept[first].clone().min(later[first].clone());
                    let latest = kept[last].clone().max(later[last].clone());
                    (kept[first], kept[last]) = (earliest, latest);
                }
                same
            });
            (table, rows)
        })
    }
}

/// Microseconds since 1970, as times are kept.
pub fn microseconds(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// The time of a column.
pub fn time(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(if microseconds < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// A row whose content is this: named by it, and by whom it is about.
fn row(tenant: &str, key: Option<&str>, kind: &str, content: Vec<Value>, at: Timestamp) -> Row {
    let texts: Vec<Option<String>> = content
        .iter()
        .map(|value| match value {
            Value::Text(text) => Some(text.clone()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Null | Value::Bytes(_) => None,
        })
        .collect();
    let parts = [Some(tenant), key].into_iter().chain(texts.iter().map(Option::as_deref));
    let id = digest(kind, parts);
    let customer = key.map_or_else(|| Customer::anonymous(tenant, &id), |key| Customer::of(tenant, key));
    let at = Value::Integer(microseconds(at));
    let named = [customer.bytes().into(), id.as_slice().into(), tenant.into(), key.into()];
    named.into_iter().chain(content).chain([at.clone(), at]).collect()
}

fn place(source: &impl serde::Serialize) -> Value {
    Value::Text(serde_json::to_string(source).unwrap_or_default())
}

fn reservation(reserved: Reserved) -> Row {
    let work = reserved.source.as_ref().map_or(TRANSCRIPT, |source| source.work()).to_owned();
    let place = reserved.source.as_ref().filter(|source| source.work() == TRANSCRIPT).map_or(Value::Null, place);
    let content = vec![
        reserved.sender.into(),
        work.into(),
        reserved.reservation_id.into(),
        reserved.provider.into(),
        reserved.destination.into(),
        reserved.terms.into(),
        reserved.ruleset.into(),
        reserved.mode.into(),
        Value::Integer(reserved.reserved_requests.into()),
        reserved.transcript_id.into(),
        reserved.attempt.into(),
        reserved.previous_attempt.into(),
        reserved.program.into(),
        place,
    ];
    row(&reserved.tenant, reserved.customer_key.as_deref(), RESERVATIONS.name, content, reserved.reserved_at)
}

fn usage_row(usage: Usage) -> Row {
    let outcome = serde_json::to_value(usage.outcome).ok();
    let outcome = outcome.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let content = vec![
        usage.source.unwrap_or_else(|| TRANSCRIPT.into()).into(),
        usage.reservation_id.into(),
        usage.provider.into(),
        usage.destination.into(),
        usage.terms.into(),
        Value::Integer(usage.requests_used.into()),
        outcome.into(),
        place(&usage.provider_request_ids),
        usage.plan.into(),
        usage.endpoint.into(),
    ];
    row(&usage.tenant, usage.customer_key.as_deref(), USAGE.name, content, usage.reported_at)
}

/// `None` for what was not blocked, and for a dead letter, of which nothing is known.
fn decision(decided: Decided) -> Option<Row> {
    let tenant = decided.tenant.filter(|_| decided.verdict != "send")?;
    let reasons: Vec<&str> = decided.reasons.iter().map(|reason| reason.reason.as_str()).collect();
    let content = vec![
        decided.destination.into(),
        decided.terms.into(),
        decided.ruleset.into(),
        decided.mode.into(),
        decided.verdict.into(),
        place(&reasons),
        decided.transcript_id.into(),
        decided.attempt.into(),
        decided.previous_attempt.into(),
        decided.reservation_id.into(),
        decided.program.into(),
        decided.source.as_ref().map_or(Value::Null, place),
    ];
    Some(row(&tenant, decided.customer_key.as_deref(), DECISIONS.name, content, decided.as_of))
}

fn customer(alias: Alias) -> Row {
    let Alias { tenant, customer_key, person, recorded_at, schema: _ } = alias;
    let at = Value::Integer(microseconds(recorded_at));
    let (key, id) = (Customer::of(&tenant, &customer_key), Customer::person(&tenant, &person));
    let named = [key.bytes().into(), id.bytes().into()];
    named.into_iter().chain([tenant.into(), customer_key.into(), person.into(), at.clone(), at]).collect()
}

fn ruleset_row(ruleset: RulesetRecord) -> Row {
    let at = Value::Integer(microseconds(ruleset.published_at));
    vec![ruleset.digest.into(), place(&ruleset.files), at.clone(), at]
}
