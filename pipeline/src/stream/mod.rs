//! The stream: reads transcripts from Kafka, drives the stages and writes every outcome with exactly-once effects.
//!
//! ```text
//! poll ─▶ machine ─▶ scan (all cores) ─▶ reservations, acknowledged ─▶ one transaction: outputs and offsets
//! ```
//!
//! One thread owns the consumer and polls it always. A pure [`machine`] says what to do next; batches are scanned on all
//! cores and committed by a thread of its own. Reservations are written first, by a separate idempotent producer and
//! outside the transaction: a reader of uncommitted records must not see a cleared one without its reservation, and a
//! commit whose outcome is unknown may still be applied later.
//!
//! Beside the batches runs what is [`followed`]: who was erased and which terms usage has contradicted is read whole before
//! anything is decided, and followed; the ruleset folder is watched. What holds for the next batch is
//! [`Current`](followed::current::Current).

pub mod client;
pub mod committer;
pub mod consumer;
mod error;
pub mod failpoint;
pub mod followed;
pub mod machine;
pub mod record;
pub mod redecide;
mod run;
pub mod scanner;
pub mod sizes;
pub mod topics;

pub use error::StreamError;
pub use run::{Cluster, Ran, run};
