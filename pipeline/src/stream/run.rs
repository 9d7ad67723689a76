//! The loop: one thread that polls.

use super::{
    StreamError,
    client::{
        Clients, access,
        connection::{Denied, Resource},
        delivery::Producer,
        failure::is_final,
        retry::asking,
    },
    committer::{Committer, Ended},
    consumer::{Core, Event, Parts, StreamConsumer, orphans, positions::Positions},
    followed::{Followers, current::Current},
    machine::Machine,
    record::Incoming,
    scanner::{self, Scanner},
    sizes::SizeLimits,
    topics::Topics,
};
use crate::{config::Config, observe::Observer, stages::Settings};
use rdkafka::{
    consumer::Consumer,
    error::{KafkaError, RDKafkaErrorCode},
    producer::Producer as _,
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// How long a poll waits for a record.
const POLL: Duration = Duration::from_millis(20);

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Batches committed.
    pub committed: u64,
    /// Batches aborted and read again.
    pub aborted: u64,
}

/// What answers as the brokers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// Apache Kafka.
    Kafka,
    /// librdkafka's mock, in the memory of this process. It says nothing of topics' settings and of groups, so neither is
    /// looked at, and no ruleset folder is watched, since a new one could need larger topics. It stores no offsets of
    /// transactions, fences nobody and isolates nothing. No configuration leads here.
    Mock,
}

/// Runs the stream until it is told to stop, or cannot go on.
///
/// # Errors
/// The brokers cannot be reached, a topic is missing, or going on would not be safe. What was not committed then is
/// read again by the next run.
pub fn run(
    cluster: Cluster,
    config: Arc<Config>,
    settings: Arc<Settings>,
    observer: Arc<Observer>,
    stop: &Arc<AtomicBool>,
) -> Result<Ran, StreamError> {
    observer.ruleset_in_use(settings.ruleset());
    let clients = Clients::new(config.clone())?;
    let topics = Topics::new(&config.kafka.topic_prefix);
    let ended = serve(cluster, &config, settings, observer, &clients, &topics, stop);
    ended.map_err(|error| access::explain(error, &clients, &topics))
}

fn serve(
    cluster: Cluster,
    config: &Config,
    settings: Arc<Settings>,
    observer: Arc<Observer>,
    clients: &Clients,
    topics: &Topics,
    stop: &Arc<AtomicBool>,
) -> Result<Ran, StreamError> {
    let timeout = config.stream.transaction_timeout;
    let reservations = clients.reservations()?;
    let transactions = clients.transactions()?;
    clients.connect(&transactions, timeout)?;
    check_topics(&transactions, topics, timeout)?;
    let limits = match cluster {
        Cluster::Kafka => Some(SizeLimits::read(clients, topics, timeout)?),
        Cluster::Mock => None,
    };
    if let Some(limits) = &limits {
        limits.allow(settings.ruleset().rules.policy.intake.max_record_bytes)?;
    }
    let cluster_id = transactions.client().fetch_cluster_id(timeout).ok_or(StreamError::NoClusterId)?;
    // Fences another process of the same ordinal, and waits until what it left open is ended.
    transactions.init_transactions(timeout).map_err(StreamError::Client)?;

    let (reported, events) = mpsc::channel::<Event>();
    let current = Arc::new(Current::new(settings, observer.clone()));
    let failing = reported.clone();
    let failed = Arc::new(move |error| {
        // If nobody waits for it, the stream has ended.
        let _ = failing.send(Event::Failed(error));
    });
    let mut followers = Followers::start(clients, topics, config, &current, failed)?;
    followers.read_usage()?;
    if let (Some(folder), Some(limits)) = (&config.ruleset.folder, limits) {
        followers.watch(folder, limits)?;
    }
    let (committer, requests) = mpsc::channel();
    let (joined, has_joined) = mpsc::channel();
    let epoch = Arc::new(AtomicU64::new(0));
    let core = Core::new(Parts {
        machine: Machine::new(config.stream.limits),
        scanner: Scanner {
            current,
            topics: topics.clone(),
            cluster: cluster_id,
            results: reported.clone(),
            threads: scanner::threads()?,
        },
        positions: Positions {
            client: clients.offsets()?,
            topic: topics.input.clone(),
            start: clients.start(),
            timeout: config.stream.message_timeout,
        },
        drain_timeout: config.stream.drain_timeout,
        call_timeout: config.stream.message_timeout,
        most_dead_letters: config.stream.max_dead_letters_per_minute,
        epoch: epoch.clone(),
        stop: stop.clone(),
        joined,
        events,
        committer,
        observer: observer.clone(),
    });
    let context = clients.context(Mutex::new(core));
    let consumer: Arc<StreamConsumer> =
        Arc::new(clients.consumer().create_with_context(context).map_err(StreamError::Client)?);
    let serving = Committer {
        clients: clients.clone(),
        topics: topics.clone(),
        consumer: Some(consumer.clone()),
        epoch,
        timeout,
        reservations,
        transactions,
        observer,
        undelivered: 0,
    };
    thread::spawn(move || {
        serving.serve(requests, |ended: Ended| {
            // If nobody waits for it, the stream has ended.
            let _ = reported.send(Event::Ended(ended));
        });
    });
    let (outside, input, call_timeout) = (clients.clone(), topics.clone(), config.stream.message_timeout);
    thread::spawn(move || {
        if has_joined.recv().is_ok()
            && cluster == Cluster::Kafka
            && let Err(error) = orphans::adopt(&outside, &input, call_timeout)
        {
            tracing::warn!("whether every partition is with somebody cannot be seen: {error}");
        }
    });
    consumer.subscribe(&[&topics.input]).map_err(StreamError::Client)?;
    let ended = poll(&consumer, stop);
    let mut core = consumer.context().core();
    core.close();
    let (committed, aborted) = core.counts();
    drop(core);
    ended.map(|()| Ran { committed, aborted })
}

