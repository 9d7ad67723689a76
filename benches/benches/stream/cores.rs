//! What all cores of the machine do, for whichever process: `/proc/stat` of Linux.

use std::{fs, time::Duration};

/// Processor time of all cores, in ticks of the clock.
#[derive(Clone, Copy)]
pub struct Cores {
    busy: u64,
    idle: u64,
}

impl Cores {
    /// Since the machine started.
    pub fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").expect("Linux says what its cores do");
        // user, nice, system, idle, iowait, irq, softirq, steal; what guests take is in the first.
        let ticks: Vec<u64> = stat
            .lines()
            .next()
            .into_iter()
            .flat_map(|all| all.split_whitespace().skip(1).take(8))
            .map(|ticks| ticks.parse().expect("ticks"))
            .collect();
        let idle = ticks[3] + ticks[4];
        Self { busy: ticks.iter().sum::<u64>() - idle, idle }
    }

    /// What came since.
    pub fn since(self, earlier: Self) -> Self {
        Self { busy: self.busy - earlier.busy, idle: self.idle - earlier.idle }
    }

    /// Time that cores were busy, added up.
    pub fn busy(self) -> Duration {
        of_ticks(self.busy)
    }

    /// The part of all time that cores were busy.
    pub fn share_busy(self) -> f64 {
        self.busy as f64 / (self.busy + self.idle).max(1) as f64
    }
}

/// How long so many ticks of the clock are.
pub fn of_ticks(ticks: u64) -> Duration {
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}
