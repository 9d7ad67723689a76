//! The clients: one consumer, a producer for reservations and one for transactions, set as the guarantees need it.

pub mod access;
pub mod connection;
pub mod delivery;
pub mod failure;
pub mod publish;
pub mod retry;
pub mod says;

use super::StreamError;
use crate::config::{Config, ORDINAL, Sasl, Start};
use connection::{Asking, Connection, Context, Login, LoginError};
use delivery::{Producer, Reporting};
use rdkafka::{
    admin::AdminClient,
    config::{ClientConfig, RDKafkaLogLevel},
    error::KafkaError,
    producer::Producer as _,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How long one question of [`Clients::connect`] may take, so that a refusal is noticed soon.
const ASK: Duration = Duration::from_millis(500);

/// Why the clients cannot be set up. Holds no secret and no text.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// librdkafka refuses an option.
    #[error("librdkafka refuses the configuration: {0}{hint}", hint = hint(.0))]
    Client(#[from] KafkaError),
    /// Nobody says which of its like this process is.
    #[error(
        "no ordinal: set `ordinal` under [kafka], or {ORDINAL}, to 0, 1, 2, …, one for each process and stable over restarts"
    )]
    NoOrdinal,
    /// Nobody can log in.
    #[error("{0}")]
    Login(#[from] LoginError),
    /// The client has no administrator that could log in with a token.
    #[error(
        "this cannot be done while logged in with a token: the client library hands none to its administrator; use Kafka's own tools, as `maysend topics --print kafka-topics` prints them, or `mechanism = \"SCRAM-SHA-512\"` in a configuration for administrators"
    )]
    NoAdministrator,
}

/// Where to look when librdkafka cannot open a key: it names its own option, and not the password.
fn hint(error: &KafkaError) -> &'static str {
    let said = error.to_string();
    if said.contains("ssl.keystore.location") {
        "; see whether MAYSEND_KAFKA_SSL_KEYSTORE_PASSWORD holds the password of that file"
    } else if said.contains("ssl.key.location") {
        "; see `key_file` under [kafka.security], and if it is encrypted, whether MAYSEND_KAFKA_SSL_KEY_PASSWORD holds its password"
    } else {
        ""
    }
}

/// Makes the clients of one process.
#[derive(Clone, Debug)]
pub struct Clients {
    config: Arc<Config>,
    name: String,
    login: Arc<Login>,
    connection: Connection,
}

impl Clients {
    /// For the process of the configured ordinal.
    ///
    /// # Errors
    /// There is no ordinal, or nobody can log in with what there is.
    pub fn new(config: Arc<Config>) -> Result<Self, SetupError> {
        let ordinal = config.kafka.ordinal.ok_or(SetupError::NoOrdinal)?;
        let name = format!("{}-{ordinal}", config.kafka.group);
        Self::named(config, name)
    }

    /// For a command beside the processes, which is none of them and needs no ordinal.
    ///
    /// # Errors
    /// Nobody can log in with what there is.
    pub fn beside(config: Arc<Config>, command: &str) -> Result<Self, SetupError> {
        let name = format!("{}-{command}", config.kafka.group);
        Self::named(config, name)
    }

    fn named(config: Arc<Config>, name: String) -> Result<Self, SetupError> {
        let login = Arc::new(Login::new(&config.kafka.security)?);
        if let Some(warning) = config.kafka.security.warning() {
            tracing::warn!("{warning}");
        }
        let connection = Connection::new(config.kafka.security.clone());
        Ok(Self { config, name, login, connection })
    }

    /// What all clients share.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What the context of a client with something of its own is.
    pub fn context<T>(&self, own: T) -> Context<T> {
        Context { connection: self.connection.clone(), own }
    }

    /// The name under which this process's transactions are written.
    pub fn transactional_id(&self) -> &str {
        &self.name
    }

