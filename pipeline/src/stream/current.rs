//! What decisions are taken by now, while rulesets, erasures and usage come in. A batch takes it once, when it is
//! scanned: one ruleset and one set of erasures hold for all of it.

use crate::{
    ruleset::Ruleset,
    stages::{Contradictions, Erasures, MissingKey, Settings},
};
use jiff::Timestamp;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// What decisions are taken by now.
pub struct Current {
    settings: Mutex<Arc<Settings>>,
    ruleset: Mutex<RulesetState>,
    /// What happened to it so far.
    pub counts: Counts,
}

/// Which ruleset is in use, and whether a newer one was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesetState {
    /// Digest of the ruleset in use.
    pub digest: String,
    /// Since when it is.
    pub since: Timestamp,
    /// Why what the folder holds now is not in use: every mistake. `None` when it is.
    pub refused: Option<String>,
}

/// Counts for metrics.
#[derive(Debug, Default)]
pub struct Counts {
    /// Rulesets that came into use after the first.
    pub rulesets_changed: AtomicU64,
    /// Rulesets that were refused.
    pub rulesets_refused: AtomicU64,
    /// Records of `usage` that were read.
    pub usage_read: AtomicU64,
    /// Records of `usage` that could not be read.
    pub usage_unreadable: AtomicU64,
    /// Records of `usage` that contradicted the register.
    pub usage_contradicting: AtomicU64,
    /// Customers who are known to be erased.
    pub erased_customers: AtomicU64,
}

impl Counts {
    pub(super) fn one_more(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Current {
    /// What a process starts with.
    pub fn new(settings: Arc<Settings>) -> Self {
        let digest = settings.ruleset().digest.clone();
        let ruleset = RulesetState { digest, since: Timestamp::now(), refused: None };
        Self { settings: Mutex::new(settings), ruleset: Mutex::new(ruleset), counts: Counts::default() }
    }

    /// For the next batch.
    pub fn settings(&self) -> Arc<Settings> {
        locked(&self.settings).clone()
    }

    /// Which ruleset is in use.
    pub fn ruleset_state(&self) -> RulesetState {
        locked(&self.ruleset).clone()
    }

    /// The destinations, by id, whose present terms usage has contradicted.
    pub fn contradicted_destinations(&self, as_of: Timestamp) -> Vec<String> {
        let settings = self.settings();
        let contradicted = |destination: &&crate::ruleset::destinations::Destination| {
            destination.terms_at(as_of).is_some_and(|terms| {
                settings.contradictions().contains(&(destination.id.clone(), terms.terms_id().to_owned()))
            })
        };
        settings.ruleset().rules.destinations.iter().filter(contradicted).map(|known| known.id.clone()).collect()
    }

    /// Takes another ruleset into use.
    pub(super) fn use_ruleset(&self, ruleset: Arc<Ruleset>) -> Result<(), MissingKey> {
        let digest = ruleset.digest.clone();
        let mut settings = locked(&self.settings);
        *settings = settings.with_ruleset(ruleset)?;
        *locked(&self.ruleset) = RulesetState { digest, since: Timestamp::now(), refused: None };
        Counts::one_more(&self.counts.rulesets_changed);
        Ok(())
    }

    /// Whether a ruleset could be taken into use.
    pub(super) fn can_use(&self, ruleset: Arc<Ruleset>) -> Result<(), MissingKey> {
        self.settings().with_ruleset(ruleset).map(drop)
    }

    /// Says why what the folder holds is not in use, or that it is.
    pub(super) fn refuse_ruleset(&self, why: Option<String>) {
        locked(&self.ruleset).refused = why;
    }

    pub(super) fn use_erasures(&self, erasures: Arc<Erasures>) {
        self.counts.erased_customers.store(erasures.len() as u64, Ordering::Relaxed);
        let mut settings = locked(&self.settings);
        *settings = settings.with_erasures(erasures);
    }

    pub(super) fn use_contradictions(&self, contradictions: Arc<Contradictions>) {
        let mut settings = locked(&self.settings);
        *settings = settings.with_contradictions(contradictions);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
