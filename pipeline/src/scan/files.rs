//! Output files: for their owner only, and there only when they are whole.
//!
//! Records are written to files beside the final ones, under hidden names. When all is written they are put in place by
//! renaming, reservations first, so that nobody sees a cleared record without its reservation. A lock on the folder
//! keeps two runs apart; what a killed run left is removed by the next.

use crate::stages::Output;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// What to do about results of an earlier run.
pub const REPLACE_ADVICE: &str =
    "they may be the only evidence of what was sent; name another folder, or give `--replace`";

/// Why an output cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file or the folder cannot be written.
    #[error("cannot write {}: {error}; make room, or name a folder that you may write", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another run writes there.
    #[error("another run is writing to {}; wait for it, or name another folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds results.
    #[error("{} holds results already; {REPLACE_ADVICE}", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
}

/// The output files of a run. Dropped before [`put_in_place`](Self::put_in_place), they leave nothing behind.
pub struct OutputFiles {
    folder: PathBuf,
    lock: File,
    files: Vec<(Output, PathBuf, BufWriter<File>)>,
    placed: bool,
}

impl OutputFiles {
    /// Opens the files in a folder, which is made if it is not there. Removes what a killed run left in it.
    ///
    /// # Errors
    /// The folder cannot be written, another run writes there, or it holds results and `replace` is not given.
    pub fn create(folder: &Path, replace: bool) -> Result<Self, OutputError> {
        let wrong = |path: &Path| {
            let path = path.to_owned();
            move |error| OutputError::Write { path, error }
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(wrong(folder))?;
        let lock = File::open(folder).map_err(wrong(folder))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| OutputError::Locked { path: folder.into() })?;
        let halfway = remove_leftovers(folder).map_err(wrong(folder))?;
        if !replace && !halfway && Output::ALL.iter().any(|output| folder.join(name(*output)).exists()) {
            return Err(OutputError::Occupied { path: folder.into() });
        }
        let mut files = Vec::new();
        for output in Output::ALL {
            let path = folder.join(hidden(output));
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(wrong(&path))?;
            // The mode at opening is subject to the umask only in the strict direction; say it again all the same.
            file.set_permissions(fs::Permissions::from_mode(0o600)).map_err(wrong(&path))?;
            files.push((output, path, BufWriter::with_capacity(1 << 16, file)));
        }
        Ok(Self { folder: folder.into(), lock, files, placed: false })
    }

    /// Writes a record as one line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, output: Output, record: &[u8]) -> Result<(), OutputError> {
        let (_, path, file) =
            self.files.iter_mut().find(|(own, ..)| *own == output).expect("there is a file for every output");
        file.write_all(record)
            .and_then(|()| file.write_all(b"\n"))
            .map_err(|error| OutputError::Write { path: path.clone(), error })
    }

    /// Makes what was written durable and puts every file in its place.
    ///
    /// # Errors
    /// A file cannot be written to its end or renamed.
    pub fn put_in_place(mut self) -> Result<(), OutputError> {
        for (_, path, file) in &mut self.files {
            file.flush()
                .and_then(|()| file.get_ref().sync_all())
                .map_err(|error| OutputError::Write { path: path.clone(), error })?;
        }
        // The cleared records of an earlier run go before their reservations are replaced.
        remove_if_there(&self.folder.join(name(Output::Cleared)))?;
        for (output, path, _) in &self.files {
            let to = self.folder.join(name(*output));
            fs::rename(path, &to).map_err(|error| OutputError::Write { path: to, error })?;
        }
        self.placed = true;
        self.lock.sync_all().map_err(|error| OutputError::Write { path: self.folder.clone(), error })
    }
}

impl Drop for OutputFiles {
    fn drop(&mut self) {
        if !self.placed {
            for (_, path, _) in &self.files {
                // What cannot be removed now is removed by the next run.
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn remove_if_there(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::Write { path: path.into(), error }),
        _ => Ok(()),
    }
}

/// Removes the hidden files of a run that was killed. Whether it was killed while putting its files in place: some of
/// those stand beside hidden ones then, and are no whole results.
fn remove_leftovers(folder: &Path) -> io::Result<bool> {
    let left: Vec<Output> = Output::ALL.into_iter().filter(|output| folder.join(hidden(*output)).exists()).collect();
    let halfway = !left.is_empty() && left.len() < Output::ALL.len();
    for output in left {
        fs::remove_file(folder.join(hidden(output)))?;
    }
    Ok(halfway)
}

fn name(output: Output) -> String {
    format!("{}.jsonl", output.as_str())
}

fn hidden(output: Output) -> String {
    format!(".{}.jsonl.part", output.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_whole_and_for_their_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new/out");
        let mut files = OutputFiles::create(&out, false).unwrap();
        files.write(Output::Cleared, b"{}").unwrap();
        assert!(entries(&out).iter().all(|name| name.starts_with('.')));
        files.put_in_place().unwrap();
        let expected = [
            "cleared.jsonl",
            "dead-letter.jsonl",
            "decisions.jsonl",
            "held.jsonl",
            "reservations.jsonl",
            "review.jsonl",
        ];
        assert_eq!(entries(&out), expected);
        for name in expected {
            assert_eq!(fs::metadata(out.join(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
        assert_eq!(fs::read(out.join("cleared.jsonl")).unwrap(), b"{}\n");
    }

    #[test]
    fn an_ended_run_leaves_nothing_and_a_killed_one_is_cleaned_up_after() {
        let folder = tempfile::tempdir().unwrap();
        drop(OutputFiles::create(folder.path(), false).unwrap());
        assert_eq!(entries(folder.path()), [""; 0]);

        let killed = OutputFiles::create(folder.path(), false).unwrap();
        let lock = killed.lock.try_clone().unwrap();
        std::mem::forget(killed);
        flock(&lock, FlockOperation::Unlock).unwrap();
        assert_eq!(entries(folder.path()).len(), 6);
        drop(OutputFiles::create(folder.path(), false).unwrap());
        assert_eq!(entries(folder.path()), [""; 0]);
    }

    #[test]
    fn two_runs_and_two_results_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let files = OutputFiles::create(folder.path(), false).unwrap();
        assert!(matches!(OutputFiles::create(folder.path(), false), Err(OutputError::Locked { .. })));
        files.put_in_place().unwrap();
        assert!(matches!(OutputFiles::create(folder.path(), false), Err(OutputError::Occupied { .. })));
        assert!(OutputFiles::create(folder.path(), true).is_ok());
    }

    #[test]
    fn a_run_killed_while_putting_in_place_left_no_results() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("reservations.jsonl"), "x").unwrap();
        fs::write(folder.path().join(".cleared.jsonl.part"), "x").unwrap();
        OutputFiles::create(folder.path(), false).unwrap().put_in_place().unwrap();
        assert_eq!(fs::read(folder.path().join("reservations.jsonl")).unwrap(), b"");
    }
}
