//! Values that several tables of `policy.toml` have.

use super::{Action, Form, Rule, Tier};
use maysend_detector::{
    finding::EntityId,
    source::{Table, nearest},
};
use std::collections::BTreeSet;

/// Points that no sum of evidence reaches; a threshold beyond is a slip of the pen that would switch a rule off.
const MOST_POINTS: i64 = 200;

/// Both thresholds, in points.
#[derive(Clone, Copy)]
pub(super) struct Thresholds {
    pub redact_at: i32,
    pub block_at: i32,
}

pub(super) const DEFAULTS: Thresholds = Thresholds { redact_at: 20, block_at: 40 };

/// What an entity without a rule gets.
pub(super) fn without_rule(defaults: Thresholds, label: &str) -> Rule {
    Rule {
        tier: Tier::One,
        action: Action::Redact,
        redact_at: defaults.redact_at,
        block_at: defaults.block_at,
        form: Form::Placeholder,
        label: label.into(),
    }
}

/// Reads both thresholds, each optional, and checks their order.
pub(super) fn thresholds(table: &mut Table<'_>, otherwise: Thresholds) -> Thresholds {
    let redact_at = points(table, "redact_at");
    let block_at = points(table, "block_at");
    let read = Thresholds {
        redact_at: redact_at.unwrap_or(otherwise.redact_at),
        block_at: block_at.unwrap_or(otherwise.block_at),
    };
    if read.redact_at <= read.block_at {
        return read;
    }
    let key = if redact_at.is_some() { "redact_at" } else { "block_at" };
    table.mistake(
        key,
        format!("redact_at {} is over block_at {}", read.redact_at, read.block_at),
        "redact_at is at most block_at, so that whatever can refuse a document is also redacted",
    );
    otherwise
}

fn points(table: &mut Table<'_>, key: &str) -> Option<i32> {
    let points = table.opt_integer(key)?;
    if (1..=MOST_POINTS).contains(&points) {
        return i32::try_from(points).ok();
    }
    table.mistake(key, format!("{points} points"), format!("from 1 to {MOST_POINTS}, in tenths of a ban"));
    None
}

/// The entity if it is known; reports it under `key` otherwise.
pub(super) fn known_entity(table: &Table<'_>, key: &str, entity: &str, known: &BTreeSet<String>) -> Option<EntityId> {
    if known.contains(entity) {
        return Some(entity.into());
    }
    let right = unknown_advice(entity, known.iter().map(String::as_str), "an entity of the patterns or templates");
    table.mistake(key, format!("unknown entity `{}`", entity.escape_debug()), right);
    None
}

/// What to write in place of a name that is not known.
pub(super) fn unknown_advice<'k>(name: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
    nearest(name, known).map_or_else(|| otherwise.into(), |near| format!("did you mean `{near}`?"))
}

/// A required tier, one of those allowed here.
pub(super) fn tier(table: &mut Table<'_>, allowed: &[i64]) -> Option<Tier> {
    let number = table.integer("tier")?;
    let tier = Tier::of_number(number).filter(|_| allowed.contains(&number));
    if tier.is_none() {
        let allowed: Vec<String> = allowed.iter().map(i64::to_string).collect();
        table.mistake("tier", format!("there is no tier {number} here"), format!("one of {}", allowed.join(", ")));
    }
    tier
}
