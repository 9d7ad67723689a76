//! A ruleset: patterns, references, templates, policy, tenants, destinations and, where records have another shape, their
//! mapping, together under one digest.

use super::Rules;
use crate::{
    strip::Templates,
    wire::{
        RulesetRecord,
        kept::{self, KeptError},
    },
};
use maysend_detector::{
    Detector, load_into,
    source::{InvalidSources, Mistakes, SourceFile},
};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The reviewed files that are built in, by name.
static BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// Files of a ruleset that the detector does not read.
const RULES: [&str; 5] = ["destinations.toml", "input.toml", "policy.toml", "templates.toml", "tenants.toml"];

/// Everything that a decision depends on beside the transcript, compiled once.
pub struct Ruleset {
    /// Patterns, weights and references.
    pub detector: Detector,
    /// Policy, tenants, destinations and mapping.
    pub rules: Rules,
    /// Rendered lines and structured fields.
    pub templates: Templates,
    /// `sha256:` and 64 hexadecimal digits over all files.
    pub digest: String,
    /// The files, by name.
    pub files: Vec<SourceFile>,
}

/// Why a ruleset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RulesetError {
    /// The folder cannot be read.
    #[error("cannot read the ruleset folder {}: {error}; give a folder with the files of `patterns/`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file in it cannot be read.
    #[error("cannot read {}: {error}; a ruleset's files are UTF-8 text", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The folder holds no file of a ruleset.
    #[error("{} holds no `.toml` file; give a folder with the files of `patterns/`", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder does not stay as it is for long enough to be read.
    #[error("{} changes while it is read; try again when it has settled", path.display())]
    Changing {
        /// The folder.
        path: PathBuf,
    },
    /// A file in place of a folder is no record of a ruleset.
    #[error("{}: {error}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: KeptError,
    },
    /// The files in the record of a ruleset are not those that its digest names.
    #[error("{}: its files are not those of {digest}; the record was changed", path.display())]
    OtherDigest {
        /// The file.
        path: PathBuf,
        /// The digest that it names.
        digest: String,
    },
    /// The files hold mistakes: all of them.
    #[error("mistakes in the ruleset: {}\n{}", .0.0.len(), .0)]
    Invalid(#[from] InvalidSources),
}

impl Ruleset {
    /// The ruleset that is built into the program.
    pub fn builtin() -> Result<Arc<Self>, RulesetError> {
        let files = BUILTIN.iter().map(|(name, text)| SourceFile::new(*name, *text)).collect();
        Self::from_files(files)
    }

    /// A file of the ruleset that is built into the program, without the rest being read.
    pub fn builtin_file(name: &str) -> Option<SourceFile> {
        BUILTIN.iter().find(|(own, _)| *own == name).map(|(name, text)| SourceFile::new(*name, *text))
    }

    /// The ruleset of a folder: every `.toml` file in it, not in folders below.
    pub fn from_folder(path: &Path) -> Result<Arc<Self>, RulesetError> {
        Self::from_files(read_folder(path)?)
    }

    /// The ruleset of these files.
    pub fn from_files(mut files: Vec<SourceFile>) -> Result<Arc<Self>, RulesetError> {
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let mistakes = Mistakes::default();
        let of_detector: Vec<SourceFile> =
            files.iter().filter(|file| !RULES.contains(&file.name.as_str())).cloned().collect();
        let detector = load_into(&of_detector, &mistakes);
        let entities: BTreeSet<String> = detector
            .iter()
            .flat_map(|detector| &detector.catalogue().entities)
            .map(|entity| entity.id.to_string())
            .collect();
        // Without a catalogue every entity would be unknown: the mistakes so far say enough.
        let (rules, templates) = match detector {
            Some(_) => (Rules::load(&files, &entities, &mistakes), Templates::load(&files, &entities, &mistakes)),
            None => (None, None),
        };
        match (detector, rules, templates) {
            (Some(detector), Some(rules), Some(templates)) if mistakes.count() == 0 => {
                let digest = digest_of(&files);
                Ok(Arc::new(Self { detector, rules, templates, digest, files }))
            }
            _ => Err(InvalidSources(mistakes.into_sorted()).into()),
        }
    }
}

/// How often a folder is read until two readings in a row are the same.
const READINGS: usize = 10;

/// Reads every `.toml` file of a folder; or, where the path is that of a file, the record of a ruleset as the topic
/// `rulesets` has it.
///
/// A folder is read until two readings in a row are the same: Kubernetes changes a mounted ConfigMap by turning one link
/// from the old files to the new ones, and a reading in the middle of that has some of both. Readings are the same if
/// the same files, whatever links lead to them, have the same texts; the link is never turned back to what it left.
pub fn read_folder(path: &Path) -> Result<Vec<SourceFile>, RulesetError> {
    if path.is_file() {
        return read_record(path);
    }
    let mut last = read_once(path);
    for _ in 1..READINGS {
        let next = read_once(path);
        let settled = match (&last, &next) {
            (Ok(before), Ok(after)) => before == after,
            // What is wrong twice is wrong, and not in the middle of a change.
            (Err(before), Err(after)) => before.to_string() == after.to_string(),
            _ => false,
        };
        if settled {
            return next.map(|read| read.into_iter().map(|(_, file)| file).collect());
        }
        last = next;
    }
    Err(RulesetError::Changing { path: path.into() })
}

