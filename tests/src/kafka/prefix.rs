//! Topics, a group and a configuration of one test's own.

use super::{
    Follower, Gate, History, Isolation, New, PATIENCE, Record, client,
    client::Writer,
    history::{Erased, OUTPUTS, source},
};
use crate::{Patterns, Program, maysend};
use jiff::Timestamp;
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};
use tempfile::TempDir;

/// A canary: a string that stands in transcripts and must stand nowhere else.
pub const CANARY: &str = "kanarievogel";

static NEXT: AtomicU32 = AtomicU32::new(0);

/// The topics of one test, and the configuration of the processes that work on them.
pub struct Prefix {
    bootstrap: String,
    name: String,
    partitions: i32,
    folder: TempDir,
    stream: String,
    kafka: String,
    /// Where the program finds the brokers, if elsewhere than the test does.
    program_brokers: Option<String>,
    http: String,
    dev: bool,
    started: Cell<u32>,
    last_start: Cell<Option<Timestamp>>,
}

impl Prefix {
    /// A name that no other test has, with four partitions; nothing is made yet.
    pub fn new(bootstrap: &str, name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("maysend-stream-").tempdir().expect("a temporary folder");
        let patterns = Patterns::copied_to(&folder.path().join("patterns"));
        // The stream decides for now, whenever that is: the example evidence must not have run out.
        let destinations = patterns.read("destinations.toml");
        patterns
            .write("destinations.toml", &destinations.replace("valid_until = 2027-06-30", "valid_until = 2199-12-31"));
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        Self {
            bootstrap: bootstrap.into(),
            name: format!("{name}-{}-{number}", std::process::id()),
            partitions: 4,
            folder,
            stream: "batch_age_ms = 50\n".into(),
            kafka: String::new(),
            program_brokers: None,
            // Any port: many run at once.
            http: "listen = \"127.0.0.1:0\"\n".into(),
            dev: true,
            started: Cell::new(0),
            last_start: Cell::new(None),
        }
    }

    /// With so many partitions.
    pub fn partitions(mut self, partitions: i32) -> Self {
        self.partitions = partitions;
        self
    }

    /// With more lines under `[stream]`.
    pub fn stream(mut self, lines: &str) -> Self {
        self.stream += lines;
        self.stream += "\n";
        self
    }

    /// With more lines under `[kafka]`.
    pub fn kafka(mut self, lines: &str) -> Self {
        self.kafka += lines;
        self.kafka += "\n";
        self
    }

    /// With these lines under `[kafka]` in place of those from before.
    pub fn only_kafka(mut self, lines: &str) -> Self {
        self.kafka = format!("{lines}\n");
        self
    }

    /// With the brokers at another address for the program than for the test.
    pub fn program_at(mut self, brokers: &str) -> Self {
        self.program_brokers = Some(brokers.into());
        self
    }

    /// With these lines under `[http]`, in place of any free port.
    pub fn http(mut self, lines: &str) -> Self {
        self.http = format!("{lines}\n");
        self
    }

    /// With times that let the group notice within seconds that a member is silent.
    pub fn impatient(self) -> Self {
        self.stream(
            "session_timeout_ms = 6000\ntransaction_timeout_ms = 5000\nmessage_timeout_ms = 4000\ndrain_timeout_ms = 3000",
        )
    }

    /// With topics as they must be in production: three replicas.
    pub fn replicated(mut self) -> Self {
        self.dev = false;
        self
    }

    /// Creates the topics as a user does.
    #[track_caller]
    pub fn create(self) -> Self {
        let partitions = self.partitions.to_string();
        let dev = self.dev.then_some("--dev");
        let create = maysend(["topics", "--create", "--partitions", &partitions]).args(dev).args(["--config"]);
        create.args([self.config(0)]).run().exits(0);
        self
    }

    /// The ruleset, to be edited.
    pub fn patterns(&self) -> Patterns {
        Patterns::at(&self.folder.path().join("patterns"))
    }

    /// Where clients find the broker.
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// The topic that is read.
    pub fn input(&self) -> &str {
        &self.name
    }

    /// The topic of an output.
    pub fn topic(&self, output: &str) -> String {
        format!("{}.{output}", self.name)
    }

    /// The group.
    pub fn group(&self) -> &str {
        &self.name
    }

    /// The folder with the configuration and with what processes say.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The configuration file of the process with this number.
    pub fn config(&self, ordinal: u32) -> PathBuf {
        let path = self.folder.path().join(format!("maysend-{ordinal}.toml"));
        let Self { name, kafka, stream, http, .. } = self;
        let bootstrap = self.program_brokers.as_ref().unwrap_or(&self.bootstrap);
        let patterns = self.folder.path().join("patterns");
        let text = format!(
            "[kafka]\nbrokers = \"{bootstrap}\"\ngroup = \"{name}\"\ntopic_prefix = \"{name}\"\nordinal = {ordinal}\n{kafka}\
             [stream]\n{stream}[http]\n{http}[ruleset]\nfolder = {:?}\n",
            patterns.display().to_string()
        );
        fs::write(&path, text).expect("its configuration");
        path
    }

    /// The program that runs the stream, not yet started.
    pub fn program(&self, ordinal: u32) -> Program {
        maysend(["run", "--config"]).args([self.config(ordinal)]).with_key()
    }

