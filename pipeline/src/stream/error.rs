//! Why the stream stopped.

use super::{
    client::{
        SetupError,
        connection::{Denied, Refusal},
    },
    committer::CommitError,
    sizes::{SETTING, TooSmall},
};
use crate::wire::kept::KeptError;
use rdkafka::error::KafkaError;
use std::time::Duration;

/// Why the stream stopped. None of these holds transcript text.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The clients cannot be set up.
    #[error("{0}")]
    Setup(#[from] SetupError),
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
    Refused(#[from] Refusal),
    /// The brokers' access rules do not allow something.
    #[error("{0}")]
    Denied(#[from] Denied),
    /// A call to the broker failed for good.
    #[error("{0}")]
    Client(KafkaError),
    /// The system gives no threads to scan with.
    #[error("no threads to scan with: {0}")]
    NoThreads(#[from] rayon::ThreadPoolBuildError),
    /// A rebalance failed.
    #[error("a rebalance failed: {0}")]
    Rebalance(KafkaError),
    /// The brokers do not say which cluster they are. Names of reservations depend on it.
    #[error(
        "the brokers do not say the id of their cluster, and names of reservations depend on it; see whether they are reachable and allow it"
    )]
    NoClusterId,
    /// A topic is missing.
    #[error("the topic {0} is not there, or may not be seen; `maysend topics --create` makes what is missing")]
    MissingTopic(String),
    /// What an output can become does not fit into its topic.
    #[error("{0}")]
    TooSmall(#[from] TooSmall),
    /// The broker does not show how large a record of a topic may be.
    #[error(
        "the setting `{setting}` of the topic {0} may not be seen, and without it nobody knows whether the outputs fit; allow DescribeConfigs on it",
        setting = SETTING
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
    /// The topic that is read is gone.
    #[error(
        "the topic {0} was deleted since the start, and what it held that was not decided is gone with it. Nothing was skipped; see what became of it, create it again, then start again: it is then read as `start` under [kafka] says"
    )]
    InputGone(String),
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
