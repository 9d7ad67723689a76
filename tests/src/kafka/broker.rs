//! A node of Apache Kafka.

use super::{Deadline, PATIENCE, disk::Disk, jars};
use crate::watch::Watch;
use rdkafka::{
    ClientConfig,
    consumer::{BaseConsumer, Consumer},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    env,
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// `host:port` of a broker to use in place of one that the tests start. Those that stop or kill a broker, or need it set
/// otherwise, start their own all the same. It needs the settings of groups and transactions that theirs have.
pub const EXISTING: &str = "MAYSEND_TEST_KAFKA";

static SHARED: LazyLock<Broker> = LazyLock::new(|| match env::var(EXISTING) {
    Ok(address) => Broker::existing(address),
    Err(_) => Broker::start(),
});

/// Small, quick to start, and quick to notice that somebody is gone. One node, so one replica. Topics that clients ask for
/// are made, as Apache Kafka does unless it is told otherwise.
const SETTINGS: &str = "\
process.roles=broker,controller
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
auto.create.topics.enable=true
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
transaction.abort.timed.out.transaction.cleanup.interval.ms=200
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
message.max.bytes=8388608
log.index.size.max.bytes=131072
log.cleaner.dedupe.buffer.size=8388608
num.network.threads=2
num.io.threads=4
";

/// A node that runs.
pub struct Broker {
    address: String,
    folder: TempDir,
    disk: Option<Disk>,
    running: Option<Running>,
}

/// What a node has beside what every one has.
#[derive(Default)]
pub(super) struct Extra {
    /// More settings.
    pub settings: String,
    /// Names and ports of more listeners.
    pub listeners: Vec<(&'static str, u16)>,
    /// More arguments for making its storage.
    pub format: Vec<String>,
    /// A disk of its own.
    pub disk: Option<Disk>,
}

/// Who a node is among those of its cluster, and its ports.
#[derive(Clone, Copy)]
pub(super) struct Node {
    id: usize,
    port: u16,
    controller: u16,
}

impl Node {
    /// So many nodes of one cluster, on free ports.
    pub(super) fn some(count: usize) -> Vec<Self> {
        // All are held until all are known, so that they differ.
        let held: Vec<(TcpListener, TcpListener)> = (0..count).map(|_| (free_port(), free_port())).collect();
        let port = |held: &TcpListener| held.local_addr().expect("an address").port();
        held.iter().zip(1..).map(|((one, two), id)| Self { id, port: port(one), controller: port(two) }).collect()
    }
}

struct Running {
    java: Child,
    watch: Watch,
}

impl Broker {
    /// The one that tests share which do it no harm. It ends with the tests' process.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    /// A new one, which answers.
    pub fn start() -> Self {
        Self::with("")
    }

    /// A new one with more settings.
    pub fn with(more: &str) -> Self {
        Self::start_with(Extra { settings: more.into(), ..Extra::default() })
    }

    /// A new one that keeps its records on this disk.
    pub fn on(disk: Disk) -> Self {
        Self::start_with(Extra { disk: Some(disk), ..Extra::default() })
    }

    pub(super) fn start_with(extra: Extra) -> Self {
        let nodes = Node::some(1);
        let mut broker = Self::formatted(nodes[0], &nodes, extra);
        broker.restart();
        broker
    }

    /// One that is not started yet.
    pub(super) fn formatted(own: Node, all: &[Node], extra: Extra) -> Self {
        let folder = tempfile::Builder::new().prefix("maysend-kafka-").tempdir().expect("a temporary folder");
        let listeners = extra.listeners.iter().map(|(name, port)| format!(",{name}://127.0.0.1:{port}"));
        let (listeners, more) = (listeners.collect::<String>(), &extra.settings);
        let voters: Vec<String> =
            all.iter().map(|Node { id, controller, .. }| format!("{id}@127.0.0.1:{controller}")).collect();
        let Node { id, port, controller } = own;
        let data = extra.disk.as_ref().map_or_else(|| folder.path().to_owned(), |disk| disk.folder().to_owned());
        let settings = format!(
            "{SETTINGS}{more}node.id={id}\n\
             listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{listeners}\n\
             advertised.listeners=PLAINTEXT://127.0.0.1:{port}{listeners}\ncontroller.quorum.voters={}\n\
             log.dirs={}\n",
            voters.join(","),
            data.join("data").display()
        );
        fs::write(folder.path().join("server.properties"), settings).expect("its settings");
        let broker = Self { address: format!("127.0.0.1:{port}"), folder, disk: extra.disk, running: None };
        broker.format(&extra.format);
        broker
    }

    /// One that somebody else runs.
    fn existing(address: String) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { address, folder, disk: None, running: None }
    }

    /// Where clients find it.
    pub fn bootstrap(&self) -> String {
        self.address.clone()
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end(Signal::TERM);
        }
    }

    /// Kills it, as a power cut would.
    pub fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.end(Signal::KILL);
        }
    }

    /// Lets it stand still, or go on.
    pub fn signal(&self, signal: Signal) {
        let running = self.running.as_ref().expect("it runs");
        kill_process(Pid::from_child(&running.java), signal).expect("it runs");
    }

    /// Starts it again with what it had, and waits until it answers.
    pub fn restart(&mut self) {
        self.launch();
        self.wait_until_it_answers();
    }

    /// Starts it, and does not wait.
    pub(super) fn launch(&mut self) {
        self.stop();
        let log = File::options().append(true).create(true).open(self.log_path()).expect("its log");
        let mut java = self.java("kafka.Kafka");
        java.arg(self.settings_path()).stdout(log.try_clone().expect("its log")).stderr(log);
        let java = java.spawn().expect("java was there before");
        let watch = Watch::over(&java, Some(self.folder.path()));
        self.running = Some(Running { java, watch });
    }

    /// Its disk, where it has one of its own.
    pub fn disk(&self) -> &Disk {
        self.disk.as_ref().expect("it was started on a disk of its own")
    }

    /// Waits for it to end by itself.
    pub fn end(&mut self) {
        let deadline = Deadline::patient();
        let mut running = self.running.take().expect("it runs");
        while running.java.try_wait().expect("its state").is_none() {
            assert!(!deadline.is_over(), "Apache Kafka did not end in {PATIENCE:?}:\n{}", self.log());
            thread::yield_now();
        }
    }

    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    pub(super) fn wait_until_it_answers(&mut self) {
        let client: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", self.bootstrap())
            .set("reconnect.backoff.ms", "20")
            .set("reconnect.backoff.max.ms", "200")
            .set_log_level(rdkafka::config::RDKafkaLogLevel::Emerg)
            .create()
            .expect("a client");
        let deadline = Deadline::patient();
        while client.fetch_metadata(None, Duration::from_secs(1)).is_err() {
            let running = self.running.as_mut().expect("just started");
            let ended = running.java.try_wait().expect("its state");
            assert!(ended.is_none(), "Apache Kafka has ended:\n{}", self.log());
            assert!(!deadline.is_over(), "Apache Kafka did not answer in {PATIENCE:?}:\n{}", self.log());
        }
    }

    fn format(&self, more: &[String]) {
        let mut format = self.java("kafka.tools.StorageTool");
        format.args(["format", "--cluster-id", "bWF5c2VuZC1mb3ItdGVzdA", "--config"]).arg(self.settings_path());
        format.args(more);
        let output = format.output().unwrap_or_else(|error| {
            panic!("the tests of the stream run Apache Kafka, and `java` cannot be started: {error}; install a Java runtime of version 17 or later")
        });
        assert!(output.status.success(), "no storage for Kafka:\n{}", String::from_utf8_lossy(&output.stderr));
    }

    fn java(&self, class: &str) -> Command {
        let mut java = match &self.disk {
            None => Command::new("java"),
            Some(disk) => disk.command("java"),
        };
        java.args(["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
        java.arg(jars::folder().join("*")).arg(class).stdin(Stdio::null()).current_dir(self.folder.path());
        java
    }

    fn settings_path(&self) -> PathBuf {
        self.folder.path().join("server.properties")
    }

    fn log_path(&self) -> PathBuf {
        self.folder.path().join("broker.log")
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Running {
    fn end(mut self, signal: Signal) {
        let pid = Pid::from_child(&self.java);
        let _ = kill_process(pid, signal);
        self.java.wait().expect("it ends");
        drop(self.watch);
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(super) fn free_port() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port")
}
