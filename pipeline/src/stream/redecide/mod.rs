//! Decides again what earlier attempts did not send, as new attempts that are linked to them.
//!
//! One process at a time: its transactional id is the group's, so a second one fences the first. It reads what is
//! committed, up to where each topic ends when it starts, and writes as the stream does: reservations first, then one
//! transaction. In that transaction stand also tombstones for the withheld records that the new attempts replace, so
//! that each is decided again once, wherever the process dies. What was sent, by whatever attempt, is never decided
//! again.

mod again;
mod attempts;
mod held;

use super::{
    StreamError,
    client::Clients,
    committer::{Committer, Ended, Job, Tombstone},
    followed::{Followers, current::Current},
    run::check_topics,
    scanner::now,
    sizes::SizeLimits,
    topics::Topics,
};
use crate::{
    config::Config,
    observe::{Observer, readiness::Bounds},
    stages::{Attempt, Output, Settings, Stages, Tally},
};
use jiff::Timestamp;
use rayon::prelude::*;
use rdkafka::producer::Producer as _;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
};

/// So often a batch is committed again after its transaction was aborted.
const TRIES: usize = 5;

/// What is decided again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What waits in `held` for other terms.
    Held,
    /// Records of the input that no attempt has sent: held ones, such as are under review, and dead letters.
    Input,
    /// Dead letters, also those that the input topic no longer has.
    DeadLetters,
}

/// When a record was published: what is held when it was held, the others when they came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first moment.
    pub from: Option<Timestamp>,
    /// The first moment after it.
    pub to: Option<Timestamp>,
}

impl Range {
    /// Whether a time, in milliseconds since 1970, is within it.
    fn contains(&self, timestamp_ms: i64) -> bool {
        self.from.is_none_or(|from| timestamp_ms >= from.as_millisecond())
            && self.to.is_none_or(|to| timestamp_ms < to.as_millisecond())
    }
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redecided {
    /// What was decided and written.
    pub tally: Tally,
    /// Withheld for the same reasons as before: left as they are.
    pub unchanged: u64,
    /// Passed over, since an earlier attempt sent them.
    pub sent_before: u64,
    /// Passed over, since nothing was decided about them yet.
    pub undecided: u64,
    /// Passed over, since they still cannot be read, or were not kept: by place.
    pub unread: Vec<String>,
    /// Whether it was told to stop before it was done.
    pub stopped: bool,
}

/// Decides again, until it is done or told to stop.
///
/// # Errors
/// A topic cannot be read or written. What was committed until then stays; the next run goes on from there.
pub fn redecide(
    config: Arc<Config>,
    settings: Arc<Settings>,
    what: What,
    range: Range,
    stop: &AtomicBool,
) -> Result<Redecided, StreamError> {
    let clients = Clients::beside(config.clone(), "redecide")?;
    let topics = Topics::new(&config.kafka.topic_prefix);
    let timeout = config.stream.transaction_timeout;
    let (reservations, transactions) = (clients.reservations()?, clients.transactions()?);
    clients.connect(&transactions, timeout)?;
    check_topics(&transactions, &topics, timeout)?;
    SizeLimits::read(&clients, &topics, timeout)?.allow(settings.ruleset().rules.policy.intake.max_record_bytes)?;
    let cluster = transactions.client().fetch_cluster_id(timeout).ok_or(StreamError::NoClusterId)?;
    // Fences another such process, and ends what it left open: what is read after this is settled.
    transactions.init_transactions(timeout).map_err(StreamError::Client)?;
    let observer = Observer::new(Bounds::of(&config));
    let current = Arc::new(Current::new(settings, observer.clone()));
    let (failing, failures) = mpsc::channel();
    let failed = Arc::new(move |error| {
        // If nobody waits for it, the work has ended.
        let _ = failing.send(error);
    });
    let _followers = Followers::start(&clients, &topics, &config, &current, failed)?;
    let committer = Committer {
        clients: clients.clone(),
        topics: topics.clone(),
        consumer: None,
        epoch: Arc::new(AtomicU64::new(0)),
        timeout,
        reservations,
        transactions,
        observer,
        undelivered: 0,
    };
    let work = Work {
        clients,
        topics,
        cluster,
        current,
        committer,
        failures,
        config,
        range,
        stop,
        batch: Vec::new(),
        bytes: 0,
        batches: 0,
        done: Redecided::default(),
    };
    match what {
        What::Held => held::redecide(work),
        What::Input | What::DeadLetters => again::redecide(work, what),
    }
}

/// One record that is to be decided again.
trait Again: Send + Sync {
    /// Bytes that it holds in memory.
    fn bytes(&self) -> usize;

