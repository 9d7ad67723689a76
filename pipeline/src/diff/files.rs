//! The files themselves: which entity stands in which, and what differs without having been found.

use super::{Changes, Class};
use crate::{
    ruleset::{Ruleset, destinations, input, policy, tenants},
    strip,
};
use maysend_detector::{EVIDENCE, source::SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// The file of each entity.
pub(crate) fn entities(files: &[SourceFile]) -> BTreeMap<String, String> {
    let mut places = BTreeMap::new();
    for file in files {
        let Some(toml::Value::Array(tables)) = values(&file.text).and_then(|mut root| root.remove("entity")) else {
            continue;
        };
        for id in tables.iter().filter_map(|table| table.get("id")?.as_str()) {
            places.insert(id.to_owned(), file.name.clone());
        }
    }
    places
}

/// What every file says, whatever its comments and its layout.
fn values(text: &str) -> Option<toml::Table> {
    text.parse().ok()
}

/// Files that differ and in which no difference was found. What cannot be explained is taken for a loosening.
pub(super) fn diff(old: &Ruleset, new: &Ruleset, changes: &mut Changes) {
    let text = |ruleset: &Ruleset, name: &str| {
        ruleset.files.iter().find(|file| file.name == name).map(|file| file.text.clone()).unwrap_or_default()
    };
    let names: BTreeSet<&str> = old.files.iter().chain(&new.files).map(|file| file.name.as_str()).collect();
    for name in names {
        let (before, after) = (text(old, name), text(new, name));
        if before == after || changes.has(name) {
            continue;
        }
        let (class, why) = if values(&before).is_some_and(|before| values(&after) == Some(before)) {
            (Class::NoDecision, "text only: comments or layout")
        } else if comes_to_the_same(old, new, name) {
            (Class::NoDecision, "written otherwise; what it comes to is the same in every member")
        } else if name == policy::FILE && adds_rules_only(old, new) {
            (Class::NoDecision, "rules of entities that are new: what each does stands with its entity")
        } else {
            (Class::MayDecideLess, "its values differ and no difference is known that they make: read it yourself")
        };
        changes.push(class, name, "", None, None, why);
    }
}

/// Whether the policies differ in the rules of entities alone that the old ruleset does not know.
fn adds_rules_only(old: &Ruleset, new: &Ruleset) -> bool {
    let (old, mut without) = (&old.rules.policy, new.rules.policy.clone());
    without.rules.retain(|entity, _| old.rules.contains_key(entity));
    without == *old
}

/// Whether everything that is read from a file is equal. Only for files whose values can be compared as one, without
/// the comparison that found nothing.
fn comes_to_the_same(old: &Ruleset, new: &Ruleset, file: &str) -> bool {
    match file {
        policy::FILE => old.rules.policy == new.rules.policy,
        input::FILE => old.rules.mapping == new.rules.mapping,
        tenants::FILE => old.rules.tenants == new.rules.tenants,
        destinations::FILE => old.rules.destinations == new.rules.destinations,
        strip::FILE => old.templates == new.templates,
        EVIDENCE => old.detector.weights() == new.detector.weights(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_found_in_their_files() {
        let files = [
            SourceFile::new("a.toml", "[[entity]]\nid = \"x.a\"\n[[entity]]\nid = \"x.b\"\n"),
            SourceFile::new("b.toml", "version = 1\n"),
        ];
        let places = entities(&files);
        assert_eq!(places.get("x.b").map(String::as_str), Some("a.toml"));
        assert_eq!(places.len(), 2);
    }
}
