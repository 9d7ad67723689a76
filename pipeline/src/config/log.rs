//! `[log]`: what is logged, and how.

use super::section::Section;
use crate::observe::logs;

/// `[log]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// What is logged: a level, or levels by target such as `info,librdkafka=debug`.
    pub level: String,
    /// How it is written.
    pub format: LogFormat,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people on a terminal, as JSON otherwise.
    Auto,
    /// A line for people.
    Human,
    /// A JSON object a line.
    Json,
}

pub(super) fn read(mut section: Section<'_>) -> Option<Log> {
    let level = section.string(
        "level",
        "info",
        "What is logged: error, warn, info, debug, trace or off, also by target: info,librdkafka=debug. MAYSEND_LOG comes \
         before it.",
    );
    if !logs::is_filter(&level) {
        section.mistake("level", format!("`{}` is no level", level.escape_debug()), logs::RIGHT);
    }
    let formats = [("auto", LogFormat::Auto), ("human", LogFormat::Human), ("json", LogFormat::Json)];
    let format = section.one_of(
        "format",
        &formats,
        "How it is written: for people on a terminal and as JSON otherwise, always for people, or always as JSON.",
    );
    section.finish();
    Some(Log { level, format: format? })
}
