use super::*;
use crate::{
    observe::{Cut, Observer, Scanned, readiness::Bounds},
    ruleset::Ruleset,
    stages::Tally,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

const PAGE: &str = include_str!("../../../../docs/metrics.md");

const BOUNDS: Bounds = Bounds {
    turns_within: Duration::from_secs(60),
    broker_answers_within: Duration::from_secs(60),
    commits_within: Duration::from_secs(60),
};

/// Counts of every kind.
fn tally() -> Tally {
    Tally {
        records: 3,
        attempts: [(("cleared", "summaries-eu".to_owned()), 1)].into(),
        decisions: [(("enforce", "send"), 1)].into(),
        reasons: [(("enforce", "tier1_retained"), 1)].into(),
        entities: [((1, "nl.bsn".to_owned()), 2)].into(),
        suppressed: [("ticket".to_owned(), 1)].into(),
        stripped: [("account_email".to_owned(), 1)].into(),
        held: [("destination_unknown".to_owned(), 1)].into(),
        dead_letters: [("not_json", 1)].into(),
        outputs: [("cleared", 1), ("reservations", 1)].into(),
        ..Tally::default()
    }
}

fn cut(id: u64) -> Cut {
    Cut { id, bytes: 1000, offsets: [(0, 10 * (id as i64 + 1))].into(), published_ms: vec![1, 0, 2] }
}

fn scanned(ids: &[&str]) -> Scanned {
    let reserved = ids.iter().map(|id| (0, (*id).to_owned())).collect();
    Scanned { tally: tally(), reserved, took: Duration::from_millis(3) }
}

/// A process that has one partition, and in whose hands a batch is.
fn observer() -> Arc<Observer> {
    let observer = Observer::new(BOUNDS);
    observer.positions(&[(0, 0)].into());
    observer.assigned(&[0]);
    observer.cut(cut(0));
    observer.scanned(0, scanned(&["a", "b"]));
    observer.committing(0);
    observer.reserved(2);
    observer
}

/// Samples by series.
fn samples(observer: &Arc<Observer>) -> BTreeMap<String, f64> {
    let text = render(observer);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit_once(' ').unwrap()).map(|(series, n)| (series.into(), n.parse().unwrap())).collect()
}

#[test]
fn the_page_names_every_metric_with_its_type_and_labels() {
    let observer = observer();
    observer.ruleset_in_use(&Ruleset::builtin().unwrap());
    observer.contradicted([("summaries-eu".into(), None)].into());
    observer.committed(0);
    let topic = rdkafka::statistics::Topic {
        partitions: [(0, rdkafka::statistics::Partition { ls_offset: 12, ..Default::default() })].into(),
        ..Default::default()
    };
    let statistics = rdkafka::statistics::Statistics { topics: [("t".into(), topic)].into(), ..Default::default() };
    observer.statistics(&statistics, "t");

    let text = render(&observer);
    let mut exported: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            exported.insert(name.into(), (kind.into(), BTreeSet::new()));
        } else if let Some((series, _)) = line.split_once('}')
            && let Some((name, labels)) = series.split_once('{')
        {
            let name = name.trim_end_matches("_bucket");
            let names = labels.split("\",").map(|label| label.split('=').next().unwrap().to_owned());
            exported.get_mut(name).unwrap().1.extend(names.filter(|label| label != "le"));
        }
    }
    let rows = PAGE.lines().filter(|line| line.starts_with("| `maysend_") || line.starts_with("| `process_"));
    let documented: BTreeMap<String, (String, BTreeSet<String>)> = rows
        .map(|row| {
            let cells: Vec<String> = row.split('|').map(|cell| cell.trim().replace('`', "")).collect();
            let labels = cells[3].split(", ").filter(|label| !label.is_empty()).map(Into::into).collect();
            (cells[1].clone(), (cells[2].clone(), labels))
        })
        .collect();
    let missing: Vec<_> = exported.keys().filter(|name| !documented.contains_key(*name)).collect();
    assert!(missing.is_empty(), "docs/metrics.md does not name {missing:?}");
    for (name, what) in &documented {
        assert_eq!(exported.get(name), Some(what), "docs/metrics.md on {name}");
    }
}

