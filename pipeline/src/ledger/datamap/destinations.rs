//! The destinations of the register: statements of providers about their own systems.

use super::{Action, Control, Row};
use crate::ruleset::{
    day_of,
    destinations::{Attributes, Destination, Destinations, Proven, Terms},
};
use jiff::{Timestamp, ToSpan as _, civil::Date};
use std::cmp::Reverse;

/// A row for each destination. Those that may train on what they get, or may have under any terms ever listed, stand first;
/// then those that keep it for longer.
pub(super) fn rows(register: &Destinations, as_of: Timestamp) -> Vec<Row> {
    let mut all: Vec<(Training, u32, &Destination)> = register
        .iter()
        .map(|destination| {
            (training(destination, as_of), longest(&destination.in_force(as_of)).unwrap_or(u32::MAX), destination)
        })
        .collect();
    all.sort_by_key(|(training, days, destination)| (Reverse(*training), Reverse(*days), destination.id.clone()));
    all.into_iter().map(|(training, _, destination)| row(destination, training, as_of)).collect()
}

/// Whether a destination may use inputs for training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Training {
    /// Under no terms that are listed.
    Never,
    /// Under terms that no longer apply.
    Before(Date),
    /// Now.
    Now,
}

fn training(destination: &Destination, as_of: Timestamp) -> Training {
    if destination.in_force(as_of).training_eligible {
        return Training::Now;
    }
    let excluded = |terms: &&Terms| terms.training_eligible.as_ref().is_some_and(|claim| !claim.claimed());
    let before = destination.terms().iter().rev().find(|terms| !excluded(terms));
    before.map_or(Training::Never, |terms| Training::Before(terms.effective))
}

/// The most days for which a copy is kept in any category; `None` is without end.
fn longest(attributes: &Attributes<'_>) -> Option<u32> {
    let retention = attributes.retention;
    let all = [retention.standard_days?, retention.abuse_monitoring_days?, retention.human_review_days?];
    all.into_iter().max()
}

fn row(destination: &Destination, training: Training, as_of: Timestamp) -> Row {
    let (attributes, terms) = (destination.in_force(as_of), destination.terms_at(as_of));
    let evidence = terms.and_then(|terms| terms.retention.standard_days.as_ref()).and_then(Proven::evidence);
    let retention = attributes.retention;
    let days = |what: &str, days: Option<u32>| match days {
        Some(0) => format!("{what}: none"),
        Some(1) => format!("{what}: 1 day"),
        Some(days) => format!("{what}: {days} days"),
        None => format!("{what}: not proven, so without end"),
    };
    let kept = [
        days("inputs and outputs", retention.standard_days),
        days("abuse monitoring", retention.abuse_monitoring_days),
        days("human review", retention.human_review_days),
    ];
    let mut left_behind: Vec<&str> = Vec::new();
    if retention.abuse_monitoring_days != Some(0) && !attributes.deletion_covers_abuse_monitoring {
        left_behind.push("copies for abuse monitoring, which no deletion reaches");
    }
    if retention.human_review_days != Some(0) && !attributes.deletion_covers_human_review {
        left_behind.push("copies under human review, which no deletion reaches");
    }
    if training != Training::Never {
        left_behind.push("what a model was trained on");
    }
    if attributes.subprocessors.is_none() {
        left_behind.push("copies at sub-processors that are not known");
    }
    Row {
        id: format!("destination:{}", destination.id),
        system: format!("{} at {}, account {}", destination.id, destination.provider, destination.account),
        copy: "what was possibly sent, redacted: inputs and outputs, copies for abuse monitoring and human review"
            .into(),
        control: Control::Theirs,
        owner: destination.provider.clone(),
        action: Action::Handoff,
        kept: format!("by contract: {}", kept.join("; ")),
        gone_by: longest(&attributes)
            .and_then(|days| day_of(as_of).checked_add(i64::from(days).days()).ok())
            .filter(|_| training == Training::Never),
        left_behind: if left_behind.is_empty() { "nothing, by contract".into() } else { left_behind.join("; ") },
        evidence: evidence.map(|evidence| {
            let terms = terms.map_or_else(|| "none".into(), |terms| terms.effective.to_string());
            format!("{}; terms of {terms}; counts until {}", evidence.document, evidence.valid_until)
        }),
        evidence_date: evidence.map(|evidence| evidence.date),
        warning: match training {
            Training::Now => Some("may be used for training".into()),
            Training::Before(day) => Some(format!("may have been used for training under the terms of {day}")),
            Training::Never => None,
        },
        done: None,
    }
}
