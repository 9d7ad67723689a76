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
//! Beside the batches run the [`followers`]: who was erased and which terms usage has contradicted is read whole before
//! anything is decided, and followed; the ruleset folder is watched. What holds for the next batch is [`current`].

mod access;
pub mod client;
pub mod committer;
pub mod connection;
pub mod context;
pub mod current;
pub mod delivery;
pub mod erasures;
pub mod failpoint;
pub mod failure;
pub mod follow;
pub mod followers;
pub mod machine;
pub mod orphans;
pub mod positions;
pub mod publish;
pub mod reader;
pub mod redecide;
pub mod reload;
mod repeats;
pub mod rulesets;
mod run;
pub mod scanner;
pub mod sizes;
pub mod topics;
pub mod usage;

pub use run::{Cluster, Ran, run};

use crate::{observe::logs::LIBRDKAFKA, wire::kept::KeptError};
use committer::CommitError;
use rdkafka::{config::RDKafkaLogLevel, error::KafkaError};
use repeats::Repeats;
use std::{
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Why the stream stopped. None of these holds transcript text.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The clients cannot be set up.
    #[error("{0}")]
    Setup(#[from] client::SetupError),
    /// No broker answers.
    #[error(
        "no broker of {brokers} answers within {timeout:?}; the last that was heard: {last}. See whether `brokers` under [kafka] is right, and whether the brokers want another `protocol` under [kafka.security]"
    )]
    Away {
        /// Where brokers should be.
        brokers: String,
        /// How long they were waited for.
        timeout: Duration,
        /// What the client said last.
        last: String,
    },
    /// The brokers refuse this client's credentials, or it theirs.
    #[error("{0}")]
    Refused(#[from] connection::Refusal),
    /// The brokers' access rules do not allow something.
    #[error("{0}")]
    Denied(#[from] connection::Denied),
    /// A call to the broker failed for good.
    #[error("{0}")]
    Client(KafkaError),
    /// A rebalance failed.
    #[error("a rebalance failed: {0}")]
    Rebalance(KafkaError),
    /// The brokers do not say which cluster they are. Names of reservations depend on it.
    #[error(
        "the brokers do not say the id of their cluster, and names of reservations depend on it; see whether they are reachable and allow it"
    )]
    NoClusterId,
    /// A topic is missing.
    #[error("the topic {0} is not there, or may not be seen; create the topics first")]
    MissingTopic(String),
    /// What an output can become does not fit into its topic.
    #[error("{0}")]
    TooSmall(#[from] sizes::TooSmall),
    /// The broker does not show how large a record of a topic may be.
    #[error(
        "the setting `{setting}` of the topic {0} may not be seen, and without it nobody knows whether the outputs fit; allow DescribeConfigs on it",
        setting = sizes::SETTING
    )]
    HiddenSetting(String),
    /// The broker no longer has the records after what was committed.
    #[error(
        "{topic}/{partition}: committed up to {committed}, but the broker's first record is {first}: the records between are gone. Nothing was skipped; decide what that means, then set the group's offset by hand"
    )]
    Gap {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The committed offset.
        committed: i64,
        /// The first offset that is there.
        first: i64,
    },
    /// The broker has not got as far as what was committed.
    #[error(
        "{topic}/{partition}: committed up to {committed}, but the topic ends before {next}: it was deleted and made again, or its log was cut off when its leader changed. Nothing was skipped; see what became of the topic, then set the group's offset by hand"
    )]
    BeyondEnd {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The committed offset.
        committed: i64,
        /// The offset that the next record will have.
        next: i64,
    },
    /// What was committed is gone, though a start is committed before anything is read.
    #[error(
        "{topic}/{partition}: what this group had committed is gone: the topic was deleted and perhaps made again, or the group's offsets were deleted. Nothing was skipped; see what became of them, then start again"
    )]
    NothingCommitted {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// A batch could not be committed, and going on would not be safe.
    #[error("{0}")]
    Commit(#[from] CommitError),
    /// Too many records cannot be decoded: the producer upstream is broken, or the wrong topic is read.
    #[error(
        "{count} records within a minute could not be decoded, and at most {most} are taken to be chance; see the dead-letter topic, then put the producer right or raise `max_dead_letters_per_minute`"
    )]
    TooManyDeadLetters {
        /// Dead letters within a minute.
        count: u64,
        /// The most that are configured.
        most: u64,
    },
    /// A record that must be known cannot be read.
    #[error(
        "{topic}/{partition}/{offset}: {error}. What it says cannot be known, so nothing is decided; write it again as it should be, then pass this one over: see `erasures_passed_over` under [stream]"
    )]
    Record {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The offset.
        offset: i64,
        /// What is wrong with it.
        error: KeptError,
    },
    /// A topic that must be read whole can no longer be read.
    #[error("{topic} can no longer be read, and nothing may be decided without it: {error}")]
    Unreadable {
        /// The topic.
        topic: String,
        /// What the client says.
        error: KafkaError,
    },
    /// A topic that must be read whole was not.
    #[error("{topic} was not read to its end: nothing came of it in {waited:?}")]
    Unread {
        /// The topic.
        topic: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// A topic that is followed has lost records that were read.
    #[error(
        "{topic}/{partition} ends before what was read of it: it was created anew, or has lost records; see that it holds all that it must, then start again"
    )]
    Shortened {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// A topic that is followed does not answer, so what is known of it may have changed.
    #[error("{topic} has not answered for {silent:?}, and nothing may be decided without it: {error}")]
    Stale {
        /// The topic.
        topic: String,
        /// For how long.
        silent: Duration,
        /// What the client says.
        error: KafkaError,
    },
    /// A record that must be kept before anything goes on was not acknowledged.
    #[error("{topic}: a record was not acknowledged: {error}")]
    NotPublished {
        /// The topic.
        topic: String,
        /// What the client says.
        error: KafkaError,
    },
    /// A record among the decisions is none.
    #[error(
        "{topic}/{partition}/{offset} is no decision; whether something was sent cannot be known, so nothing is decided again"
    )]
    NoDecision {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The offset.
        offset: i64,
    },
    /// A transaction was aborted again and again.
    #[error(
        "a transaction was aborted {0} times in a row; nothing of it was written; start again when the brokers have settled"
    )]
    AlwaysAborted(usize),
    /// What follows a topic has ended.
    #[error("a topic that must be followed is not followed any more")]
    FollowerGone,
    /// The committer has ended.
    #[error("the committer does not answer")]
    CommitterGone,
    /// What was in flight did not end in time. It was not committed.
    #[error("what was in flight did not end within {0:?}; it was not committed and will be read again")]
    DrainTimeout(Duration),
}

