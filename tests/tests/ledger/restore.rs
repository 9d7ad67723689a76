//! What a restore brings back is erased again, from records that no restore can take anything out of.

use crate::{
    desk::Desk,
    support::{Ledger, reservation, with},
};
use maysend_tests::{
    kafka::{Broker, New, Prefix, produce},
    postgres::Postgres,
};
use serde_json::json;
use std::{collections::BTreeSet, fs};

/// The reservations that signed records say are owed.
fn stated(desk: &Desk<'_>) -> BTreeSet<String> {
    let records = desk.records();
    let handoffs = records.iter().filter_map(|record| record["statement"]["handoffs"].as_array()).flatten();
    let ids = handoffs.filter_map(|handoff| handoff["reservations"].as_array()).flatten();
    ids.map(|id| id.as_str().expect("an id").to_owned()).collect()
}

on_both! {
    fn nobody_who_was_erased_comes_back_with_a_restore(ledger) {
        let desk = Desk::new(ledger, "restored");
        let backup = ledger.backup();
        // Written after the backup and before the erasure: the restored ledger takes it from the topic again.
        let reserve = |id| {
            let record = New::value(with(reservation(id, "ck_gone"), "provider", id).to_string());
            produce(desk.prefix.bootstrap(), &desk.prefix.topic("reservations"), [record]);
            desk.follow();
        };
        reserve("before");
        desk.erase("R-1", &[]).exits(0);
        let owed = stated(&desk);
        assert_eq!(owed.len(), 3);
        desk.follow();

        ledger.restore(&backup);
        assert_eq!(ledger.owed(&["ck_gone"]), ["example-models"], "the restore has brought the person back");
        desk.signing("replay").args(["--wait", "0"]).run().exits(1).says(&["the ledger is behind"]);
        desk.follow();
        let replayed = desk.signing("replay").run().exits(0);
        assert!(replayed.text().contains("request R-1 (record 1): erased again"), "{}", replayed.text());
        assert_eq!(ledger.owed(&["ck_gone"]), [""; 0]);
        assert_eq!(ledger.owed(&["ck_here"]), ["example-models"]);
        // Nothing is rewritten, and nothing is stated twice.
        assert_eq!(desk.kinds(), ["erasure", "deletion", "deletion", "deletion"]);
        assert_eq!(stated(&desk), owed);
        let nobody = desk.signing("replay").run().exits(0);
        assert_eq!(nobody.text(), "nobody who was erased is in the store\n");

        // What is newly owed is added to what was.
        ledger.restore(&backup);
        reserve("after");
        let replayed = desk.signing("replay").run().exits(0);
        assert!(replayed.text().contains("newly owed by after: summaries-eu"), "{}", replayed.text());
        assert_eq!(stated(&desk), owed.into_iter().chain(["after".to_owned()]).collect());
        let supplement = &desk.records()[4]["statement"];
        assert_eq!((&supplement["kind"], &supplement["why"]), (&json!("supplement"), &json!("replay")));
        assert_eq!(ledger.owed(&["ck_gone"]), [""; 0]);
    }
}

/// The place is reached once for each topic that is read, and there are four that hold copies.
#[test]
fn a_replay_reads_each_topic_once_however_many_it_erases_again() {
    let ledger = Ledger::sqlite();
    let desk = Desk::new(&ledger, "once");
    let backup = ledger.backup();
    for (customer, request) in [("ck_gone", "R-1"), ("ck_here", "R-2"), ("ck_here", "R-3")] {
        desk.erasing(customer, request).run().exits(0);
        desk.follow();
    }
    ledger.restore(&backup);
    desk.follow();
    let replay = |place| desk.signing("replay").env("MAYSEND_DIE_AT", place).run();
    replay("erase_topic_read:4").was_killed();
    let replayed = replay("erase_topic_read:5").exits(0);
    for request in ["R-1 (record 1)", "R-2 (record 4)", "R-3 (record 7)"] {
        assert!(replayed.text().contains(&format!("request {request}: erased again")), "{}", replayed.text());
    }
    assert!(desk.live("decisions").is_empty() && ledger.owed(&["ck_gone", "ck_here"]).is_empty());
}

/// A server that is built anew counts its transactions from the beginning, and has the authorisations of before.
#[test]
fn a_dump_that_is_restored_into_a_new_server_is_erased_again_on_postgres() {
    let ledger = Ledger::postgres();
    let desk = Desk::new(&ledger, "rebuilt");
    let authorised = |ledger: &Ledger| ledger.query("SELECT request_id FROM authorisations", &[]).len();
    desk.erasing("ck_here", "R-0").run().exits(0);
    assert_eq!(authorised(&ledger), 1);
    desk.follow();
    let backup = ledger.backup();
    desk.erase("R-1", &[]).exits(0);

    let server = Postgres::start();
    let rebuilt = Ledger::on(&server);
    rebuilt.restore(&backup);
    assert_eq!(authorised(&rebuilt), 1, "it came with the restore");
    fs::copy(desk.key(), rebuilt.folder().join("erasure.key")).expect("the key");
    let desk = Desk { ledger: &rebuilt, prefix: desk.prefix };
    desk.follow();
    assert_eq!(rebuilt.owed(&["ck_gone"]), ["example-models"]);
    desk.signing("replay").run().exits(0);
    assert_eq!(rebuilt.owed(&["ck_gone"]), [""; 0]);
    assert_eq!(authorised(&rebuilt), 2);
}

#[test]
fn records_are_exported_verified_and_written_back() {
    let ledger = Ledger::sqlite();
    let desk = Desk::new(&ledger, "proved");
    let erased = desk.erase("R-1", &[]).exits(0);
    let head = erased.stderr.split_whitespace().find(|word| word.starts_with("3@sha256:")).expect("a head").to_owned();
    let file = ledger.folder().join("records.jsonl");
    let exported = desk.reading("export").run().exits(0).stdout;
    fs::write(&file, &exported).expect("an export");
    let held = desk.verify(&file, &["--head", &head]).exits(0);
    assert!(held.text().contains("3 records hold") && held.text().contains("it is the head that was published"));
    let of_topic = desk.reading("verify").args(["--public-key"]).args([desk.public()]).run().exits(0);
    of_topic.says(&["give --head"]);

    let text = String::from_utf8(exported).expect("JSON");
    let lines: Vec<&str> = text.lines().collect();
    let broken = |lines: &[&str]| {
        let path = ledger.folder().join("broken.jsonl");
        fs::write(&path, lines.join("\n")).expect("a file");
        desk.verify(&path, &["--head", &head]).exits(1).stderr
    };
    let changed = lines[0].replace("\"reserved_requests\":2", "\"reserved_requests\":0");
    assert!(broken(&[&changed, lines[1], lines[2]]).contains("record 1 was changed"));
    assert!(broken(&lines[1..]).contains("record 1 is missing"));
    assert!(broken(&lines[..2]).contains("record 3 is missing, which was published as the head"));
    assert!(broken(&[]).contains("the chain ends with record 0"));

    // Another cluster, with none of it.
    let elsewhere = Prefix::new(&Broker::shared().bootstrap(), "elsewhere").partitions(2).create();
    let other = Ledger::sqlite();
    let moved = Desk::on(&other, elsewhere);
    fs::copy(desk.key(), moved.key()).expect("the key");
    let replay = moved.signing("replay").args(["--records"]).args([&file]).run().exits(0);
    replay.says(&["3 records were written back"]);
    assert_eq!(moved.records(), desk.records());
}
