//! The reviewed rules of the gate: what the policy says of each entity, where tenants are, what providers promised, and
//! where the platform's records have what.
//!
//! Everything here comes from files that people review: `policy.toml`, `tenants.toml`, `destinations.toml`, and
//! `input.toml` where records have another shape than the wire form. Loading reports every mistake in all of them at
//! once and yields nothing while there is one. What is loaded is plain data with look-ups; dates are compared with a day that the caller gives, never with a clock.

pub mod destinations;
pub mod input;
mod load;
pub mod policy;
pub mod region;
pub mod tenants;

pub use load::{Ruleset, RulesetError, digest_of, files_of, read_folder};

use destinations::Destinations;
use input::Mapping;
use jiff::{Timestamp, civil::Date, tz::Offset};
use maysend_detector::source::{Mistake, Mistakes, SourceFile, Table};
use policy::Policy;
use std::collections::BTreeSet;
use tenants::Tenants;

/// The files that the rules must have, by their names in a ruleset.
pub const FILES: [&str; 3] = [policy::FILE, tenants::FILE, destinations::FILE];

/// Policy, tenants and destinations, checked against each other.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What is done about each entity.
    pub policy: Policy,
    /// Where each tenant is.
    pub tenants: Tenants,
    /// Where transcripts may go, and on what terms.
    pub destinations: Destinations,
    /// Where records have what; `None` where they are of the wire form.
    pub mapping: Option<Mapping>,
}

impl Rules {
    /// Reads these files out of a ruleset's files; other files are passed over.
    ///
    /// `known_entities` are the ids that a rule may name: those of the patterns and those that templates map fields
    /// to. Every mistake, a missing file included, goes to `mistakes`; `None` when these files had any. Only the
    /// mapping's file may be missing.
    pub fn load(files: &[SourceFile], known_entities: &BTreeSet<String>, mistakes: &Mistakes) -> Option<Self> {
        let before = mistakes.count();
        let destinations = find(files, destinations::FILE, mistakes).map(|file| Destinations::read(file, mistakes));
        let tenants = find(files, tenants::FILE, mistakes).map(|file| Tenants::read(file, mistakes));
        let ids = destinations.as_ref().map(Destinations::ids);
        let mapping = files
            .iter()
            .find(|file| file.name == input::FILE)
            .and_then(|file| Mapping::read(file, tenants.as_ref(), destinations.as_ref(), mistakes));
        let policy = find(files, policy::FILE, mistakes)
            .map(|file| Policy::read(file, known_entities, ids.as_ref(), mapping.as_ref(), mistakes));
        if mistakes.count() > before {
            return None;
        }
        Some(Self { policy: policy?, tenants: tenants?, destinations: destinations?, mapping })
    }
}

/// The day, in UTC, on which a decision is taken. Every date in the rules is a day in UTC.
pub fn day_of(as_of: Timestamp) -> Date {
    Offset::UTC.to_datetime(as_of).date()
}

fn find<'f>(files: &'f [SourceFile], name: &str, mistakes: &Mistakes) -> Option<&'f SourceFile> {
    let found = files.iter().find(|file| file.name == name);
    if found.is_none() {
        mistakes.report(Mistake {
            file: name.into(),
            line: 1,
            key: String::new(),
            wrong: "the file is missing".into(),
            right: "a ruleset has policy.toml, tenants.toml and destinations.toml".into(),
        });
    }
    found
}

/// A required date; a day that no calendar has is a mistake.
fn date(table: &mut Table<'_>, key: &str) -> Option<Date> {
    let parts = table.date(key)?;
    to_date(table, key, parts)
}

/// An optional date; a day that no calendar has is a mistake.
fn opt_date(table: &mut Table<'_>, key: &str) -> Option<Date> {
    let parts = table.opt_date(key)?;
    to_date(table, key, parts)
}

fn to_date(table: &Table<'_>, key: &str, (year, month, day): (i16, i8, i8)) -> Option<Date> {
    let date = Date::new(year, month, day).ok();
    if date.is_none() {
        table.mistake(key, format!("{year:04}-{month:02}-{day:02} is not a day"), "a day of the calendar");
    }
    date
}

/// A required id: it becomes part of record keys and of reports, so it is short, visible ASCII without separators.
fn id(table: &mut Table<'_>, key: &str) -> Option<String> {
    let id = table.string(key)?;
    if is_id(&id) {
        return Some(id);
    }
    table.mistake(key, format!("`{}` is not an id", id.escape_debug()), ID_FORM);
    None
}

const ID_FORM: &str = "1 to 64 of the characters a-z, A-Z, 0-9, `.`, `_`, `-`";

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

/// A required string that says something.
fn text(table: &mut Table<'_>, key: &str) -> Option<String> {
    let text = table.string(key)?;
    if !text.trim().is_empty() {
        return Some(text);
    }
    table.mistake(key, "empty", "it says something");
    None
}

#[cfg(test)]
pub(crate) mod testing {
    //! What the tests of the rules share.

    use super::*;

    /// The mistakes that `read` reports for a file of this name and text, as printed.
    pub(crate) fn mistakes_in<T>(name: &str, text: &str, read: impl Fn(&SourceFile, &Mistakes) -> T) -> Vec<String> {
        let mistakes = Mistakes::default();
        read(&SourceFile::new(name, text), &mistakes);
        mistakes.into_sorted().iter().map(ToString::to_string).collect()
    }

    /// What `read` makes of a file without mistakes.
    pub(crate) fn read_clean<T>(name: &str, text: &str, read: impl Fn(&SourceFile, &Mistakes) -> T) -> T {
        let mistakes = Mistakes::default();
        let value = read(&SourceFile::new(name, text), &mistakes);
        let lines: Vec<String> = mistakes.into_sorted().iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{lines:#?}");
        value
    }
}
