//! What a process must do so that transcript text stays inside it.

use std::panic;

/// Keeps text out of what a crash leaves behind: a panic prints its place and nothing of its message, which may hold
/// text, and the process writes no core dump and cannot be read by another of the same user.
///
/// Returns what could not be done; it is not fatal, since a hardened container forbids some of it by itself.
pub fn guard() -> Result<(), String> {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(|| "an unknown place".into(), ToString::to_string);
        eprintln!("maysend: internal error at {place}; please report this place");
    }));
    forbid_core_dumps()
}

#[cfg(target_os = "linux")]
fn forbid_core_dumps() -> Result<(), String> {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(|error| format!("core dumps cannot be switched off: {error}"))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| format!("the process cannot be made unreadable: {error}"))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn forbid_core_dumps() -> Result<(), String> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(|error| format!("core dumps cannot be switched off: {error}"))
}

#[cfg(not(unix))]
fn forbid_core_dumps() -> Result<(), String> {
    Err("core dumps cannot be switched off on this system".into())
}
