//! `[kafka]`: which cluster, as whom.

use super::{
    options,
    section::{Section, Short},
    security::{self, Security},
};
use std::collections::BTreeMap;

/// The environment variable with this process's number, alone or after the last hyphen of its name, as the pod of a
/// StatefulSet has it.
pub const ORDINAL: &str = "MAYSEND_ORDINAL";

/// `[kafka]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kafka {
    /// Bootstrap servers, `host:port`, separated by commas.
    pub brokers: String,
    /// The consumer group; also the start of the transactional id.
    pub group: String,
    /// The number of this process among its like, stable over restarts. `None`: nobody says it.
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

impl Kafka {
    /// The largest batch of several records that a producer makes, in bytes.
    pub fn batch_bytes(&self) -> usize {
        let set = self.options.get("batch.size");
        set.and_then(|bytes| bytes.parse().ok()).unwrap_or(1_000_000)
    }
}

pub(super) fn read(mut section: Section<'_>) -> Option<Kafka> {
    let brokers = section.required_string("brokers", "Bootstrap servers, `host:port`, separated by commas.");
    let group = section.string("group", "maysend", "The consumer group; also the start of the transactional id.");
    let ordinal = section.opt_integer(
        "ordinal",
        0..=i64::from(u32::MAX),
        &SHORT,
        "The number of this process among its like, from 0 and stable over restarts. Two processes never have the same. \
         MAYSEND_ORDINAL sets it too, and takes a name that ends with the number: the name of a StatefulSet's pod.",
    );
    let topic_prefix = section.string(
        "topic_prefix",
        "transcripts",
        "What the topics' names start with; the topic that is read has this name alone.",
    );
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if topic_prefix.is_empty() || topic_prefix.len() > 200 || !topic_prefix.chars().all(is_name) {
        section.mistake("topic_prefix", "no topic name", "1 to 200 of the characters a-z, A-Z, 0-9, `.`, `_`, `-`");
    }
    let starts = [("earliest", Start::Earliest), ("latest", Start::Latest)];
    let start = section.one_of(
        "start",
        &starts,
        "Where a partition is read from that has nothing committed: at its first record, or after its last.",
    );
    let security = security::read(section.nested("security"));
    let options =
        section.options("options", "An option of librdkafka, except those that the guarantees depend on.", |option| {
            options::refusal(option, &security)
        });
    section.finish();
    Some(Kafka { brokers: brokers?, group, ordinal, topic_prefix, start: start?, security, options })
}

const SHORT: Short = Short {
    variable: ORDINAL,
    parse: ordinal,
    takes: "a number, 0, 1, 2, …, or a name that ends with one, such as maysend-0",
};

/// `3` and `maysend-3` are 3.
fn ordinal(text: &str) -> Option<i64> {
    let digits = match text.rsplit_once('-') {
        Some((name, digits)) if !name.is_empty() => digits,
        _ => text,
    };
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinal_is_a_number_or_the_end_of_a_name() {
        for (text, number) in [("0", Some(0)), ("17", Some(17)), ("maysend-3", Some(3)), ("gate-eu-12", Some(12))] {
            assert_eq!(ordinal(text), number, "{text}");
        }
        for wrong in ["", "-1", "maysend-", "maysend", "maysend-x", "3-maysend", "+3", " 3"] {
            assert_eq!(ordinal(wrong), None, "{wrong}");
        }
    }
}
