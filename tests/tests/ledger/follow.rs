//! `maysend ledger run` on a real broker: whatever befalls it, it comes to what the topics hold.

use crate::support::{Ledger, providers, reservation, usage, with};
use maysend_tests::{
    Ran,
    kafka::{Broker, Gate, Isolation, New, Prefix, client, client::Writer, is_long, produce, read},
    transcript,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Topics of a gate, with nothing in them.
fn topics(name: &str) -> Prefix {
    Prefix::new(&Broker::shared().bootstrap(), name).partitions(2).create()
}

fn publish(prefix: &Prefix, topic: &str, records: impl IntoIterator<Item = Value>) {
    let records = records.into_iter().map(|record| New::value(record.to_string()));
    produce(prefix.bootstrap(), &prefix.topic(topic), records);
}

/// Takes in what is there now.
fn follow(prefix: &Prefix, ledger: &Ledger) -> Ran {
    ledger.command("run").args(["--once", "--config"]).args([prefix.config(0)]).run()
}

fn follower(prefix: &Prefix, ledger: &Ledger) -> Gate {
    prefix.start(8, ledger.command("run").args(["--config"]).args([prefix.config(0)]))
}

/// The handoffs, once the ledger has passed what the topics hold.
fn ask(prefix: &Prefix, ledger: &Ledger, customer: &str, seconds: u32) -> Ran {
    let wait = seconds.to_string();
    let ask = ledger.command("handoffs").args(["--json", "--tenant", "acme", customer, "--wait", &wait, "--config"]);
    // Another file than the one that the follower may be reading.
    ask.args([prefix.config(1)]).run()
}

fn many(count: usize) -> Vec<Value> {
    (0..count).map(|n| reservation(&format!("r-{n}"), &format!("ck_{}", n % 50))).collect()
}

on_both! {
    fn what_the_gate_wrote_is_in_the_ledger_with_its_terms(ledger) {
        let prefix = topics("ledger");
        let said = |id: &str, customer: &str, text: &str| {
            New::value(transcript(id).with("customer_key", json!(customer)).customer(text).line())
        };
        prefix.produce([said("t-1", "ck_sent", "Where is my parcel?"), said("t-2", "ck_blocked", "BSN 111222333")]);
        let mut gate = prefix.gate(0);
        prefix.wait_for(2, &mut [&mut gate]);
        gate.stop().exits(0);

        // Nobody follows: the ledger says so, and how far behind it is.
        let behind = ask(&prefix, ledger, "ck_sent", 0).exits(1);
        behind.says(&["has not taken in all", &format!("{}.reservations/", prefix.input()), "1 behind"]);
        follow(&prefix, ledger).exits(0);
        // Of a transaction the last offset is no record, and is passed all the same.
        let ran = ask(&prefix, ledger, "ck_sent", 0).exits(0);
        let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(providers(&found), ["example-models"]);
        let work = &found["providers"][0]["possibly_sent"][0];
        assert_eq!(work["copy_may_exist"]["terms_found_in"], "ruleset", "{work}");
        let ends = &found["ends"]["topics"][prefix.topic("reservations")];
        assert_eq!(ends.as_object().unwrap().values().filter_map(Value::as_i64).sum::<i64>(), 1, "{ends}");
        let blocked = ask(&prefix, ledger, "ck_blocked", 0).exits(0);
        let blocked: Value = serde_json::from_slice(&blocked.stdout).unwrap();
        assert_eq!((providers(&blocked), &blocked["blocked"]), (vec![], &json!(1)));
    }

    fn one_waits_for_the_ledger_to_pass_the_ends(ledger) {
        let prefix = topics("waits");
        publish(&prefix, "reservations", many(500));
        let running = follower(&prefix, ledger);
        let ran = ask(&prefix, ledger, "ck_7", 60);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stderr, running.says());
        let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(found["providers"][0]["possibly_sent"][0]["reservations"], 10);
        running.stop().exits(0);
    }

    fn killed_at_any_point_it_comes_to_the_same(ledger) {
        let prefix = topics("killed");
        publish(&prefix, "reservations", many(12_000));
        publish(&prefix, "usage", (0..300).map(|n| usage(&format!("r-{n}"), &format!("ck_{}", n % 50), 1, "failed")));
        for place in ["ledger_before_commit:1", "ledger_after_commit:1", "ledger_before_commit:2"] {
            let dying = ledger.command("run").env("MAYSEND_DIE_AT", place).args(["--once", "--config"]);
            dying.args([prefix.config(0)]).run().was_killed();
        }
        follow(&prefix, ledger).exits(0);
        assert_eq!(ledger.rows()[0].1.len(), 12_000);
        // Made again from nothing, it is the same.
        let again = ledger.another();
        follow(&prefix, &again).exits(0);
        assert_eq!(again.rows(), ledger.rows());
        follow(&prefix, &again).exits(0).says(&["0 records taken in"]);
    }

    fn killed_at_random_it_comes_to_the_same(ledger) {
        let prefix = topics("random");
        let writer = Writer::new(prefix.bootstrap(), &prefix.topic("reservations"));
        let kills = if is_long() { 50 } else { 8 };
        for kill in 0..kills {
            let of = |n: usize| reservation(&format!("r-{kill}-{n}"), &format!("ck_{}", n % 50));
            writer.write((0..2_000).map(|n| New::value(of(n).to_string())));
            let mut running = follower(&prefix, ledger);
            running.wait_a_moment(Duration::from_millis(100 * kill));
            assert!(running.is_running(), "{}", running.says());
            running.kill();
        }
        follow(&prefix, ledger).exits(0);
        assert_eq!(ledger.rows()[0].1.len() as u64, 2_000 * kills);
        let again = ledger.another();
        follow(&prefix, &again).exits(0);
        assert_eq!(again.rows(), ledger.rows());
    }

    fn what_was_reserved_before_a_crash_is_owed_although_nothing_was_cleared(ledger) {
        let prefix = topics("crashed");
        prefix.produce([New::value(transcript("t-1").customer("Where is my parcel?").line())]);
        prefix.gate_dying_at(0, "after_reservations:1").end().was_killed();
        assert_eq!(read(prefix.bootstrap(), &prefix.topic("cleared"), Isolation::Uncommitted).len(), 0);
        follow(&prefix, ledger).exits(0);
        let ran = ask(&prefix, ledger, "ck_5f0c2b", 0).exits(0);
        assert_eq!(providers(&serde_json::from_slice(&ran.stdout).unwrap()), ["example-models"]);
    }

    fn what_cannot_be_read_is_counted_and_the_rest_is_taken_in(ledger) {
        let prefix = topics("corrupt");
        let canary = "kanarievogel";
        let topic = prefix.topic("reservations");
        produce(prefix.bootstrap(), &topic, [
            New::value(reservation("r-1", "ck_1").to_string()).to(0),
            New::value(format!("no JSON {canary}")).to(0),
            New::tombstone().key("r-1").to(0),
            New::value(with(reservation("r-2", "ck_1"), "schema", 9).to_string()).to(0),
            New::value(vec![0xff, 0xfe]).to(0),
            New::value(reservation("r-3", "ck_3").to_string()).to(0),
        ]);
        // Usage before its reservation, and out of order.
        publish(&prefix, "usage", [with(usage("r-9", "ck_9", 1, "completed"), "reported_at", "2020-01-01T00:00:00Z")]);
        let ran = follow(&prefix, ledger).exits(0).says(&["4 records could not be read", &format!("{topic}/0/1")]);
        assert!(!ran.stderr.contains(canary));
        for customer in ["ck_1", "ck_3", "ck_9"] {
            let ran = ask(&prefix, ledger, customer, 0).exits(0).says(&["4 records of the topics could not be read"]);
            let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
            assert_eq!((providers(&found), &found["unread"]), (vec!["example-models".into()], &json!(4)));
        }
        follow(&prefix, ledger).exits(0);
        assert_eq!(ledger.query("SELECT record_offset FROM unread", &[]).len(), 4);
    }

    fn partitions_that_come_later_are_followed(ledger) {
        let prefix = topics("grown");
        publish(&prefix, "reservations", [reservation("r-1", "ck_1")]);
        follow(&prefix, ledger).exits(0);
        client::grow(prefix.bootstrap(), &prefix.topic("reservations"), 4);
        let late = New::value(reservation("r-2", "ck_2").to_string()).to(3);
        produce(prefix.bootstrap(), &prefix.topic("reservations"), [late]);
        ask(&prefix, ledger, "ck_2", 0).exits(1).says(&["reservations/3: read up to 0 of 1"]);
        follow(&prefix, ledger).exits(0);
        assert_eq!(ledger.owed(&["ck_2"]), ["example-models"]);
    }

    fn a_topic_that_was_made_anew_stops_it(ledger) {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "anew").partitions(1).create();
        publish(&prefix, "reservations", many(10));
        follow(&prefix, ledger).exits(0);
        let topic = prefix.topic("reservations");
        client::delete_topic(prefix.bootstrap(), &topic);
        client::create_topic(prefix.bootstrap(), &topic, 1);
        publish(&prefix, "reservations", many(3));
        let says = format!("{topic}/0: read up to 10, but the topic ends at 3");
        follow(&prefix, ledger).exits(2).says(&[&says]);
        ask(&prefix, ledger, "ck_1", 0).exits(2).says(&[&says]);
        assert_eq!(ledger.rows()[0].1.len(), 10, "what was read stays");
    }

    fn records_that_are_gone_before_they_were_read_stop_it(ledger) {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "gone").partitions(1).create();
        publish(&prefix, "reservations", many(10));
        follow(&prefix, ledger).exits(0);
        publish(&prefix, "reservations", many(20));
        client::delete_before(prefix.bootstrap(), &prefix.topic("reservations"), 0, 15);
        let ran = follow(&prefix, ledger).exits(2);
        ran.says(&["reservations/0: read up to 10, but the broker's first record is 15"]);
        // A ledger that begins now cannot know what is gone, and takes what is there.
        let new = ledger.another();
        follow(&prefix, &new).exits(0);
        assert_eq!(new.rows()[0].1.len(), 15);
    }
}

#[test]
fn into_postgres_one_follows_at_a_time() {
    let (prefix, ledger) = (topics("twice"), Ledger::postgres());
    publish(&prefix, "reservations", many(1));
    let first = follower(&prefix, &ledger);
    ask(&prefix, &ledger, "ck_0", 60).exits(0);
    follow(&prefix, &ledger).exits(2).says(&["another `maysend ledger run`"]);
    // Killed, it holds nothing.
    first.kill();
    let second = follower(&prefix, &ledger);
    publish(&prefix, "reservations", [reservation("r-x", "ck_x")]);
    ask(&prefix, &ledger, "ck_x", 60).exits(0);
    second.stop().exits(0);
}