    /// Starts a process.
    pub fn gate(&self, ordinal: u32) -> Gate {
        self.start(ordinal, self.program(ordinal))
    }

    /// Starts a process that dies at a named place: `before_commit:2` at the second time.
    pub fn gate_dying_at(&self, ordinal: u32, place: &str) -> Gate {
        self.start(ordinal, self.program(ordinal).env("MAYSEND_DIE_AT", place))
    }

    /// Starts a process that stands still at a named place until it is sent SIGCONT.
    pub fn gate_pausing_at(&self, ordinal: u32, place: &str) -> Gate {
        self.start(ordinal, self.program(ordinal).env("MAYSEND_PAUSE_AT", place))
    }

    /// Waits until the group is as wanted, given its state and the number of its members.
    #[track_caller]
    pub fn wait_for_group(&self, wanted: impl Fn(&str, usize) -> bool) {
        let group = client::Group::new(&self.bootstrap, self.group());
        // A follower that waits for records sets the pace.
        let mut follower = Follower::new(&self.bootstrap, self.input(), Isolation::Committed);
        let deadline = super::Deadline::patient();
        loop {
            let (state, members) = group.now();
            if wanted(&state, members) {
                return;
            }
            assert!(!deadline.is_over(), "the group is {state} with {members} members after {PATIENCE:?}");
            follower.poll(Duration::from_millis(20));
        }
    }

    /// How many members the group has now.
    pub fn members(&self) -> usize {
        client::Group::new(&self.bootstrap, self.group()).now().1
    }

    /// Waits until the group is stable with so many members.
    #[track_caller]
    pub fn wait_for_members(&self, count: usize) {
        self.wait_for_group(|state, members| state == "Stable" && members == count);
    }

    /// Starts a program as one of the processes.
    pub fn start(&self, ordinal: u32, program: Program) -> Gate {
        let number = self.started.replace(self.started.get() + 1);
        self.last_start.set(Some(Timestamp::now()));
        Gate::start(program, self.folder.path(), &format!("gate-{ordinal}-{number}"))
    }

    /// Writes to the topic that is read.
    #[track_caller]
    pub fn produce(&self, records: impl IntoIterator<Item = New>) {
        self.writer().write(records);
    }

    /// Writes to the topic that is read.
    pub fn writer(&self) -> Writer {
        Writer::new(&self.bootstrap, self.input())
    }

    /// All records of an output that are committed.
    pub fn committed(&self, output: &str) -> Vec<Record> {
        client::read(&self.bootstrap, &self.topic(output), Isolation::Committed)
    }

    /// What the group has committed.
    pub fn offsets(&self) -> BTreeMap<i32, i64> {
        client::committed(&self.bootstrap, self.group(), self.input())
    }

    /// Follows the committed decisions.
    pub fn decided(&self) -> Decided {
        Decided {
            follower: Follower::new(&self.bootstrap, &self.topic("decisions"), Isolation::Committed),
            sources: BTreeSet::new(),
        }
    }

    /// Waits until so many input records are decided and committed, while these processes run.
    #[track_caller]
    pub fn wait_for(&self, decided: usize, gates: &mut [&mut Gate]) {
        self.decided().wait_for(decided, gates);
    }

    /// Everything that happened. The processes must have ended.
    pub fn history(&self) -> History {
        let outputs = |isolation| {
            let of = |name: &&'static str| (*name, client::read(&self.bootstrap, &self.topic(name), isolation));
            OUTPUTS.iter().map(of).collect()
        };
        let mut said = Vec::new();
        for name in crate::names_in(self.folder.path()) {
            if name.ends_with(".out") || name.ends_with(".err") {
                let bytes = fs::read(self.folder.path().join(&name)).expect("what was said");
                said.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        History {
            input: client::read(&self.bootstrap, self.input(), Isolation::Committed),
            committed: outputs(Isolation::Committed),
            uncommitted: outputs(Isolation::Uncommitted),
            offsets: self.offsets(),
            refused: vec!["labs-free".into(), "nowhere".into()],
            personal: vec!["111222333".into(), "jan.jansen@example.nl".into()],
            canaries: vec![CANARY.into()],
            erased: self.committed("erasures").iter().filter_map(|r| Erased::of(r, self.last_start.get())).collect(),
            said,
            ..History::default()
        }
    }
}

/// The input records that are decided and committed.
pub struct Decided {
    follower: Follower,
    sources: BTreeSet<(i32, i64)>,
}

impl Decided {
    /// Takes in what comes within this time, and says how many there are in all.
    pub fn poll(&mut self, time: Duration) -> usize {
        if let Some(record) = self.follower.poll(time) {
            self.sources.extend(source(&record.json()));
        }
        self.sources.len()
    }

    /// Waits until there are so many, while these processes run.
    #[track_caller]
    pub fn wait_for(&mut self, count: usize, gates: &mut [&mut Gate]) {
        let deadline = super::Deadline::patient();
        while self.poll(Duration::from_millis(100)) < count {
            let all = self.sources.len();
            for gate in gates.iter_mut() {
                assert!(
                    gate.is_running(),
                    "{all} of {count} were decided when a process ended; it says:\n{}",
                    gate.says()
                );
            }
            let says = || gates.iter().map(|gate| gate.says()).collect::<Vec<_>>().join("\n");
            assert!(!deadline.is_over(), "{all} of {count} were decided in {PATIENCE:?}; they say:\n{}", says());
        }
    }
}
