//! The terms that usage has contradicted, from the topic `contradictions`.

use super::{current::Current, topic::Knowledge};
use crate::{stages::Contradictions, stream::scanner::now, wire::Contradiction};
use std::sync::Arc;

/// The terms that usage has contradicted.
pub struct Contradicted {
    known: Arc<Contradictions>,
    current: Arc<Current>,
}

impl Contradicted {
    /// None yet; what is read will hold for the batches of `current`.
    pub fn new(current: Arc<Current>) -> Self {
        Self { known: Arc::default(), current }
    }
}

impl Knowledge for Contradicted {
    type Record = Contradiction;

    fn take_in(&mut self, record: Contradiction) -> bool {
        let Contradiction { destination, terms, .. } = record;
        let settings = self.current.settings();
        let register = &settings.ruleset().rules.destinations;
        let applies = register.get(&destination).and_then(|known| known.terms_at(now()));
        if applies.is_some_and(|applies| applies.terms_id() == terms) {
            // Not whose usage it is: a sender wrote that, and nobody has read it.
            tracing::error!(
                "{destination} is taken at its worst: usage names another plan or endpoint than its terms of {terms}; see the record in the topic of contradictions, find out what is in use, and give the register new terms"
            );
        }
        let is_new = !self.known.contains(&(destination.clone(), terms.clone()));
        if is_new {
            Arc::make_mut(&mut self.known).insert((destination, terms));
        }
        is_new
    }

    fn publish(&self) {
        self.current.use_contradictions(self.known.clone());
    }
}
