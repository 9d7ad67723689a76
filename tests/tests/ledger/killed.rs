//! An erasure that is killed wherever it stands: the same command finishes it, and nothing is there twice.

use crate::{
    desk::{Desk, of},
    support::Ledger,
};
use maysend_tests::{
    Transcript,
    kafka::{Record, is_long},
};
use serde_json::Value;
use std::{collections::BTreeMap, fs, time::Duration};

/// Where an erasure can be made to die: after a step, or when a transaction of the signed records is about to end.
const PLACES: [&str; 7] = [
    "erase_after_close:1",
    "officer_before_commit:1",
    "erase_after_statement:1",
    "officer_before_commit:2",
    "erase_after_tombstones:1",
    "erase_after_rows:1",
    "officer_before_commit:3",
];

const REPLAY: [&str; 5] = [
    "replay_after_statement:1",
    "erase_after_tombstones:1",
    "erase_after_rows:1",
    "officer_before_commit:1",
    "replay_after_statement:3",
];

fn customer(number: usize) -> String {
    format!("ck_{number}")
}

fn request(number: usize) -> String {
    format!("R-{number}")
}

/// Of each customer one transcript was sent and one waits for review.
fn desk<'l>(ledger: &'l Ledger, name: &str, customers: usize) -> Desk<'l> {
    let transcripts: Vec<Transcript> = (0..customers)
        .flat_map(|number| {
            [("Where is my parcel?", "sent"), ("BSN 111222333", "blocked")]
                .map(|(text, what)| of(&customer(number), &format!("t-{number}-{what}")).customer(text))
        })
        .collect();
    Desk::with(ledger, name, &transcripts)
}

/// The statements of a kind that are about a request.
fn of_kind<'r>(records: &'r [Value], kind: &str, of: u64) -> Vec<&'r Value> {
    let statements = records.iter().map(|record| &record["statement"]);
    statements.filter(|statement| statement["kind"] == kind && statement["of"] == of).collect()
}

/// Fails unless these customers are erased, and everything that had to be written for each is there once.
#[track_caller]
fn is_erased_once(desk: &Desk<'_>, customers: usize) {
    is_erased(desk, customers, 1);
}

