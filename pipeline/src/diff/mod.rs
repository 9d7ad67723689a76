//! What a change of ruleset does to decisions: every difference in one class, so that a loosening cannot hide among
//! improvements.
//!
//! | class | what belongs to it | passes |
//! |---|---|---|
//! | [`Class::MayDecideLess`] | what can send more, or send it in clearer text, or to another place; and whatever cannot be placed | when somebody accepts it |
//! | [`Class::DetectsDifferently`] | what changes which findings there are, or with how much evidence | with evidence |
//! | [`Class::FewerDecisions`] | what leaves fewer documents to decide without touching any decision: references that hide only what they declare, stripped lines | always |
//! | [`Class::DecidesMore`] | the opposite of the first | always |
//! | [`Class::NoDecision`] | names, owners, dates, examples, comments | always |
//!
//! Values are compared by taking each type apart member by member, so that a member that is added to one breaks the
//! build here until somebody has said what its change does. Where a file differs and no difference was found in it,
//! the file as a whole falls in the first class, unless its values are the same. A reference whose whole string reads as
//! an entity that it hides is in the first class too: it would hide that entity wherever it stands alone. Nothing here reads a clock: what is
//! compared is what the two rulesets claim, whether or not it is in force today.

mod files;
mod formats;
mod input;
mod patterns;
mod policy;
mod references;
mod registers;
pub mod render;
mod templates;
mod terms;

use crate::ruleset::{Rules, Ruleset};
use std::{cmp::Ordering, fmt::Display};

/// What a difference does. In the order in which reports show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Something may be sent, or be read by somebody, that was not before. Also everything that cannot be placed.
    MayDecideLess,
    /// Other findings, or other evidence for them.
    DetectsDifferently,
    /// Less to decide, with each decision as it was.
    FewerDecisions,
    /// Something is refused or redacted that was not before.
    DecidesMore,
    /// Read by people only.
    NoDecision,
}

impl Class {
    /// Every class, in the order of reports.
    pub const ALL: [Self; 5] =
        [Self::MayDecideLess, Self::DetectsDifferently, Self::FewerDecisions, Self::DecidesMore, Self::NoDecision];

    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MayDecideLess => "may_decide_less",
            Self::DetectsDifferently => "detects_differently",
            Self::FewerDecisions => "fewer_decisions",
            Self::DecidesMore => "decides_more",
            Self::NoDecision => "no_decision",
        }
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::MayDecideLess => "may decide less",
            Self::DetectsDifferently => "detects differently",
            Self::FewerDecisions => "fewer decisions to make",
            Self::DecidesMore => "decides more",
            Self::NoDecision => "changes no decision",
        }
    }
}

/// One difference between two rulesets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What it does.
    pub class: Class,
    /// The file that it stands in.
    pub file: String,
    /// Where in the file: `rule[nl.bsn].tier`. Empty for the file as a whole.
    pub key: String,
    /// What it was; `None` when it was not there.
    pub old: Option<String>,
    /// What it is; `None` when it is gone.
    pub new: Option<String>,
    /// Why it has its class.
    pub why: String,
}

/// Every difference between two rulesets, by class, file and key.
///
/// Cost: the strings of each added reference are sampled, some tenths of a second for each; all else is as fast as
/// comparing is.
pub fn diff(old: &Ruleset, new: &Ruleset) -> Vec<Change> {
    let mut changes = Changes::default();
    // The digest is over the files, and the files are compared as the last step.
    let Ruleset { detector: old_detector, rules: old_rules, templates: old_templates, digest: _, files: _ } = old;
    let Ruleset { detector, rules, templates, digest: _, files: _ } = new;
    patterns::diff(old, new, &mut changes);
    references::diff(old_detector.references(), detector, &mut changes);
    templates::diff(old_templates, templates, &mut changes);
    let Rules { policy: old_policy, tenants: old_tenants, destinations: old_destinations, mapping: old_mapping } =
        old_rules;
    let Rules { policy, tenants, destinations, mapping } = rules;
    input::diff(old_mapping.as_ref(), mapping.as_ref(), &mut changes);
    policy::diff(old_policy, policy, &mut changes);
    registers::tenants(old_tenants, tenants, &mut changes);
    registers::destinations(old_destinations, destinations, &mut changes);
    files::diff(old, new, &mut changes);
    let Changes(mut all) = changes;
    all.sort();
    all
}

/// How many changes there are of a class.
pub fn count(changes: &[Change], class: Class) -> usize {
    changes.iter().filter(|change| change.class == class).count()
}

