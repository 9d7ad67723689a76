//! `policy.toml`: what is done about each entity, and which destinations are watched before they are enforced.
//!
//! The policy knows entities and destinations, never who sends: there is no key by which a tenant, a team, a sender
//! or an alias could be exempt, and the reader refuses every key that it does not know.

mod form;
mod intake;
mod reader;
mod rules;
mod values;

pub use form::{Form, HASHABLE, NEVER_LAST_FOUR};
pub use intake::{Carry, Intake, RESERVED, is_reserved};

use super::{day_of, input::Mapping};
use jiff::{Timestamp, civil::Date};
use maysend_detector::{
    finding::EntityId,
    source::{Mistakes, SourceFile},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// The file's name in a ruleset.
pub const FILE: &str = "policy.toml";

/// How grave it is that a provider keeps an entity. `One` is the gravest and the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Must not be retained by any provider: a destination that retains refuses the whole document.
    One,
    /// Personal data that is redacted by default.
    Two,
    /// Weakly identifying by itself.
    Three,
}

impl Tier {
    /// The number that `policy.toml` uses: 1, 2 or 3.
    pub fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    fn of_number(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            _ => None,
        }
    }
}

/// What is done about an entity, from the strictest to the mildest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// At or over `block_at` the document is refused, at every destination.
    Block,
    /// At or over `redact_at` it is redacted.
    Redact,
    /// It stays in the text. Refused for tier 1.
    Allow,
}

impl Action {
    /// The name that `policy.toml` uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Redact => "redact",
            Self::Allow => "allow",
        }
    }
}

/// What is done about one entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// How grave it is.
    pub tier: Tier,
    /// What is done.
    pub action: Action,
    /// Evidence, in points, at or over which it is redacted. Above 0.
    pub redact_at: i32,
    /// Evidence, in points, at or over which it can refuse a document. At least `redact_at`.
    pub block_at: i32,
    /// What stands in its place.
    pub form: Form,
    /// Its name in a placeholder: `EMAIL` in `[EMAIL_1]`. No other entity has the same.
    pub label: Arc<str>,
}

impl Rule {
    /// Whether a redaction can ask for the key of keyed hashes. A looked-up field value is redacted even where its
    /// entity is allowed, so the action does not matter.
    pub fn needs_key(&self) -> bool {
        self.form == Form::KeyedHash
    }
}

/// Several entities, or many values of one, that together are graver than each alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Its name in reports.
    pub name: String,
    /// The tier that its findings have when it holds.
    pub tier: Tier,
    /// When it holds.
    pub when: When,
}

/// When a combination holds. Only findings at or over their `redact_at` count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Each of these entities is found in the document. Two or more, sorted.
    AllOf(Vec<EntityId>),
    /// More than so many distinct values of one entity are found.
    MoreThanDistinct {
        /// The entity whose values are counted.
        entity: EntityId,
        /// The most that is still ordinary.
        limit: usize,
    },
}

impl When {
    /// The entities that it looks at.
    pub fn entities(&self) -> &[EntityId] {
        match self {
            Self::AllOf(entities) => entities,
            Self::MoreThanDistinct { entity, .. } => std::slice::from_ref(entity),
        }
    }
}

/// Whether a decision to block is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// What is blocked is not sent.
    #[default]
    Enforce,
    /// Decide and record, forward untouched, copy what would have been blocked.
    Shadow,
}

impl Mode {
    /// The name that files and records use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Shadow => "shadow",
        }
    }
}

/// A destination's time of being watched only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The day, in UTC, from which the destination is enforced.
    pub until: Date,
    /// The role that approved it.
    pub approver: String,
}

/// What is done about each entity, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Number of the policy, from 1; people raise it with each change.
    pub version: u32,
    /// The day of that version.
    pub dated: Date,
    /// What is taken in.
    pub intake: Intake,
    /// Combinations that raise the tier, in the order of the file.
    pub combinations: Vec<Combination>,
    pub(crate) rules: HashMap<EntityId, Rule>,
    pub(crate) unknown: Rule,
    pub(crate) shadows: BTreeMap<String, Shadow>,
}

impl Policy {
    /// What is done about an entity. One that the ruleset does not know is treated like one without a rule: tier 1,
    /// redacted, default thresholds.
    pub fn rule(&self, entity: &str) -> &Rule {
        self.rules.get(entity).unwrap_or(&self.unknown)
    }

    /// Every known entity with what is done about it, by entity id.
    pub fn rules(&self) -> impl Iterator<Item = (&EntityId, &Rule)> {
        let sorted: BTreeMap<&EntityId, &Rule> = self.rules.iter().collect();
        sorted.into_iter()
    }

    /// Whether a block is carried out at this destination at this time. A destination that the policy does not name is enforced.
    pub fn mode(&self, destination: &str, as_of: Timestamp) -> Mode {
        match self.shadows.get(destination) {
            Some(shadow) if day_of(as_of) < shadow.until => Mode::Shadow,
            _ => Mode::Enforce,
        }
    }

    /// Destinations that are or were watched only, by id.
    pub fn shadows(&self) -> impl Iterator<Item = (&str, &Shadow)> {
        self.shadows.iter().map(|(id, shadow)| (id.as_str(), shadow))
    }

    /// Entities whose distinct values the gate must be told the number of.
    pub fn counted(&self) -> impl Iterator<Item = &EntityId> {
        self.combinations.iter().filter_map(|combination| match &combination.when {
            When::MoreThanDistinct { entity, .. } => Some(entity),
            When::AllOf(_) => None,
        })
    }

    /// Reads the file. What has a mistake is reported and left out or read at its strictest.
    ///
    /// `known` are the entities that a rule may name, `destinations` the ids that a mode may name; `None` leaves
    /// those unchecked, because the register could not be read. What is carried must not be what `mapping` reads.
    pub fn read(
        file: &SourceFile,
        known: &BTreeSet<String>,
        destinations: Option<&BTreeSet<String>>,
        mapping: Option<&Mapping>,
        mistakes: &Mistakes,
    ) -> Self {
        reader::read(file, known, destinations, mapping, mistakes)
    }
}

/// The part of an entity id before the first dot. An id without a dot, such as `iban`, is its own family.
pub fn family(entity: &str) -> &str {
    entity.split_once('.').map_or(entity, |(family, _)| family)
}

/// The label of an entity that names none: a country's entity keeps its country, `nl.bsn` is `NL_BSN`; any other
/// goes without its family, `contact.email` is `EMAIL`.
fn default_label(entity: &str) -> String {
    let name = match entity.split_once('.') {
        Some((family, name)) if family.len() != 2 => name,
        _ => entity,
    };
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
