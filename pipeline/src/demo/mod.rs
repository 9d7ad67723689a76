//! The demonstration: the whole pipeline with nothing installed.
//!
//! librdkafka's mock cluster is the broker, in the memory of this process; a day's traffic is made and published at a
//! rate; the stream is the real one, [`crate::stream::run`]. The mock stores no offsets of transactions, fences nobody
//! and isolates nothing: what is shown are the gate's decisions, and nothing about delivery. It says so, always.
//!
//! ```text
//! traffic ─▶ publisher ─▶ mock ─▶ stream ─▶ mock ─▶ ledger ─▶ handoffs, data map
//!               ▲  what is finished  │
//!               └──── observer ◀─────┘ ─▶ figures ─▶ view, or lines
//! ```

mod backlog;
mod figures;
mod ledger;
mod meter;
pub mod plain;
mod publisher;
mod traffic;
pub mod view;
mod words;

pub use figures::{Figures, Outcomes, Phase, REVIEW_SECONDS};
pub use ledger::Closing;
pub use meter::Rates;
pub use traffic::DAY;

use crate::{
    config::{Config, ConfigError},
    observe::{Observer, readiness::Bounds},
    ruleset::{
        Ruleset, RulesetError, day_of,
        policy::{self, Mode},
    },
    stages::{Erasures, MissingKey, Settings},
    stream::{self, Cluster, StreamError, topics::Topics},
};
use jiff::{Timestamp, ToSpan as _};
use ledger::Following;
use meter::{Counts, Meter};
use publisher::{PARTITIONS, Progress, Publisher};
use rdkafka::{error::KafkaError, mocking::MockCluster, producer::DefaultProducerContext};
use std::{
    fmt::Write as _,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};
use traffic::Traffic;

/// What must be said wherever anything is shown.
pub const NOTICE: &str = "Its broker is an in-memory mock: this proves nothing about delivery.";

/// How it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Transcripts a second.
    pub rate: u32,
    /// Transcripts in all.
    pub documents: u64,
    /// Which traffic: another seed, another one.
    pub seed: u64,
    /// What becomes of a block. In shadow mode, destinations that nobody has registered are enforced all the same.
    pub mode: Mode,
}

