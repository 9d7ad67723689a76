//! Reference formats: whose they are, until when, and what they can hide.

use super::describe;
use jiff::civil::Date;
use maysend_detector::{
    Detector, EntityId,
    reference::{Reference, Share, shares},
};
use rayon::prelude::*;
use serde::Serialize;

/// A reference format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferenceReport {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The format as written.
    pub format: String,
    /// Who says that it is the platform's.
    pub owner: String,
    /// Since when.
    pub dated: String,
    /// Its last day, if it ends.
    pub expires: Option<String>,
    /// Whether it has ended, and hides nothing.
    pub expired: bool,
    /// What it may hide.
    pub hides: Vec<HiddenEntity>,
}

/// An entity that a reference may hide.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HiddenEntity {
    /// The entity.
    pub entity: String,
    /// What share of the reference's strings pass its check; null where it has none, so that any may look like it.
    pub share: Option<ShareReport>,
}

/// A share of strings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareReport {
    /// How many strings pass.
    pub passing: u64,
    /// Of how many.
    pub of: u64,
    /// Whether all were counted; otherwise they are a sample.
    pub exact: bool,
    /// The share in percent.
    pub percent: f64,
    /// The bounds of the interval at 95 %, in percent; both the share itself where it is exact.
    pub interval: [f64; 2],
}

impl From<&Share> for ShareReport {
    fn from(share: &Share) -> Self {
        // Four places tell all that a sample can, and print the same everywhere.
        let percent = |fraction: f64| (fraction * 1e6).round() / 1e4;
        // Where no string was read as the entity at all, that was a few strings and proves little.
        let exact = share.exact && share.of > 1;
        let (low, high) = Share { exact, ..share.clone() }.interval();
        Self {
            passing: share.passing,
            of: share.of,
            exact,
            percent: percent(share.fraction()),
            interval: [percent(low), percent(high)],
        }
    }
}

/// Every format, in the order of the file.
pub(super) fn report(detector: &Detector, day: Date) -> Vec<ReferenceReport> {
    let formats = &detector.references().formats;
    formats.par_iter().map(|format| reference(format, detector, day)).collect()
}

fn reference(reference: &Reference, detector: &Detector, day: Date) -> ReferenceReport {
    let shares = shares(reference, detector.catalogue(), detector.engine());
    let share = |entity: &EntityId| shares.iter().find(|share| share.entity == *entity).map(ShareReport::from);
    let hidden = reference.hides.iter().map(|entity| HiddenEntity { entity: entity.to_string(), share: share(entity) });
    ReferenceReport {
        id: reference.id.clone(),
        name: reference.name.clone(),
        format: reference.format.clone(),
        owner: reference.owner.clone(),
        dated: describe::date(reference.dated),
        expires: reference.expires.map(describe::date),
        expired: !reference.in_force(Some((day.year(), day.month(), day.day()))),
        hides: hidden.collect(),
    }
}
