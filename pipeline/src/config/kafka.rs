//! `[kafka]`: which cluster, as whom.

use super::{
    options,
    security::{self, Security},
};
use maysend_detector::source::Table;
use std::collections::BTreeMap;

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
    /// How the brokers and this program know each other.
    pub security: Security,
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

pub(super) fn read(mut table: Table<'_>) -> Option<Kafka> {
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
    let security = table.opt_table("security").map(security::read).unwrap_or_default();
    let options = table.opt_table("options").map(|table| options::read(table, &security)).unwrap_or_default();
    table.finish();
    Some(Kafka { brokers: brokers?, group, ordinal, topic_prefix, start, security, options })
}
