//! Entities, patterns and weights: what is found, and with how much evidence.

use super::{Changes, Class, files, list, shown};
use crate::{
    check::describe,
    ruleset::{Ruleset, policy::Rule},
};
use maysend_detector::{
    EVIDENCE,
    evidence::Weights,
    pattern::{Catalogue, Entity, EntityLabel, Example, Pattern, Points},
};
use std::collections::{BTreeMap, BTreeSet};

const DIFFERENTLY: Class = Class::DetectsDifferently;

pub(super) fn diff(old: &Ruleset, new: &Ruleset, changes: &mut Changes) {
    let (before, after) = (old.detector.catalogue(), new.detector.catalogue());
    let Catalogue { entities: old_entities, patterns: old_patterns } = before;
    let Catalogue { entities, patterns } = after;
    let (old_places, places) = (files::entities(&old.files), files::entities(&new.files));
    let place = |places: &BTreeMap<String, String>, entity: &Entity| {
        places.get(entity.id.as_str()).cloned().unwrap_or_else(|| "patterns".into())
    };
    for entity in old_entities {
        let (id, file) = (entity.id.as_str(), place(&old_places, entity));
        let Some(kept) = after.entity(id) else {
            let why = "what it found is found no more, so nothing of it is refused or redacted";
            changes.push(Class::MayDecideLess, &file, format!("entity[{id}]"), Some(summary(old, entity)), None, why);
            continue;
        };
        let new_file = place(&places, kept);
        if file != new_file {
            for at in [&file, &new_file] {
                let why = "it stands in another file";
                let (from, to) = (Some(file.clone()), Some(new_file.clone()));
                changes.push(Class::NoDecision, at, format!("entity[{id}].file"), from, to, why);
            }
        }
        self::entity(&new_file, entity, kept, changes);
        let of_old: Vec<&Pattern> = old_patterns.iter().filter(|p| before.entity_of(p).id.as_str() == id).collect();
        let of_new: Vec<&Pattern> = patterns.iter().filter(|p| after.entity_of(p).id.as_str() == id).collect();
        patterns_of(&new_file, &of_old, &of_new, changes);
    }
    for entity in entities.iter().filter(|entity| before.entity(entity.id.as_str()).is_none()) {
        let key = format!("entity[{}]", entity.id);
        let why = "a new kind of finding; it can also outweigh others on the same characters";
        changes.push(DIFFERENTLY, &place(&places, entity), key, None, Some(summary(new, entity)), why);
    }
    order(old_patterns, patterns, changes);
    weights(old.detector.weights(), new.detector.weights(), changes);
}

/// An entity in one line, with what the policy does about it.
fn summary(ruleset: &Ruleset, entity: &Entity) -> String {
    let catalogue = ruleset.detector.catalogue();
    let patterns = catalogue.patterns.iter().filter(|pattern| catalogue.entity_of(pattern).id == entity.id).count();
    let Rule { tier, action, redact_at, block_at, form: _, label: _ } = ruleset.rules.policy.rule(entity.id.as_str());
    format!(
        "{}; patterns: {patterns}; tier {}, {}, redact_at {redact_at}, block_at {block_at}",
        entity.name,
        tier.number(),
        action.as_str()
    )
}

fn entity(file: &str, old: &Entity, new: &Entity, changes: &mut Changes) {
    let Entity { id, name, country, reference, found_by_fields, within, labels } = old;
    let at = |key: &str| format!("entity[{id}].{key}");
    changes.words((file, &at("name")), name, &new.name, String::clone);
    changes.words((file, &at("reference")), reference, &new.reference, String::clone);
    let why = "the country whose pack raises it is another";
    changes.value(DIFFERENTLY, (file, &at("country")), country, &new.country, shown, why);
    let why = "it is found in another way";
    changes.value(DIFFERENTLY, (file, &at("found_by")), found_by_fields, &new.found_by_fields, found_by, why);
    let why = "its words count from another distance";
    changes.value(DIFFERENTLY, (file, &at("context.within")), within, &new.within, shown, why);
    self::labels(file, &at("context"), labels, &new.labels, changes);
}

fn found_by(fields: &bool) -> String {
    if *fields { "fields" } else { "patterns" }.into()
}

