//! What decisions are taken by now, while rulesets, erasures and usage come in. A batch takes it once, when it is
//! scanned: one ruleset and one set of erasures hold for all of it.

use crate::{
    observe::Observer,
    ruleset::Ruleset,
    stages::{Contradictions, Erasures, MissingKey, Settings},
    stream::scanner::now,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What decisions are taken by now.
pub struct Current {
    settings: Mutex<Arc<Settings>>,
    observer: Arc<Observer>,
}

impl Current {
    /// What a process starts with.
    pub fn new(settings: Arc<Settings>, observer: Arc<Observer>) -> Self {
        Self { settings: Mutex::new(settings), observer }
    }

    /// For the next batch.
    pub fn settings(&self) -> Arc<Settings> {
        self.locked().clone()
    }

    /// Who is told what happens to it.
    pub fn observer(&self) -> &Observer {
        &self.observer
    }

    /// Takes another ruleset into use.
    pub(super) fn use_ruleset(&self, ruleset: Arc<Ruleset>) -> Result<(), MissingKey> {
        let mut settings = self.locked();
        *settings = settings.with_ruleset(ruleset.clone())?;
        self.observer.ruleset_in_use(&ruleset);
        self.alert(&settings);
        Ok(())
    }

    /// Whether a ruleset could be taken into use.
    pub(super) fn can_use(&self, ruleset: Arc<Ruleset>) -> Result<(), MissingKey> {
        self.settings().with_ruleset(ruleset).map(drop)
    }

    pub(super) fn use_erasures(&self, erasures: Arc<Erasures>) {
        let mut settings = self.locked();
        *settings = settings.with_erasures(erasures);
    }

    pub(super) fn use_contradictions(&self, contradictions: Arc<Contradictions>) {
        let mut settings = self.locked();
        *settings = settings.with_contradictions(contradictions);
        self.alert(&settings);
    }

    /// Says of each destination whether usage has contradicted the terms that apply now.
    fn alert(&self, settings: &Settings) {
        let contradicted = settings.ruleset().rules.destinations.iter().map(|destination| {
            let terms = destination.terms_at(now()).map(|terms| (destination.id.clone(), terms.terms_id().to_owned()));
            let words = terms.filter(|terms| settings.contradictions().contains(terms)).map(|(destination, id)| {
                format!(
                    "{destination} is taken at its worst: usage names another plan or endpoint than its terms of {id}"
                )
            });
            (destination.id.clone(), words)
        });
        self.observer.contradicted(contradicted.collect());
    }

    fn locked(&self) -> MutexGuard<'_, Arc<Settings>> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
