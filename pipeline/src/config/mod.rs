//! The configuration of the stream: one TOML file and the environment, every mistake at once.
//!
//! Names carry their units. Unknown keys are refused. A variable such as `MAYSEND_STREAM__BATCH_BYTES` comes before the
//! file's `[stream] batch_bytes`, and that before the default. What is secret is not in the file but in the environment.
//!
//! ```
//! use maysend::config::{Effective, Environment};
//!
//! let file = "[kafka]\nbrokers = \"localhost:9092\"\n[stream]\nbatch_records = 100\n";
//! let environment = Environment::from_iter([("MAYSEND_STREAM__BATCH_RECORDS", "50")]);
//! let effective = Effective::read("maysend.toml", file, &environment).unwrap();
//! assert_eq!(effective.config.stream.limits.batch_records, 50);
//! let setting = effective.settings.iter().find(|setting| setting.key == "batch_records").unwrap();
//! assert_eq!(setting.origin.to_string(), "MAYSEND_STREAM__BATCH_RECORDS");
//! ```

mod environment;
mod http;
mod kafka;
mod log;
mod options;
mod ruleset;
mod section;
mod security;
mod stream;

pub use environment::{Environment, variable};
pub use http::Http;
pub use kafka::{Kafka, ORDINAL, Start};
pub use log::{Log, LogFormat};
pub use options::{OPTIONS_WE_NEED, SECRETS};
pub use ruleset::RulesetFolder;
pub use section::{Kind, Origin, Setting};
pub use security::{ClientCertificate, PasswordMechanism, Sasl, Security, Tls};
pub use stream::Stream;

use maysend_detector::source::{InvalidSources, Mistakes, SourceFile};
use section::{Reader, Section};
use std::{
    cell::RefCell,
    fs, io,
    path::{Path, PathBuf},
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
    /// `[http]`: where metrics and health are served.
    pub http: Http,
    /// `[log]`: what is logged, and how.
    pub log: Log,
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

/// A configuration, and where each of its values comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// The configuration.
    pub config: Config,
    /// Every key there is, in the order of the sections and of the keys in them.
    pub settings: Vec<Setting>,
}

impl Config {
    /// Reads a file, with the environment of this process.
    ///
    /// # Errors
    /// It cannot be read, or the two hold mistakes.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        Ok(Effective::from_file(path, &Environment::of_process())?.config)
    }

    /// Reads the text of a file of this name, without an environment.
    ///
    /// # Errors
    /// It holds mistakes.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        Ok(Effective::read(name, text, &Environment::default())?.config)
    }
}

impl Effective {
    /// Reads a file and an environment.
    ///
    /// # Errors
    /// The file cannot be read, or the two hold mistakes.
    pub fn from_file(path: &Path, environment: &Environment) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path).map_err(|error| ConfigError::Unreadable { path: path.into(), error })?;
        Self::read(&path.display().to_string(), &text, environment)
    }

    /// Reads the text of a file of this name, and an environment.
    ///
    /// # Errors
    /// They hold mistakes.
    pub fn read(name: &str, text: &str, environment: &Environment) -> Result<Self, ConfigError> {
        let mistakes = Mistakes::default();
        let file = SourceFile::new(name, text);
        let reader = Reader {
            file: &file,
            mistakes: &mistakes,
            environment: environment::Reading::new(environment, &mistakes),
            settings: RefCell::default(),
        };
        let config = file.read(&mistakes).and_then(|mut root| {
            let mut section = |name| Section::new(&reader, name, root.opt_table(name));
            let kafka = kafka::read(section("kafka"));
            let stream = stream::read(section("stream"));
            let ruleset = ruleset::read(section("ruleset"));
            let http = http::read(section("http"));
            let log = log::read(section("log"));
            root.finish();
            reader.environment.finish();
            Some(Config { kafka: kafka?, stream: stream?, ruleset, http, log: log? })
        });
        let settings = reader.settings.into_inner();
        match config {
            Some(config) if mistakes.count() == 0 => Ok(Self { config, settings }),
            _ => Err(InvalidSources(mistakes.into_sorted()).into()),
        }
    }
}

