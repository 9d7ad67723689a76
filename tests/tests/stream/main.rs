//! The stream on a real Apache Kafka. Each file is a subject; most of them share one broker.

mod backlog;
mod brokers;
mod cluster;
mod disk;
mod erasures;
mod fencing;
mod kills;
mod mapped;
mod members;
mod observed;
mod rebalances;
mod redecide;
mod refusals;
mod reload;
mod security;
mod sender;
mod shadow;
mod sizes;
mod smoke;
mod start;
mod topics;
#[cfg(feature = "opentelemetry")]
mod traces;
mod usage;