/// Words by language; each language is one change, so that a reviewer reads what is new and not whole lists.
fn labels(file: &str, key: &str, old: &[EntityLabel], new: &[EntityLabel], changes: &mut Changes) {
    fn by_language(labels: &[EntityLabel]) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for EntityLabel { language, words } in labels {
            all.entry(language).or_default().insert(words);
        }
        all
    }
    let (before, after) = (by_language(old), by_language(new));
    let languages: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let none = BTreeSet::new();
    for language in languages {
        let (old, new) = (before.get(language).unwrap_or(&none), after.get(language).unwrap_or(&none));
        if old != new {
            let gone = old.difference(new).next().map(|_| list(old.difference(new)));
            let added = new.difference(old).next().map(|_| list(new.difference(old)));
            let why = "words that name it: findings beside them have other evidence";
            changes.push(DIFFERENTLY, file, format!("{key}.{language}"), gone, added, why);
        }
    }
    if before == after && old != new {
        changes.push(Class::NoDecision, file, key, None, None, "the same words in another order");
    }
}

fn patterns_of(file: &str, old: &[&Pattern], new: &[&Pattern], changes: &mut Changes) {
    for pattern in old {
        match new.iter().find(|kept| kept.id == pattern.id) {
            Some(kept) => self::pattern(file, pattern, kept, changes),
            None => {
                let why = "what only it matched is found no more; the entity has other patterns or fields";
                let key = format!("pattern[{}]", pattern.id);
                changes.push(DIFFERENTLY, file, key, Some(pattern.regex.clone()), None, why);
            }
        }
    }
    for pattern in new.iter().filter(|pattern| old.iter().all(|known| known.id != pattern.id)) {
        let key = format!("pattern[{}]", pattern.id);
        changes.push(DIFFERENTLY, file, key, None, Some(pattern.regex.clone()), "it finds what was not found");
    }
}

fn pattern(file: &str, old: &Pattern, new: &Pattern, changes: &mut Changes) {
    // The position of the entity follows from the files; patterns are compared within their entity.
    let Pattern {
        id,
        entity: _,
        regex,
        hir,
        length,
        has_value,
        boundary,
        validator,
        groupings,
        needs_label,
        points,
        examples,
        counterexamples,
    } = old;
    let at = |key: &str| format!("pattern[{id}].{key}");
    let why = "it matches other text";
    changes.value(DIFFERENTLY, (file, &at("regex")), regex, &new.regex, String::clone, why);
    if regex == &new.regex {
        // The expression is the same and reads otherwise: `case_insensitive` or `unicode`, which are kept nowhere else.
        let why = "case_insensitive or unicode: the same expression matches other text";
        changes.value(DIFFERENTLY, (file, &at("regex flags")), hir, &new.hir, ToString::to_string, why);
    }
    let why = "matches may have another length";
    changes.value(DIFFERENTLY, (file, &at("length")), length, &new.length, |l| describe::length(*l), why);
    let why = "what of the match is the finding is another part";
    changes.value(DIFFERENTLY, (file, &at("value group")), has_value, &new.has_value, bool::to_string, why);
    let why = "other characters may adjoin a match";
    changes.value(DIFFERENTLY, (file, &at("boundary")), boundary, &new.boundary, describe::boundary, why);
    let why = "other strings pass its check";
    let named = |bound: &Option<_>| bound.as_ref().map(describe::validator);
    let (before, after) = (named(validator), named(&new.validator));
    changes.value(DIFFERENTLY, (file, &at("validator")), &before, &after, shown, why);
    let why = "other groupings count as canonical";
    let show = |all: &Vec<_>| list(all.iter().map(describe::grouping));
    changes.value(DIFFERENTLY, (file, &at("groupings")), groupings, &new.groupings, show, why);
    let why = "whether a word must stand beside it";
    changes.value(DIFFERENTLY, (file, &at("context")), needs_label, &new.needs_label, needs, why);
    let Points { shape, valid, invalid } = points;
    let weighed = [("shape", shape, new.points.shape), ("valid", valid, new.points.valid)];
    for (name, old, new) in weighed.into_iter().chain([("invalid", invalid, new.points.invalid)]) {
        let why = "the evidence of its findings is another";
        changes.value(DIFFERENTLY, (file, &at(&format!("points.{name}"))), old, &new, i32::to_string, why);
    }
    changes.words((file, &at("examples")), &texts(examples), &texts(&new.examples), list_of);
    changes.words((file, &at("counterexamples")), &texts(counterexamples), &texts(&new.counterexamples), list_of);
}

