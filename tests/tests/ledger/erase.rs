//! An erasure from its request to its confirmation, on a real broker: what is stated, what is deleted, what stays.

use crate::support::{Ledger, reservation};
use maysend_tests::{
    Program, Ran, Transcript,
    kafka::{Broker, New, Prefix, Record, produce},
    maysend, transcript,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A gate that has decided transcripts, a ledger that has taken them in, and a key that signs.
struct Desk<'l> {
    ledger: &'l Ledger,
    prefix: Prefix,
}

impl<'l> Desk<'l> {
    /// Of `ck_gone` two were sent and one waits for review; of `ck_here` one of each.
    fn new(ledger: &'l Ledger, name: &str) -> Self {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), name).partitions(2).create();
        let said = |id: &str, customer: &str, text: &str| of(customer, id).customer(text);
        let all = [
            said("g-1", "ck_gone", "Where is my parcel?"),
            said("g-2", "ck_gone", "And when will it come?"),
            said("g-3", "ck_gone", "BSN 111222333"),
            said("h-1", "ck_here", "Where is my parcel?"),
            said("h-2", "ck_here", "BSN 111222333"),
        ];
        prefix.produce(all.iter().map(|transcript| New::value(transcript.line())));
        let mut gate = prefix.gate(0);
        prefix.wait_for(all.len(), &mut [&mut gate]);
        gate.stop().exits(0);
        let desk = Self { ledger, prefix };
        desk.follow();
        let made = maysend(["ledger", "key", "--out"]).args([desk.key()]).run().exits(0);
        assert!(made.text().starts_with("ed25519:"));
        desk
    }

    fn key(&self) -> PathBuf {
        self.ledger.folder().join("erasure.key")
    }

    fn public(&self) -> PathBuf {
        self.ledger.folder().join("erasure.key.pub")
    }

    /// Takes in what the topics hold now.
    #[track_caller]
    fn follow(&self) {
        self.ledger.command("run").args(["--once", "--config"]).args([self.prefix.config(0)]).run().exits(0);
    }

    /// A command that signs.
    fn signing(&self, name: &str) -> Program {
        let command = self.ledger.command(name).with_key().args(["--config"]).args([self.prefix.config(0)]);
        command.args(["--signing-key"]).args([self.key()])
    }

    fn erase(&self, request: &str, more: &[&str]) -> Ran {
        let of = ["--tenant", "acme", "ck_gone", "--request", request, "--received", "2026-11-02"];
        self.signing("erase").args(of).args(more).run()
    }

    /// A command that reads the officer's topics.
    fn reading(&self, name: &str) -> Program {
        maysend(["ledger", name, "--config"]).args([self.prefix.config(0)])
    }

    /// The signed records.
    #[track_caller]
    fn records(&self) -> Vec<Value> {
        self.reading("export").run().exits(0).json()
    }