/// Every key there is, as a file that sets none but the brokers leaves it.
pub fn keys() -> Vec<Setting> {
    let read = Effective::read("", "[kafka]\nbrokers = \"localhost:9092\"\n", &Environment::default());
    read.expect("only the brokers are needed").settings
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
                    \"sasl.password\" = \"x\"\n[stream]\nbatch_bytes = 0\nmessage_timeout_ms = 40000\n\
                    [http]\nlisten = \"localhost\"\n[log]\nlevel = \"loud=\"\nformat = \"xml\"\n[https]\n";
        assert_eq!(
            mistakes(text),
            [
                "maysend.toml:1: kafka.brokers: missing; it takes a string; or set MAYSEND_KAFKA__BROKERS",
                "maysend.toml:2: kafka.broker: unknown key; did you mean `brokers`?",
                "maysend.toml:3: kafka.ordinal: -1; 0 to 4294967295",
                "maysend.toml:4: kafka.start: unknown value `now`; one of earliest, latest",
                "maysend.toml:6: kafka.options.enable.idempotence: the guarantees depend on it; leave it out",
                "maysend.toml:7: kafka.options.sasl.password: a secret; set MAYSEND_KAFKA_SASL_PASSWORD or MAYSEND_KAFKA_SASL_PASSWORD_FILE in the environment",
                "maysend.toml:9: stream.batch_bytes: 0; 1 to 1073741824",
                "maysend.toml:10: stream.message_timeout_ms: too long; less than `transaction_timeout_ms`: a record must fail before its transaction does",
                "maysend.toml:12: http.listen: `localhost` is no address; an address and a port such as 127.0.0.1:9464, or off",
                "maysend.toml:14: log.level: `loud=` is no level; one of error, warn, info, debug, trace, off, or such as `info,librdkafka=debug`",
                "maysend.toml:15: log.format: unknown value `xml`; one of auto, human, json",
                "maysend.toml:16: https: unknown key; did you mean `http`?",
            ]
        );
    }

    fn with(variables: &[(&str, &str)]) -> Result<Effective, ConfigError> {
        let text = "[kafka]\nbrokers = \"file:9092\"\nordinal = 7\n[kafka.options]\n\"socket.keepalive.enable\" = \"true\"\n\
                    [stream]\nbatch_records = 100\nenforce = false\n";
        Effective::read("maysend.toml", text, &Environment::from_iter(variables.iter().copied()))
    }

    fn mistakes_with(variables: &[(&str, &str)]) -> Vec<String> {
        match with(variables) {
            Err(ConfigError::Invalid(mistakes)) => mistakes.0.iter().map(ToString::to_string).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_environment_comes_before_the_file_and_the_file_before_the_default() {
        let effective = with(&[
            ("MAYSEND_KAFKA__BROKERS", "variable:9092"),
            ("MAYSEND_STREAM__ENFORCE", "true"),
            ("MAYSEND_STREAM__DRAIN_TIMEOUT_MS", "1500"),
            ("MAYSEND_RULESET__FOLDER", "/etc/maysend/patterns"),
            ("MAYSEND_KAFKA__OPTIONS__SOCKET_KEEPALIVE_ENABLE", "false"),
            ("MAYSEND_KAFKA__SECURITY__PROTOCOL", "ssl"),
            ("MAYSEND_KEY", "of no concern here"),
            ("MAYSEND_SERVICE_HOST", "10.0.0.1"),
        ])
        .unwrap();
        let Config { kafka, stream, ruleset, .. } = &effective.config;
        assert_eq!(
            (kafka.brokers.as_str(), kafka.group.as_str(), kafka.ordinal),
            ("variable:9092", "maysend", Some(7))
        );
        assert_eq!((stream.enforce, stream.drain_timeout.as_millis(), stream.limits.batch_records), (true, 1500, 100));
        assert_eq!(ruleset.folder.as_deref(), Some(Path::new("/etc/maysend/patterns")));
        let options: Vec<_> = kafka.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(options, [("socket.keepalive.enable", "false")]);
        assert_eq!(kafka.security.protocol(), "ssl");

        let origin = |key: &str| {
            let found = effective.settings.iter().find(|setting| setting.key == key);
            found.map(|setting| (setting.origin.to_string(), setting.value.clone())).unwrap()
        };
        assert_eq!(origin("brokers"), ("MAYSEND_KAFKA__BROKERS".into(), Some("variable:9092".into())));
        assert_eq!(origin("batch_records"), ("maysend.toml:7".into(), Some(100.into())));
        assert_eq!(origin("batch_bytes"), ("default".into(), Some((8 << 20).into())));
        assert_eq!(origin("protocol").0, "MAYSEND_KAFKA__SECURITY__PROTOCOL");
    }

    #[test]
    fn the_environment_alone_is_enough() {
        let environment = Environment::from_iter([("MAYSEND_KAFKA__BROKERS", "localhost:9092")]);
        assert_eq!(Effective::read("maysend.toml", "", &environment).unwrap().config.kafka.brokers, "localhost:9092");
    }

    #[test]
    fn a_mistake_in_the_environment_names_the_variable() {
        let wrong = [
            ("MAYSEND_KAFKA__BROKERS", ""),
            ("MAYSEND_KAFKA__OPTIONS__ACKS", "1"),
            ("MAYSEND_KAFKA__OPTIONS__SASL_PASSWORD", "secret"),
            ("MAYSEND_KAFKA__START", "now"),
            ("MAYSEND_ORDINAL", "maysend"),
            ("MAYSEND_STREAM__BATCH_BYTES", "8 MiB"),
            ("MAYSEND_STREAM__BATCH_RECORD", "50"),
            ("MAYSEND_STREAM__BATCH_RECORDS", "0"),
            ("MAYSEND_STREAM__DRAIN_TIMEOUT_MS", "50000"),
            ("MAYSEND_STREAM_ENFORCE", "true"),
            ("MAYSEND_STREAMS__COLOUR", "green"),
        ];
        assert_eq!(
            mistakes_with(&wrong),
            [
                "MAYSEND_KAFKA__BROKERS: kafka.brokers: empty; it takes a string",
                "MAYSEND_KAFKA__OPTIONS__ACKS: kafka.options.acks: the guarantees depend on it; leave it out",
                "MAYSEND_KAFKA__OPTIONS__SASL_PASSWORD: kafka.options.sasl.password: a secret; set MAYSEND_KAFKA_SASL_PASSWORD or MAYSEND_KAFKA_SASL_PASSWORD_FILE in the environment",
                "MAYSEND_KAFKA__START: kafka.start: unknown value `now`; one of earliest, latest",
                "MAYSEND_ORDINAL: kafka.ordinal: `maysend`; a number, 0, 1, 2, …, or a name that ends with one, such as maysend-0",
                "MAYSEND_STREAMS__COLOUR: sets no key; MAYSEND_SECTION__KEY, such as MAYSEND_STREAM__BATCH_BYTES; `maysend check --config FILE` shows them all",
                "MAYSEND_STREAM_ENFORCE: sets no key; did you mean MAYSEND_STREAM__ENFORCE?",
                "MAYSEND_STREAM__BATCH_BYTES: stream.batch_bytes: `8 MiB`; it takes an integer",
                "MAYSEND_STREAM__BATCH_RECORD: sets no key; did you mean MAYSEND_STREAM__BATCH_RECORDS?",
                "MAYSEND_STREAM__BATCH_RECORDS: stream.batch_records: 0; 1 to 100000",
                "MAYSEND_STREAM__DRAIN_TIMEOUT_MS: stream.drain_timeout_ms: too long; less than `session_timeout_ms`: the group gives partitions away after that",
            ]
        );
    }

    #[test]
    fn the_ordinal_has_a_short_variable() {
        let ordinal = |variables: &[_]| with(variables).unwrap().config.kafka.ordinal;
        assert_eq!(ordinal(&[]), Some(7));
        assert_eq!(ordinal(&[("MAYSEND_ORDINAL", "maysend-3")]), Some(3));
        assert_eq!(ordinal(&[("MAYSEND_KAFKA__ORDINAL", "3")]), Some(3));
        assert_eq!(ordinal(&[("MAYSEND_KAFKA__ORDINAL", "3"), ("MAYSEND_ORDINAL", "maysend-3")]), Some(3));
        assert_eq!(
            mistakes_with(&[("MAYSEND_KAFKA__ORDINAL", "3"), ("MAYSEND_ORDINAL", "4")]),
            ["MAYSEND_ORDINAL: kafka.ordinal: 4, and MAYSEND_KAFKA__ORDINAL is 3; set one of the two"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_not_utf8_is_named_and_not_shown() {
        use std::{ffi::OsString, os::unix::ffi::OsStringExt};
        let value = OsString::from_vec(b"secret\xff".to_vec());
        let environment = Environment::from_iter([("MAYSEND_KAFKA__BROKERS", value)]);
        assert!(!format!("{environment:?}").contains("secret"));
        let error = Effective::read("maysend.toml", "", &environment).unwrap_err().to_string();
        assert!(error.contains("MAYSEND_KAFKA__BROKERS: not UTF-8; write it in UTF-8"), "{error}");
    }
}
