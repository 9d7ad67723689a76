//! What the benchmarks run on: the corpora's texts, taken through each stage once, and texts made to be slow.
//!
//! ```sh
//! cargo bench -p maysend-benches                      # everything
//! cargo bench -p maysend-benches --bench stages       # MiB/s of each stage and of the whole
//! cargo bench -p maysend-benches -- detect            # one stage
//! cargo bench -p maysend-benches --bench linear       # ns per byte on texts made to be slow, at n, 4n and 16n bytes
//! cargo bench -p maysend-benches --bench stream       # the stream on Apache Kafka, with detection and without
//! ```
//!
//! A rate says little without what there was to find, so every group of `stages` is preceded by its [`Density`].

mod adversarial;
mod corpus;
pub mod figures;
pub mod rates;

pub use adversarial::{Adversarial, adversarial};
pub use corpus::{Corpus, Density, Prepared, record, stages};

/// Bytes in a mebibyte.
pub const MIB: f64 = 1_048_576.0;
