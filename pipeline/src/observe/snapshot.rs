//! The figures of a moment, for a view of the running process.

use super::{Observer, observer::State};
use crate::stages::Tally;
use std::{collections::BTreeMap, time::Duration};

/// What the stream has done up to a moment. Holds names from the ruleset and numbers, no text.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Counts of what is committed.
    pub tally: Tally,
    /// Records that are in a batch and not committed.
    pub in_hand: u64,
    /// Bytes of records in memory.
    pub in_flight_bytes: usize,
    /// From the time of a record to its commit; `None` before the first.
    pub end_to_end: Option<Quantiles>,
    /// Partitions that are assigned; `None` before the group has answered.
    pub partitions: Option<usize>,
    /// The last thing that went wrong.
    pub last_error: Option<String>,
}

/// Half, and 99 of a hundred, of the times are at most as long as this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantiles {
    /// The median.
    pub p50: Duration,
    /// The 99th percentile.
    pub p99: Duration,
}

impl Observer {
    /// What is known now. Copies all counts: for a few calls a second.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.state();
        Snapshot {
            tally: state.tally.clone(),
            in_hand: state.in_hand(),
            in_flight_bytes: state.in_flight_bytes,
            end_to_end: end_to_end(&state),
            partitions: state.partitions.count(),
            last_error: state.last_error.as_ref().map(|(_, message)| message.clone()),
        }
    }

    /// The offset that is committed for each assigned partition, where one is.
    pub fn committed_offsets(&self) -> BTreeMap<i32, i64> {
        self.state().partitions.committed_offsets()
    }
}

fn end_to_end(state: &State) -> Option<Quantiles> {
    let micros = state.end_to_end.micros();
    let at = |quantile| Duration::from_micros(micros.value_at_quantile(quantile));
    (!micros.is_empty()).then(|| Quantiles { p50: at(0.5), p99: at(0.99) })
}
