//! A ruleset: patterns, references, templates, policy, tenants, destinations and, where records have another shape, their
//! mapping, together under one digest.

use super::Rules;
use crate::strip::Templates;
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
                let digest = digest(&files);
                Ok(Arc::new(Self { detector, rules, templates, digest, files }))
            }
            _ => Err(InvalidSources(mistakes.into_sorted()).into()),
        }
    }
}

/// Reads every `.toml` file of a folder.
pub fn read_folder(path: &Path) -> Result<Vec<SourceFile>, RulesetError> {
    let folder = |error| RulesetError::Folder { path: path.into(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(folder)? {
        let entry = entry.map_err(folder)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.ends_with(".toml") {
            let path = entry.path();
            let text = fs::read_to_string(&path).map_err(|error| RulesetError::File { path, error })?;
            files.push(SourceFile::new(name, text));
        }
    }
    if files.is_empty() {
        return Err(RulesetError::Empty { path: path.into() });
    }
    Ok(files)
}

/// One digest over names and texts. Each is preceded by its length, so that no two sets of files share their bytes.
fn digest(files: &[SourceFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        for part in [&file.name, &file.text] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
    }
    format!("sha256:{}", crate::hex(&hash.finalize()))
}
