//! The registers of destinations of the time when something was sent: from the rulesets that the ledger has taken in.

use super::store::{StoreError, Transaction};
use crate::ruleset::{
    Ruleset, RulesetError,
    destinations::{self, Destinations, Terms},
    read_folder,
};
use maysend_detector::source::{Mistakes, SourceFile};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Registers by the digest of their ruleset, and one of today.
pub struct Registers {
    by_ruleset: BTreeMap<String, Destinations>,
    today: Destinations,
}

/// Where terms were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// In the ruleset that they were sent under.
    Ruleset,
    /// In the register of today: the terms are the same, since their name is a digest of them, and its evidence is today's.
    Register,
}

impl Registers {
    /// Those of these rulesets, as far as the store has them; and, for terms that are in none, the register of a folder
    /// or the one that is built in.
    ///
    /// # Errors
    /// The store does not go along, or the folder is no ruleset's.
    pub fn load<E: From<StoreError> + From<RulesetError>>(
        transaction: &mut Transaction<'_>,
        rulesets: &BTreeSet<String>,
        folder: Option<&Path>,
    ) -> Result<Self, E> {
        let mut by_ruleset = BTreeMap::new();
        for digest in rulesets {
            let found = transaction.query("SELECT files FROM rulesets WHERE digest = $1", &[digest.as_str().into()])?;
            let Some(row) = found.first() else { continue };
            let files: BTreeMap<String, String> = serde_json::from_str(row.text(0)?)
                .map_err(|_| StoreError::Unexpected("something else", "the files of a ruleset"))?;
            if let Some(text) = files.get(destinations::FILE) {
                by_ruleset.insert(digest.clone(), register(&SourceFile::new(destinations::FILE, text)));
            }
        }
        let today = match folder {
            Some(folder) => read_folder(folder)?.into_iter().find(|file| file.name == destinations::FILE),
            None => Ruleset::builtin_file(destinations::FILE),
        };
        Ok(Self { by_ruleset, today: today.as_ref().map(register).unwrap_or_default() })
    }

    /// The terms of a destination by their id, as a ruleset had them.
    pub fn terms(&self, ruleset: Option<&str>, destination: &str, terms: &str) -> Option<(&Terms, Found)> {
        let then = ruleset.and_then(|digest| self.by_ruleset.get(digest));
        let in_ruleset = then.and_then(|register| register.get(destination)?.terms_by_id(terms));
        match in_ruleset {
            Some(terms) => Some((terms, Found::Ruleset)),
            None => Some((self.today.get(destination)?.terms_by_id(terms)?, Found::Register)),
        }
    }
}

/// What a ruleset of another time has that this program cannot read is left out, and then counts as unknown.
fn register(file: &SourceFile) -> Destinations {
    Destinations::read(file, &Mistakes::default())
}
