//! Destinations: the terms that apply on a day, and what of them is proven on it.

use crate::ruleset::{
    day_of,
    destinations::{Destination, Proven, RENEWAL_DAYS, RetentionTerms, Standing, Terms},
    policy::{Policy, Shadow},
};
use jiff::{Timestamp, ToSpan, civil::Date};
use serde::Serialize;

/// A destination as of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DestinationReport {
    /// Its id.
    pub id: String,
    /// The provider.
    pub provider: String,
    /// The account at the provider.
    pub account: String,
    /// Whether an operator has stopped it.
    pub suspended: bool,
    /// The id of the terms that apply; null before the first.
    pub terms: Option<String>,
    /// How many versions of terms the register keeps.
    pub versions: usize,
    /// Whether copies are kept, by what is proven.
    pub retains: bool,
    /// Whether inputs may be used for training, by what is proven.
    pub training_eligible: bool,
    /// Where it processes, if that is proven.
    pub region: Option<&'static str>,
    /// From where data may go there, beside its own region.
    pub admits: Vec<&'static str>,
    /// Every attribute of the terms.
    pub attributes: Vec<AttributeReport>,
}

/// An attribute of terms: what is claimed, and whether that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttributeReport {
    /// Its key in the file.
    pub attribute: String,
    /// What is claimed; null where nothing is.
    pub claimed: Option<String>,
    /// What counts on the day.
    pub counts: String,
    /// `in_force`, `missing`, `expired` or `not_yet`.
    pub standing: &'static str,
    /// The last day of its evidence, or the first where it does not count yet.
    pub day: Option<String>,
    /// The evidence that it names.
    pub evidence: Option<String>,
    /// Whether its evidence ends soon.
    pub ends_soon: bool,
}

/// A destination that is or was watched only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModeReport {
    /// The destination.
    pub destination: String,
    /// `shadow` or, once that has ended, `enforce`.
    pub mode: &'static str,
    /// The day from which it is enforced.
    pub shadow_until: String,
    /// The role that approved it.
    pub approver: String,
    /// Whether that day has come and the entry is still there.
    pub overdue: bool,
}

/// Destinations with a mode of their own, as of a day.
pub(super) fn modes(policy: &Policy, day: Date) -> Vec<ModeReport> {
    let report = |(destination, Shadow { until, approver }): (&str, &Shadow)| {
        let overdue = day >= *until;
        ModeReport {
            destination: destination.into(),
            mode: if overdue { "enforce" } else { "shadow" },
            shadow_until: until.to_string(),
            approver: approver.clone(),
            overdue,
        }
    };
    policy.shadows().map(report).collect()
}

/// A destination as of a time.
pub(super) fn report(destination: &Destination, as_of: Timestamp) -> DestinationReport {
    let day = day_of(as_of);
    let terms = destination.terms_at(as_of);
    let attributes = destination.in_force(as_of);
    DestinationReport {
        id: destination.id.clone(),
        provider: destination.provider.clone(),
        account: destination.account.clone(),
        suspended: destination.suspended,
        terms: terms.map(|terms| terms.terms_id().to_owned()),
        versions: destination.terms().len(),
        retains: attributes.retains(),
        training_eligible: attributes.training_eligible,
        region: attributes.region.map(|region| region.code()),
        admits: attributes.mechanisms.iter().map(|mechanism| mechanism.from.code()).collect(),
        attributes: terms.map(|terms| of_terms(terms, day)).unwrap_or_default(),
    }
}

fn of_terms(terms: &Terms, day: Date) -> Vec<AttributeReport> {
    let Terms {
        effective: _,
        plan: _,
        endpoint: _,
        zero_retention,
        training_eligible,
        region,
        mechanisms,
        retention,
        processing_agreement,
        subprocessors,
        id: _,
    } = terms;
    let RetentionTerms {
        standard_days,
        abuse_monitoring_days,
        human_review_days,
        deletion_covers_abuse_monitoring,
        deletion_covers_human_review,
    } = retention;
    const DAYS: &str = "without end";
    let on = |key: &str| format!("retention.{key}");
    let mut all = vec![
        attribute("zero_retention", zero_retention.as_ref(), "false", day, bool::to_string),
        attribute("training_eligible", training_eligible.as_ref(), "true", day, bool::to_string),
        attribute("region", region.as_ref(), "unknown", day, ToString::to_string),
        attribute(&on("standard_days"), standard_days.as_ref(), DAYS, day, u32::to_string),
        attribute(&on("abuse_monitoring_days"), abuse_monitoring_days.as_ref(), DAYS, day, u32::to_string),
        attribute(&on("human_review_days"), human_review_days.as_ref(), DAYS, day, u32::to_string),
        attribute(
            &on("deletion_covers_abuse_monitoring"),
            deletion_covers_abuse_monitoring.as_ref(),
            "false",
            day,
            bool::to_string,
        ),
        attribute(
            &on("deletion_covers_human_review"),
            deletion_covers_human_review.as_ref(),
            "false",
            day,
            bool::to_string,
        ),
        attribute("processing_agreement", processing_agreement.as_ref(), "none", day, String::clone),
        attribute("subprocessors", subprocessors.as_ref(), "unknown", day, |names| names.join(", ")),
    ];
    all.extend(mechanisms.iter().map(|mechanism| {
        let name = format!("mechanisms.{}", mechanism.claimed().from);
        attribute(&name, Some(mechanism), "none", day, |mechanism| mechanism.kind.as_str().into())
    }));
    all
}

fn attribute<T>(
    key: &str,
    proven: Option<&Proven<T>>,
    worst: &str,
    day: Date,
    show: impl Fn(&T) -> String,
) -> AttributeReport {
    let standing = proven.map_or(Standing::Missing, |proven| proven.standing(day));
    let (name, date) = match standing {
        Standing::Missing => ("missing", None),
        Standing::NotYet(from) => ("not_yet", Some(from)),
        Standing::InForce(until) => ("in_force", Some(until)),
        Standing::Expired(until) => ("expired", Some(until)),
    };
    let horizon = day.saturating_add(i32::from(RENEWAL_DAYS).days());
    AttributeReport {
        attribute: key.into(),
        claimed: proven.map(|proven| show(proven.claimed())),
        counts: proven.and_then(|proven| proven.on(day)).map_or_else(|| worst.into(), show),
        standing: name,
        day: date.map(|date| date.to_string()),
        evidence: proven.and_then(Proven::evidence).map(|evidence| evidence.id.clone()),
        ends_soon: matches!(standing, Standing::InForce(until) if until <= horizon),
    }
}