/// What is given so that changes of the first two classes may pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Whether somebody accepts what may decide less.
    pub loosening: bool,
    /// The evidence for what detects differently.
    pub evidence: Option<EvidenceFile>,
}

/// A file that is offered as evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceFile {
    /// Its path as given.
    pub path: String,
    /// `sha256:` and 64 hexadecimal digits over its bytes.
    pub digest: String,
}

impl Given {
    /// The classes that stand in the way of these changes.
    pub fn refused(&self, changes: &[Change]) -> Vec<Class> {
        let Self { loosening, evidence } = self;
        let mut refused = Vec::new();
        if !loosening && count(changes, Class::MayDecideLess) > 0 {
            refused.push(Class::MayDecideLess);
        }
        if evidence.is_none() && count(changes, Class::DetectsDifferently) > 0 {
            refused.push(Class::DetectsDifferently);
        }
        refused
    }
}

/// The changes found so far.
#[derive(Default)]
struct Changes(Vec<Change>);

/// What a value does when it grows milder and when it grows stricter, seen from the gate.
struct Why {
    milder: &'static str,
    stricter: &'static str,
}

impl Changes {
    fn push(
        &mut self,
        class: Class,
        file: &str,
        key: impl Into<String>,
        old: Option<String>,
        new: Option<String>,
        why: impl Into<String>,
    ) {
        let (file, key, why) = (file.to_owned(), key.into(), why.into());
        self.0.push(Change { class, file, key, old, new, why });
    }

    /// A value of which every change does the same.
    fn value<T: PartialEq>(
        &mut self,
        class: Class,
        (file, key): (&str, &str),
        old: &T,
        new: &T,
        show: impl Fn(&T) -> String,
        why: &str,
    ) {
        if old != new {
            self.push(class, file, key, Some(show(old)), Some(show(new)), why);
        }
    }

    /// A value that grows milder as it grows.
    fn ordered<T: Ord>(
        &mut self,
        (file, key): (&str, &str),
        old: &T,
        new: &T,
        show: impl Fn(&T) -> String,
        Why { milder, stricter }: Why,
    ) {
        let (class, why) = match new.cmp(old) {
            Ordering::Equal => return,
            Ordering::Greater => (Class::MayDecideLess, milder),
            Ordering::Less => (Class::DecidesMore, stricter),
        };
        self.push(class, file, key, Some(show(old)), Some(show(new)), why);
    }

    /// Names, dates and other words for people.
    fn words<T: PartialEq>(&mut self, at: (&str, &str), old: &T, new: &T, show: impl Fn(&T) -> String) {
        self.value(Class::NoDecision, at, old, new, show, "for people; no decision looks at it");
    }

    /// Whether anything was found below a key of a file.
    fn has_key(&self, file: &str, start: &str) -> bool {
        self.0.iter().any(|change| change.file == file && change.key.starts_with(start))
    }

    /// Whether anything was found in a file.
    fn has(&self, file: &str) -> bool {
        self.0.iter().any(|change| change.file == file)
    }
}

/// Values in one line.
fn list<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if values.is_empty() { "none".into() } else { values.join(", ") }
}

/// An optional value as a report shows it.
fn shown<T: Display>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "none".into(), T::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(class: Class) -> Change {
        Change { class, file: "f".into(), key: String::new(), old: None, new: None, why: String::new() }
    }

    #[test]
    fn names_are_distinct() {
        for (i, class) in Class::ALL.iter().enumerate() {
            assert!(Class::ALL[..i].iter().all(|other| other.name() != class.name() && other < class));
        }
    }

    #[test]
    fn each_class_needs_its_own_permission() {
        let evidence = Some(EvidenceFile { path: "e".into(), digest: "sha256:".into() });
        let nothing = Given::default();
        let accepted = Given { loosening: true, evidence: None };
        let proven = Given { loosening: false, evidence };
        let both = [change(Class::MayDecideLess), change(Class::DetectsDifferently)];
        assert_eq!(nothing.refused(&both), [Class::MayDecideLess, Class::DetectsDifferently]);
        assert_eq!(accepted.refused(&both), [Class::DetectsDifferently]);
        assert_eq!(proven.refused(&both), [Class::MayDecideLess]);
        let harmless = [Class::FewerDecisions, Class::DecidesMore, Class::NoDecision].map(change);
        assert_eq!(nothing.refused(&harmless), []);
    }
}
