//! Environment variables that set keys of the configuration.
//!
//! `MAYSEND_STREAM__BATCH_BYTES` stands for `batch_bytes` under `[stream]`: section and key in upper case with two
//! underscores between them. Every variable of this form must be a key's, so that a slip is not passed over.

use maysend_detector::source::{Mistake, Mistakes, nearest};
use std::{cell::RefCell, collections::BTreeMap, env, ffi::OsString};

/// What every variable of this program begins with.
const PREFIX: &str = "MAYSEND_";

/// What stands between a section and a key.
const BETWEEN: &str = "__";

/// The environment variables that begin with `MAYSEND_`. They may hold secrets, so they are never printed.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// Those of this process.
    pub fn of_process() -> Self {
        // A name that is not UTF-8 is none of ours.
        env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect()
    }

    /// Whether a variable is set to anything.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_empty())
    }
}

impl<N: Into<String>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let all = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(all.filter(|(name, _)| name.starts_with(PREFIX)).collect())
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The variable that sets a key of a section. Points in a section's name separate it from its subsection's; those in a
/// key are underscores in the variable.
pub fn variable(section: &str, key: &str) -> String {
    let section = section.to_ascii_uppercase().replace('.', BETWEEN);
    let key = key.to_ascii_uppercase().replace('.', "_");
    format!("{PREFIX}{section}{BETWEEN}{key}")
}

/// The environment while it is read: which variables were asked for.
pub(super) struct Reading<'r> {
    environment: &'r Environment,
    mistakes: &'r Mistakes,
    asked: RefCell<Vec<String>>,
}

impl<'r> Reading<'r> {
    pub(super) fn new(environment: &'r Environment, mistakes: &'r Mistakes) -> Self {
        Self { environment, mistakes, asked: RefCell::default() }
    }

    /// The value of a variable.
    pub(super) fn take(&self, name: &str) -> Option<&'r str> {
        if !self.asked.borrow().iter().any(|asked| asked == name) {
            self.asked.borrow_mut().push(name.into());
        }
        let value = self.environment.0.get(name)?.to_str();
        if value.is_none() {
            self.mistake(name, "", "not UTF-8", "write it in UTF-8");
        }
        value
    }

    /// The rest of the names of those variables that begin with `start`.
    pub(super) fn names_after(&self, start: &str) -> Vec<&'r str> {
        self.environment.0.keys().filter_map(|name| name.strip_prefix(start)).collect()
    }

    /// Reports a mistake in a variable, which stands for a key.
    pub(super) fn mistake(&self, name: &str, key: &str, wrong: impl Into<String>, right: impl Into<String>) {
        let (wrong, right) = (wrong.into(), right.into());
        self.mistakes.report(Mistake { file: name.into(), line: 0, key: key.into(), wrong, right });
    }

    /// Reports the variables that look like a key's and are none's.
    pub(super) fn finish(&self) {
        let asked = self.asked.borrow();
        for name in self.environment.0.keys().filter(|name| !asked.contains(name)) {
            let known = || asked.iter().map(String::as_str).filter(|known| known.contains(BETWEEN));
            // One underscore in place of two would otherwise be passed over.
            let meant = known().find(|known| known.replace(BETWEEN, "_") == *name);
            let meant = meant.or_else(|| nearest(name, known()).filter(|_| name.contains(BETWEEN)));
            match meant {
                Some(meant) => self.mistake(name, "", "sets no key", format!("did you mean {meant}?")),
                None if name.contains(BETWEEN) => {
                    let right = "MAYSEND_SECTION__KEY, such as MAYSEND_STREAM__BATCH_BYTES; `maysend check --config FILE` shows them all";
                    self.mistake(name, "", "sets no key", right);
                }
                None => {}
            }
        }
    }
}
