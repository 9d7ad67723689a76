//! Rulesets that differ from the one in `patterns/` by an edit.

use maysend::ruleset::{Ruleset, read_folder};
use maysend_detector::source::SourceFile;
use std::{fs, path::Path, sync::Arc};

/// The folder of the reviewed files.
pub const PATTERNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../patterns");

/// The reviewed files.
pub fn files() -> Vec<SourceFile> {
    read_folder(Path::new(PATTERNS)).unwrap()
}

/// Replaces the first occurrence of `from` in a file; nothing to replace is a fault of the test. An empty `from`
/// appends, to a new file if there is none.
pub fn edit(files: &mut Vec<SourceFile>, file: &str, from: &str, to: &str) {
    let known = files.iter_mut().find(|known| known.name == file);
    match known {
        Some(known) if from.is_empty() => known.text.push_str(to),
        Some(known) => {
            assert!(known.text.contains(from), "{file} does not hold {from:?}");
            known.text = known.text.replacen(from, to, 1);
        }
        None => {
            assert!(from.is_empty(), "there is no {file}");
            files.push(SourceFile::new(file, to));
        }
    }
}

/// Takes out the text from `start` up to `end`; to the end of the file where `end` is empty.
pub fn cut(files: &mut [SourceFile], file: &str, start: &str, end: &str) {
    let known = files.iter_mut().find(|known| known.name == file).unwrap();
    let from = known.text.find(start).unwrap_or_else(|| panic!("{file} does not hold {start:?}"));
    let to = match end {
        "" => known.text.len(),
        end => known.text[from..].find(end).map(|at| from + at).unwrap(),
    };
    known.text.replace_range(from..to, "");
}

/// The ruleset of these files.
pub fn ruleset(files: Vec<SourceFile>) -> Arc<Ruleset> {
    Ruleset::from_files(files).unwrap_or_else(|error| panic!("{error}"))
}

/// Writes files to a folder.
pub fn write(folder: &Path, files: &[SourceFile]) {
    fs::create_dir_all(folder).unwrap();
    for file in files {
        fs::write(folder.join(&file.name), &file.text).unwrap();
    }
}

/// The reviewed files, loaded.
pub fn base() -> Arc<Ruleset> {
    ruleset(files())
}
