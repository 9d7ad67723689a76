//! Reviewed data files: TOML that remembers where each value stands.
//!
//! Patterns, references, policy, tenants and destinations are files that people review and edit. A mistake in one
//! must never be found one at a time, so reading does not stop at the first: every reader reports into one
//! [`Mistakes`] and goes on. Each [`Mistake`] names file, line, key, what is wrong and what would be right.
//!
//! ```
//! use maysend_detector::source::{Mistakes, SourceFile};
//!
//! let mistakes = Mistakes::default();
//! let file = SourceFile::new("tenants.toml", "[tenant]\nid = 7\nregoin = \"EU\"\n");
//! let mut root = file.read(&mistakes).unwrap();
//! let mut tenant = root.table("tenant").unwrap();
//! assert_eq!(tenant.string("id"), None);
//! assert_eq!(tenant.string("region"), None);
//! tenant.finish();
//! root.finish();
//! let lines: Vec<String> = mistakes.into_sorted().iter().map(ToString::to_string).collect();
//! assert_eq!(lines[0], "tenants.toml:1: tenant.region: missing; it takes a string");
//! assert_eq!(lines[1], "tenants.toml:2: tenant.id: an integer; it takes a string");
//! assert_eq!(lines[2], "tenants.toml:3: tenant.regoin: unknown key; did you mean `region`?");
//! ```

mod reader;

pub use reader::{Item, Table};

use std::{cell::RefCell, fmt};

/// One mistake in a reviewed file. Holds configuration only, never transcript text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// The file, as the ruleset names it (`nl.toml`), or what else was read, such as an environment variable.
    pub file: String,
    /// Line in the file, from 1; 0 for what has no lines.
    pub line: usize,
    /// Dotted path of the key, with positions in arrays (`entity[0].pattern[1].validator`).
    pub key: String,
    /// What is wrong.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: ", self.file)?,
            line => write!(f, "{}:{line}: ", self.file)?,
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}; {}", self.wrong, self.right)
    }
}

/// Where readers report what they find wrong. Shared by reference, so that reading goes on after a mistake.
#[derive(Debug, Default)]
pub struct Mistakes(RefCell<Vec<Mistake>>);

impl Mistakes {
    /// Adds one.
    pub fn report(&self, mistake: Mistake) {
        self.0.borrow_mut().push(mistake);
    }

    /// How many there are so far.
    pub fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// All of them, by file and line.
    pub fn into_sorted(self) -> Vec<Mistake> {
        let mut all = self.0.into_inner();
        all.sort();
        all.dedup();
        all
    }
}

/// Every mistake in a ruleset: the error of loading it. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSources(pub Vec<Mistake>);

impl fmt::Display for InvalidSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidSources {}

/// A reviewed file: its name in the ruleset and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// File name, such as `nl.toml`; it appears in every mistake.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// A file of this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Reads the file as TOML. Reports every syntax error; `None` if there was one.
    pub fn read<'s>(&'s self, mistakes: &'s Mistakes) -> Option<Table<'s>> {
        reader::read(self, mistakes)
    }

    /// Line, from 1, of a byte offset in the text.
    fn line_of(&self, offset: usize) -> usize {
        let end = offset.min(self.text.len());
        1 + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..end]).count()
    }
}

/// The nearest of `known` to `name`, if it is near enough to have been meant.
///
/// Cost: the product of the two lengths for each known name.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let limit = 1 + name.chars().count() / 4;
    known
        .into_iter()
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits between two names; two neighbours in the wrong order are one edit (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let change = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_a_slip_and_not_a_stranger() {
        let known = ["regex", "boundary", "validator"];
        assert_eq!(nearest("regxe", known), Some("regex"));
        assert_eq!(nearest("validater", known), Some("validator"));
        assert_eq!(nearest("tier", known), None);
    }

    #[test]
    fn every_syntax_error_is_reported_with_its_line() {
        let mistakes = Mistakes::default();
        let file = SourceFile::new("x.toml", "a = \nb = 1\nc = ]\n");
        assert!(file.read(&mistakes).is_none());
        let lines: Vec<usize> = mistakes.into_sorted().iter().map(|m| m.line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
