//! What runs beside the batches: the topics that are followed, and the ruleset folder that is watched.

mod contradictions;
pub mod current;
mod erasures;
pub mod reader;
mod reload;
mod rulesets;
mod topic;
mod usage;

use super::{StreamError, client::Clients, sizes::SizeLimits, topics::Topics};
use crate::config::Config;
use contradictions::Contradicted;
use current::Current;
use erasures::Erased;
use reader::Reader;
use reload::Reload;
use rulesets::Rulesets;
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use topic::{Followed, Knowledge};
use usage::UsageReader;

/// How long the end of a process waits for them.
const END: Duration = Duration::from_secs(2);

/// Told that the stream must not go on.
pub type Failed = Arc<dyn Fn(StreamError) + Send + Sync>;

/// What runs beside the batches. It ends with this value.
pub struct Followers {
    clients: Clients,
    topics: Topics,
    current: Arc<Current>,
    timeout: Duration,
    failed: Failed,
    stop: Arc<AtomicBool>,
    ended: (mpsc::Sender<()>, mpsc::Receiver<()>),
    running: usize,
}

impl Followers {
    /// Reads whole what must be known before anything is decided, and follows it. The ruleset in use is published.
    ///
    /// # Errors
    /// Something cannot be read or published.
    pub fn start(
        clients: &Clients,
        topics: &Topics,
        config: &Config,
        current: &Arc<Current>,
        failed: Failed,
    ) -> Result<Self, StreamError> {
        let timeout = config.stream.message_timeout;
        let mut followers = Self {
            clients: clients.clone(),
            topics: topics.clone(),
            current: current.clone(),
            timeout,
            failed,
            stop: Arc::default(),
            ended: mpsc::channel(),
            running: 0,
        };
        followers.rulesets()?.ensure(current.settings().ruleset())?;
        let passed_over = config.stream.erasures_passed_over.clone();
        followers.follow(&topics.erasures, Erased::new(current.clone()), passed_over)?;
        followers.follow(&topics.contradictions, Contradicted::new(current.clone()), BTreeSet::new())?;
        Ok(followers)
    }

    /// Reads usage too, as one of the processes that share it.
    ///
    /// # Errors
    /// The clients cannot be set up.
    pub fn read_usage(&mut self) -> Result<(), StreamError> {
        let reader = UsageReader::new(&self.clients, &self.topics, self.current.clone(), self.timeout)?;
        let stop = self.stop.clone();
        self.run(move || reader.read(&stop));
        Ok(())
    }

    /// Watches the ruleset folder too.
    ///
    /// # Errors
    /// The client that publishes cannot be set up.
    pub fn watch(&mut self, folder: &Path, limits: SizeLimits) -> Result<(), StreamError> {
        let reload = Reload::new(folder.into(), self.current.clone(), self.rulesets()?, limits);
        let stop = self.stop.clone();
        self.run(move || {
            reload.watch(&stop);
            Ok(())
        });
        Ok(())
    }

    fn rulesets(&self) -> Result<Rulesets, StreamError> {
        Rulesets::new(&self.clients, &self.topics, self.timeout)
    }

    fn follow(
        &mut self,
        topic: &str,
        knowledge: impl Knowledge,
        passed_over: BTreeSet<(i32, i64)>,
    ) -> Result<(), StreamError> {
        let reader = Reader::open(&self.clients, topic, self.timeout)?;
        let followed = Followed::read(reader, topic, knowledge, passed_over)?;
        let stop = self.stop.clone();
        self.run(move || followed.follow(&stop));
        Ok(())
    }

    fn run(&mut self, work: impl FnOnce() -> Result<(), StreamError> + Send + 'static) {
        let (failed, ended) = (self.failed.clone(), self.ended.0.clone());
        self.running += 1;
        thread::spawn(move || {
            // Told also when it panics: what is not followed any more must stop the stream.
            let guard = Ended { failed: failed.clone(), ended };
            if let Err(error) = work() {
                failed(error);
            }
            drop(guard);
        });
    }
}

/// Says that a thread has ended.
struct Ended {
    failed: Failed,
    ended: mpsc::Sender<()>,
}

impl Drop for Ended {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.failed)(StreamError::FollowerGone);
        }
        // Nobody waits for it if the stream has ended already.
        let _ = self.ended.send(());
    }
}

/// Clients are closed before the process ends, unless the broker does not answer.
impl Drop for Followers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let deadline = Instant::now() + END;
        for _ in 0..self.running {
            let left = deadline.saturating_duration_since(Instant::now());
            if self.ended.1.recv_timeout(left).is_err() {
                return;
            }
        }
    }
}
