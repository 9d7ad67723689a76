//! Reference formats. One that is new, or covers more, hides only what it declares and only inside its token, so it
//! leaves fewer decisions; how much that is, is said with it.

use super::{
    Changes, Class,
    formats::{covers, whole},
    list,
    patterns::{list_of, texts},
};
use crate::check::describe;
use maysend_detector::{
    Detector, EntityId, REFERENCES,
    reference::{Reference, References, shares},
};

const DIFFERENTLY: Class = Class::DetectsDifferently;

/// `detector` is the new one: the shares are those of its checks.
pub(super) fn diff(old: &References, detector: &Detector, changes: &mut Changes) {
    let new = detector.references();
    for reference in &old.formats {
        match new.formats.iter().find(|kept| kept.id == reference.id) {
            Some(kept) => self::reference(reference, kept, detector, changes),
            None => {
                let why = format!("it hides no more, so these are found in its strings: {}", list(&reference.hides));
                let key = format!("reference[{}]", reference.id);
                changes.push(DIFFERENTLY, REFERENCES, key, Some(reference.format.clone()), None, why);
            }
        }
    }
    for reference in &new.formats {
        if old.formats.iter().all(|known| known.id != reference.id) {
            let (class, why) = hiding(reference, &reference.hides, detector);
            let (key, format) = (format!("reference[{}]", reference.id), reference.format.clone());
            changes.push(class, REFERENCES, key, None, Some(format), why);
        }
    }
    order(old, new, changes);
}

fn reference(old: &Reference, new: &Reference, detector: &Detector, changes: &mut Changes) {
    // The parsed form follows from the format.
    let Reference { id, name, format, values, hir, hides, owner, dated, expires, examples, neighbours } = old;
    let at = |key: &str| format!("reference[{id}].{key}");
    changes.words((REFERENCES, &at("name")), name, &new.name, String::clone);
    changes.words((REFERENCES, &at("owner")), owner, &new.owner, String::clone);
    changes.words((REFERENCES, &at("dated")), dated, &new.dated, |date| describe::date(*date));
    changes.words((REFERENCES, &at("examples")), &texts(examples), &texts(&new.examples), list_of);
    changes.words((REFERENCES, &at("neighbours")), &texts(neighbours), &texts(&new.neighbours), list_of);
    if old.is_own() && new.is_own() {
        let why = "the platform's own values: they, and nothing else, are hidden";
        changes.value(DIFFERENTLY, (REFERENCES, &at("values")), values, &new.values, |values| list(values), why);
    } else if format != &new.format || hir != &new.hir {
        let (class, why) = match (covers(&new.hir, hir), hiding(new, &new.hides, detector)) {
            (true, (class, why)) => (class, format!("wider; {why}")),
            (false, (Class::FewerDecisions, why)) => (DIFFERENTLY, format!("not sure to cover all it did; {why}")),
            (false, (class, why)) => (class, why),
        };
        changes.push(class, REFERENCES, at("format"), Some(format.clone()), Some(new.format.clone()), why);
    }
    for entity in new.hides.iter().filter(|entity| !hides.contains(entity)) {
        let (class, why) = hiding(new, std::slice::from_ref(entity), detector);
        let key = at(&format!("hides[{entity}]"));
        changes.push(class, REFERENCES, key, None, Some("hidden".into()), why);
    }
    for entity in hides.iter().filter(|entity| !new.hides.contains(entity)) {
        let why = "it is found in these strings again";
        changes.push(DIFFERENTLY, REFERENCES, at(&format!("hides[{entity}]")), Some("hidden".into()), None, why);
    }
    let show = |date: &Option<_>| date.map_or_else(|| "no end".into(), describe::date);
    let why = "it hides until another day";
    changes.value(DIFFERENTLY, (REFERENCES, &at("expires")), expires, &new.expires, show, why);
}

/// What it comes to that a reference hides these entities. One whose whole string is read as such an entity hides the
/// entity itself, wherever it stands alone, and that is no mere difference in what is left to decide.
fn hiding(reference: &Reference, entities: &[EntityId], detector: &Detector) -> (Class, String) {
    if reference.is_own() {
        let why = format!("hides these values of the platform's own, and nothing else: {}", list(&reference.values));
        return (DIFFERENTLY, why);
    }
    let whole: Vec<EntityId> = whole(&reference.hir, detector).into_iter().filter(|e| entities.contains(e)).collect();
    let why = hides_only(reference, entities, detector);
    match whole.is_empty() {
        true => (Class::FewerDecisions, why),
        false => {
            let read = list(&whole);
            (Class::MayDecideLess, format!("its whole string reads as {read}: it hides that itself; {why}"))
        }
    }
}

/// What a reference hides of these entities, and how many of its strings pass the check of each.
fn hides_only(reference: &Reference, entities: &[EntityId], detector: &Detector) -> String {
    let shares = shares(reference, detector.catalogue(), detector.engine());
    let hidden = entities.iter().map(|entity| match shares.iter().find(|share| share.entity == *entity) {
        Some(share) => describe::share(share),
        None => format!("{entity} (has no check)"),
    });
    format!("hides, inside its token and never against a label, only {}", list(hidden))
}

/// Which of several formats is counted depends on their order.
fn order(old: &References, new: &References, changes: &mut Changes) {
    let common = |own: &References, other: &References| {
        let both = own.formats.iter().filter(|format| other.formats.iter().any(|o| o.id == format.id));
        both.map(|format| format.id.clone()).collect::<Vec<_>>()
    };
    let why = "another order: where two formats fit, the first is counted";
    changes.value(DIFFERENTLY, (REFERENCES, "order"), &common(old, new), &common(new, old), |ids| list(ids), why);
}
