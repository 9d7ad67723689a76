//! A copy of the reviewed ruleset, to be edited as its owners would.

use crate::names_in;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The reviewed files, which are also the ones built into the program.
pub fn reviewed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../patterns")
}

/// A folder with a ruleset.
pub struct Patterns {
    folder: PathBuf,
}

impl Patterns {
    /// Copies the reviewed files into a new folder.
    pub fn copied_to(folder: &Path) -> Self {
        fs::create_dir(folder).expect("a new folder");
        for name in names_in(&reviewed()).iter().filter(|name| name.ends_with(".toml")) {
            fs::copy(reviewed().join(name), folder.join(name)).expect("a file of the ruleset");
        }
        Self { folder: folder.into() }
    }

    /// A folder that has a copy already.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder, for `--patterns`.
    pub fn path(&self) -> &str {
        self.folder.to_str().expect("a path in UTF-8")
    }

    /// The text of a file.
    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Writes a file.
    pub fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }

    /// Replaces a passage that stands in the file exactly once.
    #[track_caller]
    pub fn edit(&self, file: &str, old: &str, new: &str) -> &Self {
        let text = self.read(file);
        assert_eq!(text.matches(old).count(), 1, "{file} has this once:\n{old}");
        self.write(file, &text.replacen(old, new, 1));
        self
    }

    /// Adds to the end of a file.
    pub fn append(&self, file: &str, more: &str) -> &Self {
        self.write(file, &(self.read(file) + "\n" + more));
        self
    }

    /// Removes a table that begins with this head and line and ends before the next table of its kind.
    #[track_caller]
    pub fn remove_table(&self, file: &str, head: &str, first_line: &str) -> &Self {
        let text = self.read(file);
        let start = text.find(&format!("{head}\n{first_line}\n")).unwrap_or_else(|| panic!("{file}: {first_line}"));
        let end = text[start + 1..].find(head).map_or(text.len(), |next| start + 1 + next);
        self.write(file, &format!("{}{}", &text[..start], &text[end..]));
        self
    }
}
