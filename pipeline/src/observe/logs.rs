//! The log: what happens and somebody may want to know, on standard error. No transcript text, ever.

use crate::config::{Log, LogFormat};
use std::io::{self, IsTerminal};
use tracing_subscriber::{
    EnvFilter, Layer as _, Registry, filter::LevelFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// The environment variable that says what is logged, such as `info,librdkafka=debug`; it goes before the configuration.
pub const VARIABLE: &str = "MAYSEND_LOG";

/// The target of librdkafka's own lines.
pub const LIBRDKAFKA: &str = "librdkafka";

/// What a level is.
pub const RIGHT: &str = "one of error, warn, info, debug, trace, off, or such as `info,librdkafka=debug`";

/// What is logged cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The environment variable is wrong.
    #[error("{VARIABLE}: `{0}` is no level; {RIGHT}")]
    Variable(String),
    /// Traces cannot be exported.
    #[cfg(feature = "opentelemetry")]
    #[error("traces cannot be exported: {0}; see the OTEL_EXPORTER_OTLP_… variables")]
    Export(opentelemetry_otlp::ExporterBuildError),
}

/// Holds what must be ended with the process.
#[derive(Debug)]
#[must_use = "traces are flushed when it is dropped"]
pub struct Logging {
    /// How it is written, after all.
    pub format: LogFormat,
    #[cfg(feature = "opentelemetry")]
    _traces: Option<super::traces::Traces>,
}

/// Whether a text says what is logged. A word that is no level would be taken for the only target that is, and so silence
/// everything else.
pub fn is_filter(text: &str) -> bool {
    let is_level = |directive: &str| {
        let level = directive.rsplit_once('=').map_or(directive, |(_, level)| level).trim();
        !level.is_empty() && level.parse::<LevelFilter>().is_ok()
    };
    text.split(',').all(is_level) && EnvFilter::try_new(text).is_ok()
}

/// Begins to log, once in a process. `level` is what the command line asks for, which goes before all else.
///
/// # Errors
/// The environment variable is wrong, or traces cannot be exported.
pub fn init(log: &Log, level: Option<&str>) -> Result<Logging, LogError> {
    let from_environment = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    let filter = match (level, from_environment) {
        (Some(level), _) => EnvFilter::new(level),
        (None, Some(text)) if is_filter(&text) => EnvFilter::new(text),
        (None, Some(text)) => return Err(LogError::Variable(text.escape_debug().to_string())),
        (None, None) => EnvFilter::new(&log.level),
    };
    let is_terminal = io::stderr().is_terminal();
    let format = match log.format {
        LogFormat::Auto if is_terminal => LogFormat::Human,
        LogFormat::Auto => LogFormat::Json,
        format => format,
    };
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let lines = match format {
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
        _ => {
            let is_coloured = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
            lines.with_ansi(is_coloured).boxed()
        }
    };
    let registry = Registry::default().with(lines.with_filter(filter));
    #[cfg(feature = "opentelemetry")]
    let (registry, traces) = {
        let traces = super::traces::Traces::from_env().map_err(LogError::Export)?;
        (registry.with(traces.as_ref().map(super::traces::Traces::layer)), traces)
    };
    // Only a test logs already, and then nothing is lost.
    let _ = registry.try_init();
    Ok(Logging {
        format,
        #[cfg(feature = "opentelemetry")]
        _traces: traces,
    })
}

#[cfg(test)]
mod tests {
    use super::is_filter;

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        for right in ["info", "WARN", "off", "info,librdkafka=debug", "maysend::stream=trace"] {
            assert!(is_filter(right), "{right}");
        }
        for wrong in ["", "inof", "loud=", "info,", "librdkafka", "info,librdkafka=loud"] {
            assert!(!is_filter(wrong), "{wrong}");
        }
    }
}
