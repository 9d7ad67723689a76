//! The program in the middle of its work, held there by its standard input.
//!
//! A pipe takes a limited number of bytes that nobody has read. So once many more were written to the program's
//! standard input, it is known to have started, to have made its files and to be reading, without any waiting.

use crate::program::{self, Program, Ran};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::Write,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// More than any pipe holds.
pub const MORE_THAN_A_PIPE: usize = 2 << 20;

/// So long a program may take to end before a test fails; one that works takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that runs.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Running {
    /// Starts it, with a pipe for standard input.
    pub fn start(mut program: Program) -> Self {
        let mut child = program.command.stdin(Stdio::piped()).spawn().expect("the program starts");
        let stdin = child.stdin.take();
        Self { child, stdin }
    }

    /// Writes to its standard input. Returns once the program has taken all but what a pipe holds.
    pub fn write(&mut self, bytes: &[u8]) -> &mut Self {
        self.stdin.as_mut().expect("open").write_all(bytes).expect("the program reads");
        self
    }

    /// Writes whole lines until the program must have read some of them.
    pub fn write_until_it_reads(&mut self, lines: &[u8]) -> &mut Self {
        let mut written = 0;
        while written < MORE_THAN_A_PIPE {
            self.write(lines);
            written += lines.len();
        }
        self
    }

    /// Sends it a signal.
    pub fn signal(&mut self, signal: Signal) -> &mut Self {
        kill_process(self.pid(), signal).expect("the program runs");
        self
    }

    /// The most memory that it had at once so far, in bytes.
    pub fn peak_memory(&self) -> u64 {
        program::peak_memory(self.child.id())
    }

    /// A line of its resource limits, by how it begins.
    pub fn limit(&self, name: &str) -> String {
        let limits = fs::read_to_string(format!("/proc/{}/limits", self.child.id())).expect("the program runs");
        limits.lines().find(|line| line.starts_with(name)).expect("a limit of that name").to_owned()
    }

    /// Ends its standard input and waits for it to end.
    pub fn finish(mut self) -> Ran {
        self.stdin = None;
        self.end()
    }

    /// Waits for it to end while its standard input stays open.
    pub fn end(self) -> Ran {
        let Self { child, stdin } = self;
        let pid = Pid::from_child(&child);
        let (done, ended) = mpsc::channel();
        let waiting = thread::spawn(move || {
            let output = child.wait_with_output();
            let _ = done.send(());
            output
        });
        let in_time = ended.recv_timeout(PATIENCE).is_ok();
        if !in_time {
            let _ = kill_process(pid, Signal::KILL);
        }
        let output = waiting.join().expect("waiting does not panic").expect("its output can be read");
        drop(stdin);
        assert!(in_time, "the program did not end");
        Ran::from(output)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}
