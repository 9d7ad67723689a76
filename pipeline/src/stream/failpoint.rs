//! Places where a test lets the process die, as a power cut would, or stand still, and calls whose answer it lets be lost.
//! Nothing is compiled in without the feature.

/// Dies here if the environment asks for it: `MAYSEND_DIE_AT=after_reservations:3` at the third time. Or stands still
/// until it is sent SIGCONT: `MAYSEND_PAUSE_AT=before_commit:1`. Or lets this thread alone wait until there is a file:
/// `MAYSEND_STALL_AT=before_begin:1` with the file in `MAYSEND_STALL_UNTIL`.
///
/// Whoever follows a topic begins at a place with the end of its name, such as `erasures`.
#[cfg(feature = "failpoints")]
pub fn point(name: &str) {
    use rustix::process::{Signal, getpid, kill_process};
    let here = counted(name);
    let is_wanted = |variable| std::env::var(variable).is_ok_and(|wanted| wanted == here);
    if is_wanted("MAYSEND_PAUSE_AT") {
        // A signal to oneself may be taken by another thread, a moment later.
        let paused = std::time::Instant::now();
        let _ = kill_process(getpid(), Signal::STOP);
        while paused.elapsed() < std::time::Duration::from_millis(200) {
            std::thread::yield_now();
        }
    }
    if is_wanted("MAYSEND_STALL_AT")
        && let Some(file) = std::env::var_os("MAYSEND_STALL_UNTIL")
    {
        while !std::path::Path::new(&file).exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    if is_wanted("MAYSEND_DIE_AT") {
        let _ = kill_process(getpid(), Signal::KILL);
        // The signal is on its way; nothing after this place may happen.
        loop {
            std::thread::park();
        }
    }
}

/// Whether the environment asks for an answer to be lost here: `MAYSEND_LOSE_AT=answer:3`.
#[cfg(feature = "failpoints")]
pub fn is_lost(name: &str) -> bool {
    let here = counted(name);
    std::env::var("MAYSEND_LOSE_AT").is_ok_and(|wanted| wanted == here)
}

/// A place with how often it was reached.
#[cfg(feature = "failpoints")]
fn counted(name: &str) -> String {
    use std::{
        collections::BTreeMap,
        sync::{Mutex, PoisonError},
    };
    static SEEN: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let count = seen.entry(name.to_owned()).or_default();
    *count += 1;
    format!("{name}:{count}")
}

/// Nothing, without the feature.
#[cfg(not(feature = "failpoints"))]
pub fn point(_: &str) {}

/// Never, without the feature.
#[cfg(not(feature = "failpoints"))]
pub fn is_lost(_: &str) -> bool {
    false
}
