//! The configuration of the stream: one TOML file, every mistake at once.
//!
//! Names carry their units. Unknown keys are refused. What is secret is not in the file but in the environment.

mod kafka;
mod options;
mod ruleset;
mod security;
mod stream;

pub use kafka::{Kafka, Start};
pub use options::{OPTIONS_WE_NEED, SECRETS};
pub use ruleset::RulesetFolder;
pub use security::{ClientCertificate, PasswordMechanism, Sasl, Security, Tls};
pub use stream::Stream;

use maysend_detector::source::{InvalidSources, Mistakes, SourceFile, Table};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `[kafka]`: which cluster, as whom.
    pub kafka: Kafka,
    /// `[stream]`: batches, bounds, times.
    pub stream: Stream,
    /// `[ruleset]`: where the reviewed files are.
    pub ruleset: RulesetFolder,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It holds mistakes: all of them.
    #[error("mistakes in the configuration: {}\n{}", .0.0.len(), .0)]
    Invalid(#[from] InvalidSources),
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or holds mistakes.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path).map_err(|error| ConfigError::Unreadable { path: path.into(), error })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads the text of a file of this name.
    ///
    /// # Errors
    /// It holds mistakes.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let mistakes = Mistakes::default();
        let file = SourceFile::new(name, text);
        let config = file.read(&mistakes).and_then(|mut root| {
            let kafka = root.table("kafka").and_then(kafka::read);
            let stream = stream::read(root.opt_table("stream"));
            let ruleset = root.opt_table("ruleset").map(ruleset::read).unwrap_or_default();
            root.finish();
            Some(Self { kafka: kafka?, stream: stream?, ruleset })
        });
        match config {
            Some(config) if mistakes.count() == 0 => Ok(config),
            _ => Err(InvalidSources(mistakes.into_sorted()).into()),
        }
    }
}

fn number<T: TryFrom<i64>>(table: &mut Table<'_>, key: &str, range: std::ops::RangeInclusive<i64>, value: &mut T) {
    let Some(read) = table.opt_integer(key) else { return };
    match T::try_from(read) {
        Ok(read_value) if range.contains(&read) => *value = read_value,
        _ => table.mistake(key, read.to_string(), format!("{} to {}", range.start(), range.end())),
    }
}

fn milliseconds(table: &mut Table<'_>, key: &str, value: &mut Duration) {
    let mut ms = u64::try_from(value.as_millis()).unwrap_or(u64::MAX);
    number(table, key, 1..=3_600_000, &mut ms);
    *value = Duration::from_millis(ms);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        match Config::parse("maysend.toml", text) {
            Err(ConfigError::Invalid(mistakes)) => mistakes.0.iter().map(ToString::to_string).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_the_brokers_are_needed() {
        let config = Config::parse("maysend.toml", "[kafka]\nbrokers = \"localhost:9092\"\n").unwrap();
        assert_eq!((config.kafka.group.as_str(), config.kafka.topic_prefix.as_str()), ("maysend", "transcripts"));
        assert_eq!(config.stream.limits.batch_records, 500);
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let text = "[kafka]\nbroker = \"x\"\nordinal = -1\nstart = \"now\"\n[kafka.options]\n\"enable.idempotence\" = \"false\"\n\
                    \"sasl.password\" = \"x\"\n[stream]\nbatch_bytes = 0\nmessage_timeout_ms = 40000\n[http]\n";
        assert_eq!(
            mistakes(text),
            [
                "maysend.toml:1: kafka.brokers: missing; it takes a string",
                "maysend.toml:2: kafka.broker: unknown key; did you mean `brokers`?",
                "maysend.toml:3: kafka.ordinal: -1 is no ordinal; 0, 1, 2, …: the number of this process",
                "maysend.toml:4: kafka.start: unknown value `now`; one of earliest, latest",
                "maysend.toml:6: kafka.options.enable.idempotence: the guarantees depend on it; leave it out",
                "maysend.toml:7: kafka.options.sasl.password: a secret; set MAYSEND_KAFKA_SASL_PASSWORD or MAYSEND_KAFKA_SASL_PASSWORD_FILE in the environment",
                "maysend.toml:9: stream.batch_bytes: 0; 1 to 1073741824",
                "maysend.toml:10: stream.message_timeout_ms: too long; less than `transaction_timeout_ms`: a record must fail before its transaction does",
                "maysend.toml:11: http: unknown key; known here: kafka, stream, ruleset",
            ]
        );
    }
}
