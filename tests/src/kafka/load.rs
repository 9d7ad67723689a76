//! Input that keeps coming, no faster than it is decided.

use super::{Deadline, Gate, History, New, PATIENCE, Prefix, prefix::CANARY};
use crate::transcript;
use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// So many records are kept waiting to be decided.
const BACKLOG: usize = 200;

/// So many are written at once.
const CHUNK: usize = 20;

/// Writes input from a thread until it is told to stop, so that there is always some that is not decided.
pub struct Load {
    stop: Arc<AtomicBool>,
    decided: Arc<(Mutex<usize>, Condvar)>,
    writing: JoinHandle<usize>,
}

impl Load {
    /// Starts writing.
    pub fn on(prefix: &Prefix) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let decided = Arc::new((Mutex::new(0), Condvar::new()));
        let (writer, mut follower) = (prefix.writer(), prefix.decided());
        let (stopped, seen) = (stop.clone(), decided.clone());
        let writing = thread::spawn(move || {
            let mut written = 0;
            while !stopped.load(Ordering::SeqCst) {
                let count = follower.poll(Duration::from_millis(20));
                *seen.0.lock().unwrap_or_else(PoisonError::into_inner) = count;
                seen.1.notify_all();
                if written < count + BACKLOG {
                    writer.write((written..written + CHUNK).map(record));
                    written += CHUNK;
                }
            }
            written
        });
        Self { stop, decided, writing }
    }

    /// How many of its records are decided and committed.
    pub fn decided(&self) -> usize {
        *self.decided.0.lock().expect("nobody panics")
    }

    /// Waits until so many more are decided than now.
    #[track_caller]
    pub fn wait_for_more(&self, more: usize) {
        let wanted = self.decided() + more;
        let reached = self.reaches(wanted, PATIENCE);
        assert!(reached, "{} of {wanted} were decided in {PATIENCE:?}", self.decided());
    }

    /// Waits until so many more are decided than now, by a process that is started again whenever it ends with an
    /// error, as its orchestrator does.
    #[track_caller]
    pub fn wait_for_more_by(&self, gate: &mut Gate, prefix: &Prefix, more: usize) {
        let wanted = self.decided() + more;
        let deadline = Deadline::patient();
        while !self.reaches(wanted, Duration::from_millis(200)) {
            if !gate.is_running() {
                std::mem::replace(gate, prefix.gate(0)).end().exits(2);
            }
            let says =
                || format!("{} of {wanted} were decided in {PATIENCE:?}; it says:\n{}", self.decided(), gate.says());
            assert!(!deadline.is_over(), "{}", says());
        }
    }

    /// Whether so many are decided within this time.
    fn reaches(&self, wanted: usize, time: Duration) -> bool {
        let (count, changed) = &*self.decided;
        let count = count.lock().expect("nobody panics");
        let waiting = changed.wait_timeout_while(count, time, |count| *count < wanted);
        !waiting.expect("nobody panics").1.timed_out()
    }

    /// Stops writing, and says how many records were written.
    pub fn stop(self) -> usize {
        self.stop.store(true, Ordering::SeqCst);
        self.writing.join().expect("writing does not panic")
    }

    /// Stops writing, waits until these processes have decided all of it, stops them, and says what happened.
    #[track_caller]
    pub fn finish(self, prefix: &Prefix, gates: impl IntoIterator<Item = Gate>) -> History {
        let written = self.stop();
        let mut gates: Vec<Gate> = gates.into_iter().collect();
        prefix.wait_for(written, &mut gates.iter_mut().collect::<Vec<_>>());
        for gate in gates {
            gate.stop().exits(0);
        }
        prefix.history()
    }
}

/// A record of every kind in turn: sent, redacted, blocked, held, refused, and such as cannot be read.
pub fn record(n: usize) -> New {
    let about = transcript(&format!("t-{n:06}")).customer(&format!("Where is my parcel? {CANARY} {n}"));
    let value = match n % 10 {
        0 => about.customer("Write to jan.jansen@example.nl").line(),
        1 => about.customer("mijn BSN is 111222333").line(),
        2 => about.to("nowhere").line(),
        3 => about.to("labs-free").line(),
        4 if n % 20 == 4 => format!("no JSON, {CANARY}"),
        5 if n % 20 == 5 => return New::tombstone().key(&format!("k-{n}")),
        _ => about.line(),
    };
    New::value(value).key(&format!("k-{n}"))
}

/// So many records of every kind.
pub fn records(count: usize) -> impl Iterator<Item = New> {
    (0..count).map(record)
}
