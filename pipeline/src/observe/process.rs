//! What the system says of the process, under the names that Prometheus clients agree on. Linux only; elsewhere nothing
//! is said.

/// What the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Process {
    /// Processor time used, in seconds.
    pub cpu_seconds: f64,
    /// Resident memory, in bytes.
    pub resident_bytes: u64,
    /// Open file descriptors.
    pub open_files: u64,
}

impl Process {
    /// As of now; `None` where the system does not say.
    #[cfg(target_os = "linux")]
    pub fn now() -> Option<Self> {
        use rustix::time::{ClockId, clock_gettime};
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: u64 = resident.trim().trim_end_matches(" kB").parse().ok()?;
        Some(Self {
            cpu_seconds: cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9,
            resident_bytes: kibibytes * 1024,
            // Reading the folder takes a descriptor itself.
            open_files: (std::fs::read_dir("/proc/self/fd").ok()?.count() as u64).saturating_sub(1),
        })
    }

    /// Nothing.
    #[cfg(not(target_os = "linux"))]
    pub fn now() -> Option<Self> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Process;

    #[test]
    fn the_system_says_what_the_process_uses() {
        let _held = std::fs::File::open("/dev/null").unwrap();
        let now = Process::now().unwrap();
        assert!(now.cpu_seconds > 0.0 && now.resident_bytes > 1 << 20 && now.open_files > 3, "{now:?}");
    }
}
