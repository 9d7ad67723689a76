//! A process that runs the stream.

use super::{Deadline, PATIENCE};
use crate::{
    program::{self, Program, Ran},
    watch::Watch,
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::mpsc,
    thread,
    time::Duration,
};

/// A `maysend run` that was started. Dropping it kills it.
pub struct Gate {
    pid: Pid,
    ended: mpsc::Receiver<ExitStatus>,
    status: Option<ExitStatus>,
    out: PathBuf,
    err: PathBuf,
}

impl Gate {
    /// Starts a program; what it says goes into files, so that it is never held up by nobody reading.
    pub fn start(mut program: Program, folder: &Path, name: &str) -> Self {
        let (out, err) = (folder.join(format!("{name}.out")), folder.join(format!("{name}.err")));
        let file = |path: &Path| File::create(path).expect("a file for what it says");
        let mut child = program.command.stdout(file(&out)).stderr(file(&err)).spawn().expect("the program starts");
        let pid = Pid::from_child(&child);
        let (sender, ended) = mpsc::channel();
        let watch = Watch::over(&child, None);
        thread::spawn(move || {
            let status = child.wait().expect("it ends");
            drop(watch);
            // Whoever started it may not care.
            let _ = sender.send(status);
        });
        Self { pid, ended, status: None, out, err }
    }

    /// Sends it a signal, if it runs.
    pub fn signal(&mut self, signal: Signal) -> &mut Self {
        if self.is_running() {
            let _ = kill_process(self.pid, signal);
        }
        self
    }

    /// Whether it runs.
    pub fn is_running(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.ended.try_recv().ok();
        }
        self.status.is_none()
    }

    /// Waits for it to end by itself.
    #[track_caller]
    pub fn end(self) -> Ran {
        self.end_within(PATIENCE)
    }

    /// Waits for it to end by itself, no longer than this.
    #[track_caller]
    pub fn end_within(mut self, time: Duration) -> Ran {
        let deadline = Deadline::after(time);
        if self.status.is_none() {
            self.status = self.ended.recv_timeout(deadline.left()).ok();
        }
        let Some(status) = self.status else { panic!("it did not end within {time:?}; it says:\n{}", self.says()) };
        let stdout = fs::read(&self.out).expect("what it said");
        Ran { code: status.code(), signal: status.signal(), stdout, stderr: self.says() }
    }

    /// Asks it to stop, as an orchestrator does.
    #[track_caller]
    pub fn stop(mut self) -> Ran {
        self.signal(Signal::TERM);
        self.end()
    }

    /// Kills it, as a power cut would.
    #[track_caller]
    pub fn kill(mut self) {
        self.signal(Signal::KILL);
        self.end().was_killed();
    }

    /// Waits until it stands still, as after SIGSTOP.
    #[track_caller]
    pub fn wait_until_paused(&mut self) {
        let status = format!("/proc/{}/status", self.pid.as_raw_pid());
        let deadline = Deadline::patient();
        while !fs::read_to_string(&status).is_ok_and(|status| status.contains("State:\tT")) {
            self.wait_a_moment(Duration::from_millis(20));
            assert!(self.status.is_none(), "it has ended; it says:\n{}", self.says());
            assert!(!deadline.is_over(), "it did not stand still in {PATIENCE:?}");
        }
    }

    /// Waits for its end, but no longer than this: that sets the pace of a test that asks again and again.
    pub fn wait_a_moment(&mut self, time: Duration) {
        self.status = self.status.or_else(|| self.ended.recv_timeout(time).ok());
    }

    /// The most memory that it had at once so far, in bytes.
    pub fn peak_memory(&self) -> u64 {
        program::peak_memory(self.pid.as_raw_pid().unsigned_abs())
    }

    /// What it has said on standard error so far.
    pub fn says(&self) -> String {
        fs::read_to_string(&self.err).unwrap_or_default()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if self.is_running() {
            let _ = kill_process(self.pid, Signal::KILL);
            let _ = self.ended.recv_timeout(PATIENCE);
        }
    }
}
