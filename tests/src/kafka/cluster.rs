//! Three nodes of Apache Kafka, of which one may be away.

use super::{
    Broker, Deadline, PATIENCE,
    broker::{Extra, Node},
};
use rdkafka::{
    ClientConfig,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, Consumer},
};
use std::time::Duration;

const NODES: usize = 3;

/// So many partitions have Kafka's own topics.
const INTERNAL_PARTITIONS: i32 = 4;

/// Two of three replicas must have a record before it is acknowledged. A node that is gone is noticed soon.
const SETTINGS: &str = "\
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
replica.lag.time.max.ms=3000
";

/// A cluster that runs.
pub struct Cluster {
    nodes: Vec<Broker>,
}

impl Cluster {
    /// A new one, which answers.
    pub fn start() -> Self {
        let all = Node::some(NODES);
        let node = |own: &Node| Broker::formatted(*own, &all, Extra { settings: SETTINGS.into(), ..Extra::default() });
        let mut nodes: Vec<Broker> = all.iter().map(node).collect();
        // None answers before there are two of them.
        nodes.iter_mut().for_each(Broker::launch);
        nodes.iter_mut().for_each(Broker::wait_until_it_answers);
        Self { nodes }
    }

    /// Where clients find it.
    pub fn bootstrap(&self) -> String {
        self.nodes.iter().map(Broker::bootstrap).collect::<Vec<_>>().join(",")
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// One of its nodes, from 0.
    pub fn node(&mut self, number: usize) -> &mut Broker {
        &mut self.nodes[number]
    }

    /// The number of the node that leads a partition.
    pub fn leader(&self, topic: &str, partition: i32) -> usize {
        let deadline = Deadline::patient();
        loop {
            let metadata = self.client().fetch_metadata(Some(topic), Duration::from_secs(5));
            let leader = metadata.ok().and_then(|metadata| {
                let partitions = metadata.topics().first()?.partitions();
                partitions.iter().find(|found| found.id() == partition).map(|found| found.leader())
            });
            match leader.and_then(|id| usize::try_from(id).ok()) {
                Some(id) if id > 0 => return id - 1,
                _ => assert!(!deadline.is_over(), "{topic}/{partition} had no leader for {PATIENCE:?}"),
            }
        }
    }

    /// The number of the node that coordinates a group or a transactional id: it leads the partition of Kafka's own topic
    /// that Java's hash of the name chooses.
    pub fn coordinator(&self, topic: &str, name: &str) -> usize {
        let hash = name.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
        self.leader(topic, hash.checked_abs().unwrap_or(0) % INTERNAL_PARTITIONS)
    }

    /// Waits until every partition has all its replicas, the cluster's own among them.
    pub fn wait_until_in_sync(&self) {
        let deadline = Deadline::patient();
        loop {
            let metadata = self.client().fetch_metadata(None, Duration::from_secs(5));
            let is_whole = |metadata: &rdkafka::metadata::Metadata| {
                let partitions = metadata.topics().iter().flat_map(|topic| topic.partitions());
                partitions.map(|partition| partition.isr().len()).all(|replicas| replicas == NODES)
            };
            if metadata.is_ok_and(|metadata| metadata.brokers().len() == NODES && is_whole(&metadata)) {
                return;
            }
            assert!(!deadline.is_over(), "replicas were behind for {PATIENCE:?}");
        }
    }

    fn client(&self) -> BaseConsumer {
        ClientConfig::new()
            .set("bootstrap.servers", self.bootstrap())
            .set_log_level(RDKafkaLogLevel::Emerg)
            .create()
            .expect("a client")
    }
}
