//! Entities and patterns, as data.
//!
//! An [`Entity`] is a kind of personal data; a [`Pattern`] is one way to find it. Both are read from TOML, one file
//! per family, by [`load`]. Every pattern carries its own examples and counterexamples.

mod grouping;
mod load;
mod shape;

pub use grouping::{Grouped, Grouping, grouped};
pub(crate) use load::labels as read_labels;
pub use load::load;
pub use shape::{LONGEST, Length};
pub(crate) use shape::{bytes_of, parse as parse_regex};

use crate::{
    boundary::Boundary,
    finding::{EntityId, PatternId, Verdict},
    validators::Validator,
};
use regex_syntax::hir::Hir;

/// A kind of personal data.
#[derive(Clone, Debug)]
pub struct Entity {
    /// `nl.bsn`, `payment.card`.
    pub id: EntityId,
    /// For people.
    pub name: String,
    /// The country whose pack raises it, ISO 3166-1 alpha-2.
    pub country: Option<&'static str>,
    /// Where the format is described.
    pub reference: String,
    /// Whether it is found only through a platform's own fields and has no patterns.
    pub found_by_fields: bool,
    /// Words between a label and the value at most; `None` for the usual distance.
    pub within: Option<usize>,
    /// The words that name it, with their language.
    pub labels: Vec<EntityLabel>,
}

/// A word or phrase that names an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityLabel {
    /// ISO 639-1 code of its language.
    pub language: String,
    /// The words, lower case.
    pub words: String,
}

/// One way to find an entity.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// `nl.bsn/plain`.
    pub id: PatternId,
    /// Index of its entity.
    pub entity: usize,
    /// The regular expression as written.
    pub regex: String,
    /// The regular expression, parsed.
    pub hir: Hir,
    /// How long a match may be.
    pub length: Length,
    /// Whether the expression has a group `value`, which then is what is found.
    pub has_value: bool,
    /// What may not adjoin a match.
    pub boundary: Boundary,
    /// The check, if there is one.
    pub validator: Option<BoundValidator>,
    /// Canonical ways to group.
    pub groupings: Vec<Grouping>,
    /// Whether it is a finding only beside a word that names the entity.
    pub needs_label: bool,
    /// What the match itself says.
    pub points: Points,
    /// Texts in which it must be found.
    pub examples: Vec<Example>,
    /// Texts in which it must not.
    pub counterexamples: Vec<Example>,
}

impl Pattern {
    /// If it may be looked for only where a label can be near: bytes of a match, at most.
    pub fn confined(&self) -> Option<usize> {
        match self.length {
            Length::Bounded(longest) if self.needs_label && !self.has_value => Some(longest),
            _ => None,
        }
    }
}

/// A text that a pattern must find, or must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The text.
    pub text: String,
    /// Where it stands, for a mistake.
    pub line: usize,
    /// Its key, for a mistake.
    pub key: String,
}

/// A pattern's own evidence, in tenths of a ban.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points {
    /// How rarely text without personal data has this shape.
    pub shape: i32,
    /// Added when the check passes: how rarely a random string of the shape does.
    pub valid: i32,
    /// Added when the check fails; negative.
    pub invalid: i32,
}

/// A validator with the regions that a pattern gives it.
#[derive(Clone)]
pub struct BoundValidator {
    /// The rule.
    pub rule: &'static Validator,
    /// Numbering plans, ISO 3166-1 alpha-2; empty for rules that take none.
    pub regions: Vec<&'static str>,
}

impl BoundValidator {
    /// What the rule says of a match.
    pub fn verdict(&self, matched: &[u8]) -> Verdict {
        if self.rule.check.passes(matched, &self.regions) { Verdict::Valid } else { Verdict::Invalid }
    }
}

impl std::fmt::Debug for BoundValidator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.rule.name, self.regions)
    }
}

/// The entities and patterns of a ruleset, in the order of its files.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The entities.
    pub entities: Vec<Entity>,
    /// The patterns, those of one entity together.
    pub patterns: Vec<Pattern>,
}

impl Catalogue {
    /// The entity of this id.
    pub fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.id.as_str() == id)
    }

    /// The entity that a pattern finds.
    pub fn entity_of(&self, pattern: &Pattern) -> &Entity {
        &self.entities[pattern.entity]
    }
}
