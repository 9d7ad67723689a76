//! What the stages depend on beside the record and the time. One set holds for a whole batch; what changes under a
//! running stream makes another set.

use crate::{
    redact::{Key, keyed},
    ruleset::{Ruleset, policy::Form},
    wire::Erasure,
};
use jiff::Timestamp;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// When customers were erased, by tenant and customer key.
pub type Erasures = HashMap<(String, String), Timestamp>;

/// Takes in an erasure. Of several for one customer the latest time counts.
pub fn take_in(erasures: &mut Erasures, erasure: Erasure) {
    let Erasure { schema: _, tenant, customer_key, erased_at, request_id: _ } = erasure;
    let known = erasures.entry((tenant, customer_key)).or_insert(erased_at);
    *known = erased_at.max(*known);
}

/// Terms that usage has contradicted, by destination and terms id. Nothing of them is proven any more.
pub type Contradictions = BTreeSet<(String, String)>;

/// What the stages depend on beside the record and the time.
#[derive(Clone)]
pub struct Settings {
    pub(super) ruleset: Arc<Ruleset>,
    pub(super) key: Option<Key>,
    pub(super) erasures: Arc<Erasures>,
    pub(super) contradictions: Arc<Contradictions>,
    pub(super) enforce: bool,
}

/// The policy asks for keyed hashes and there is no key.
#[derive(Debug, thiserror::Error)]
#[error(
    "the policy has `{entity}` redacted by a keyed hash, and there is no key; set {variable} to at least 32 random bytes in hexadecimal or base64, such as `openssl rand -hex 32` makes"
)]
pub struct MissingKey {
    entity: String,
    variable: &'static str,
}

impl Settings {
    /// The stages' settings. `enforce` can only make the policy stricter: every destination is enforced then.
    ///
    /// # Errors
    /// The policy asks for keyed hashes and there is no key.
    pub fn new(
        ruleset: Arc<Ruleset>,
        key: Option<Key>,
        erasures: Erasures,
        enforce: bool,
    ) -> Result<Arc<Self>, MissingKey> {
        has_key_if_needed(&ruleset, key.as_ref())?;
        let (erasures, contradictions) = (Arc::new(erasures), Arc::default());
        Ok(Arc::new(Self { ruleset, key, erasures, contradictions, enforce }))
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    /// The terms that usage has contradicted.
    pub fn contradictions(&self) -> &Contradictions {
        &self.contradictions
    }

    /// The same with another ruleset.
    ///
    /// # Errors
    /// Its policy asks for keyed hashes and there is no key.
    pub fn with_ruleset(&self, ruleset: Arc<Ruleset>) -> Result<Arc<Self>, MissingKey> {
        has_key_if_needed(&ruleset, self.key.as_ref())?;
        Ok(Arc::new(Self { ruleset, ..self.clone() }))
    }

    /// The same with other erasures.
    pub fn with_erasures(&self, erasures: Arc<Erasures>) -> Arc<Self> {
        Arc::new(Self { erasures, ..self.clone() })
    }

    /// The same with other contradictions.
    pub fn with_contradictions(&self, contradictions: Arc<Contradictions>) -> Arc<Self> {
        Arc::new(Self { contradictions, ..self.clone() })
    }
}

fn has_key_if_needed(ruleset: &Ruleset, key: Option<&Key>) -> Result<(), MissingKey> {
    let hashed = ruleset.rules.policy.rules().find(|(_, rule)| rule.form == Form::KeyedHash);
    match (key, hashed) {
        (None, Some((entity, _))) => Err(MissingKey { entity: entity.to_string(), variable: keyed::VARIABLE }),
        _ => Ok(()),
    }
}