/// Why it cannot go on. Holds no transcript text.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The ruleset cannot be used.
    #[error("{0}")]
    Ruleset(#[from] RulesetError),
    /// The ruleset asks for a key.
    #[error("{0}")]
    MissingKey(#[from] MissingKey),
    /// The configuration that it makes for itself does not hold.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// The mock cluster does not start.
    #[error("the mock cluster cannot be made: {0}")]
    Mock(KafkaError),
    /// Traffic cannot be published.
    #[error("the mock cluster does not take the traffic: {0}")]
    Publish(KafkaError),
    /// The stream stopped.
    #[error("the gate stopped: {0}")]
    Stream(#[from] StreamError),
    /// The ledger's file has no place.
    #[error("no temporary folder can be made for the ledger: {0}")]
    Folder(io::Error),
    /// A thread panicked; it has said where.
    #[error("a part of the demonstration panicked")]
    Panicked,
}

/// The demonstration while it runs. It ends by itself when everything is decided.
pub struct Demo {
    options: Options,
    observer: Arc<Observer>,
    progress: Arc<Progress>,
    meter: Meter,
    stopped_after: Option<Duration>,
    stop: Arc<AtomicBool>,
    publisher: JoinHandle<Result<(), KafkaError>>,
    stream: JoinHandle<Result<(), StreamError>>,
    ledger: Following,
    /// After everything that is connected to it.
    _mock: MockCluster<'static, DefaultProducerContext>,
}

impl Demo {
    /// Starts it. Setting `stop` ends it early.
    ///
    /// # Errors
    /// Something of it cannot be made.
    pub fn start(options: Options, stop: Arc<AtomicBool>) -> Result<Self, DemoError> {
        let ruleset = match options.mode {
            Mode::Enforce => Ruleset::builtin()?,
            Mode::Shadow => in_shadow_mode(Ruleset::builtin()?.as_ref())?,
        };
        let settings = Settings::new(ruleset, None, Erasures::new(), options.mode == Mode::Enforce)?;
        let mock = MockCluster::new(1).map_err(DemoError::Mock)?;
        let brokers = mock.bootstrap_servers();
        let config = Arc::new(config(&brokers)?);
        let topics = Topics::new(&config.kafka.topic_prefix);
        for (topic, _) in topics.all() {
            mock.create_topic(topic, PARTITIONS, 1).map_err(DemoError::Mock)?;
        }
        let observer = Observer::new(Bounds::of(&config));
        let progress = Arc::new(Progress::default());
        let publisher = Publisher {
            traffic: Traffic::new(options.seed, options.documents),
            rate: options.rate,
            topic: topics.input,
            observer: observer.clone(),
            progress: progress.clone(),
            stop: stop.clone(),
        };
        let publisher = thread::spawn(move || publisher.publish(&brokers));
        let ledger = Following::start(config.clone(), settings.ruleset().clone())?;
        let stream = {
            let (observer, stop) = (observer.clone(), stop.clone());
            thread::spawn(move || stream::run(Cluster::Mock, config, settings, observer, &stop).map(drop))
        };
        Ok(Self {
            options,
            observer,
            progress,
            meter: Meter::default(),
            stopped_after: None,
            stop,
            publisher,
            stream,
            ledger,
            _mock: mock,
        })
    }

    /// How it stands. To be asked a few times a second.
    pub fn figures(&mut self) -> Figures {
        let seen = self.observer.snapshot();
        let published = self.progress.published();
        let mut elapsed = self.progress.begun().map(|begun| begun.elapsed()).unwrap_or_default();
        let is_stopped = self.stop.load(Ordering::SeqCst);
        if is_stopped {
            // Closing the clients is not part of it.
            elapsed = *self.stopped_after.get_or_insert(elapsed);
        }
        let phase = match () {
            () if is_stopped => Phase::Ending,
            () if self.progress.begun().is_none() => Phase::Starting,
            () if self.progress.is_waiting() => Phase::Waiting,
            () => Phase::Running,
        };
        let decided = seen.tally.records;
        self.meter.sample(elapsed, Counts { published, read: decided + seen.in_hand, decided });
        Figures {
            phase,
            mode: self.options.mode,
            documents: self.options.documents,
            elapsed,
            published,
            rates: self.meter.rates(),
            history: self.meter.history(),
            seen,
        }
    }

    /// Ends it early: what is in flight is still committed.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether it has ended: everything is decided, it was told to stop, or it cannot go on.
    pub fn has_ended(&self) -> bool {
        let is_published = self.publisher.is_finished() && self.progress.published() == self.options.documents;
        let is_broken = self.stream.is_finished() || self.publisher.is_finished() && !is_published;
        if is_broken || is_published && self.observer.snapshot().tally.records >= self.options.documents {
            self.stop();
        }
        self.stream.is_finished() && self.publisher.is_finished()
    }

    /// Waits for its end, and says what came of it: the figures as they stood when everything had been decided, and what the
    /// ledger says.
    ///
    /// # Errors
    /// It could not go on.
    pub fn end(mut self) -> Result<(Figures, Closing), DemoError> {
        self.stop();
        let figures = self.figures();
        self.publisher.join().map_err(|_| DemoError::Panicked)?.map_err(DemoError::Publish)?;
        self.stream.join().map_err(|_| DemoError::Panicked)??;
        let closing = self.ledger.close()?;
        Ok((Figures { seen: self.observer.snapshot(), ..figures }, closing))
    }
}

/// The configuration of the real stream, for one process that lives for a minute.
fn config(brokers: &str) -> Result<Config, ConfigError> {
    let text = format!(
        "[kafka]\nbrokers = \"{brokers}\"\ngroup = \"maysend-demo\"\nordinal = 0\n\
         [kafka.options]\n\"fetch.wait.max.ms\" = \"10\"\n\
         [stream]\ndrain_timeout_ms = 5000\nmessage_timeout_ms = 10000\ntransaction_timeout_ms = 15000\n\
         session_timeout_ms = 30000\n[http]\nlisten = \"off\"\n"
    );
    Config::parse("the demonstration's configuration", &text)
}

/// The same ruleset, with every registered destination only watched until tomorrow.
fn in_shadow_mode(ruleset: &Ruleset) -> Result<Arc<Ruleset>, RulesetError> {
    let today = day_of(Timestamp::now());
    let until = today.checked_add(2.days()).unwrap_or(today);
    let mut files = ruleset.files.clone();
    for policy in files.iter_mut().filter(|file| file.name == policy::FILE) {
        for id in ruleset.rules.destinations.ids() {
            let _ = write!(
                policy.text,
                "\n[mode.destination.\"{id}\"]\nmode = \"shadow\"\nshadow_until = {until}\napprover = \"whoever starts the demonstration\"\n"
            );
        }
    }
    Ruleset::from_files(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_configuration_holds() {
        let config = config("127.0.0.1:9092").unwrap();
        assert_eq!((config.kafka.ordinal, config.http.listen), (Some(0), None));
    }

    #[test]
    fn in_shadow_mode_every_registered_destination_is_watched() {
        let ruleset = in_shadow_mode(&Ruleset::builtin().unwrap()).unwrap();
        let (policy, now) = (&ruleset.rules.policy, Timestamp::now());
        let destinations = ruleset.rules.destinations.ids();
        assert!(!destinations.is_empty() && destinations.iter().all(|id| policy.mode(id, now) == Mode::Shadow));
        assert_eq!(policy.mode("summaries-beta", now), Mode::Enforce);
    }
}
