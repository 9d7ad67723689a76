//! What was erased is gone from the broker's own files, once it has compacted them.

use crate::{
    desk::{Desk, of},
    support::Ledger,
};
use maysend_tests::kafka::{Broker, Deadline, Follower, Isolation, New, Prefix, client::alter_topic, produce};
use std::{fs, path::Path, time::Duration};

const OUTPUTS: [&str; 4] = ["cleared", "review", "held", "decisions"];

/// How often these texts stand in the files of the outputs.
fn in_files(broker: &Broker, prefix: &Prefix, texts: &[&str]) -> usize {
    let of = |path: &Path| -> usize {
        // A file may go while it is looked at.
        let bytes = fs::read(path).unwrap_or_default();
        texts.iter().map(|text| bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()).sum()
    };
    let folders = fs::read_dir(broker.folder().join("data")).expect("the broker's data").flatten();
    let is_output = |name: &str| OUTPUTS.iter().any(|output| name.starts_with(&format!("{}-", prefix.topic(output))));
    let files = folders
        .filter(|folder| is_output(&folder.file_name().to_string_lossy()))
        .flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    files.map(|file| of(&file.path())).sum()
}

#[test]
fn what_was_erased_is_gone_from_the_brokers_files_once_it_has_compacted_them() {
    let broker = Broker::with("log.cleaner.backoff.ms=100\nlog.initial.task.delay.ms=100\n");
    let ledger = Ledger::sqlite();
    let prefix = Prefix::new(&broker.bootstrap(), "compacted").partitions(2).create();
    let said = |id: &str, customer: &str, text: &str| of(customer, id).customer(text);
    let desk = Desk::on(&ledger, prefix).decide(&[
        said("g-1", "ck_gone", "Where is my nachtegaal?"),
        said("g-2", "ck_gone", "BSN 111222333 of the nachtegaal"),
        said("h-1", "ck_here", "Where is my parcel?"),
    ]);
    let texts = ["ck_gone", "nachtegaal"];
    assert!(in_files(&broker, &desk.prefix, &texts) >= 6, "they are written as they are");
    desk.erase("R-1", &[]).exits(0);
    let confirm = || desk.confirm("R-1", &[]).exits(0);
    let before = confirm();
    assert!(before.text().contains("review: 0 found; 1 that were deleted can still be read"), "{}", before.text());
    assert!(in_files(&broker, &desk.prefix, &texts) >= 6, "a tombstone removes nothing by itself");

    for output in OUTPUTS {
        alter_topic(
            desk.prefix.bootstrap(),
            &desk.prefix.topic(output),
            &[
                ("cleanup.policy", "compact,delete"),
                ("retention.ms", "604800000"),
                ("segment.ms", "100"),
                ("min.cleanable.dirty.ratio", "0.001"),
                ("max.compaction.lag.ms", "1"),
                ("delete.retention.ms", "0"),
                ("file.delete.delay.ms", "100"),
            ],
        );
    }
    // A segment is closed when something is written after its time, as it is where a gate runs.
    let deadline = Deadline::patient();
    let mut pace = Follower::new(desk.prefix.bootstrap(), &desk.prefix.topic("usage"), Isolation::Committed);
    while in_files(&broker, &desk.prefix, &texts) > 0 {
        assert!(!deadline.is_over(), "the broker has not compacted its files");
        for output in OUTPUTS {
            let other = |partition| New::value("{}").key("acme/other/0-a").to(partition);
            produce(desk.prefix.bootstrap(), &desk.prefix.topic(output), [other(0), other(1)]);
        }
        pace.poll(Duration::from_millis(200));
    }
    let after = confirm();
    assert!(
        after.text().contains("review: 0 found; nothing of what was deleted can be read any more"),
        "{}",
        after.text()
    );
    assert!(!after.text().contains("can still be read"), "{}", after.text());
}