fn poll(consumer: &StreamConsumer, stop: &AtomicBool) -> Result<(), StreamError> {
    loop {
        // The lock must be free while polling: a rebalance is called back from within.
        match consumer.poll(POLL) {
            Some(Ok(message)) => consumer.context().core().record(consumer, Incoming::of(&message)),
            Some(Err(error)) => {
                if let Some(error) = serious(consumer, &error) {
                    return Err(error);
                }
            }
            None => {}
        }
        if let Some(hindrance) = consumer.context().connection.hindrance() {
            return Err(hindrance);
        }
        let mut core = consumer.context().core();
        core.turn(consumer);
        if stop.load(Ordering::SeqCst) {
            core.shut_down(consumer);
        }
        if let Some(ended) = core.ended() {
            return ended;
        }
    }
}

/// What must stop the stream. The client goes on by itself after the others, such as a broker that is away.
fn serious(consumer: &StreamConsumer, error: &KafkaError) -> Option<StreamError> {
    match error {
        KafkaError::MessageConsumption(RDKafkaErrorCode::AutoOffsetReset) => {
            Some(consumer.context().core().out_of_range())
        }
        KafkaError::MessageConsumption(RDKafkaErrorCode::UnknownTopicOrPartition) => {
            Some(StreamError::InputGone(consumer.context().core().input().to_owned()))
        }
        error => is_final(error).then(|| StreamError::Client(error.clone())),
    }
}

/// Every topic must be there before anything is read.
pub(super) fn check_topics(producer: &Producer, topics: &Topics, timeout: Duration) -> Result<(), StreamError> {
    for name in topics.needed() {
        let metadata =
            asking(timeout, || producer.client().fetch_metadata(Some(name), timeout)).map_err(StreamError::Client)?;
        let topic = metadata.topics().iter().find(|topic| topic.name() == name);
        if topic.and_then(|topic| topic.error()).is_some_and(|code| Denied::is(code.into())) {
            return Err(Denied::one(Resource::DescribeTopic(name.into())).into());
        }
        if topic.is_none_or(|topic| topic.partitions().is_empty()) {
            return Err(StreamError::MissingTopic(name.into()));
        }
    }
    Ok(())
}