    /// Takes it through the stages.
    fn decide(&self, stages: &Stages, topics: &Topics, cluster: &str) -> Outcome;
}

/// What comes of one record.
enum Outcome {
    /// A new attempt, and the records that it replaces.
    Decided(Box<Attempt>, Vec<Tombstone>),
    /// It would be withheld for the same reasons as before.
    Unchanged,
    /// An earlier attempt sent it.
    SentBefore,
    /// It cannot be read, or was not kept.
    Unread(String),
}

/// What a new attempt is worth writing for: anything but to be withheld again for the same reasons, or to become a dead
/// letter, which may hold less than what it would replace.
fn or_unchanged(attempt: Attempt, before: &[&str], replaces: Vec<Tombstone>) -> Outcome {
    let has = |output| attempt.outputs.iter().any(|produced| produced.output == output);
    let same = attempt.tally.reasons.keys().map(|(_, reason)| *reason).eq(before.iter().copied());
    let is_withheld_again = same && (has(Output::Held) || has(Output::Review));
    if is_withheld_again || has(Output::DeadLetter) {
        Outcome::Unchanged
    } else {
        Outcome::Decided(Box::new(attempt), replaces)
    }
}

/// The work, a batch at a time.
struct Work<'w> {
    clients: Clients,
    topics: Topics,
    cluster: String,
    current: Arc<Current>,
    committer: Committer,
    failures: mpsc::Receiver<StreamError>,
    config: Arc<Config>,
    range: Range,
    stop: &'w AtomicBool,
    batch: Vec<Box<dyn Again>>,
    bytes: usize,
    batches: u64,
    done: Redecided,
}

impl Work<'_> {
    /// Takes in a record; decides and commits a batch once it is full.
    fn push(&mut self, record: impl Again + 'static) -> Result<(), StreamError> {
        self.bytes += record.bytes();
        self.batch.push(Box::new(record));
        let limits = &self.config.stream.limits;
        if self.bytes >= limits.batch_bytes || self.batch.len() >= limits.batch_records {
            self.flush()?;
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Decides and commits what was taken in.
    fn flush(&mut self) -> Result<(), StreamError> {
        if let Ok(failure) = self.failures.try_recv() {
            return Err(failure);
        }
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        let stages = Stages::at(self.current.settings(), now());
        let (topics, cluster) = (&self.topics, self.cluster.as_str());
        let outcomes: Vec<Outcome> = batch.par_iter().map(|record| record.decide(&stages, topics, cluster)).collect();
        let mut job = Job {
            id: self.batches,
            epoch: 0,
            outputs: Vec::new(),
            tombstones: Vec::new(),
            offsets: BTreeMap::new(),
            scanned: Box::default(),
            span: tracing::Span::none(),
        };
        let mut done = self.done.clone();
        for outcome in outcomes {
            match outcome {
                Outcome::Decided(attempt, tombstones) => {
                    done.tally.add(&attempt.tally);
                    job.outputs.extend(attempt.outputs);
                    job.tombstones.extend(tombstones);
                }
                Outcome::Unchanged => done.unchanged += 1,
                Outcome::SentBefore => done.sent_before += 1,
                Outcome::Unread(place) => done.unread.push(place),
            }
        }
        if !job.outputs.is_empty() {
            self.commit(&job)?;
        }
        self.batches += 1;
        self.done = done;
        Ok(())
    }

    fn commit(&mut self, job: &Job) -> Result<(), StreamError> {
        for _ in 0..TRIES {
            match self.committer.commit(job) {
                Ended::Committed(..) => return Ok(()),
                Ended::Failed(error) => return Err(error.into()),
                Ended::Aborted(id, why) => {
                    tracing::warn!("batch {id} was aborted: {why}");
                }
            }
        }
        Err(StreamError::AlwaysAborted(TRIES))
    }

    /// The end: whatever was taken in and not decided is, unless it was told to stop.
    fn finish(mut self) -> Result<Redecided, StreamError> {
        self.done.stopped = self.is_stopped();
        if !self.done.stopped {
            self.flush()?;
        }
        Ok(self.done)
    }
}
