//! The policy: what is done about each entity, what is graver together, what is taken in, what is only watched.

use super::{Change, Changes, Class, Why, list};
use crate::ruleset::policy::{Action, Combination, FILE, Form, Intake, Policy, Rule, Shadow, When};
use std::collections::BTreeSet;

pub(super) fn diff(old: &Policy, new: &Policy, changes: &mut Changes) {
    let Policy { version, dated, intake, combinations, rules, unknown, shadows } = old;
    changes.words((FILE, "version"), version, &new.version, u32::to_string);
    changes.words((FILE, "dated"), dated, &new.dated, ToString::to_string);
    self::intake(intake, &new.intake, changes);
    rule("defaults", unknown, &new.unknown, changes);
    // An entity that only one of them knows is a change of the patterns, which names what the policy does about it.
    for (entity, known) in rules {
        if let Some(kept) = new.rules.get(entity) {
            rule(&format!("rule[{entity}]"), known, kept, changes);
        }
    }
    self::combinations(combinations, &new.combinations, changes);
    let ids: BTreeSet<&String> = shadows.keys().chain(new.shadows.keys()).collect();
    for id in ids {
        shadow(id, shadows.get(id), new.shadows.get(id), changes);
    }
}

fn intake(old: &Intake, new: &Intake, changes: &mut Changes) {
    let Intake { carry, max_record_bytes } = old;
    for member in new.carry.iter().filter(|member| !carry.contains(member)) {
        let why = "one member more goes on to the provider, redacted like a turn";
        let key = format!("intake.carry[{member}]");
        changes.push(Class::MayDecideLess, FILE, key, None, Some("carried".into()), why);
    }
    for member in carry.iter().filter(|member| !new.carry.contains(member)) {
        let why = "it is left out";
        let key = format!("intake.carry[{member}]");
        changes.push(Class::DecidesMore, FILE, key, Some("carried".into()), None, why);
    }
    let same = carry.iter().all(|member| new.carry.contains(member)) && carry.len() == new.carry.len();
    if same {
        changes.words((FILE, "intake.carry"), carry, &new.carry, |members| list(members));
    }
    let why = Why { milder: "larger records are read and may be sent", stricter: "larger records are not read" };
    let at = (FILE, "intake.max_record_bytes");
    changes.ordered(at, max_record_bytes, &new.max_record_bytes, usize::to_string, why);
}

fn rule(key: &str, old: &Rule, new: &Rule, changes: &mut Changes) {
    let Rule { tier, action, redact_at, block_at, form, label } = old;
    let at = |member: &str| format!("{key}.{member}");
    let why = Why {
        milder: "a graver tier no longer: destinations that retain may get it",
        stricter: "graver: destinations that retain less often get it",
    };
    changes.ordered((FILE, &at("tier")), tier, &new.tier, |tier| tier.number().to_string(), why);
    let milder = match new.action {
        Action::Allow => "it stays in the text that is sent",
        _ => "it no longer refuses the document everywhere",
    };
    let why = Why { milder, stricter: "more is refused or redacted" };
    changes.ordered((FILE, &at("action")), action, &new.action, |action| action.as_str().into(), why);
    let why = Why { milder: "weaker findings stay in the text", stricter: "weaker findings are redacted too" };
    changes.ordered((FILE, &at("redact_at")), redact_at, &new.redact_at, i32::to_string, why);
    let why = Why { milder: "weaker findings no longer refuse", stricter: "weaker findings refuse too" };
    changes.ordered((FILE, &at("block_at")), block_at, &new.block_at, i32::to_string, why);
    let why = Why { milder: "what stands in its place tells more", stricter: "what stands in its place tells less" };
    changes.ordered((FILE, &at("form")), form, &new.form, |form: &Form| form.as_str().into(), why);
    let why = "its name in placeholders; what is replaced is the same";
    changes.value(Class::NoDecision, (FILE, &at("placeholder")), label, &new.label, |label| (**label).into(), why);
}