/// The files of a folder, by name, each with where it really is.
fn read_once(path: &Path) -> Result<Vec<(PathBuf, SourceFile)>, RulesetError> {
    let folder = |error| RulesetError::Folder { path: path.into(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(folder)? {
        let entry = entry.map_err(folder)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.ends_with(".toml") {
            let path = entry.path();
            let read = || Ok((fs::canonicalize(&path)?, fs::read_to_string(&path)?));
            let (place, text) = read().map_err(|error| RulesetError::File { path: path.clone(), error })?;
            files.push((place, SourceFile::new(name, text)));
        }
    }
    if files.is_empty() {
        return Err(RulesetError::Empty { path: path.into() });
    }
    files.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    Ok(files)
}

fn read_record(path: &Path) -> Result<Vec<SourceFile>, RulesetError> {
    let bytes = fs::read(path).map_err(|error| RulesetError::File { path: path.into(), error })?;
    let record: RulesetRecord =
        kept::read(Some(&bytes)).map_err(|error| RulesetError::Record { path: path.into(), error })?;
    let digest = record.digest.clone();
    let files = files_of(record);
    match digest_of(&files) == digest {
        true => Ok(files),
        false => Err(RulesetError::OtherDigest { path: path.into(), digest }),
    }
}

/// The files in the record of a ruleset, by name.
pub fn files_of(record: RulesetRecord) -> Vec<SourceFile> {
    record.files.into_iter().map(|(name, text)| SourceFile::new(name, text)).collect()
}

/// One digest over names and texts of a ruleset's files, which stand in the order of their names. Each is preceded by its
/// length, so that no two sets of files share their bytes.
pub fn digest_of(files: &[SourceFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        for part in [&file.name, &file.text] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
    }
    format!("sha256:{}", crate::hex(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    /// As Kubernetes mounts a ConfigMap: files link to `..data`, which links to a folder that is never changed.
    struct Mounted(tempfile::TempDir);

    impl Mounted {
        fn new() -> Self {
            let mounted = Self(tempfile::tempdir().unwrap());
            mounted.turn_to(0);
            for name in ["a.toml", "b.toml"] {
                symlink(Path::new("..data").join(name), mounted.0.path().join(name)).unwrap();
            }
            mounted
        }

        fn turn_to(&self, version: u32) {
            let folder = self.0.path();
            let data = folder.join(format!("..{version}"));
            fs::create_dir(&data).unwrap();
            for name in ["a.toml", "b.toml"] {
                fs::write(data.join(name), format!("version = {}", version % 2)).unwrap();
            }
            symlink(&data, folder.join("..data_tmp")).unwrap();
            fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
        }
    }

    #[test]
    fn a_reading_in_the_middle_of_a_change_is_not_taken() {
        let (mounted, done) = (Mounted::new(), AtomicBool::new(false));
        let mut whole = 0;
        thread::scope(|scope| {
            scope.spawn(|| {
                (1..300).for_each(|version| mounted.turn_to(version));
                done.store(true, Ordering::SeqCst);
            });
            while !done.load(Ordering::SeqCst) {
                match read_folder(mounted.0.path()) {
                    Ok(files) => {
                        assert_eq!(files[0].text, files[1].text);
                        whole += 1;
                    }
                    Err(RulesetError::Changing { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        });
        assert!(whole > 0 || read_folder(mounted.0.path()).is_ok());
    }

    #[test]
    fn a_record_of_a_ruleset_stands_for_its_folder() {
        let builtin = Ruleset::builtin().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ruleset.json");
        let files: std::collections::BTreeMap<_, _> = builtin.files.iter().map(|f| (&f.name, &f.text)).collect();
        let mut record = serde_json::json!({
            "schema": 1, "digest": builtin.digest, "program": "maysend 0.1.0", "files": files,
            "published_at": "2026-03-02T09:14:03Z",
        });
        fs::write(&path, record.to_string()).unwrap();
        assert_eq!(Ruleset::from_folder(&path).unwrap().digest, builtin.digest);
        record["files"]["tenants.toml"] = "".into();
        fs::write(&path, record.to_string()).unwrap();
        let error = Ruleset::from_folder(&path).err().unwrap();
        assert!(matches!(error, RulesetError::OtherDigest { .. }), "{error}");
    }
}
