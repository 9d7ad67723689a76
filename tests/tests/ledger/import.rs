//! Taking records in is a union: again, in another order or in other pieces it comes to the same.

use crate::support::{reservation, usage, with};
use serde_json::{Value, json};

fn records() -> Vec<Value> {
    let first = reservation("r-1", "ck_1");
    vec![
        // The same again at another time, as after a crash; under another ruleset, mode and terms; saying something else.
        with(first.clone(), "reserved_at", "2026-03-02T09:14:09Z"),
        with(first.clone(), "ruleset", "sha256:cc"),
        with(first.clone(), "mode", "shadow"),
        with(first.clone(), "terms", "2026-02-12 sha256:dd"),
        with(first.clone(), "provider", "other-models"),
        first,
        usage("r-1", "ck_1", 1, "completed"),
        with(usage("r-1", "ck_1", 1, "completed"), "reported_at", "2026-03-02T10:00:01Z"),
        reservation("r-2", "ck_2"),
        with(reservation("r-3", "ck_3"), "customer_key", Value::Null),
        with(reservation("r-4", "ck_4"), "a_member_of_tomorrow", json!({"x": [1]})),
    ]
}

on_both! {
    fn importing_again_changes_nothing(ledger) {
        ledger.import(&records());
        let rows = ledger.rows();
        ledger.import(&records());
        assert_eq!(ledger.rows(), rows);
        let count = |name: &str| rows.iter().find(|(own, _)| *own == name).unwrap().1.len();
        assert_eq!((count("reservations"), count("usage")), (8, 1));
    }

    fn the_order_does_not_matter(ledger) {
        ledger.import(&records());
        let other = ledger.another();
        for record in records().into_iter().rev() {
            other.import(&[record]);
        }
        assert_eq!(other.rows(), ledger.rows());
    }

    fn the_union_of_what_was_said_is_kept(ledger) {
        ledger.import(&records());
        let found = ledger.handoffs(&["ck_1"]);
        let of = |provider: &str| {
            let all = found["providers"].as_array().unwrap();
            all.iter().find(|handoff| handoff["provider"] == provider).unwrap()["possibly_sent"].clone()
        };
        assert_eq!(of("other-models")[0]["reserved_requests"], 1);
        let terms: Vec<Value> = of("example-models").as_array().unwrap().iter().map(|w| w["terms"].clone()).collect();
        assert_eq!(terms, ["2026-02-11 sha256:aa", "2026-02-12 sha256:dd"]);
        let first = &of("example-models")[0];
        assert_eq!(json!([first["reservations"], first["reserved_requests"]]), json!([1, 1]), "one reservation: {first}");
        assert_eq!(first["rulesets"], json!(["sha256:bb", "sha256:cc"]));
        assert_eq!(first["first_at"], "2026-03-02T09:14:03Z");
    }

    fn a_line_that_is_no_record_is_named_and_what_stands_before_it_is_taken_in(ledger) {
        let good = reservation("r-1", "ck_1");
        let canary = "kanarievogel";
        for (bad, says) in [
            (json!({"schema": 1, "tenant": canary}).to_string(), "none of the records of the ledger"),
            (with(good.clone(), "schema", 2).to_string(), "another `schema`"),
            (with(good.clone(), "reserved_requests", -1).to_string(), "not a reservation"),
            (with(good.clone(), "reserved_requests", "1").to_string(), "not a reservation"),
            (with(good.clone(), "tenant", Value::Null).to_string(), "not a reservation"),
            (with(good.clone(), "reserved_at", canary).to_string(), "not a reservation"),
            (with(good.clone(), "sender", canary.repeat(20)).to_string(), "not a reservation"),
            (good.to_string().replacen("\"tenant\"", "\"tenant\":\"x\",\"tenant\"", 1), "not a reservation"),
            (format!("{{{canary}"), "none of the records"),
        ] {
            let lines = format!("{}\n\n{bad}\n{}\n", reservation("r-0", "ck_0"), reservation("r-9", "ck_9"));
            let ran = ledger.command("import").args(["-"]).input(lines).run().exits(2).says(&["standard input:3:", says]);
            assert!(!ran.stderr.contains(canary), "{}", ran.stderr);
            assert_eq!(ledger.owed(&["ck_0"]), ["example-models"]);
            assert_eq!(ledger.owed(&["ck_9"]), [""; 0]);
        }
    }

    fn what_scan_wrote_can_be_imported(ledger) {
        use maysend_tests::{AS_OF, maysend, transcript};
        let out = ledger.folder().join("out");
        let lines = [
            transcript("t-1").with("customer_key", json!("ck_sent")).customer("Where is my parcel?").line(),
            transcript("t-2").with("customer_key", json!("ck_blocked")).customer("mijn BSN is 111222333").line(),
            "no JSON".to_owned(),
        ];
        let scan = maysend(["scan", "--as-of", AS_OF, "--out"]).args([&out]).with_key().input(lines.join("\n"));
        scan.run().exits(0);
        let files = ["reservations.jsonl", "decisions.jsonl"].map(|name| out.join(name));
        ledger.command("import").args(files).run().exits(0).says(&["4 records are in"]);
        let sent = ledger.handoffs(&["ck_sent"]);
        assert_eq!(sent["providers"][0]["possibly_sent"][0]["copy_may_exist"]["until_by_contract"], "2026-04-01");
        let blocked = ledger.handoffs(&["ck_blocked"]);
        assert_eq!((blocked["providers"].as_array().unwrap().len(), &blocked["blocked"]), (0, &json!(1)));
    }
}
