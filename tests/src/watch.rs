//! Processes that must not outlive the tests, however these end.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

/// Kills a process and removes a folder when the pipe closes that the tests' process holds.
const SCRIPT: &str = r#"read -r line || { kill -9 "$1"; for try in 1 2 3 4 5; do test -z "$2" || rm -rf "$2" && break; sleep 0.2; done; }"#;

/// A shell that waits for the tests' process to end. Drop it as soon as the watched process has ended: its number may be
/// another's from then on.
pub(crate) struct Watch(Child);

impl Watch {
    /// Over this process, and its folder if there is one to remove.
    pub(crate) fn over(process: &Child, folder: Option<&Path>) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "watch"]).arg(process.id().to_string()).args(folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(shell.spawn().expect("a shell"))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