/// Combinations by name; one that only got another name is the same one.
fn combinations(old: &[Combination], new: &[Combination], changes: &mut Changes) {
    let mut added: Vec<&Combination> = new.iter().collect();
    let mut gone: Vec<&Combination> = Vec::new();
    for known in old {
        match added.iter().position(|kept| kept.name == known.name) {
            Some(at) => combination(known, added.remove(at), changes),
            None => gone.push(known),
        }
    }
    for known in gone {
        let key = format!("combination[{}]", known.name);
        match added.iter().position(|kept| (kept.tier, &kept.when) == (known.tier, &known.when)) {
            Some(at) => changes.words((FILE, &key), &known.name, &added.remove(at).name, String::clone),
            None => {
                let why = "these are no graver together than alone";
                changes.push(Class::MayDecideLess, FILE, key, Some(shown(known)), None, why);
            }
        }
    }
    for combination in added {
        let key = format!("combination[{}]", combination.name);
        let why = "these are graver together";
        changes.push(Class::DecidesMore, FILE, key, None, Some(shown(combination)), why);
    }
    let common = |own: &[Combination], other: &[Combination]| -> Vec<String> {
        own.iter().filter(|c| other.iter().any(|o| o.name == c.name)).map(|c| c.name.clone()).collect()
    };
    changes.words((FILE, "combination order"), &common(old, new), &common(new, old), |names| list(names));
}

fn combination(old: &Combination, new: &Combination, changes: &mut Changes) {
    let Combination { name, tier, when } = old;
    let at = |key: &str| format!("combination[{name}].{key}");
    let why = Why { milder: "together they refuse no more", stricter: "together they refuse where copies are kept" };
    changes.ordered((FILE, &at("tier")), tier, &new.tier, |tier| tier.number().to_string(), why);
    if when == &new.when {
        return;
    }
    if let (When::MoreThanDistinct { entity, limit }, When::MoreThanDistinct { entity: same, limit: other }) =
        (when, &new.when)
        && entity == same
    {
        let why = Why { milder: "more values count as ordinary", stricter: "fewer values count as ordinary" };
        return changes.ordered((FILE, &at("more_than_distinct")), limit, other, usize::to_string, why);
    }
    let (class, why) = match (when, &new.when) {
        (When::AllOf(old), When::AllOf(new)) if new.iter().all(|entity| old.contains(entity)) => {
            (Class::DecidesMore, "it holds with fewer of them")
        }
        (When::AllOf(old), When::AllOf(new)) if old.iter().all(|entity| new.contains(entity)) => {
            (Class::MayDecideLess, "it holds only with more of them")
        }
        _ => (Class::MayDecideLess, "it holds in other cases, and not in all where it did"),
    };
    changes.0.push(Change {
        class,
        file: FILE.into(),
        key: at("when"),
        old: Some(shown_when(when)),
        new: Some(shown_when(&new.when)),
        why: why.into(),
    });
}

fn shown(combination: &Combination) -> String {
    format!("tier {} {}", combination.tier.number(), shown_when(&combination.when))
}

fn shown_when(when: &When) -> String {
    match when {
        When::AllOf(entities) => format!("with all of {}", list(entities)),
        When::MoreThanDistinct { entity, limit } => format!("with more than {limit} distinct {entity}"),
    }
}

fn shadow(id: &str, old: Option<&Shadow>, new: Option<&Shadow>, changes: &mut Changes) {
    let key = format!("mode.destination.{id}");
    let watched = |Shadow { until, approver }: &Shadow| format!("shadow until {until}, approved by {approver}");
    match (old, new) {
        (None, None) => {}
        (None, Some(new)) => {
            let why = "what is blocked is sent all the same until that day";
            changes.push(Class::MayDecideLess, FILE, key, Some("enforce".into()), Some(watched(new)), why);
        }
        (Some(old), None) => {
            let why = "what is blocked is not sent";
            changes.push(Class::DecidesMore, FILE, key, Some(watched(old)), Some("enforce".into()), why);
        }
        (Some(Shadow { until, approver }), Some(new)) => {
            let why = Why { milder: "it is watched only for longer", stricter: "it is enforced earlier" };
            changes.ordered((FILE, &format!("{key}.shadow_until")), until, &new.until, ToString::to_string, why);
            changes.words((FILE, &format!("{key}.approver")), approver, &new.approver, String::clone);
        }
    }
}
