//! What a change of ruleset is classed as.

mod cli;
mod detection;
mod input;
mod policy;
mod registers;

use crate::rulesets::{edit, ruleset};
use maysend::{
    diff::{
        Change, Class,
        Class::{DetectsDifferently, MayDecideLess},
        Given, diff,
    },
    ruleset::Ruleset,
};
use std::sync::Arc;

/// An edit: file, what stands there, what is put there, the key it must be found under, its class and that of undoing it.
pub type Row = (&'static str, &'static str, &'static str, &'static str, Class, Class);

/// What differs.
pub fn changes(old: &Ruleset, new: &Ruleset) -> Vec<Change> {
    diff(old, new)
}

/// The change under this key, which there must be.
pub fn find<'c>(changes: &'c [Change], file: &str, key: &str) -> &'c Change {
    let found = changes.iter().find(|change| change.file == file && change.key == key);
    found.unwrap_or_else(|| panic!("no change of {key} in {file}: {changes:#?}"))
}

/// Asserts class, key and what passes, in both directions.
pub fn check(base: &Arc<Ruleset>, rows: &[Row]) {
    for (file, from, to, key, class, opposite) in rows {
        let mut edited = base.files.clone();
        edit(&mut edited, file, from, to);
        let edited = ruleset(edited);
        for (old, new, class) in [(base, &edited, class), (&edited, base, opposite)] {
            let changes = changes(old, new);
            let change = find(&changes, file, key);
            assert_eq!(change.class, *class, "{change:#?}");
            assert!(change.old != change.new || key.is_empty(), "{change:#?}");
            // Nothing else comes of it that would pass less easily.
            let worst = changes.iter().map(|change| change.class).min();
            assert_eq!(worst, Some(*class), "{changes:#?}");
            let passes = Given::default().refused(&changes).is_empty();
            assert_eq!(passes, !matches!(class, MayDecideLess | DetectsDifferently), "{key}");
        }
    }
}
