//! A ruleset folder that changes under a running stream.
//!
//! The folder is watched by content: Kubernetes changes a mounted ConfigMap by turning links, which a watch on files
//! misses. A changed ruleset that is sound holds from the next batch on, once it is published; one that is not is
//! refused, loudly, and the one before stays.

use super::{current::Current, rulesets::Rulesets};
use crate::{
    diff::{Change, Class, count, diff},
    ruleset::{Ruleset, RulesetError, digest_of, read_folder},
    stream::sizes::SizeLimits,
};
use maysend_detector::source::SourceFile;
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How often the folder is read.
const EVERY: Duration = Duration::from_secs(1);

/// Watches a folder.
pub struct Reload {
    folder: PathBuf,
    current: Arc<Current>,
    rulesets: Rulesets,
    limits: SizeLimits,
    seen: Seen,
    /// Why what the folder holds is not in use, as it was last said.
    refused: Option<String>,
}

impl Reload {
    /// Of this folder, of which the ruleset is in use that it held at start.
    pub fn new(folder: PathBuf, current: Arc<Current>, rulesets: Rulesets, limits: SizeLimits) -> Self {
        let seen = Seen { used: current.settings().ruleset().digest.clone(), ..Seen::default() };
        Self { folder, current, rulesets, limits, seen, refused: None }
    }

    /// Watches until it is told to stop.
    pub fn watch(mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::SeqCst) {
            thread::park_timeout(EVERY);
            let read = read_folder(&self.folder);
            match self.seen.look(read.as_deref().map(digest_of).map_err(ToString::to_string)) {
                Look::Nothing => {}
                Look::InUse if self.refused.take().is_some() => {
                    self.current.observer().ruleset_refusal_over();
                    tracing::warn!("the folder holds the ruleset in use again");
                }
                Look::InUse => {}
                Look::New => self.change(read),
            }
        }
    }

    fn change(&mut self, read: Result<Vec<SourceFile>, RulesetError>) {
        let ruleset = match read.and_then(Ruleset::from_files) {
            Ok(ruleset) => ruleset,
            Err(error) => return self.refuse(&error.to_string()),
        };
        if let Err(error) = self.current.can_use(ruleset.clone()) {
            return self.refuse(&error.to_string());
        }
        // Records of a size that the policy did not take before may not fit into the topics.
        if let Err(error) = self.limits.allow(ruleset.rules.policy.intake.max_record_bytes) {
            return self.refuse(&error.to_string());
        }
        // Before anything is reserved under it. What cannot be published now is tried again at the next look.
        if let Err(error) = self.rulesets.ensure(&ruleset) {
            return self.say_refused(&format!("it is sound, and cannot be published yet: {error}"));
        }
        let before = self.current.settings().ruleset().clone();
        let digest = ruleset.digest.clone();
        match self.current.use_ruleset(ruleset.clone()) {
            Ok(()) => {
                self.seen.used = digest;
                self.refused = None;
                announce(&before, &ruleset);
            }
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    fn refuse(&mut self, why: &str) {
        self.seen.refuse();
        self.say_refused(why);
    }

    fn say_refused(&mut self, why: &str) {
        if self.refused.as_deref() != Some(why) {
            tracing::error!("the changed ruleset is refused, and the one before stays in use: {why}");
            self.current.observer().ruleset_refused(why);
            self.refused = Some(why.into());
        }
    }
}

/// What readings of the folder have shown. Digests; or, where it cannot be read, why.
#[derive(Debug, Default)]
struct Seen {
    used: String,
    refused: Option<Result<String, String>>,
    last: Option<Result<String, String>>,
}

/// What a reading means.
#[derive(Debug, PartialEq, Eq)]
enum Look {
    /// Nothing to do.
    Nothing,
    /// The folder holds what is in use.
    InUse,
    /// It is new, and has stayed so for two readings: files are not always changed all at once.
    New,
}

impl Seen {
    fn look(&mut self, read: Result<String, String>) -> Look {
        let last = self.last.replace(read.clone());
        if read.as_ref() == Ok(&self.used) {
            self.refused = None;
            return Look::InUse;
        }
        let is_known = self.refused.as_ref() == Some(&read);
        if is_known || last.as_ref() != Some(&read) { Look::Nothing } else { Look::New }
    }

    /// What was read last is refused: it is not looked at again.
    fn refuse(&mut self) {
        self.refused.clone_from(&self.last);
    }
}

/// Says what the change does, by class.
fn announce(before: &Ruleset, after: &Ruleset) {
    let changes = diff(before, after);
    let classes = Class::ALL.into_iter().filter(|class| count(&changes, *class) > 0);
    let classes: Vec<String> = classes.map(|class| format!("{} {}", class.name(), count(&changes, class))).collect();
    let what = if classes.is_empty() { "no difference".into() } else { classes.join(", ") };
    tracing::warn!("ruleset {} is used from the next batch on: {what}", after.digest);
    for change in changes.iter().filter(|change| change.class == Class::MayDecideLess) {
        let Change { class, file, key, why, .. } = change;
        tracing::warn!("{}: {file}: {key}: {why}", class.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(digest: &str) -> Result<String, String> {
        Ok(digest.into())
    }

    fn seen() -> Seen {
        Seen { used: "a".into(), ..Seen::default() }
    }

    #[test]
    fn a_change_counts_once_it_has_settled() {
        let mut seen = seen();
        assert_eq!(seen.look(ok("a")), Look::InUse);
        assert_eq!(seen.look(ok("half")), Look::Nothing, "it may be half written");
        assert_eq!(seen.look(ok("b")), Look::Nothing);
        assert_eq!(seen.look(ok("b")), Look::New);
        seen.used = "b".into();
        assert_eq!(seen.look(ok("b")), Look::InUse);
    }

    #[test]
    fn what_is_refused_is_refused_once_until_the_folder_changes() {
        let mut seen = seen();
        for bad in [ok("bad"), Err("no folder".into())] {
            seen.look(bad.clone());
            assert_eq!(seen.look(bad.clone()), Look::New);
            seen.refuse();
            assert_eq!(seen.look(bad), Look::Nothing);
        }
        assert_eq!(seen.look(ok("a")), Look::InUse);
        assert_eq!(seen.look(ok("bad")), Look::Nothing);
        assert_eq!(seen.look(ok("bad")), Look::New, "it is looked at again");
    }
}
