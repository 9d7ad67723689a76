//! Our topics: what copy each has, and by when it goes.

use super::{Action, Control, Row};
use crate::{ruleset::day_of, stages::Output, stream::topics::Topics};
use jiff::{SignedDuration, Timestamp, civil::Date};
use std::collections::BTreeMap;

/// The settings of one topic, by name.
pub type Settings = BTreeMap<String, String>;

/// Our topics with their settings, and how those are known.
#[derive(Clone, Debug)]
pub struct TopicSettings {
    /// The names.
    pub topics: Topics,
    /// The settings, by topic. One that is not there has no row.
    pub settings: BTreeMap<String, Settings>,
    /// The day on which the broker said them; `None` where they are only what `maysend topics` would create.
    pub read_on: Option<Date>,
}

impl TopicSettings {
    /// As `maysend topics --create` makes them.
    pub fn as_created(topics: Topics) -> Self {
        let own = |settings: Vec<(&str, &str)>| settings.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        let settings = topics.all().map(|(name, settings)| (name.to_owned(), own(settings))).collect();
        Self { topics, settings, read_on: None }
    }
}

/// What a broker does where a topic has no setting of its own.
const SEGMENT_MS: i64 = 7 * 86_400_000;

/// Brokers look every five minutes for what may go, and remove its files a minute later; an hour is ample.
const SLACK_MS: i64 = 3_600_000;

/// By when a record of this time is gone, whatever else happens: its segment is closed after `segment.ms` at the latest,
/// and goes when its newest record is older than `retention.ms`. `None` where the topic's settings promise no end.
pub fn expires(settings: &Settings, written: Timestamp) -> Option<Timestamp> {
    let number = |key: &str| settings.get(key).and_then(|text| text.parse::<i64>().ok());
    let deletes = settings.get("cleanup.policy").is_none_or(|policy| policy.split(',').any(|p| p.trim() == "delete"));
    let retention = number("retention.ms").filter(|retention| deletes && *retention >= 0)?;
    let after = retention.checked_add(number("segment.ms").unwrap_or(SEGMENT_MS))?.checked_add(SLACK_MS)?;
    written.checked_add(SignedDuration::from_millis(after)).ok()
}

/// What a topic holds, and what is done about it.
struct About {
    copy: &'static str,
    action: Action,
    left_behind: &'static str,
}

const TOMBSTONE: &str =
    "bytes, until the broker compacts the partition: a segment that is written to is never compacted";

fn about(output: Output) -> About {
    let (copy, action, left_behind) = match output {
        Output::Reservations => (
            "evidence of possible disclosure: customer key, provider, terms; no text",
            Action::Keep,
            "the record itself: without it nobody could say who owes a cleanup",
        ),
        Output::Cleared => ("transcripts, redacted; in shadow mode as they were published", Action::Delete, TOMBSTONE),
        Output::Review => ("transcripts for reviewers, not redacted", Action::Delete, TOMBSTONE),
        Output::Held => ("transcripts that wait for other terms, not redacted", Action::Delete, TOMBSTONE),
        Output::Decisions => ("decisions: customer key, counts of what was found; no text", Action::Delete, TOMBSTONE),
        Output::DeadLetter => (
            "records that could not be decoded, as they were published; nobody can say whose they are",
            Action::Expiry,
            "nothing",
        ),
    };
    About { copy, action, left_behind }
}

/// The rows of our topics, in the order of the way of a transcript.
pub(super) fn rows(known: &TopicSettings, owner: &str, as_of: Timestamp) -> Vec<Row> {
    let topics = &known.topics;
    let keep = |copy, left_behind| About { copy, action: Action::Keep, left_behind };
    let mut all = vec![(
        topics.input.as_str(),
        About { copy: "transcripts as the platform published them", action: Action::Expiry, left_behind: "nothing" },
    )];
    all.extend(Output::ALL.map(|output| (topics.of(output), about(output))));
    all.push((
        &topics.usage,
        keep("what senders report: customer key, the provider's ids; no text", "the record itself"),
    ));
    all.push((
        &topics.erasures,
        keep("who was erased, by customer key; no text", "the record itself: it closes the gate"),
    ));
    all.push((
        &topics.erasure_records,
        keep(
            "signed records of erasures: keyed hashes of customer keys, reservations",
            "the record itself: it is the proof",
        ),
    ));
    all.push((
        &topics.requests,
        keep("what happened to requests; no customer key", "the record itself: it is the proof"),
    ));
    all.into_iter()
        .filter_map(|(name, about)| Some(row(name, &about, known.settings.get(name)?, known.read_on, owner, as_of)))
        .collect()
}

fn row(name: &str, about: &About, settings: &Settings, read_on: Option<Date>, owner: &str, as_of: Timestamp) -> Row {
    let gone_by = expires(settings, as_of).map(day_of);
    let mut kept = match settings.get("retention.ms").and_then(|text| text.parse::<i64>().ok()) {
        Some(ms) if ms >= 0 => days(ms),
        Some(_) => "for ever".into(),
        None => "not said by the topic: see the brokers' default".into(),
    };
    if let (Action::Delete, Some(lag)) = (about.action, settings.get("max.compaction.lag.ms"))
        && let Ok(lag @ 0..=MOST_LAG_MS) = lag.parse::<i64>()
    {
        kept += &format!("; deleted records are due for compaction after {}", days(lag));
    }
    if let (Action::Expiry, Some(day), Some(_)) = (about.action, gone_by, read_on) {
        kept += &format!(": expires on {day}, and we can prove it");
    }
    let warning = (about.action != Action::Keep && gone_by.is_none() && read_on.is_some())
        .then(|| "nothing bounds it: set `retention.ms`".into());
    Row {
        id: format!("topic:{name}"),
        system: format!("Kafka topic `{name}`"),
        copy: about.copy.into(),
        control: Control::Ours,
        owner: owner.into(),
        action: about.action,
        kept,
        gone_by,
        left_behind: about.left_behind.into(),
        evidence: Some(match read_on {
            Some(_) => "the topic's settings, asked of the broker".into(),
            None => "what `maysend topics --create` sets; give --config to ask the broker".into(),
        }),
        evidence_date: read_on,
        warning,
        done: None,
    }
}

/// Above this a lag is no bound but Kafka's default for none.
const MOST_LAG_MS: i64 = 10 * 365 * 86_400_000;

fn days(ms: i64) -> String {
    const HOUR: i64 = 3_600_000;
    match (ms / (24 * HOUR), ms % (24 * HOUR)) {
        (1, 0) => "1 day".into(),
        (days, 0) => format!("{days} days"),
        _ => format!("{} hours", (ms + HOUR - 1) / HOUR),
    }
}
