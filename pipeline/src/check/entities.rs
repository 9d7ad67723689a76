//! Entities: how each of their patterns is anchored, and what the policy does about them.

use super::describe;
use crate::ruleset::{
    Ruleset,
    policy::{self, Policy, Rule, When, family},
};
use maysend_detector::pattern::Pattern;
use serde::Serialize;

/// An entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntityReport {
    /// Its id.
    pub entity: String,
    /// Its name for people.
    pub name: String,
    /// The country whose pack raises it.
    pub country: Option<&'static str>,
    /// Whether it is known from a platform's fields only.
    pub found_by_fields: bool,
    /// How many words name it, in all languages.
    pub labels: usize,
    /// Words between a label and the value at most; null for the usual distance.
    pub within: Option<usize>,
    /// What the policy does about it.
    pub rule: RuleReport,
    /// How it is found.
    pub patterns: Vec<PatternReport>,
}

/// How a pattern is anchored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PatternReport {
    /// Its id.
    pub pattern: String,
    /// The regular expression as written.
    pub regex: String,
    /// The boundary rule: its name, or what may not adjoin.
    pub boundary: String,
    /// The longest match in bytes; null for a token run.
    pub longest: Option<usize>,
    /// The validator, with the regions that it is given.
    pub validator: Option<String>,
    /// The standard that the validator follows.
    pub standard: Option<&'static str>,
    /// Canonical groupings.
    pub groupings: Vec<String>,
    /// Whether a word that names the entity must be near.
    pub needs_label: bool,
    /// Points for the shape.
    pub shape: i32,
    /// Points when the check passes.
    pub valid: i32,
    /// Points when it fails.
    pub invalid: i32,
    /// Examples and counterexamples that were run.
    pub examples_run: usize,
}

/// What the policy does about an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    /// 1, 2 or 3.
    pub tier: u8,
    /// `block`, `redact` or `allow`.
    pub action: &'static str,
    /// Points from which it is redacted.
    pub redact_at: i32,
    /// Points from which it can refuse a document.
    pub block_at: i32,
    /// What stands in its place.
    pub form: &'static str,
    /// Its name in a placeholder.
    pub placeholder: String,
    /// `entity`, `family`, or `default`: where the rule is from. An entity without a rule is tier 1.
    pub from: &'static str,
}

/// What the policy says beside the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyReport {
    /// Its number.
    pub version: u32,
    /// Its day.
    pub dated: String,
    /// Members of a record that go on.
    pub carry: Vec<String>,
    /// The largest record that is read.
    pub max_record_bytes: usize,
    /// Combinations that are graver together.
    pub combinations: Vec<String>,
}

/// Every entity, in the order of the files.
pub(super) fn report(ruleset: &Ruleset) -> Vec<EntityReport> {
    let catalogue = ruleset.detector.catalogue();
    let written = Written::of(ruleset);
    let entities = catalogue.entities.iter().map(|entity| {
        let own = catalogue.patterns.iter().filter(|pattern| catalogue.entity_of(pattern).id == entity.id);
        let id = entity.id.as_str();
        EntityReport {
            entity: id.into(),
            name: entity.name.clone(),
            country: entity.country,
            found_by_fields: entity.found_by_fields,
            labels: entity.labels.len(),
            within: entity.within,
            rule: rule(ruleset.rules.policy.rule(id), written.source(id)),
            patterns: own.map(pattern).collect(),
        }
    });
    entities.collect()
}

fn pattern(pattern: &Pattern) -> PatternReport {
    PatternReport {
        pattern: pattern.id.to_string(),
        regex: pattern.regex.clone(),
        boundary: describe::boundary(&pattern.boundary),
        longest: describe::longest(pattern.length),
        validator: pattern.validator.as_ref().map(describe::validator),
        standard: pattern.validator.as_ref().map(|bound| bound.rule.standard),
        groupings: pattern.groupings.iter().map(describe::grouping).collect(),
        needs_label: pattern.needs_label,
        shape: pattern.points.shape,
        valid: pattern.points.valid,
        invalid: pattern.points.invalid,
        examples_run: pattern.examples.len() + pattern.counterexamples.len(),
    }
}

fn rule(rule: &Rule, from: &'static str) -> RuleReport {
    let Rule { tier, action, redact_at, block_at, form, label } = rule;
    RuleReport {
        tier: tier.number(),
        action: action.as_str(),
        redact_at: *redact_at,
        block_at: *block_at,
        form: form.as_str(),
        placeholder: label.to_string(),
        from,
    }
}

/// What rules are written for. A loaded policy has a rule for every entity and no longer knows from where, and an
/// entity that somebody forgot should show.
struct Written {
    entities: Vec<String>,
    families: Vec<String>,
}

impl Written {
    fn of(ruleset: &Ruleset) -> Self {
        let file = ruleset.files.iter().find(|file| file.name == policy::FILE);
        let root: Option<toml::Table> = file.and_then(|file| file.text.parse().ok());
        let rules = root.and_then(|mut root| root.remove("rule"));
        let named = |key: &str| {
            let rules = rules.as_ref().and_then(toml::Value::as_array).into_iter().flatten();
            rules.filter_map(|rule| rule.get(key)?.as_str().map(str::to_owned)).collect()
        };
        Self { entities: named("entity"), families: named("family") }
    }

    fn source(&self, entity: &str) -> &'static str {
        if self.entities.iter().any(|name| name == entity) {
            "entity"
        } else if self.families.iter().any(|name| name == family(entity)) {
            "family"
        } else {
            "default"
        }
    }
}

/// What the policy says beside the rules.
pub(super) fn policy(policy: &Policy) -> PolicyReport {
    let combinations = policy.combinations.iter().map(|combination| {
        let when = match &combination.when {
            When::AllOf(entities) => entities.iter().map(ToString::to_string).collect::<Vec<_>>().join(" with "),
            When::MoreThanDistinct { entity, limit } => format!("more than {limit} distinct {entity}"),
        };
        format!("{}: {when}: tier {}", combination.name, combination.tier.number())
    });
    PolicyReport {
        version: policy.version,
        dated: policy.dated.to_string(),
        carry: policy.intake.carry.iter().map(ToString::to_string).collect(),
        max_record_bytes: policy.intake.max_record_bytes,
        combinations: combinations.collect(),
    }
}
