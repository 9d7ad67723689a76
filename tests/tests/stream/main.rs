//! The stream on a real Apache Kafka. Each file is a subject; most of them share one broker.

mod brokers;
mod fencing;
mod kills;
mod members;
mod observed;
mod refusals;
mod security;
mod sender;
mod shadow;
mod smoke;
mod topics;
#[cfg(feature = "opentelemetry")]
mod traces;
