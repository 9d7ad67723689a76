//! An erasure from its request to its confirmation, on a real broker: what is stated, what is deleted, what stays.

use crate::{
    desk::{Desk, of},
    support::{Ledger, providers, reservation, with},
};
use maysend_tests::{
    kafka::{Broker, New, Prefix, Record, produce},
    maysend,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_both! {
    fn a_request_is_answered_by_two_commands(ledger) {
        let desk = Desk::new(ledger, "erase");
        let erased = desk.erase("R-1", &[]).exits(0);
        assert!(erased.text().contains("owed by  example-models: summaries-eu, transcript: 2 reserved, 0 used"), "{}", erased.text());
        assert!(erased.text().contains(", a copy may exist until 20") && erased.text().contains(" by contract\n"), "{}", erased.text());
        erased.says(&["keep the head where this program cannot write: 3@sha256:"]);

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

        // Of topics together with the tombstones, then of the store.
        assert_eq!(desk.kinds(), ["erasure", "deletion", "deletion"]);
        let records = desk.records();
        let statement = &records[0]["statement"];
        assert!(statement["handoffs"][0]["until_by_contract"].is_string(), "{statement}");
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

        let confirmed = desk.confirm("R-1", &[]).exits(0);
        let topic = desk.prefix.topic("review");
        let review = format!("{topic}: 0 found; 1 that were deleted can still be read, until the broker compacts them; its bytes are gone from every replica by ");
        assert!(confirmed.text().contains(&review) && confirmed.text().contains("store:usage: 0 found"), "{}", confirmed.text());
        assert_eq!(desk.kinds(), ["erasure", "deletion", "deletion", "confirmation"]);

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
        desk.erase("R-1", &["--confirm", "--wait", "0"]).exits(1).says(&["the ledger is behind", "nothing was done"]);
        desk.follow();
        desk.erase("R-1", &[]).exits(0);
        assert_eq!(desk.kinds(), ["erasure", "deletion", "deletion", "supplement", "deletion"]);
        let supplement = &desk.records()[3]["statement"];
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
        let confirmed = desk.confirm("R-1", &[]).exits(0);
        assert!(confirmed.text().contains("0 found, 1 under a legal hold"), "{}", confirmed.text());
        let map = desk.reading("datamap").args(["--tenant", "acme", "--request", "R-1"]).run().exits(0);
        let row = |name: &str| map.text().lines().find(|line| line.contains(name)).expect("a row");
        assert!(row(".cleared` |").contains("☑") && row(".review` |").contains("☐"), "what is held is not done: {}", map.text());

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
        desk.erase("R-1", &["--confirm"]).exits(2).says(&["2 more names in the records than were given"]);
        let confirmed = desk.confirm("R-1", &["ck_here"]).exits(0);
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

    fn a_key_at_another_tenant_is_another_customer_under_another_name(ledger) {
        let desk = Desk::new(ledger, "tenants");
        ledger.import(&[with(reservation("other", "ck_gone"), "tenant", "other")]);
        desk.erase("R-1", &[]).exits(0);
        assert_eq!(providers(&ledger.handoffs_at("other", &["ck_gone"])), ["example-models"], "it stays");
        desk.follow();
        let of = ["--tenant", "other", "ck_gone", "--request", "R-1", "--received", "2026-11-02"];
        desk.signing("erase").args(of).run().exits(0);
        assert_eq!(providers(&ledger.handoffs_at("other", &["ck_gone"])), [""; 0]);
        let named: Vec<BTreeSet<String>> = desk
            .records()
            .iter()
            .filter(|record| record["statement"]["kind"] == "erasure")
            .map(|record| record["statement"]["customer"]["keys"].as_array().unwrap().iter().map(Value::to_string).collect())
            .collect();
        assert_eq!((named.len(), named[0].len()), (2, 2));
        assert!(named[0].is_disjoint(&named[1]), "nobody can see that they have one key: {named:?}");
    }

    fn whoever_asks_for_nothing_that_was_sent_is_owed_nothing(ledger) {
        let desk = Desk::new(ledger, "nothing");
        let of = ["--tenant", "acme", "ck_nobody", "--request", "R-9", "--received", "2026-11-02"];
        let erased = desk.signing("erase").args(of).run().exits(0);
        assert!(erased.text().contains("no provider owes a cleanup"), "{}", erased.text());
        // That nothing was there is stated too.
        assert_eq!(desk.kinds(), ["erasure", "deletion"]);
    }
}

/// A crash between reservation and commit: nothing was cleared, and the provider is named all the same.
#[test]
fn what_was_reserved_and_never_cleared_is_owed() {
    let ledger = Ledger::sqlite();
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "crashed").partitions(1).create();
    prefix.produce([New::value(of("ck_gone", "g-1").customer("Where is my parcel?").line())]);
    prefix.gate_dying_at(0, "after_reservations:1").end().was_killed();
    let desk = Desk::on(&ledger, prefix);
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

    let all =
        desk.reading("requests").args(["--all", "--json", "--as-of", "2199-01-03"]).run().exits(0).json().remove(0);
    assert_eq!(all["ended"], json!({"on": "2199-01-02", "how": "completed"}));
    let handoff = &all["handoffs"][0];
    assert_eq!(handoff["asked"], json!([{"on": "2199-01-02", "channel": "portal", "reference": "T-1"}]));
    assert_eq!(handoff["answered"]["exclusions"], json!(["abuse monitoring"]));

    let map = |more: &[&str]| {
        let of = ["--tenant", "acme", "--request", "R-1", "--store", "ledger.db"];
        desk.reading("datamap").args(of).args(more).run().exits(0).text().to_owned()
    };
    let row = |map: &str, name: &str| map.lines().find(|line| line.contains(name)).expect("a row").to_owned();
    let before = map(&[]);
    assert!(row(&before, "| summaries-eu at ").contains("answered by privacy desk; not deleted: abuse monitoring"));
    assert!(before.contains("and we can prove it"), "the broker was asked");
    assert!(row(&before, ".review` |").contains("☐") && row(&before, "| The ledger's store").contains("☐"));

    // What was confirmed is ticked off; and signed records tell where nothing was sent.
    desk.confirm("R-1", &[]).exits(0);
    let after = map(&["--public-key", desk.public().to_str().expect("a path")]);
    for ours in [".cleared` |", ".review` |", ".held` |", ".decisions` |", "| The ledger's store"] {
        assert!(row(&after, ours).contains("☑ 2199-01-02<br>nothing was found again, by record 4"), "{after}");
    }
    assert!(row(&after, "| **labs-free at ").contains("nothing was possibly sent there, by record 1"), "{after}");
    assert!(row(&after, "| summaries-eu at ").contains("answered by privacy desk"), "{after}");

    // A day that was written down, as it was on another side of the world, keeps nothing from being owed.
    let late = New::value(reservation("late", "ck_gone").to_string());
    produce(desk.prefix.bootstrap(), &desk.prefix.topic("reservations"), [late]);
    desk.confirm("R-1", &[]).exits(1);
    let again = map(&[]);
    assert!(row(&again, "| The ledger's store").contains("☐") && row(&again, ".review` |").contains("☑"), "{again}");
    desk.erase("R-1", &[]).exits(0);
    assert_eq!(desk.kinds()[4..6], ["confirmation", "supplement"]);
}

#[test]
fn where_kafka_cannot_be_reached_nothing_is_done_and_that_is_said() {
    let ledger = Ledger::sqlite();
    ledger.import(&[reservation("r-1", "ck_gone")]);
    let nowhere = Prefix::new("127.0.0.1:1", "nowhere").impatient();
    let desk = Desk { ledger: &ledger, prefix: nowhere };
    maysend(["ledger", "key", "--out"]).args([desk.key()]).run().exits(0);
    for more in [&[][..], &["--confirm"]] {
        desk.erase("R-1", more).exits(2).says(&["127.0.0.1:1"]);
    }
    desk.signing("replay").run().exits(2).says(&["127.0.0.1:1"]);
    assert_eq!(ledger.owed(&["ck_gone"]), ["example-models"]);
}
