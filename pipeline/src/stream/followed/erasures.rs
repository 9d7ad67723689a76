//! The customers who were erased, from the topic `erasures`.

use super::{current::Current, topic::Knowledge};
use crate::{
    stages::{Erasures, take_in},
    wire::Erasure,
};
use std::sync::Arc;

/// Who was erased. Its size is bounded by the number of erased customers.
pub struct Erased {
    known: Arc<Erasures>,
    current: Arc<Current>,
}

impl Erased {
    /// Nobody yet; what is read will hold for the batches of `current`.
    pub fn new(current: Arc<Current>) -> Self {
        Self { known: Arc::default(), current }
    }
}

impl Knowledge for Erased {
    type Record = Erasure;

    fn take_in(&mut self, record: Erasure) -> bool {
        // Copied where batches still hold what was known before; erasures are few.
        take_in(Arc::make_mut(&mut self.known), record);
        true
    }

    fn publish(&self) {
        self.current.use_erasures(self.known.clone());
    }
}