/// What a client has to say. The same warning is said once, and then now and then with how often it was said: see
/// [`repeats`].
pub(crate) fn client_says(level: RDKafkaLogLevel, facility: &str, message: &str) {
    static REPEATS: LazyLock<Mutex<Repeats>> = LazyLock::new(Mutex::default);
    if level as i32 > RDKafkaLogLevel::Warning as i32 {
        return log(level, facility, message);
    }
    let mut repeats = REPEATS.lock().unwrap_or_else(PoisonError::into_inner);
    match repeats.say(message, Instant::now()) {
        None => {}
        Some(0) => log(level, facility, message),
        Some(left_out) => {
            log(level, facility, &format!("{message} (and {left_out} times more since it was last said)"))
        }
    }
}

/// Logs what is said. librdkafka's messages name hosts, topics and codes, no payloads.
pub(crate) fn log(level: RDKafkaLogLevel, facility: &str, message: &str) {
    use RDKafkaLogLevel::{Alert, Critical, Debug, Emerg, Error, Info, Notice, Warning};
    match level {
        Emerg | Alert | Critical | Error => tracing::error!(target: LIBRDKAFKA, facility, "{message}"),
        Warning => tracing::warn!(target: LIBRDKAFKA, facility, "{message}"),
        Notice | Info => tracing::info!(target: LIBRDKAFKA, facility, "{message}"),
        Debug => tracing::debug!(target: LIBRDKAFKA, facility, "{message}"),
    }
}