/// As [`is_erased_once`], where a restore has brought the rows of the store back, so that they were deleted so many times.
#[track_caller]
fn is_erased(desk: &Desk<'_>, customers: usize, times: u64) {
    let Desk { ledger, prefix } = desk;
    for output in ["cleared", "review", "decisions"] {
        assert_eq!(desk.live(output), [""; 0], "{output}");
        let tombstones = prefix.committed(output).iter().filter(|record| record.value.is_none()).count();
        assert_eq!(tombstones, prefix.committed(output).len() / 2, "{output}: one tombstone for each record");
    }
    for number in 0..customers {
        assert_eq!(ledger.owed(&[&customer(number)]), [""; 0]);
    }
    let mut closed: BTreeMap<String, usize> = BTreeMap::new();
    for record in prefix.committed("erasures") {
        *closed.entry(record.json()["customer_key"].as_str().expect("a key").to_owned()).or_default() += 1;
    }
    assert_eq!(closed.len(), 2 * customers, "the key, and the name that stands for it");
    assert!(closed.values().all(|times| *times == 1), "{closed:?}");

    let file = ledger.folder().join("records.jsonl");
    fs::write(&file, desk.reading("export").run().exits(0).stdout).expect("an export");
    desk.verify(&file, &[]).exits(0);
    let records = desk.records();
    let events: Vec<Value> = prefix.committed("requests").iter().map(Record::json).collect();
    for number in 0..customers {
        let mine = |record: &&Value| record["statement"]["request_id"] == request(number);
        let stated: Vec<&Value> = records.iter().filter(mine).collect();
        assert_eq!(stated.len(), 1, "one erasure of {number}: {records:#?}");
        let reserved: Vec<&Value> = stated[0]["statement"]["handoffs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|owed| &owed["reserved_requests"])
            .collect();
        assert_eq!(reserved, [1], "what is owed was stated before it was deleted");
        let of = stated[0]["number"].as_u64().unwrap();
        assert_eq!(of_kind(&records, "supplement", of), Vec::<&Value>::new());
        let mut deleted: BTreeMap<String, u64> = BTreeMap::new();
        for place in of_kind(&records, "deletion", of).iter().filter_map(|one| one["deleted"].as_array()).flatten() {
            let name = place["place"].as_str().unwrap().trim_start_matches(prefix.input());
            *deleted.entry(name.to_owned()).or_default() += place["count"].as_u64().unwrap();
        }
        let counts = [".cleared", ".review", ".decisions"].map(|place| deleted.get(place).copied());
        assert_eq!(counts, [Some(1), Some(1), Some(2)], "what was deleted from topics is stated once: {deleted:?}");
        let rows = ["reservations", "decisions"].map(|table| deleted.get(&format!("store:{table}")).copied());
        assert_eq!(rows, [Some(times); 2], "what was deleted from the store is stated each time: {deleted:?}");
        let kinds = |kind: &str| {
            let is = |event: &&Value| event["request_id"] == request(number) && event["event"]["kind"] == kind;
            events.iter().filter(is).count()
        };
        assert_eq!((kinds("received"), kinds("handoff_owed")), (1, 1), "{events:#?}");
    }
}

on_both! {
    fn an_erasure_that_dies_anywhere_is_finished_by_the_same_command(ledger) {
        let desk = desk(ledger, "dies", PLACES.len());
        for (number, place) in PLACES.iter().enumerate() {
            let erase = || desk.erasing(&customer(number), &request(number));
            erase().env("MAYSEND_DIE_AT", place).run().was_killed();
            desk.follow();
            let erased = erase().run().exits(0);
            assert!(erased.text().contains("owed by  example-models"), "{place}: {}", erased.text());
            let head = desk.records().len();
            desk.follow();
            erase().run().exits(0);
            assert_eq!(desk.records().len(), head, "{place}: a third time changes nothing");
        }
        is_erased_once(&desk, PLACES.len());
    }

    fn an_erasure_that_is_killed_at_random_is_finished_by_the_same_command(ledger) {
        let customers = if is_long() { 60 } else { 6 };
        let desk = desk(ledger, "chance", customers);
        for number in 0..customers {
            let erase = || desk.erasing(&customer(number), &request(number));
            let mut running = desk.prefix.start(9, erase());
            running.wait_a_moment(Duration::from_millis(350 * (number as u64 % 8)));
            if running.is_running() {
                running.kill();
            }
            desk.follow();
            erase().run().exits(0);
        }
        is_erased_once(&desk, customers);
    }

    fn what_an_erasure_has_left_is_finished_by_a_replay_too(ledger) {
        let desk = desk(ledger, "left", 1);
        desk.erasing(&customer(0), &request(0)).env("MAYSEND_DIE_AT", "erase_after_rows:1").run().was_killed();
        assert_eq!(desk.kinds(), ["erasure", "deletion"]);
        desk.follow();
        desk.signing("replay").run().exits(0);
        is_erased_once(&desk, 1);
        assert_eq!(desk.kinds(), ["erasure", "deletion", "deletion"]);
    }

    fn a_replay_that_dies_anywhere_is_finished_by_the_same_command(ledger) {
        let customers = 3;
        let desk = desk(ledger, "again", customers);
        let backup = ledger.backup();
        for number in 0..customers {
            desk.erasing(&customer(number), &request(number)).run().exits(0);
            desk.follow();
        }
        let mut times = 1;
        for place in REPLAY {
            ledger.restore(&backup);
            times += 1;
            desk.follow();
            desk.signing("replay").env("MAYSEND_DIE_AT", place).run().was_killed();
            desk.signing("replay").run().exits(0);
            is_erased(&desk, customers, times);
            let nobody = desk.signing("replay").run().exits(0);
            assert_eq!(nobody.text(), "nobody who was erased is in the store\n");
        }
        for kill in 0..if is_long() { 40 } else { 4 } {
            ledger.restore(&backup);
            times += 1;
            desk.follow();
            let mut running = desk.prefix.start(9, desk.signing("replay"));
            running.wait_a_moment(Duration::from_millis(500 * (kill % 8)));
            if running.is_running() {
                running.kill();
            }
            desk.signing("replay").run().exits(0);
            is_erased(&desk, customers, times);
        }
    }
}