fn needs(label: &bool) -> String {
    if *label { "required" } else { "optional" }.into()
}

/// The texts of examples; the lines that they stand at move with every comment.
pub(super) fn texts(examples: &[Example]) -> Vec<&str> {
    examples.iter().map(|Example { text, line: _, key: _ }| text.as_str()).collect()
}

pub(super) fn list_of(texts: &Vec<&str>) -> String {
    list(texts.iter().map(|text| format!("{text:?}")))
}

/// Among readings of equal weight the earlier pattern wins, so the order says something too.
fn order(old: &[Pattern], new: &[Pattern], changes: &mut Changes) {
    fn common<'p>(own: &'p [Pattern], other: &[Pattern]) -> Vec<&'p str> {
        own.iter().filter(|p| other.iter().any(|o| o.id == p.id)).map(|p| p.id.as_str()).collect()
    }
    let (before, after) = (common(old, new), common(new, old));
    if before != after {
        let moved = |own: &[&str], other: &[&str]| {
            list(own.iter().zip(other).filter(|(own, other)| own != other).map(|(own, _)| *own))
        };
        let why = "patterns in another order: among readings of equal weight the earlier one wins";
        let (from, to) = (moved(&before, &after), moved(&after, &before));
        changes.push(DIFFERENTLY, "patterns", "order", Some(from), Some(to), why);
    }
}

fn weights(old: &Weights, new: &Weights, changes: &mut Changes) {
    let Weights {
        floor,
        failed_check_cap,
        label_adjacent,
        adjacent_words,
        label_near,
        label_after,
        after_words,
        question,
        within,
        grouping_canonical,
        grouping_odd,
        pack_home,
        alone,
        reference_contradicted,
        decimal,
        longer_run,
        url,
        uuid,
        timestamp,
        hours,
        other_label,
        other_labels,
        explained,
        header,
        misread,
        joined,
        joined_alone,
        corrections,
    } = old;
    let points = [
        ("floor", floor, &new.floor),
        ("failed_check_cap", failed_check_cap, &new.failed_check_cap),
        ("label.adjacent", label_adjacent, &new.label_adjacent),
        ("label.near", label_near, &new.label_near),
        ("label.after", label_after, &new.label_after),
        ("label.question", question, &new.question),
        ("grouping.canonical", grouping_canonical, &new.grouping_canonical),
        ("grouping.odd", grouping_odd, &new.grouping_odd),
        ("pack.home", pack_home, &new.pack_home),
        ("turn.alone", alone, &new.alone),
        ("reference.contradicted", reference_contradicted, &new.reference_contradicted),
        ("lookalike.decimal", decimal, &new.decimal),
        ("lookalike.longer_run", longer_run, &new.longer_run),
        ("lookalike.url", url, &new.url),
        ("lookalike.uuid", uuid, &new.uuid),
        ("lookalike.timestamp", timestamp, &new.timestamp),
        ("lookalike.hours", hours, &new.hours),
        ("lookalike.other_label", other_label, &new.other_label),
        ("overlap.explained", explained, &new.explained),
        ("label.header", header, &new.header),
        ("reading.misread", misread, &new.misread),
        ("reading.joined", joined, &new.joined),
        ("reading.joined_alone", joined_alone, &new.joined_alone),
    ];
    for (key, old, new) in points {
        let why = "the evidence of findings of every pattern is another";
        changes.value(DIFFERENTLY, (EVIDENCE, key), old, new, i32::to_string, why);
    }
    let words = [
        ("label.adjacent_words", adjacent_words, &new.adjacent_words),
        ("label.after_words", after_words, &new.after_words),
        ("label.within", within, &new.within),
    ];
    for (key, old, new) in words {
        changes.value(DIFFERENTLY, (EVIDENCE, key), old, new, usize::to_string, "words count from another distance");
    }
    labels(EVIDENCE, "lookalike.labels", other_labels, &new.other_labels, changes);
    labels(EVIDENCE, "reading.corrections", corrections, &new.corrections, changes);
}
