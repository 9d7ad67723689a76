//! The cluster's side of it: creates topics, and says how they are.

use super::rules::{INTERNAL, Wanted};
use crate::{
    config::Config,
    stream::{
        StreamError,
        client::{Clients, SetupError, connection::Context},
    },
};
use rdkafka::{
    admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication},
    error::{KafkaError, RDKafkaErrorCode},
};
use std::{
    collections::BTreeMap,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Why the cluster could not be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BrokerError {
    /// The client cannot be set up.
    #[error("{0}")]
    Setup(#[from] SetupError),
    /// No broker answers, or it refuses this client.
    #[error("{0}")]
    Connect(Box<StreamError>),
    /// No answer.
    #[error("no broker answers at {brokers} within {TIMEOUT:?}: {error}; see `brokers` and `options` under [kafka]")]
    NoAnswer {
        /// The configured brokers.
        brokers: String,
        /// What the client says.
        error: KafkaError,
    },
    /// A topic cannot be created.
    #[error("cannot create {topic}: {code}; {right}")]
    NotCreated {
        /// The topic.
        topic: String,
        /// What the broker says.
        code: RDKafkaErrorCode,
        /// What would be right.
        right: String,
    },
}

/// A topic as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// For each partition the brokers that have it.
    pub(super) replicas: BTreeMap<i32, Vec<i32>>,
    /// Its settings, defaults included.
    pub(super) settings: BTreeMap<String, String>,
}

impl Live {
    /// The replicas of the partition that has the fewest.
    pub(super) fn fewest_replicas(&self) -> usize {
        self.replicas.values().map(Vec::len).min().unwrap_or(0)
    }
}

/// What was asked of the cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Cluster {
    /// The ids of its brokers.
    pub(super) brokers: Vec<i32>,
    /// Those of the wanted topics, and of Kafka's own, that are there and may be seen.
    pub(super) topics: BTreeMap<String, Live>,
}

/// The cluster, for an administrator.
pub(super) struct Broker {
    admin: AdminClient<Context<()>>,
    brokers: String,
}

impl Broker {
    pub(super) fn connect(config: &Arc<Config>) -> Result<Self, BrokerError> {
        let clients = Clients::beside(config.clone(), "topics")?;
        let admin = clients.admin()?;
        // An administrator says nothing of a refusal; a producer does.
        let connected = clients.connect(&clients.reservations()?, TIMEOUT);
        connected.map_err(|error| BrokerError::Connect(Box::new(error)))?;
        Ok(Self { admin, brokers: config.kafka.brokers.clone() })
    }

    /// Creates those that are not there, and waits until every broker knows them. Says which it created.
    pub(super) fn create(&self, wanted: &[Wanted]) -> Result<Vec<String>, BrokerError> {
        let new: Vec<NewTopic<'_>> = wanted
            .iter()
            .map(|topic| {
                let new = NewTopic::new(&topic.name, topic.partitions, TopicReplication::Fixed(topic.replicas));
                topic.settings.iter().fold(new, |new, (key, value)| new.set(key, value))
            })
            .collect();
        let options = AdminOptions::new().operation_timeout(Some(TIMEOUT)).request_timeout(Some(TIMEOUT));
        let results = pollster::block_on(self.admin.create_topics(&new, &options));
        let mut created = Vec::new();
        for (result, wanted) in results.map_err(|error| self.no_answer(error))?.into_iter().zip(wanted) {
            match result {
                Ok(name) => created.push(name),
                Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
                Err((topic, code)) => {
                    return Err(BrokerError::NotCreated { topic, code, right: right(code, wanted) });
                }
            }
        }
        // A created topic is known to the controller at once, to other brokers a little later.
        let deadline = Instant::now() + TIMEOUT;
        while wanted.iter().any(|topic| !self.cluster(wanted).is_ok_and(|now| now.topics.contains_key(&topic.name)))
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(50));
        }
        Ok(created)
    }

    /// How the topics are.
    pub(super) fn cluster(&self, wanted: &[Wanted]) -> Result<Cluster, BrokerError> {
        // All topics are asked for: asking for one by name can create it.
        let metadata = self.admin.inner().fetch_metadata(None, TIMEOUT).map_err(|error| self.no_answer(error))?;
        let mut brokers: Vec<i32> = metadata.brokers().iter().map(|broker| broker.id()).collect();
        brokers.sort_unstable();
        let is_ours = |name: &str| wanted.iter().any(|topic| topic.name == name) || INTERNAL.contains(&name);
        let mut topics = BTreeMap::new();
        for topic in metadata.topics().iter().filter(|topic| is_ours(topic.name()) && !topic.partitions().is_empty()) {
            let replicas = topic.partitions().iter().map(|p| (p.id(), p.replicas().to_vec())).collect();
            topics.insert(topic.name().to_owned(), Live { replicas, settings: BTreeMap::new() });
        }
        self.settings(&mut topics)?;
        Ok(Cluster { brokers, topics })
    }

    /// Fills in settings. A topic whose settings may not be seen is taken out, as one that is not there.
    fn settings(&self, topics: &mut BTreeMap<String, Live>) -> Result<(), BrokerError> {
        let names: Vec<String> = topics.keys().cloned().collect();
        if names.is_empty() {
            return Ok(());
        }
        let asked: Vec<ResourceSpecifier<'_>> = names.iter().map(|name| ResourceSpecifier::Topic(name)).collect();
        let options = AdminOptions::new().request_timeout(Some(TIMEOUT));
        let described = pollster::block_on(self.admin.describe_configs(&asked, &options));
        for (described, name) in described.map_err(|error| self.no_answer(error))?.into_iter().zip(&names) {
            // The client has no error of a single topic: it gives one without entries instead.
            let entries = described.map(|resource| resource.entries).unwrap_or_default();
            match topics.get_mut(name) {
                Some(live) if !entries.is_empty() => {
                    live.settings = entries.into_iter().filter_map(|entry| Some((entry.name, entry.value?))).collect();
                }
                _ if INTERNAL.contains(&name.as_str()) => {}
                _ => drop(topics.remove(name)),
            }
        }
        Ok(())
    }

    fn no_answer(&self, error: KafkaError) -> BrokerError {
        BrokerError::NoAnswer { brokers: self.brokers.clone(), error }
    }
}

/// What would be right where a topic cannot be created.
fn right(code: RDKafkaErrorCode, wanted: &Wanted) -> String {
    match code {
        RDKafkaErrorCode::InvalidReplicationFactor => format!(
            "{} replicas take as many brokers; for a cluster of one, which is no production, give --dev",
            wanted.replicas
        ),
        RDKafkaErrorCode::TopicAuthorizationFailed | RDKafkaErrorCode::ClusterAuthorizationFailed => {
            format!(
                "grant Create on the topic {}, or let whoever may run what `--print kafka-topics` says",
                wanted.name
            )
        }
        _ => "see the broker's log".into(),
    }
}
