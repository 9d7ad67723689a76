//! The rules of `policy.toml`: each as it is written, then the one that every entity gets.

use super::{
    Action, Form, Rule, Tier, default_label, family,
    form::FORMS,
    values::{Thresholds, known_entity, thresholds, tier, unknown_advice, without_rule},
};
use maysend_detector::{finding::EntityId, source::Table};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Reads every `[[rule]]` and gives each known entity its rule.
pub(super) fn read(root: &mut Table<'_>, known: &BTreeSet<String>, defaults: Thresholds) -> HashMap<EntityId, Rule> {
    let written = root.tables("rule").into_iter().filter_map(|table| rule(table, known, defaults)).collect();
    resolve(root, written, known, defaults)
}

/// A rule as it is written, with its table, so that what is found wrong later is reported where it stands.
struct Written<'s> {
    target: Target,
    tier: Tier,
    action: Action,
    thresholds: Thresholds,
    form: Form,
    label: Option<String>,
    table: Table<'s>,
}

#[derive(PartialEq, Eq)]
enum Target {
    Entity(String),
    Family(String),
}

/// Reads one rule; `None` when it names nothing that is known, and then its table is finished.
fn rule<'s>(mut table: Table<'s>, known: &BTreeSet<String>, defaults: Thresholds) -> Option<Written<'s>> {
    let entity = table.opt_string("entity");
    let of_family = table.opt_string("family");
    let tier = tier(&mut table, &[1, 2, 3]).unwrap_or(Tier::One);
    let actions = [Action::Block, Action::Redact, Action::Allow].map(|action| (action.as_str(), action));
    let action = table.one_of("action", &actions).unwrap_or(Action::Redact);
    let thresholds = thresholds(&mut table, defaults);
    let form = table.opt_table("form").map_or_else(Form::default, |mut form| {
        let kind = form.one_of("kind", FORMS).unwrap_or_default();
        form.finish();
        kind
    });
    let label = table.opt_string("placeholder");
    if tier == Tier::One && action == Action::Allow {
        table.mistake("action", "tier 1 with action `allow`", "`redact` or `block`, or another tier");
    }
    let target = target(&table, entity, of_family, known);
    if let Some(label) = &label {
        check_label(&table, label, target.as_ref());
    }
    match target {
        Some(target) => Some(Written { target, tier, action, thresholds, form, label, table }),
        None => {
            table.finish();
            None
        }
    }
}

fn target(
    table: &Table<'_>,
    entity: Option<String>,
    of_family: Option<String>,
    known: &BTreeSet<String>,
) -> Option<Target> {
    match (entity, of_family) {
        (Some(entity), None) => known_entity(table, "entity", &entity, known).map(|_| Target::Entity(entity)),
        (None, Some(name)) => {
            let families: BTreeSet<&str> = known.iter().map(|entity| family(entity)).collect();
            if families.contains(name.as_str()) {
                return Some(Target::Family(name));
            }
            let right = unknown_advice(&name, families, "a family is the part of an entity id before the first dot");
            table.mistake("family", format!("no entity is of the family `{}`", name.escape_debug()), right);
            None
        }
        (both, _) => {
            let wrong = if both.is_some() { "both entity and family" } else { "neither entity nor family" };
            table.mistake("", wrong, "a rule names one of the two, such as entity = \"nl.bsn\"");
            None
        }
    }
}

fn check_label(table: &Table<'_>, label: &str, target: Option<&Target>) {
    if matches!(target, Some(Target::Family(_))) {
        table.mistake(
            "placeholder",
            "a label for a whole family",
            "entities have labels of their own: name the entity",
        );
    }
    let shaped = label.len() <= 40
        && label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if !shaped {
        let wrong = format!("`{}` is not a label", label.escape_debug());
        table.mistake("placeholder", wrong, "up to 40 of A-Z, 0-9 and `_`, beginning with a letter: EMAIL");
    }
}

/// Gives every known entity its rule: its own, else its family's, else none.
fn resolve(
    root: &Table<'_>,
    written: Vec<Written<'_>>,
    known: &BTreeSet<String>,
    defaults: Thresholds,
) -> HashMap<EntityId, Rule> {
    for (i, rule) in written.iter().enumerate() {
        if written[..i].iter().any(|other| other.target == rule.target) {
            let (key, name) = match &rule.target {
                Target::Entity(name) => ("entity", name),
                Target::Family(name) => ("family", name),
            };
            rule.table.mistake(key, format!("a second rule for `{name}`"), "one rule for each");
        }
    }
    let mut rules = HashMap::new();
    let mut labels: BTreeMap<String, &str> = BTreeMap::new();
    for entity in known {
        let own = written.iter().find(|rule| matches!(&rule.target, Target::Entity(name) if name == entity));
        let of_family =
            || written.iter().find(|rule| matches!(&rule.target, Target::Family(name) if name == family(entity)));
        let found = own.or_else(of_family);
        let label = own.and_then(|rule| rule.label.clone()).unwrap_or_else(|| default_label(entity));
        if let Some(other) = labels.insert(label.clone(), entity) {
            let wrong = format!("`{other}` and `{entity}` would both be [{label}_1]");
            let right = "give one of them a rule with its own `placeholder`";
            match own {
                Some(rule) => rule.table.mistake("placeholder", wrong, right),
                None => root.mistake("rule", wrong, right),
            }
        }
        let mut rule = without_rule(defaults, &label);
        if let Some(written) = found {
            if let Some(why) = written.form.refusal(entity, written.tier) {
                let wrong = format!("{} is refused for `{entity}`: {why}", written.form.as_str());
                written.table.mistake("form", wrong, "placeholder, mask or drop");
            }
            rule = Rule {
                tier: written.tier,
                action: written.action,
                redact_at: written.thresholds.redact_at,
                block_at: written.thresholds.block_at,
                form: written.form,
                label: rule.label,
            };
        }
        rules.insert(EntityId::from(entity.as_str()), rule);
    }
    written.into_iter().for_each(|rule| rule.table.finish());
    rules
}
