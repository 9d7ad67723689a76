//! A node of Apache Kafka.

use super::{Deadline, PATIENCE, jars, watch::Watch};
use rdkafka::{
    ClientConfig,
    consumer::{BaseConsumer, Consumer},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::{self, File},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::LazyLock,
    time::Duration,
};
use tempfile::TempDir;

static SHARED: LazyLock<Broker> = LazyLock::new(Broker::start);

/// Small, quick to start, and quick to notice that somebody is gone. One node, so one replica.
const SETTINGS: &str = "\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
auto.create.topics.enable=false
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
    port: u16,
    folder: TempDir,
    running: Option<Running>,
}

/// What a broker has beside what every one has.
#[derive(Default)]
pub(super) struct Extra {
    /// More settings.
    pub settings: String,
    /// Names and ports of more listeners.
    pub listeners: Vec<(&'static str, u16)>,
    /// More arguments for making its storage.
    pub format: Vec<String>,
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
        Self::start_with(&Extra { settings: more.into(), ..Extra::default() })
    }

    pub(super) fn start_with(extra: &Extra) -> Self {
        let folder = tempfile::Builder::new().prefix("maysend-kafka-").tempdir().expect("a temporary folder");
        // Both are held until both are known, so that they differ.
        let (broker, controller) = (free_port(), free_port());
        let ports = [&broker, &controller].map(|held| held.local_addr().expect("an address").port());
        drop((broker, controller));
        let [port, controller] = ports;
        let listeners = extra.listeners.iter().map(|(name, port)| format!(",{name}://127.0.0.1:{port}"));
        let (listeners, more) = (listeners.collect::<String>(), &extra.settings);
        let settings = format!(
            "{SETTINGS}{more}listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{listeners}\n\
             advertised.listeners=PLAINTEXT://127.0.0.1:{port}{listeners}\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
             log.dirs={}\n",
            folder.path().join("data").display()
        );
        fs::write(folder.path().join("server.properties"), settings).expect("its settings");
        let mut broker = Self { port, folder, running: None };
        broker.format(&extra.format);
        broker.restart();
        broker
    }

    /// Where clients find it.
    pub fn bootstrap(&self) -> String {
        format!("127.0.0.1:{}", self.port)
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
        self.stop();
        let log = File::options().append(true).create(true).open(self.log_path()).expect("its log");
        let mut java = self.java("kafka.Kafka");
        java.arg(self.settings_path()).stdout(log.try_clone().expect("its log")).stderr(log);
        let java = java.spawn().expect("java was there before");
        let watch = Watch::over(&java, Some(self.folder.path()));
        self.running = Some(Running { java, watch });
        self.wait_until_it_answers();
    }

    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn wait_until_it_answers(&mut self) {
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
        format
            .args(["format", "--cluster-id", "bWF5c2VuZC1mb3ItdGVzdA", "--config"])
            .arg(self.settings_path())
            .args(more);
        let output = format.output().unwrap_or_else(|error| {
            panic!("the tests of the stream run Apache Kafka, and `java` cannot be started: {error}; install a Java runtime of version 17 or later")
        });
        assert!(output.status.success(), "no storage for Kafka:\n{}", String::from_utf8_lossy(&output.stderr));
    }

    fn java(&self, class: &str) -> Command {
        let mut java = Command::new("java");
        java.args(["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
        java.arg(jars::folder().join("*")).arg(class).stdin(Stdio::null()).current_dir(self.folder.path());
        java
    }

    fn settings_path(&self) -> std::path::PathBuf {
        self.folder.path().join("server.properties")
    }

    fn log_path(&self) -> std::path::PathBuf {
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
