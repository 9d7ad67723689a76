//! `destinations.toml`: the dated register of where transcripts may go, on what terms, and how that is known.
//!
//! Terms that no longer apply stay in the register, because reservations point to them. An attribute of the terms
//! counts on a day only by evidence in force on that day; otherwise that attribute, and no other, is at its worst.

mod evidence;
mod reader;
mod terms;

pub use evidence::{Evidence, Proven, Standing};
pub use terms::{Attributes, Mechanism, MechanismKind, Retention, RetentionTerms, Terms};

use super::day_of;
use jiff::{Timestamp, ToSpan};
use maysend_detector::source::{Mistakes, SourceFile};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// The file's name in a ruleset.
pub const FILE: &str = "destinations.toml";

/// Days before the end of evidence from which its renewal is asked for.
pub const RENEWAL_DAYS: u16 = 30;

/// A provider's endpoint under one contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The id that records carry.
    pub id: String,
    /// The provider. Several destinations may have the same.
    pub provider: String,
    /// The account at the provider.
    pub account: String,
    /// Whether an operator has stopped it. It is no part of the terms.
    pub suspended: bool,
    pub(crate) terms: Vec<Terms>,
}

impl Destination {
    /// The terms that apply at this time; `None` before the first.
    pub fn terms_at(&self, as_of: Timestamp) -> Option<&Terms> {
        let on = day_of(as_of);
        self.terms.iter().rev().find(|terms| terms.effective <= on)
    }

    /// What is proven of the destination at this time. Before its first terms nothing is.
    pub fn in_force(&self, as_of: Timestamp) -> Attributes<'_> {
        self.terms_at(as_of).map_or(Attributes::WORST, |terms| terms.in_force(as_of))
    }

    /// Every version of the terms, past ones included, oldest first.
    pub fn terms(&self) -> &[Terms] {
        &self.terms
    }

    /// The terms that a record's `terms` points to.
    pub fn terms_by_id(&self, terms_id: &str) -> Option<&Terms> {
        self.terms.iter().find(|terms| terms.terms_id() == terms_id)
    }
}

/// Every destination, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destinations {
    pub(crate) by_id: BTreeMap<String, Destination>,
}

/// An attribute that is not proven, or soon will not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The destination.
    pub destination: String,
    /// The key of the attribute: `retention.standard_days`.
    pub attribute: String,
    /// The evidence, where it names one.
    pub evidence: Option<String>,
    /// How it stands; `InForce` with a day that is near.
    pub standing: Standing,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.destination, self.attribute)?;
        if let Some(evidence) = &self.evidence {
            write!(f, "evidence `{evidence}` ")?;
        }
        match self.standing {
            Standing::Missing => write!(f, "no evidence; its worst value counts"),
            Standing::NotYet(from) => write!(f, "counts only from {from}; until then its worst value counts"),
            Standing::InForce(until) => write!(f, "ends on {until}; ask the provider and renew it before that day"),
            Standing::Expired(until) => write!(f, "ended on {until}; its worst value counts"),
        }
    }
}

impl Destinations {
    /// The destination with this id.
    pub fn get(&self, id: &str) -> Option<&Destination> {
        self.by_id.get(id)
    }

    /// All destinations, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Destination> {
        self.by_id.values()
    }

    /// The ids of all destinations.
    pub fn ids(&self) -> BTreeSet<String> {
        self.by_id.keys().cloned().collect()
    }

    /// Attributes of the terms in force whose evidence ends within so many days, has ended, or does not count yet.
    pub fn expiring(&self, as_of: Timestamp, within_days: u16) -> Vec<Warning> {
        let horizon = day_of(as_of).saturating_add(i32::from(within_days).days());
        self.warnings(as_of, |standing| match standing {
            Standing::InForce(until) => until <= horizon,
            Standing::Expired(_) | Standing::NotYet(_) => true,
            Standing::Missing => false,
        })
    }

    /// Attributes of the terms in force for which there is no evidence at all.
    pub fn unanswered(&self, as_of: Timestamp) -> Vec<Warning> {
        self.warnings(as_of, |standing| standing == Standing::Missing)
    }

    fn warnings(&self, as_of: Timestamp, tell: impl Fn(Standing) -> bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for destination in self.iter() {
            let Some(terms) = destination.terms_at(as_of) else { continue };
            for (attribute, evidence, standing) in terms.standings(day_of(as_of)) {
                if tell(standing) {
                    let (destination, evidence) = (destination.id.clone(), evidence.map(Into::into));
                    warnings.push(Warning { destination, attribute, evidence, standing });
                }
            }
        }
        warnings
    }

    /// Terms of an earlier register that this one lacks: destination and terms id. Reservations may point to them, so
    /// there must be none; changing terms in place loses them just as removing them does.
    pub fn lost_since<'e>(&self, earlier: &'e Self) -> Vec<(&'e str, &'e Terms)> {
        let lost = |destination: &Destination, terms: &Terms| {
            self.get(&destination.id).and_then(|kept| kept.terms_by_id(terms.terms_id())).is_none()
        };
        earlier
            .iter()
            .flat_map(|destination| destination.terms.iter().map(move |terms| (destination, terms)))
            .filter(|(destination, terms)| lost(destination, terms))
            .map(|(destination, terms)| (destination.id.as_str(), terms))
            .collect()
    }

    /// Reads the file. What has a mistake is reported and left out; a destination whose id can be read is kept, so
    /// that other files may name it.
    pub fn read(file: &SourceFile, mistakes: &Mistakes) -> Self {
        Self { by_id: reader::read(file, mistakes) }
    }
}

#[cfg(test)]
mod tests;
