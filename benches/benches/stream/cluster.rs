//! Topics of one run, and the process that works on them.

use crate::{cores::of_ticks, rulesets};
use maysend_tests::kafka::{Broker, New, client::Writer};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// The program, built as it is deployed.
const PROGRAM: &str = env!("CARGO_BIN_EXE_maysend-measured");

/// Partitions of every topic.
const PARTITIONS: usize = 6;

/// Whether there is anything to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// The same ruleset without patterns.
    Off,
    /// The reviewed ruleset.
    On,
}

impl Detection {
    /// `off` or `on`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
        }
    }
}

/// Topics of one run's own.
pub struct Run<'b> {
    broker: &'b Broker,
    folder: TempDir,
    /// The topic that is read; also the group's name.
    pub topic: String,
}

impl<'b> Run<'b> {
    /// Creates the topics.
    pub fn new(broker: &'b Broker, name: &str, detection: Detection) -> Self {
        let folder = tempfile::Builder::new().prefix("maysend-bench-").tempdir().expect("a temporary folder");
        let patterns = folder.path().join("patterns");
        match detection {
            Detection::On => rulesets::reviewed(&patterns),
            Detection::Off => rulesets::without_detection(&patterns),
        }
        let run = Self { broker, folder, topic: name.into() };
        let config = format!(
            "[kafka]\nbrokers = \"{}\"\ngroup = \"{name}\"\ntopic_prefix = \"{name}\"\nordinal = 0\n[stream]\nenforce = true\n[ruleset]\nfolder = {:?}\n",
            broker.bootstrap(),
            patterns.display().to_string()
        );
        fs::write(run.config(), config).expect("its configuration");
        let partitions = PARTITIONS.to_string();
        let topics = ["topics", "--create", "--dev", "--partitions", &partitions, "--config"];
        let made = Command::new(PROGRAM).args(topics).arg(run.config()).stdout(Stdio::null()).status();
        assert!(made.expect("the program starts").success(), "the topics were not created");
        run
    }

    /// Where clients find the broker.
    pub fn bootstrap(&self) -> String {
        self.broker.bootstrap()
    }

    /// Writes records, in turn to each partition, and returns once they are acknowledged.
    pub fn write(&self, records: &[Vec<u8>]) {
        let new = |(n, record): (usize, &Vec<u8>)| New::value(record.clone()).to((n % PARTITIONS) as i32);
        Writer::new(&self.bootstrap(), &self.topic).write(records.iter().enumerate().map(new));
    }

    /// The partition of the record with this number.
    pub fn partition_of(n: usize) -> i32 {
        (n % PARTITIONS) as i32
    }

    /// Starts the program.
    pub fn start(&self) -> Process {
        let log = fs::File::create(self.folder.path().join("log")).expect("a file for what it says");
        let mut command = Command::new(PROGRAM);
        command.args(["run", "--config"]).arg(self.config()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Process { child: command.spawn().expect("the program starts"), log: self.folder.path().join("log") }
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("maysend.toml")
    }
}

/// The program while it runs. Dropping it kills it.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Fails if it has ended.
    pub fn must_run(&mut self) {
        let ended = self.child.try_wait().expect("its state");
        assert!(ended.is_none(), "the program ended:\n{}", fs::read_to_string(&self.log).unwrap_or_default());
    }

    /// The most memory that it had at once, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number of kB") * 1024
    }

    /// Processor time of all its threads so far, in the program and for it in the kernel.
    pub fn processor_time(&self) -> Duration {
        let stat = self.proc("stat");
        // The name, in parentheses, may hold anything; user and system time are the 12th and 13th after it.
        let after = stat.rsplit_once(") ").expect("a name in parentheses").1;
        let ticks: u64 = after.split(' ').skip(11).take(2).map(|n| n.parse::<u64>().expect("ticks")).sum();
        of_ticks(ticks)
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("it runs");
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "the program failed:\n{}", fs::read_to_string(&self.log).unwrap_or_default());
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join(file)).expect("it runs")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
