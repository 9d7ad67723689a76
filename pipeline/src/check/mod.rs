//! What a ruleset holds: how each pattern is anchored, what each reference can hide, what of each destination's terms
//! is proven on a day, and what the policy does about each entity.
//!
//! Loading a ruleset has already refused every mistake in it and run every pattern's own examples; a [`Report`] is of
//! one that loaded. It is plain data, serialised with its members in their order; [`Report::text`] is for a person.

pub(crate) mod describe;
mod destinations;
mod entities;
mod references;
pub mod sample;
mod text;

pub use destinations::{AttributeReport, DestinationReport, ModeReport};
pub use entities::{EntityReport, PatternReport, PolicyReport, RuleReport};
pub use references::{HiddenEntity, ReferenceReport, ShareReport};
pub use text::Detail;

use crate::ruleset::{
    Ruleset, day_of,
    destinations::{Destinations, Terms, Warning},
    input::Mapping,
};
use jiff::{Timestamp, civil::Date};
use serde::Serialize;

/// How many of everything there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Kinds of personal data.
    pub entities: usize,
    /// Ways to find them.
    pub patterns: usize,
    /// Texts that a pattern must find, each run.
    pub examples: usize,
    /// Texts that a pattern must not find, each run.
    pub counterexamples: usize,
    /// Formats of the platform's own.
    pub references: usize,
    /// Strings that are such a reference and strings near one that are none, each run.
    pub reference_examples: usize,
    /// Places where transcripts may go.
    pub destinations: usize,
    /// Tenants.
    pub tenants: usize,
}

/// What a ruleset holds, as of a day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The form of this report.
    pub schema: u32,
    /// The ruleset's digest.
    pub ruleset: String,
    /// The day, in UTC, that it is looked at.
    #[serde(serialize_with = "as_text")]
    pub as_of: Date,
    /// How many of everything.
    pub totals: Totals,
    /// What a person should see to: evidence that ends, references past their end, watching that is overdue.
    pub warnings: Vec<String>,
    /// Entities with their patterns and rules, in the order of the files.
    pub entities: Vec<EntityReport>,
    /// What the policy says beside the rules of entities.
    pub policy: PolicyReport,
    /// Reference formats.
    pub references: Vec<ReferenceReport>,
    /// Destinations.
    pub destinations: Vec<DestinationReport>,
    /// Destinations that are or were watched only.
    pub modes: Vec<ModeReport>,
    /// Where records of another shape have what, in lines for people; empty where they are of the wire form.
    pub input: Vec<String>,
    /// Templates, fields and look-up settings, in lines for people.
    pub templates: Vec<String>,
}

impl Report {
    /// Looks at a ruleset.
    ///
    /// Cost: the strings of each reference are sampled, some tenths of a second for each, on all cores.
    pub fn new(ruleset: &Ruleset, as_of: Timestamp) -> Self {
        let day = day_of(as_of);
        let catalogue = ruleset.detector.catalogue();
        let formats = &ruleset.detector.references().formats;
        let references = references::report(&ruleset.detector, day);
        let modes = destinations::modes(&ruleset.rules.policy, day);
        let register = &ruleset.rules.destinations;
        Self {
            schema: 1,
            ruleset: ruleset.digest.clone(),
            as_of: day,
            totals: Totals {
                entities: catalogue.entities.len(),
                patterns: catalogue.patterns.len(),
                examples: catalogue.patterns.iter().map(|pattern| pattern.examples.len()).sum(),
                counterexamples: catalogue.patterns.iter().map(|pattern| pattern.counterexamples.len()).sum(),
                references: formats.len(),
                reference_examples: formats.iter().map(|f| f.examples.len() + f.neighbours.len()).sum(),
                destinations: register.iter().count(),
                tenants: ruleset.rules.tenants.iter().count(),
            },
            warnings: warnings(register, &references, &modes, as_of),
            entities: entities::report(ruleset),
            policy: entities::policy(&ruleset.rules.policy),
            references,
            destinations: register.iter().map(|destination| destinations::report(destination, as_of)).collect(),
            modes,
            input: ruleset.rules.mapping.as_ref().map(Mapping::describe).unwrap_or_default(),
            templates: ruleset.templates.describe(),
        }
    }
}

fn warnings(
    register: &Destinations,
    references: &[ReferenceReport],
    modes: &[ModeReport],
    as_of: Timestamp,
) -> Vec<String> {
    let within = crate::ruleset::destinations::RENEWAL_DAYS;
    let mut all: Vec<Warning> = Vec::new();
    for warning in register.expiring(as_of, within).into_iter().chain(register.unanswered(as_of)) {
        // One letter proves many attributes: it is to be renewed once, so it is told once.
        let same = |known: &&mut Warning| {
            (&known.destination, &known.evidence, known.standing)
                == (&warning.destination, &warning.evidence, warning.standing)
        };
        match all.iter_mut().find(same) {
            Some(known) => known.attribute = format!("{}, {}", known.attribute, warning.attribute),
            None => all.push(warning),
        }
    }
    let mut all: Vec<String> = all.iter().map(ToString::to_string).collect();
    let before_first = register.iter().filter(|destination| destination.terms_at(as_of).is_none());
    all.extend(before_first.map(|d| format!("{}: no terms apply yet; everything of it is at its worst", d.id)));
    let ended = references.iter().filter(|reference| reference.expired);
    all.extend(ended.map(|reference| {
        let expires = reference.expires.as_deref().unwrap_or_default();
        format!("reference {}: ended on {expires} and hides nothing; renew it or remove it", reference.id)
    }));
    let overdue = modes.iter().filter(|mode| mode.overdue);
    all.extend(overdue.map(|mode| {
        format!("{}: watching ended on {}; it is enforced: remove its mode", mode.destination, mode.shadow_until)
    }));
    all
}

/// Terms that an earlier register has and this one lacks, one line for each. Reservations may point to them.
pub fn lost_terms(register: &Destinations, earlier: &Destinations) -> Vec<String> {
    let lost = register.lost_since(earlier).into_iter();
    lost.map(|(destination, terms): (&str, &Terms)| {
        format!(
            "{}: destination `{destination}`: the terms `{}` (plan {}) are gone or were changed in place; \
             reservations point to them: put them back as they were and add a version for what is new",
            crate::ruleset::destinations::FILE,
            terms.terms_id(),
            terms.plan,
        )
    })
    .collect()
}

fn as_text<T: ToString, S: serde::Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}
