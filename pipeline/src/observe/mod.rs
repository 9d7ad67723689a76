//! What is seen of the stream from outside: metrics, health and logs.
//!
//! The stream tells an [`Observer`] what happens, a few calls a batch; [`http`] serves what it knows as `/metrics`,
//! `/healthz` and `/readyz`. Counts are of what was committed: an aborted batch is counted when it is read again and
//! committed. None of this holds transcript text, and every label is from a closed list or from the ruleset.

pub mod http;
mod latency;
pub mod logs;
mod metrics;
mod observer;
mod partitions;
mod process;
pub mod readiness;
mod reservations;
mod snapshot;
pub mod spans;
#[cfg(feature = "opentelemetry")]
mod traces;
mod usage;

pub use latency::{Latency, quantiles_in_ms};
pub use metrics::render;
pub use observer::{Cut, Observer, Scanned};
pub use snapshot::{Quantiles, Snapshot};
pub use usage::UsageRead;
