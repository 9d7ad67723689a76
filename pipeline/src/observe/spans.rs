//! A span for each batch: `batch`, with `poll`, `scan`, `reserve` and `commit` inside. They become traces where those
//! are exported.

use tracing::{Span, field::Empty, info_span};

/// The span of the batch that is being filled.
#[derive(Debug)]
pub struct Filling {
    batch: Span,
    _poll: Span,
}

impl Filling {
    /// Its first record came.
    pub fn begin() -> Self {
        let batch = info_span!("batch", id = Empty, records = Empty, bytes = Empty);
        let poll = info_span!(parent: &batch, "poll");
        Self { batch, _poll: poll }
    }

    /// It was cut. What is done with it belongs into the span that is returned.
    pub fn end(self, id: u64, records: usize, bytes: usize) -> Span {
        self.batch.record("id", id).record("records", records).record("bytes", bytes);
        self.batch
    }
}
