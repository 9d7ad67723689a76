//! What each topic must be like, and what is wrong with one that is not. Pure.

use super::broker::{Cluster, Live};
use std::{collections::BTreeMap, fmt};

/// Whether what is lost with one broker would matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Production {
    Yes,
    No,
}

impl Production {
    /// The fewest replicas of a topic.
    pub(super) fn replicas(self) -> i32 {
        if self == Self::Yes { 3 } else { 1 }
    }

    /// The fewest replicas that must have a record before it is acknowledged.
    fn min_in_sync(self) -> i32 {
        if self == Self::Yes { 2 } else { 1 }
    }
}

/// A topic as it must be, and as it is created.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) partitions: i32,
    pub(super) replicas: i32,
    /// Its settings, in the order in which they are shown.
    pub(super) settings: Vec<(String, String)>,
}

impl Wanted {
    pub(super) fn new(
        name: &str,
        settings: &[(&str, &str)],
        partitions: i32,
        replicas: i32,
        production: Production,
    ) -> Self {
        let mut settings: Vec<(String, String)> =
            settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        let mut add = |key: &str, value: String| {
            if !settings.iter().any(|(there, _)| there == key) {
                settings.push((key.into(), value));
            }
        };
        add(MIN_IN_SYNC, production.min_in_sync().to_string());
        if production == Production::Yes {
            add(UNCLEAN, "false".into());
        }
        Self { name: name.into(), partitions, replicas, settings }
    }

    fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// How long its records are kept, where that is a rule.
    fn retention(&self) -> Option<&str> {
        self.setting(RETENTION)
    }
}

const MIN_IN_SYNC: &str = "min.insync.replicas";
const UNCLEAN: &str = "unclean.leader.election.enable";
const RETENTION: &str = "retention.ms";
const CLEANUP: &str = "cleanup.policy";
const FOR_EVER: &str = "-1";

/// One thing that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The topic is not there, or may not be seen.
    Missing,
    /// A setting.
    Setting {
        key: String,
        is: String,
        /// What it may be, in words.
        must_be: String,
        /// What it is set to by the command that puts it right.
        right: String,
        why: &'static str,
    },
    /// It has too few replicas, or the cluster too few brokers for them.
    Replicas {
        fewest: usize,
        right: i32,
        /// For each partition the brokers that should have it; `None` where there are too few brokers.
        plan: Option<BTreeMap<i32, Vec<i32>>>,
    },
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it is not there, or may not be seen (which takes Describe on the topic)"),
            Self::Setting { key, is, must_be, why, .. } => write!(f, "{key} is {is}; it must be {must_be}: {why}"),
            Self::Replicas { fewest, right, plan } => {
                write!(
                    f,
                    "it has {fewest} replica{}; it must have at least {right}: losing one broker must lose nothing \
                     (--dev lets it pass)",
                    if *fewest == 1 { "" } else { "s" }
                )?;
                if plan.is_none() {
                    write!(f, "; the cluster has too few brokers for them")?;
                }
                Ok(())
            }
        }
    }
}

/// How a live value is compared with the wanted one.
enum Rule {
    /// The same list, in any order.
    SameList,
    /// A number, not above it.
    AtMost,
    /// A number, not below it; -1 stands for no bound.
    AtLeast,
    /// -1 where the records are kept for ever; otherwise any time that has an end.
    Retention,
}

impl Rule {
    fn of(key: &str) -> Self {
        match key {
            RETENTION => Self::Retention,
            "segment.ms" | "max.compaction.lag.ms" | "delete.retention.ms" => Self::AtMost,
            MIN_IN_SYNC | "max.message.bytes" => Self::AtLeast,
            _ => Self::SameList,
        }
    }

    fn holds(&self, is: &str, wanted: &str) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        match self {
            Self::SameList => parts(is) == parts(wanted),
            Self::AtMost => number(is).is_some_and(|is| number(wanted).is_some_and(|most| is <= most)),
            Self::AtLeast => number(is).is_some_and(|is| number(wanted).is_some_and(|least| is >= least)),
            Self::Retention if wanted == FOR_EVER => is == FOR_EVER,
            Self::Retention => number(is).is_some_and(|is| is > 0),
        }
    }

    fn in_words(&self, wanted: &str) -> String {
        match self {
            Self::SameList => wanted.into(),
            Self::AtMost => format!("at most {wanted}"),
            Self::AtLeast => format!("at least {wanted}"),
            Self::Retention if wanted == FOR_EVER => FOR_EVER.into(),
            Self::Retention => format!("a time with an end, such as {wanted}"),
        }
    }
}

fn parts(list: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = list.split(',').map(str::trim).collect();
    parts.sort_unstable();
    parts
}

