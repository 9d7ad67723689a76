//! A real Apache Kafka for the tests of the stream, and what looks at it from outside.
//!
//! [`Broker`] is a node in KRaft mode on free ports of this machine with a temporary folder; most tests share one, each
//! under topics and a group of its own, which a [`Prefix`] makes. A [`Gate`] is a process that runs the stream. What
//! happens is seen by readers of the topics ([`Follower`], [`Witness`]), and at the end a [`History`] holds all of it
//! and says which invariants it breaks.
//!
//! Nothing sleeps: a test waits for records, for offsets or for a process to end, with a bound on each.

pub mod acls;
pub mod broker;
pub mod certificates;
pub mod client;
pub mod cluster;
pub mod decisions;
pub mod disk;
pub mod gate;
pub mod history;
mod jars;
pub mod load;
pub mod page;
pub mod prefix;
pub mod secured;
mod tools;
pub mod witness;

pub use broker::Broker;
pub use client::{Follower, Isolation, New, Record, produce, read};
pub use cluster::Cluster;
pub use decisions::Decisions;
pub use disk::Disk;
pub use gate::Gate;
pub use history::{History, Violation};
pub use load::Load;
pub use page::Page;
pub use prefix::Prefix;
pub use secured::Secured;
pub use tools::shell;
pub use witness::Witness;

use std::time::{Duration, Instant};

/// Whether the tests may take their time: more kills, a longer backlog. Set by `./test --long`.
pub fn is_long() -> bool {
    std::env::var_os("MAYSEND_TEST_LONG").is_some()
}

/// So long a test waits for anything before it fails; what works takes a fraction of it.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// A bound on waiting.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// So much time from now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// [`PATIENCE`] from now.
    pub fn patient() -> Self {
        Self::after(PATIENCE)
    }

    /// Whether it is over.
    pub fn is_over(self) -> bool {
        Instant::now() >= self.0
    }

    /// What is left.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}
