//! `[ruleset]`: where the reviewed files are.

use super::section::Section;
use std::path::PathBuf;

/// `[ruleset]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesetFolder {
    /// The folder; `None` for the ruleset that is built in.
    pub folder: Option<PathBuf>,
}

pub(super) fn read(mut section: Section<'_>) -> RulesetFolder {
    let folder = section.opt_string(
        "folder",
        "The folder of the ruleset, from the working directory; without it the ruleset built into the program.",
    );
    section.finish();
    RulesetFolder { folder: folder.map(PathBuf::from) }
}
