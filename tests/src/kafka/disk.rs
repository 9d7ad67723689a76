//! A disk that can be full.
//!
//! It is a small file system in memory, mounted in a name space of its own, which takes no rights where the system lets
//! users make name spaces. A process that holds the name space keeps the disk while what uses it comes and goes.

use crate::watch::Watch;
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

const SCRIPT: &str = r#"mount -t tmpfs -o "size=$1" tmpfs "$2" && echo mounted && exec sleep infinity"#;

/// A disk.
pub struct Disk {
    folder: TempDir,
    holder: Child,
    watch: Option<Watch>,
}

impl Disk {
    /// One of so many bytes; `None` where the system does not allow it.
    pub fn new(bytes: usize) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("maysend-disk-").tempdir().expect("a temporary folder");
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "disk"]);
        unshare.arg(bytes.to_string()).arg(folder.path());
        unshare.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut holder = unshare.spawn().ok()?;
        let watch = Some(Watch::over(&holder, Some(folder.path())));
        let said = BufReader::new(holder.stdout.take().expect("piped")).lines().next();
        let is_there = said.is_some_and(|line| line.is_ok_and(|line| line == "mounted"));
        let disk = Self { folder, holder, watch };
        is_there.then_some(disk)
    }

    /// Where it is, for a process of [`Disk::command`].
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A program that sees it. It has the number of the process that is started.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--preserve-credentials", "--user", "--mount", "--target"]).arg(self.holder.id().to_string());
        command.arg(program);
        command
    }

    /// Fills it to the last byte.
    pub fn fill(&self) {
        let mut ballast = File::create(self.ballast()).expect("a file on it");
        for bytes in [&[0; 1 << 16][..], &[0; 1]] {
            while ballast.write_all(bytes).is_ok() {}
        }
    }

    /// Frees what filled it.
    pub fn free(&self) {
        fs::remove_file(self.ballast()).expect("it was filled");
    }

    fn ballast(&self) -> PathBuf {
        let seen_by_holder = self.folder.path().strip_prefix("/").expect("a path from the root");
        Path::new("/proc").join(self.holder.id().to_string()).join("root").join(seen_by_holder).join("ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
        self.watch = None;
    }
}
