//! What was cleared, held against what was reserved, from outside the gate.

use crate::support::{Ledger, reservation, with};
use maysend_tests::{
    Ran,
    kafka::{Broker, Isolation, New, Prefix, produce, read},
    transcript,
};
use serde_json::{Value, json};

fn verify(prefix: &Prefix, ledger: &Ledger) -> Ran {
    ledger.command("run").args(["--once", "--config"]).args([prefix.config(0)]).run().exits(0);
    ledger.command("verify").args(["--json", "--wait", "0", "--config"]).args([prefix.config(0)]).run()
}

fn found(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

fn transcripts(prefix: &Prefix) {
    let of = |n: usize| New::value(transcript(&format!("t-{n}")).customer("Where is my parcel?").line());
    prefix.produce((0..6).map(of));
}

on_both! {
    fn records_that_say_different_things_of_a_reservation_are_named(ledger) {
        let first = reservation("r-1", "ck_1");
        // Decided again after a crash, under another ruleset: that may be.
        ledger.import(&[first.clone(), with(first.clone(), "ruleset", "sha256:cc"), with(first.clone(), "mode", "shadow")]);
        ledger.command("verify").run().exits(0);
        ledger.import(&[with(first.clone(), "reserved_requests", 2), with(reservation("r-2", "ck_2"), "attempt", "0-a")]);
        ledger.import(&[with(reservation("r-2", "ck_2"), "customer_key", Value::Null), reservation("r-3", "ck_3")]);
        let ran = ledger.command("verify").args(["--json"]).run().exits(1);
        assert_eq!(found(&ran)["conflicting"], json!({"count": 2, "first": ["r-1", "r-2"]}));
    }

    fn whatever_was_cleared_has_a_reservation_and_what_was_not_decided_is_an_orphan(ledger) {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "verify").partitions(2).create();
        transcripts(&prefix);
        // The first process dies with cleared records in an open transaction; the second decides under another ruleset.
        prefix.gate_dying_at(0, "before_commit:1").end().was_killed();
        let tenants = prefix.patterns().read("tenants.toml");
        prefix.patterns().write("tenants.toml", &format!("{tenants}\n# reviewed again\n"));
        let mut gate = prefix.gate(0);
        prefix.wait_for(6, &mut [&mut gate]);
        gate.stop().exits(0);
        let all = read(prefix.bootstrap(), &prefix.topic("cleared"), Isolation::Uncommitted).len();
        assert!(all > 6, "the test shows nothing without aborted records");
        let ran = verify(&prefix, ledger).exits(0);
        let now = found(&ran);
        assert_eq!(now["cleared"], all);
        assert_eq!(now["orphans"], all - 6, "as many as the first process had reserved: {now}");
        assert_eq!(now["unreserved"]["count"], 0);
        assert_eq!(now["conflicting"]["count"], 0, "{now}");

        // Somebody clears what was never reserved.
        let record = transcript("t-9").with("reservation_id", json!("r-none")).customer("Hello").line();
        let topic = prefix.topic("cleared");
        let records = [New::value(record).key("a"), New::value("{}").key("b"), New::tombstone().key("c")];
        produce(prefix.bootstrap(), &topic, records.map(|record| record.to(1)));
        let ran = verify(&prefix, ledger).exits(1).says(&["cleared without a reservation: stop the gate"]);
        let unreserved = &found(&ran)["unreserved"];
        assert_eq!(unreserved["count"], 2, "{unreserved}");
        let first = unreserved["first"][0].as_str().unwrap();
        assert!(first.starts_with(&format!("{topic}/1/")), "{first}");
    }

    fn it_is_not_asked_before_it_has_caught_up(ledger) {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "late").partitions(1).create();
        produce(prefix.bootstrap(), &prefix.topic("reservations"), [New::value(reservation("r-1", "ck").to_string())]);
        let ran = ledger.command("verify").args(["--wait", "0", "--config"]).args([prefix.config(0)]).run();
        ran.exits(1).says(&["has not taken in all", "1 behind"]);
    }
}