#[test]
fn nothing_is_counted_before_it_is_committed() {
    let observer = observer();
    let before = samples(&observer);
    assert!(!before.keys().any(|series| series.starts_with("maysend_attempts_total")));
    assert_eq!(before["maysend_reservations_total"], 2.0);
    assert!(before["maysend_oldest_undecided_seconds"] > 1e9, "published in 1970");
    observer.committed(0);
    let after = samples(&observer);
    assert_eq!(after["maysend_attempts_total{outcome=\"cleared\",destination=\"summaries-eu\"}"], 1.0);
    assert_eq!(after["maysend_transactions_total{result=\"committed\"}"], 1.0);
    assert_eq!(after["maysend_end_to_end_seconds_count"], 2.0, "of records whose time is known");
    assert_eq!(after["maysend_oldest_undecided_seconds"], 0.0);
}

#[test]
fn an_aborted_batch_leaves_orphans_until_its_ids_are_committed() {
    let observer = observer();
    observer.aborted(0);
    observer.new_epoch();
    observer.positions(&[(0, 0)].into());
    let aborted = samples(&observer);
    assert_eq!(aborted["maysend_orphaned_reservations"], 2.0);
    assert_eq!(aborted["maysend_transactions_total{result=\"aborted\"}"], 1.0);
    observer.cut(cut(1));
    observer.scanned(1, scanned(&["a", "b"]));
    observer.committed(1);
    let again = samples(&observer);
    assert_eq!(again["maysend_orphaned_reservations"], 0.0);
    assert_eq!(again["maysend_records_written_total{output=\"reservations\"}"], 1.0);
}

#[test]
fn a_batch_of_unknown_outcome_counts_by_what_is_committed() {
    let observer = observer();
    observer.aborted(0);
    observer.positions(&[(0, 10)].into());
    let after = samples(&observer);
    assert_eq!(after["maysend_transactions_total{result=\"committed\"}"], 1.0);
    assert_eq!(after["maysend_transactions_total{result=\"aborted\"}"], 0.0);
    assert_eq!(after["maysend_orphaned_reservations"], 0.0);
}

#[test]
fn a_new_epoch_forgets_what_the_committer_does_not_have() {
    let observer = observer();
    observer.cut(cut(1));
    observer.new_epoch();
    observer.committed(1);
    observer.committed(0);
    assert_eq!(samples(&observer)["maysend_transactions_total{result=\"committed\"}"], 1.0);
}

#[test]
fn reservations_of_a_partition_that_goes_are_handed_on() {
    let observer = observer();
    observer.aborted(0);
    observer.gone(&[0].into(), true);
    observer.positions(&BTreeMap::new());
    let after = samples(&observer);
    assert_eq!((after["maysend_orphaned_reservations"], after["maysend_reservations_handed_on_total"]), (0.0, 2.0));
    assert_eq!(after["maysend_rebalances_total{kind=\"lost\"}"], 1.0);
}

#[test]
fn usage_counts_by_what_came_of_it_and_terms_by_whether_they_are_contradicted() {
    let observer = Observer::new(BOUNDS);
    assert_eq!(samples(&observer)["maysend_usage_records_total{result=\"unreadable\"}"], 0.0, "also before the first");
    observer.usage_read(UsageRead::Agrees);
    observer.usage_read(UsageRead::Contradicts);
    observer.usage_read(UsageRead::Contradicts);
    observer.contradicted([("a".into(), Some("terms".into())), ("b".into(), None)].into());
    let after = samples(&observer);
    let read = |result: &str| after[&format!("maysend_usage_records_total{{result=\"{result}\"}}")];
    assert_eq!(["agrees", "contradicts", "unreadable"].map(read), [1.0, 2.0, 0.0]);
    let contradicted =
        |destination: &str| after[&format!("maysend_contradicted_terms{{destination=\"{destination}\"}}")];
    assert_eq!(["a", "b"].map(contradicted), [1.0, 0.0]);
    assert_eq!(observer.state().usage.alerts(), [("terms of a".to_owned(), "terms")].into());
}

#[test]
fn a_ruleset_that_is_refused_leaves_the_old_one() {
    let observer = Observer::new(BOUNDS);
    let ruleset = Ruleset::builtin().unwrap();
    observer.ruleset_in_use(&ruleset);
    observer.ruleset_refused("policy.toml:1: wrong");
    let refused = samples(&observer);
    assert_eq!(refused[&format!("maysend_ruleset_info{{digest=\"{}\"}}", ruleset.digest)], 1.0);
    assert_eq!(refused["maysend_ruleset_reloads_total{result=\"refused\"}"], 1.0);
    assert_eq!(refused["maysend_ruleset_reloads_total{result=\"loaded\"}"], 0.0, "the first is no reload");
    observer.ruleset_in_use(&ruleset);
    assert_eq!(samples(&observer)["maysend_ruleset_reloads_total{result=\"loaded\"}"], 1.0);
}