fn why(key: &str, wanted: &str) -> &'static str {
    match (key, wanted) {
        (CLEANUP, "delete") => "a later record must not take the place of an earlier one",
        (CLEANUP, _) => "so that a tombstone removes what it names",
        (RETENTION, FOR_EVER) => "it is evidence, and kept for ever",
        (RETENTION, _) => "a copy of personal data must expire",
        ("retention.bytes", _) => "nothing may go because there is much of it",
        ("segment.ms" | "max.compaction.lag.ms" | "delete.retention.ms", _) => {
            "a segment that is written to is never cleaned, and a tombstone must remove bytes by a stated date"
        }
        (UNCLEAN, _) => "a leader that was behind would lose what was acknowledged",
        (MIN_IN_SYNC, _) => "an acknowledged record must be on more than one broker (--dev lets it pass)",
        ("max.message.bytes", _) => "what becomes of the largest record of the policy must fit",
        _ => "the stream depends on it",
    }
}

/// What is wrong with a topic. `brokers` are the ids of the cluster's.
pub(super) fn check(wanted: &Wanted, live: Option<&Live>, production: Production, brokers: &[i32]) -> Vec<Wrong> {
    let Some(live) = live else { return vec![Wrong::Missing] };
    let mut wrong = Vec::new();
    for (key, value) in &wanted.settings {
        let is = live.settings.get(key).map_or("", String::as_str);
        let rule = Rule::of(key);
        if !rule.holds(is, value) {
            wrong.push(Wrong::Setting {
                key: key.clone(),
                is: if is.is_empty() { "not set".into() } else { is.into() },
                must_be: rule.in_words(value),
                right: value.clone(),
                why: why(key, value),
            });
        }
    }
    let fewest = live.fewest_replicas();
    let right = production.replicas();
    if i32::try_from(fewest).is_ok_and(|fewest| fewest < right) {
        wrong.push(Wrong::Replicas { fewest, right, plan: plan(live, right, brokers) });
    }
    wrong.extend(too_many_in_sync(live, fewest, production));
    wrong
}

/// With more replicas to be in sync than there are nothing is taken; with as many, one broker that restarts stops the
/// stream.
fn too_many_in_sync(live: &Live, replicas: usize, production: Production) -> Option<Wrong> {
    let is = live.settings.get(MIN_IN_SYNC)?;
    let count: usize = is.parse().ok()?;
    let (must_be, why) = match production {
        Production::Yes if (2..=count).contains(&replicas) => {
            (format!("less than its {replicas} replicas"), "otherwise one broker that restarts stops the stream")
        }
        Production::No if count > replicas => {
            (format!("at most {replicas}, as it has replicas"), "otherwise nothing can be written to it")
        }
        _ => return None,
    };
    let right = production.min_in_sync().to_string();
    Some(Wrong::Setting { key: MIN_IN_SYNC.into(), is: is.clone(), must_be, right, why })
}

/// Kafka's own topics with what groups and transactions have committed.
pub(super) const INTERNAL: [&str; 2] = ["__consumer_offsets", "__transaction_state"];

/// What is wrong with Kafka's own topics that the guarantees depend on. They may not be there yet.
pub(super) fn check_internal(cluster: &Cluster, production: Production) -> Vec<String> {
    let right = production.replicas();
    let few = |name: &&str| {
        let fewest = cluster.topics.get(*name)?.fewest_replicas();
        i32::try_from(fewest).is_ok_and(|fewest| fewest < right).then(|| {
            format!(
                "{name}\n         it has {fewest} replicas; it must have at least {right}: what is committed must not be \
                 lost with one broker (--dev lets it pass)\n         put it right: kafka-reassign-partitions.sh, and \
                 offsets.topic.replication.factor and transaction.state.log.replication.factor of the brokers"
            )
        })
    };
    INTERNAL.iter().filter_map(few).collect()
}

/// For each partition the replicas that it has and more, spread over the brokers.
fn plan(live: &Live, replicas: i32, brokers: &[i32]) -> Option<BTreeMap<i32, Vec<i32>>> {
    let count = usize::try_from(replicas).ok()?;
    if brokers.len() < count {
        return None;
    }
    let spread = |(at, (partition, has)): (usize, (&i32, &Vec<i32>))| {
        let others = brokers.iter().cycle().skip(at).take(brokers.len()).filter(|broker| !has.contains(broker));
        (*partition, has.iter().chain(others).copied().take(count.max(has.len())).collect())
    };
    Some(live.replicas.iter().enumerate().map(spread).collect())
}

impl Live {
    /// A line that says what it is like.
    pub(super) fn text(&self, wanted: &Wanted) -> String {
        let (partitions, replicas) = (self.replicas.len(), self.fewest_replicas());
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let mut text =
            format!("{}: {partitions} partition{}, {replicas} replica{}", wanted.name, s(partitions), s(replicas));
        if let (Some(_), Some(kept)) = (wanted.retention(), self.settings.get(RETENTION)) {
            text += &format!(", kept {}", kept_for(kept));
        }
        text
    }
}

/// Milliseconds in words.
fn kept_for(milliseconds: &str) -> String {
    const HOUR: i64 = 3_600_000;
    match milliseconds.parse::<i64>() {
        Ok(time) if time >= 48 * HOUR => format!("{} days", time / (24 * HOUR)),
        Ok(time) if time >= HOUR => format!("{} hours", time / HOUR),
        Ok(time) if time >= 0 => format!("{time} ms"),
        _ => "for ever".into(),
    }
}

#[cfg(test)]
mod tests;
