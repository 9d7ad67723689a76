//! `[ruleset]`: where the reviewed files are.

use maysend_detector::source::Table;
use std::path::PathBuf;

/// `[ruleset]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesetFolder {
    /// The folder; `None` for the ruleset that is built in.
    pub folder: Option<PathBuf>,
}

pub(super) fn read(mut table: Table<'_>) -> RulesetFolder {
    let folder = table.opt_string("folder").map(PathBuf::from);
    table.finish();
    RulesetFolder { folder }
}
