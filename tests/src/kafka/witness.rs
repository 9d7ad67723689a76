//! A reader of uncommitted records beside the stream: what anybody could have seen, at any time.

use super::{
    Follower, History, Isolation, Prefix,
    client::Committed,
    history::{RESERVATION, reservation_id},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// Reads cleared records the moment they can be seen, and looks whether each is reserved by then. It also looks at the
/// committed offsets all the time.
pub struct Witness {
    stop: Arc<AtomicBool>,
    watching: JoinHandle<Seen>,
}

/// What it saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// How many cleared records it saw, also such as were aborted.
    pub cleared: usize,
    /// Those that nobody had reserved when they could be seen already.
    pub unreserved: Vec<String>,
    /// The committed offsets, each time that they had changed.
    pub offsets: Vec<BTreeMap<i32, i64>>,
}

impl Witness {
    /// Starts watching.
    pub fn of(prefix: &Prefix) -> Self {
        let follow = |output| Follower::new(prefix.bootstrap(), &prefix.topic(output), Isolation::Uncommitted);
        let (mut cleared, mut reservations) = (follow("cleared"), follow("reservations"));
        let committed = Committed::new(prefix.bootstrap(), prefix.group(), prefix.input());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let watching = thread::spawn(move || {
            let (mut seen, mut reserved) = (Seen::default(), BTreeSet::new());
            loop {
                let ending = stopped.load(Ordering::SeqCst);
                match cleared.poll(Duration::from_millis(20)) {
                    Some(record) => {
                        let id = record.header(RESERVATION).unwrap_or("none").to_owned();
                        seen.cleared += 1;
                        if !reserved.contains(&id) {
                            // Whatever was there when the cleared record was seen is seen by this.
                            reserved.extend(to_the_end(&mut reservations));
                        }
                        if !reserved.contains(&id) {
                            seen.unreserved.push(format!("{}/{}: {id}", record.partition, record.offset));
                        }
                    }
                    None if ending && cleared.is_at_the_end() => return seen,
                    None => {
                        let offsets = committed.now();
                        if seen.offsets.last() != Some(&offsets) {
                            seen.offsets.push(offsets);
                        }
                    }
                }
            }
        });
        Self { stop, watching }
    }

    /// Stops at the end of what can be seen, and adds what was seen to a history.
    #[track_caller]
    pub fn testify(self, history: History) -> History {
        self.stop.store(true, Ordering::SeqCst);
        let seen = self.watching.join().expect("watching does not panic");
        assert!(seen.cleared > 0, "it saw nothing, so it proves nothing");
        History { seen, ..history }
    }
}

/// Reads on to the end that the topic has now, and returns the ids of the reservations on the way.
fn to_the_end(reservations: &mut Follower) -> Vec<String> {
    let mut ids = Vec::new();
    let ends = reservations.ends();
    while !reservations.has_reached(&ends) {
        ids.extend(reservations.poll(Duration::from_millis(20)).and_then(|record| reservation_id(&record.json())));
    }
    ids
}