    fn kinds(&self) -> Vec<String> {
        self.records().iter().map(|r| r["statement"]["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    fn verify(&self, records: &Path, more: &[&str]) -> Ran {
        let verify = maysend(["ledger", "verify", "--public-key"]).args([self.public()]);
        verify.args(["--records"]).args([records]).args(more).run()
    }

    /// The transcripts of an output that have no tombstone.
    fn live(&self, output: &str) -> Vec<String> {
        let mut live: BTreeMap<(i32, Vec<u8>), Record> = BTreeMap::new();
        for record in self.prefix.committed(output) {
            let place = (record.partition, record.key.clone().expect("a key"));
            match record.value {
                Some(_) => drop(live.insert(place, record)),
                None => drop(live.remove(&place).expect("a tombstone stands in the partition of its record")),
            }
        }
        let mut ids: Vec<String> =
            live.values().map(|r| r.json()["transcript_id"].as_str().expect("an id").to_owned()).collect();
        ids.sort();
        ids
    }
}

fn of(customer: &str, id: &str) -> Transcript {
    transcript(id).with("customer_key", json!(customer))
}

on_both! {
    fn a_request_is_answered_by_two_commands(ledger) {
        let desk = Desk::new(ledger, "erase");
        let erased = desk.erase("R-1", &[]).exits(0);
        assert!(erased.text().contains("owed by  example-models: summaries-eu, transcript: 2 reserved, 0 used"), "{}", erased.text());
        erased.says(&["keep the head where this program cannot write: 2@sha256:"]);

        for output in ["cleared", "review", "decisions"] {
            let left = desk.live(output);
            assert!(!left.is_empty() && left.iter().all(|id| id.starts_with('h')), "{output}: {left:?}");
        }
        let closed = desk.prefix.committed("erasures");
        // The key, and the name that stands for it where it would be personal data.
        assert_eq!(closed.len(), 2);
        assert_eq!(closed[0].json()["request_id"], "R-1");
        assert_eq!(ledger.owed(&["ck_gone"]), [""; 0], "its rows are gone");
        assert_eq!(ledger.owed(&["ck_here"]), ["example-models"]);

        assert_eq!(desk.kinds(), ["erasure", "deletion"]);
        let records = desk.records();
        let statement = &records[0]["statement"];
        assert_eq!(statement["handoffs"][0]["reservations"].as_array().unwrap().len(), 2);
        assert!(!statement["read"].as_array().unwrap().is_empty());
        assert!(!records.iter().any(|record| record.to_string().contains("ck_gone")));

        // Given again, it changes nothing.
        desk.follow();
        let before: Vec<Record> = ["erasures", "cleared", "decisions", "erasure-records", "requests"]
            .iter()
            .flat_map(|topic| desk.prefix.committed(topic))
            .collect();
        let again = desk.erase("R-1", &[]).exits(0);
        assert!(again.text().contains("owed by  example-models"), "{}", again.text());
        let after: Vec<Record> = ["erasures", "cleared", "decisions", "erasure-records", "requests"]
            .iter()
            .flat_map(|topic| desk.prefix.committed(topic))
            .collect();
        assert_eq!(before, after);

        let confirmed = desk.erase("R-1", &["--confirm"]).exits(0);
        let review = format!("{}: 0 found; the bytes of what was deleted are gone by ", desk.prefix.topic("review"));
        assert!(confirmed.text().contains(&review) && confirmed.text().contains("store:usage: 0 found"), "{}", confirmed.text());
        assert_eq!(desk.kinds(), ["erasure", "deletion", "confirmation"]);

        // The handoff is owed from then on.
        let list = |day| desk.reading("requests").args(["--json", "--as-of", day]).run();
        let due = list("2026-12-02").exits(0).json().remove(0);
        assert_eq!((&due["state"], &due["due"]), (&json!("due"), &json!("2026-12-02")));
        assert_eq!(due["handoffs"][0]["provider"], "example-models");
        assert_eq!(list("2026-12-03").exits(1).json()[0]["state"], "overdue");
    }

    fn what_comes_later_is_a_supplement(ledger) {
        let desk = Desk::new(ledger, "later");
        desk.erase("R-1", &[]).exits(0);
        let late = New::value(reservation("late", "ck_gone").to_string());
        produce(desk.prefix.bootstrap(), &desk.prefix.topic("reservations"), [late]);
        let behind = desk.erase("R-1", &["--wait", "0"]).exits(1);
        behind.says(&["the ledger is behind", "closed at the gate", "1 behind"]);
        desk.follow();
        desk.erase("R-1", &[]).exits(0);
        assert_eq!(desk.kinds(), ["erasure", "deletion", "supplement", "deletion"]);
        let supplement = &desk.records()[2]["statement"];
        assert_eq!((&supplement["of"], &supplement["why"]), (&json!(1), &json!("came_later")));
        assert_eq!(supplement["handoffs"][0]["reservations"], json!(["late"]));
        assert_eq!(ledger.owed(&["ck_gone"]), [""; 0]);
    }

    fn what_is_on_hold_stays_and_the_rest_goes(ledger) {
        let desk = Desk::new(ledger, "held");
        let on = ["--ground", "claim 4711", "--on", "2026-11-02"];
        let hold = desk.signing("hold").args(["--tenant", "acme", "ck_gone", "--transcript", "g-3"]).args(on).run().exits(0);
        assert_eq!(hold.text(), "record 1\n");
        let erased = desk.erase("R-1", &[]).exits(0);
        assert!(erased.text().contains("1 are under a legal hold and stay"), "{}", erased.text());
        assert_eq!(desk.live("review"), ["g-3", "h-2"]);
        assert_eq!(desk.live("cleared"), ["h-1"]);
        let confirmed = desk.erase("R-1", &["--confirm"]).exits(0);
        assert!(confirmed.text().contains("0 found, 1 under a legal hold"), "{}", confirmed.text());

        desk.follow();
        desk.signing("hold").args(["--release", "1"]).args(on).run().exits(0);
        desk.signing("hold").args(["--release", "1"]).args(on).run().exits(2).says(&["record 1 is no hold that is open"]);
        desk.erase("R-1", &[]).exits(0);
        assert_eq!(desk.live("review"), ["h-2"]);
    }

    fn a_person_with_several_keys_is_erased_under_all_of_them(ledger) {
        let desk = Desk::new(ledger, "aliases");
        let alias = |key: &str| {
            json!({"schema": 1, "tenant": "acme", "customer_key": key, "person": "p-81", "recorded_at": "2026-03-02T09:14:03Z"})
        };
        ledger.import(&[alias("ck_gone"), alias("ck_here")]);
        let erased = desk.erase("R-1", &[]).exits(0);
        assert!(erased.text().contains("keys     ck_gone ck_here\n"), "{}", erased.text());
        assert_eq!((desk.live("cleared"), desk.live("review")), (vec![], vec![]));
        assert_eq!(ledger.owed(&["ck_here"]), [""; 0]);
        // The ledger does not know any more that they are one.
        desk.erase("R-1", &["--confirm"]).exits(2).says(&["2 more names in the records than keys were given"]);
        let confirmed = desk.erase("R-1", &["ck_here", "--confirm"]).exits(0);
        assert!(confirmed.text().contains("store:customers: 0 found"), "{}", confirmed.text());
    }

    fn a_request_of_somebody_else_is_refused(ledger) {
        let desk = Desk::new(ledger, "other");
        desk.erase("R-1", &[]).exits(0);
        let of = ["--tenant", "acme", "ck_here", "--request", "R-1", "--received", "2026-11-02"];
        desk.signing("erase").args(of).run().exits(2).says(&["request R-1 is that of another customer (record 1)"]);
        assert_eq!(ledger.owed(&["ck_here"]), ["example-models"]);
        desk.erase("R-2", &["--confirm"]).exits(2).says(&["no record says that request R-2 was begun"]);
    }

    fn whoever_asks_for_nothing_that_was_sent_is_owed_nothing(ledger) {
        let desk = Desk::new(ledger, "nothing");
        let of = ["--tenant", "acme", "ck_nobody", "--request", "R-9", "--received", "2026-11-02"];
        let erased = desk.signing("erase").args(of).run().exits(0);
        assert!(erased.text().contains("no provider owes a cleanup"), "{}", erased.text());
        assert_eq!(desk.kinds(), ["erasure"]);
    }
}

/// A crash between reservation and commit: nothing was cleared, and the provider is named all the same.
#[test]
fn what_was_reserved_and_never_cleared_is_owed() {
    let ledger = Ledger::sqlite();
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "crashed").partitions(1).create();
    prefix.produce([New::value(of("ck_gone", "g-1").customer("Where is my parcel?").line())]);
    prefix.gate_dying_at(0, "after_reservations:1").end().was_killed();
    let desk = Desk { ledger: &ledger, prefix };
    desk.follow();
    maysend(["ledger", "key", "--out"]).args([desk.key()]).run().exits(0);
    let erased = desk.erase("R-1", &[]).exits(0);
    assert!(erased.text().contains("owed by  example-models"), "{}", erased.text());
    assert_eq!(desk.prefix.committed("cleared"), []);

    // The backlogged transcript is not sent when the gate comes back.
    let mut gate = desk.prefix.gate(0);
    desk.prefix.wait_for(1, &mut [&mut gate]);
    gate.stop().exits(0);
    assert_eq!(desk.prefix.committed("cleared"), []);
    assert_eq!(desk.prefix.committed("decisions")[0].json()["reasons"][0]["reason"], "customer_erased");
}

#[test]
fn a_restored_store_is_erased_again() {
    let ledger = Ledger::sqlite();
    let desk = Desk::new(&ledger, "restored");
    let file = ledger.folder().join("ledger.db");
    let backup = fs::read(&file).expect("a backup");
    desk.erase("R-1", &[]).exits(0);
    desk.follow();

    fs::write(&file, backup).expect("a restore");
    assert_eq!(ledger.owed(&["ck_gone"]), ["example-models"], "the restore has brought the person back");
    desk.follow();
    let replayed = desk.signing("replay").run().exits(0);
    assert!(replayed.text().contains("request R-1 (record 1): erased again"), "{}", replayed.text());
    assert_eq!(ledger.owed(&["ck_gone"]), [""; 0]);
    assert_eq!(ledger.owed(&["ck_here"]), ["example-models"]);
    // Nothing is rewritten, and nothing is stated twice.
    assert_eq!(desk.kinds(), ["erasure", "deletion", "deletion"]);
    let nobody = desk.signing("replay").run().exits(0);
    assert_eq!(nobody.text(), "nobody who was erased is in the store\n");
}

#[test]
fn records_are_exported_verified_and_written_back() {
    let ledger = Ledger::sqlite();
    let desk = Desk::new(&ledger, "proved");
    let erased = desk.erase("R-1", &[]).exits(0);
    let head = erased.stderr.split_whitespace().find(|word| word.starts_with("2@sha256:")).expect("a head").to_owned();
    let file = ledger.folder().join("records.jsonl");
    let exported = desk.reading("export").run().exits(0).stdout;
    fs::write(&file, &exported).expect("an export");
    let held = desk.verify(&file, &["--head", &head]).exits(0);
    assert!(held.text().contains("2 records hold") && held.text().contains("it is the head that was published"));
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
    assert!(broken(&[&changed, lines[1]]).contains("record 1 was changed"));
    assert!(broken(&[lines[1]]).contains("record 1 is missing"));
    assert!(broken(&[lines[0]]).contains("record 2 is missing, which was published as the head"));
    assert!(broken(&[]).contains("the chain ends with record 0"));

    // Another cluster, with none of it.
    let elsewhere = Prefix::new(&Broker::shared().bootstrap(), "elsewhere").partitions(2).create();
    let other = Ledger::sqlite();
    let moved = Desk { ledger: &other, prefix: elsewhere };
    moved.follow();
    let key = desk.key();
    fs::copy(&key, moved.key()).expect("the key");
    let replay = moved.signing("replay").args(["--records"]).args([&file]).run().exits(0);
    replay.says(&["2 records were written back"]);
    assert_eq!(moved.records(), desk.records());
}

#[test]
fn a_request_lives_and_its_handoff_too() {
    let ledger = Ledger::sqlite();
    let desk = Desk::new(&ledger, "lives");
    desk.erase("R-1", &[]).exits(0);
    let today = |event: &[&str]| {
        // What follows from an erasure is dated by the day of this test.
        let named = ["--tenant", "acme", "--request", "R-1", "--on", "2199-01-02"];
        desk.reading("request").args(named).args(event).run()
    };
    let letter = desk.reading("letter").args(["--tenant", "acme", "--request", "R-1", "--provider", "example-models"]);
    let letter = letter.args(["--public-key"]).args([desk.public()]).run().exits(0);
    assert!(letter.text().contains("| summaries-eu |") && !letter.text().contains("ck_gone"), "{}", letter.text());
    today(&["handoff-answered", "--provider", "example-models", "--by", "x"]).exits(2).says(&["was not asked"]);
    today(&["handoff-asked", "--provider", "example-models", "--channel", "portal", "--reference", "T-1"]).exits(0);
    today(&["extended", "--reason", "many"]).exits(2).says(&["must be given within the first month, by 2026-12-02"]);
    today(&["completed"]).exits(0);
    let late = desk.reading("requests").args(["--as-of", "2199-01-03"]).run().exits(0);
    assert!(late.text().contains("acme R-1:") && late.text().contains("LATE: completed"), "{}", late.text());
    today(&[
        "handoff-answered",
        "--provider",
        "example-models",
        "--by",
        "privacy desk",
        "--exclusion",
        "abuse monitoring",
    ])
    .exits(0);
    let done = desk.reading("requests").args(["--as-of", "2199-01-03"]).run().exits(0);
    assert_eq!(done.text(), "", "nothing is open");

    let map = desk.reading("datamap").args(["--tenant", "acme", "--request", "R-1"]).run().exits(0);
    assert!(map.text().contains("answered by privacy desk; not deleted: abuse monitoring"), "{}", map.text());
    assert!(map.text().contains("and we can prove it"), "the broker was asked");
}