    /// Waits until a broker answers.
    ///
    /// # Errors
    /// None does within this time, or one refuses this client: that is not tried again.
    pub fn connect(&self, producer: &Producer, timeout: Duration) -> Result<(), StreamError> {
        let deadline = Instant::now() + timeout;
        // A topic is named because the answer for all of a large cluster's is long; which one does not matter.
        while let Err(error) = producer.client().fetch_metadata(Some(&self.config.kafka.topic_prefix), ASK) {
            if let Some(refusal) = self.connection.refused() {
                return Err(refusal.into());
            }
            if Instant::now() >= deadline {
                let last = self.connection.away().unwrap_or_else(|| error.to_string());
                return Err(StreamError::Away { brokers: self.config.kafka.brokers.clone(), timeout, last });
            }
        }
        self.connection.established();
        Ok(())
    }

    /// The consumer's configuration. A rebalance moves only the partitions that it has to; nothing is committed but by
    /// transactions; an offset that is gone is an error, never skipped.
    pub fn consumer(&self) -> ClientConfig {
        let stream = &self.config.stream;
        let mut client = self.base("consumer");
        client
            .set("group.id", &self.config.kafka.group)
            .set("group.instance.id", &self.name)
            .set("group.protocol", "classic")
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", stream.session_timeout.as_millis().to_string())
            .set("heartbeat.interval.ms", (stream.session_timeout.as_millis() / 10).max(100).to_string())
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "error")
            .set("isolation.level", "read_committed")
            .set("statistics.interval.ms", "1000")
            // A broker sends a record that is larger than what was asked for; one that the client then refused to take
            // in would be asked for again and again.
            .set("receive.message.max.bytes", i32::MAX.to_string())
            .set("queued.min.messages", "1000")
            // A partition whose queue was full is fetched again after this time. By default that is a second, and each
            // partition then brings a second's worth of one queue.
            .set("fetch.queue.backoff.ms", "20")
            .set("queued.max.messages.kbytes", (stream.limits.in_flight_bytes / 1024).max(1024).to_string());
        client
    }

    /// The consumer group.
    pub fn group(&self) -> &str {
        &self.config.kafka.group
    }

    /// A member of the group without a name of its own, which leaves it when it is closed.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn passing_member(&self) -> Result<Asking, SetupError> {
        let mut client = self.outside();
        client.set("group.protocol", "classic").set("partition.assignment.strategy", "cooperative-sticky");
        Ok(client.create_with_context(self.context(()))?)
    }

    /// A client that reads what the group has committed and is no member. While a member waits to join again, which can
    /// take a session's time, nothing else of its own is answered.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn offsets(&self) -> Result<Asking, SetupError> {
        Ok(self.outside().create_with_context(self.context(()))?)
    }

    fn outside(&self) -> ClientConfig {
        let mut client = self.base("offsets");
        client
            .set("group.id", &self.config.kafka.group)
            .set("enable.auto.commit", "false")
            .set("isolation.level", "read_committed");
        client
    }

    /// How long a topic that is followed may not answer.
    pub fn stale_after(&self) -> Duration {
        self.config.stream.stale_after
    }

    /// A client that reads whole topics outside the group.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn reader(&self) -> Result<Asking, SetupError> {
        Ok(self.whole_topics().create_with_context(self.context(()))?)
    }

    /// The same for what is not committed too, or never was.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn reader_of_uncommitted(&self) -> Result<Asking, SetupError> {
        let mut client = self.whole_topics();
        Ok(client.set("isolation.level", "read_uncommitted").create_with_context(self.context(()))?)
    }

    fn whole_topics(&self) -> ClientConfig {
        let mut client = self.outside();
        // The broker holds an answer back for as long as there is nothing new, and the end is known only by its answer.
        client.set("auto.offset.reset", "error").set("enable.partition.eof", "true").set("fetch.wait.max.ms", "100");
        client
    }

    /// The group that reads `usage`.
    pub fn usage_group(&self) -> String {
        format!("{}-usage", self.config.kafka.group)
    }

    /// A member of the group that reads `usage`: each record once is enough for all processes, so
    /// it is another group than that of transcripts. A record counts as read once its consequence is acknowledged.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn usage(&self) -> Result<Asking, SetupError> {
        let stream = &self.config.stream;
        let mut client = self.base("usage");
        client
            .set("group.id", self.usage_group())
            .set("group.protocol", "classic")
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", stream.session_timeout.as_millis().to_string())
            .set("heartbeat.interval.ms", (stream.session_timeout.as_millis() / 10).max(100).to_string())
            .set("enable.auto.commit", "true")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "earliest")
            .set("isolation.level", "read_committed")
            .set("queued.min.messages", "1000")
            .set("queued.max.messages.kbytes", "4096");
        Ok(client.create_with_context(self.context(()))?)
    }

    /// The producer for what is kept for ever beside reservations: rulesets and contradictions. Idempotent, acknowledged
    /// by all replicas, outside any transaction.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn kept(&self) -> Result<Producer, SetupError> {
        Ok(self.producer("kept").create_with_context(self.context(Reporting))?)
    }

    /// The producer for reservations: idempotent, acknowledged by all replicas, outside any transaction.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn reservations(&self) -> Result<Producer, SetupError> {
        Ok(self.producer("reservations").create_with_context(self.context(Reporting))?)
    }

    /// The producer for everything else, in transactions. One process of the same ordinal fences the other.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn transactions(&self) -> Result<Producer, SetupError> {
        let mut client = self.producer("transactions");
        client
            .set("transactional.id", &self.name)
            .set("transaction.timeout.ms", self.config.stream.transaction_timeout.as_millis().to_string());
        Ok(client.create_with_context(self.context(Reporting))?)
    }

    /// The largest batch of several records that a producer makes, in bytes.
    pub fn batch_bytes(&self) -> usize {
        self.config.kafka.batch_bytes()
    }

    /// An administrator. It says nothing of a refusal, so [`connect`](Self::connect) first.
    ///
    /// # Errors
    /// librdkafka refuses an option, or this process logs in with a token, which the administrator of rust-rdkafka 0.39
    /// never asks for (rust-rdkafka#757).
    pub fn admin(&self) -> Result<AdminClient<Context<()>>, SetupError> {
        match self.config.kafka.security.sasl {
            Some(Sasl::Token { .. }) => Err(SetupError::NoAdministrator),
            _ => Ok(self.base("admin").create_with_context(self.context(()))?),
        }
    }

    fn producer(&self, purpose: &str) -> ClientConfig {
        let mut client = self.base(purpose);
        client
            .set("enable.idempotence", "true")
            .set("acks", "all")
            .set("message.timeout.ms", self.config.stream.message_timeout.as_millis().to_string())
            // The records of a batch are handed over at once: more would not come.
            .set("linger.ms", "1")
            // More than the largest output: what a topic allows is what decides.
            .set("message.max.bytes", (160 << 20).to_string())
            .set("queue.buffering.max.messages", "1000000")
            .set("queue.buffering.max.kbytes", (1 << 20).to_string());
        client
    }

    fn base(&self, purpose: &str) -> ClientConfig {
        let mut client = ClientConfig::new();
        for (key, value) in &self.config.kafka.options {
            client.set(key, value);
        }
        self.login.apply(&mut client);
        client
            .set("bootstrap.servers", &self.config.kafka.brokers)
            .set("client.id", format!("{}-{purpose}", self.name))
            // A producer that only asks for a topic has the broker make it, with the broker's defaults: reservations would
            // be gone after a week.
            .set("allow.auto.create.topics", "false")
            .set_log_level(RDKafkaLogLevel::Warning);
        client
    }

    /// Where a partition is read from that has nothing committed.
    pub fn start(&self) -> rdkafka::Offset {
        match self.config.kafka.start {
            Start::Earliest => rdkafka::Offset::Beginning,
            Start::Latest => rdkafka::Offset::End,
        }
    }
}
