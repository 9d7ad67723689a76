//! The configuration of the stream: one TOML file, every mistake at once.
//!
//! Names carry their units. Unknown keys are refused. What is secret is not in the file but in the environment.

mod options;

pub use options::{OPTIONS_WE_NEED, SECRETS};

use crate::stream::machine::Limits;
use maysend_detector::source::{InvalidSources, Mistakes, SourceFile, Table};
use std::{
    collections::BTreeMap,
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

/// `[kafka]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kafka {
    /// Bootstrap servers, `host:port`, separated by commas.
    pub brokers: String,
    /// The consumer group; also the start of the transactional id.
    pub group: String,
    /// The number of this process among its like, stable over restarts. `None`: from the environment.
    pub ordinal: Option<u32>,
    /// What the topics' names start with; the input topic has this name alone.
    pub topic_prefix: String,
    /// Where a partition is read from that has nothing committed.
    pub start: Start,
    /// Options for librdkafka, except those that the guarantees depend on.
    pub options: BTreeMap<String, String>,
}

/// Where to start a partition that has nothing committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At its first record.
    Earliest,
    /// After its last record.
    Latest,
}

/// `[stream]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// When a batch is closed, and how much may be in flight.
    pub limits: Limits,
    /// How long what is in flight may take to end when partitions are revoked, or the process is to end.
    pub drain_timeout: Duration,
    /// How long a record may take to be acknowledged by the broker.
    pub message_timeout: Duration,
    /// How long a transaction may stay open.
    pub transaction_timeout: Duration,
    /// How long the group waits for a silent member.
    pub session_timeout: Duration,
    /// Whether every destination is enforced, whatever the policy says of shadow mode.
    pub enforce: bool,
    /// Dead letters a minute beyond which the stream stops: the producer upstream is broken.
    pub max_dead_letters_per_minute: u32,
}

/// `[ruleset]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesetFolder {
    /// The folder; `None` for the ruleset that is built in.
    pub folder: Option<PathBuf>,
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
            let kafka = root.table("kafka").and_then(kafka);
            let stream = stream(root.opt_table("stream"));
            let ruleset = root.opt_table("ruleset").map(ruleset).unwrap_or_default();
            root.finish();
            Some(Self { kafka: kafka?, stream: stream?, ruleset })
        });
        match config {
            Some(config) if mistakes.count() == 0 => Ok(config),
            _ => Err(InvalidSources(mistakes.into_sorted()).into()),
        }
    }
}

fn kafka(mut table: Table<'_>) -> Option<Kafka> {
    let brokers = table.string("brokers");
    let group = table.opt_string("group").unwrap_or_else(|| "maysend".into());
    let ordinal = table.opt_integer("ordinal").and_then(|number| {
        let ordinal = u32::try_from(number).ok();
        if ordinal.is_none() {
            table.mistake("ordinal", format!("{number} is no ordinal"), "0, 1, 2, …: the number of this process");
        }
        ordinal
    });
    let topic_prefix = table.opt_string("topic_prefix").unwrap_or_else(|| "transcripts".into());
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if topic_prefix.is_empty() || topic_prefix.len() > 200 || !topic_prefix.chars().all(is_name) {
        table.mistake("topic_prefix", "no topic name", "1 to 200 of the characters a-z, A-Z, 0-9, `.`, `_`, `-`");
    }
    let starts = [("earliest", Start::Earliest), ("latest", Start::Latest)];
    let start = table.opt_one_of("start", &starts).unwrap_or(Start::Earliest);
    let options = table.opt_table("options").map(options::read).unwrap_or_default();
    table.finish();
    Some(Kafka { brokers: brokers?, group, ordinal, topic_prefix, start, options })
}

fn stream(table: Option<Table<'_>>) -> Option<Stream> {
    let mut defaults = Stream {
        limits: Limits { batch_bytes: 8 << 20, batch_records: 500, batch_age_ms: 200, in_flight_bytes: 64 << 20 },
        drain_timeout: Duration::from_secs(20),
        message_timeout: Duration::from_secs(15),
        transaction_timeout: Duration::from_secs(30),
        session_timeout: Duration::from_secs(45),
        enforce: false,
        max_dead_letters_per_minute: 1000,
    };
    let Some(mut table) = table else { return Some(defaults) };
    let limits = &mut defaults.limits;
    number(&mut table, "batch_bytes", 1..=1 << 30, &mut limits.batch_bytes);
    number(&mut table, "batch_records", 1..=100_000, &mut limits.batch_records);
    number(&mut table, "batch_age_ms", 1..=60_000, &mut limits.batch_age_ms);
    number(&mut table, "in_flight_bytes", 1..=16 << 30, &mut limits.in_flight_bytes);
    if limits.in_flight_bytes < limits.batch_bytes {
        table.mistake(
            "in_flight_bytes",
            "less than one batch",
            "at least `batch_bytes`; several times as much is better",
        );
    }
    milliseconds(&mut table, "drain_timeout_ms", &mut defaults.drain_timeout);
    milliseconds(&mut table, "message_timeout_ms", &mut defaults.message_timeout);
    milliseconds(&mut table, "transaction_timeout_ms", &mut defaults.transaction_timeout);
    milliseconds(&mut table, "session_timeout_ms", &mut defaults.session_timeout);
    if defaults.message_timeout >= defaults.transaction_timeout {
        let right = "less than `transaction_timeout_ms`: a record must fail before its transaction does";
        table.mistake("message_timeout_ms", "too long", right);
    }
    if defaults.transaction_timeout >= defaults.session_timeout {
        let right = "less than `session_timeout_ms`: a transaction must end before its partitions are given away";
        table.mistake("transaction_timeout_ms", "too long", right);
    }
    if defaults.drain_timeout >= defaults.session_timeout {
        let right = "less than `session_timeout_ms`: the group gives partitions away after that";
        table.mistake("drain_timeout_ms", "too long", right);
    }
    defaults.enforce = table.opt_boolean("enforce").unwrap_or(false);
    number(&mut table, "max_dead_letters_per_minute", 1..=1_000_000, &mut defaults.max_dead_letters_per_minute);
    table.finish();
    Some(defaults)
}

fn ruleset(mut table: Table<'_>) -> RulesetFolder {
    let folder = table.opt_string("folder").map(PathBuf::from);
    table.finish();
    RulesetFolder { folder }
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
                "maysend.toml:7: kafka.options.sasl.password: a secret; set MAYSEND_KAFKA_SASL_PASSWORD in the environment",
                "maysend.toml:9: stream.batch_bytes: 0; 1 to 1073741824",
                "maysend.toml:10: stream.message_timeout_ms: too long; less than `transaction_timeout_ms`: a record must fail before its transaction does",
                "maysend.toml:11: http: unknown key; known here: kafka, stream, ruleset",
            ]
        );
    }
}
