//! The program, run to its end.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::Write,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

/// The day for which the tests decide: the terms of the example register are in force on it.
pub const AS_OF: &str = "2026-03-02";

/// A key for keyed hashes, made for these tests.
pub const KEY: &str = "f3a1c05e7b92d4486a1fe0933c57b8d2146e9fa07d38c2b5e0814f6a2d9b7c31";

/// Where the program is: beside the test executables, or where `MAYSEND_PROGRAM` says.
pub fn path() -> PathBuf {
    env::var_os("MAYSEND_PROGRAM").map_or_else(|| beside_the_tests("maysend-under-test"), PathBuf::from)
}

fn beside_the_tests(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows its own executable");
    let folder = test.parent().and_then(Path::parent).expect("target/PROFILE/deps/TEST");
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = folder.join(name);
    assert!(path.is_file(), "{} is missing; cargo builds it for the tests of this package", path.display());
    path
}

/// The program with these arguments, to be run.
///
/// Of the environment it has only what finds programs and folders: no key, no colour, whatever the tests were called
/// with.
pub fn maysend<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Program {
    Program::new(&path(), args)
}

/// The example of a sender with these arguments, likewise.
pub fn sender<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Program {
    Program::new(&beside_the_tests("sender-under-test"), args)
}

fn command<A: AsRef<OsStr>>(path: &Path, args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(path);
    command.args(args).env_clear();
    for kept in ["PATH", "HOME", "TMPDIR", "LLVM_PROFILE_FILE"] {
        if let Some(value) = env::var_os(kept) {
            command.env(kept, value);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The most memory that a running process had at once so far, in bytes.
pub fn peak_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the program runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number of kB");
    kibibytes * 1024
}

/// The program, not yet run.
pub struct Program {
    pub(crate) command: Command,
    input: Option<Vec<u8>>,
}

impl Program {
    fn new<A: AsRef<OsStr>>(path: &Path, args: impl IntoIterator<Item = A>) -> Self {
        Self { command: command(path, args), input: None }
    }

    /// More arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// An environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// The key for keyed hashes, [`KEY`].
    pub fn with_key(self) -> Self {
        self.env("MAYSEND_KEY", KEY)
    }

    /// Another current folder.
    pub fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// What it reads from standard input.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// The same arguments and environment, begun by a shell that runs `before` first, such as a `ulimit`.
    pub fn after_shell(self, before: &str) -> Self {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{before}; exec \"$0\" \"$@\""));
        command.arg(self.command.get_program()).args(self.command.get_args()).env_clear();
        for (name, value) in self.command.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command, input: self.input }
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Ran {
        let Some(input) = self.input.take() else {
            return Ran::from(self.command.output().expect("the program starts"));
        };
        let mut child = self.command.stdin(Stdio::piped()).spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("piped");
        let output = thread::scope(|scope| {
            // A program that stops early, on an error, reads no more.
            scope.spawn(move || stdin.write_all(&input));
            child.wait_with_output()
        });
        Ran::from(output.expect("its output can be read"))
    }
}

/// A program that has ended.
pub struct Ran {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
        Self { code: output.status.code(), signal: output.status.signal(), stdout: output.stdout, stderr }
    }
}

impl Ran {
    /// Fails the test unless it ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "signal: {:?}, standard error:\n{}", self.signal, self.stderr);
        self
    }

    /// Fails the test unless it was killed.
    #[track_caller]
    pub fn was_killed(self) -> Self {
        assert_eq!(self.signal, Some(9), "exit code: {:?}, standard error:\n{}", self.code, self.stderr);
        self
    }

    /// Fails the test unless standard error says each of these.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "standard error does not say {part:?}:\n{}", self.stderr);
        }
        self
    }

    /// Standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("output is UTF-8")
    }

    /// Each line of standard output as JSON.
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.text().lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}
