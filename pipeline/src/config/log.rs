//! `[log]`: what is logged, and how.

use crate::observe::logs;
use maysend_detector::source::Table;

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

impl Default for Log {
    fn default() -> Self {
        Self { level: "info".into(), format: LogFormat::Auto }
    }
}

pub(super) fn read(mut table: Table<'_>) -> Log {
    let mut log = Log::default();
    if let Some(level) = table.opt_string("level") {
        match logs::is_filter(&level) {
            true => log.level = level,
            false => table.mistake("level", format!("`{}` is no level", level.escape_debug()), logs::RIGHT),
        }
    }
    let formats = [("auto", LogFormat::Auto), ("human", LogFormat::Human), ("json", LogFormat::Json)];
    log.format = table.opt_one_of("format", &formats).unwrap_or(log.format);
    table.finish();
    log
}
