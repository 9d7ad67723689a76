//! What the end-to-end tests share: the program from outside, and what goes into it and comes out.
//!
//! The tests in `tests/` read like the specification and run the program as a user does. [`program`] finds and runs it,
//! [`running`] holds one that is in the middle of its work, [`transcripts`] makes its input, [`made`] records by the million, [`rulesets`] edits a copy
//! of the ruleset, [`mapped`] has records of another shape and [`outputs`] reads what it wrote; [`kafka`] runs a broker for
//! the tests of the stream, [`provider`] is called by a sender, and [`postgres`] keeps ledgers. Nothing here
//! sleeps: a test waits for a process to end, for its output or for its input to be taken.

pub mod kafka;
pub mod made;
pub mod mapped;
pub mod outputs;
pub mod postgres;
pub mod program;
pub mod provider;
pub mod rulesets;
pub mod running;
pub mod transcripts;
mod watch;

pub use outputs::Outputs;
pub use program::{AS_OF, KEY, Program, Ran, maysend};
pub use rulesets::Patterns;
pub use running::Running;
pub use transcripts::{Transcript, lines, transcript};

use std::{fs, path::Path};

/// The names in a folder, hidden ones included, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().expect("a name in UTF-8")).collect();
    names.sort();
    names
}
