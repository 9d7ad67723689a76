//! What an officer reads: each provider, why, under which terms, and until when by contract.

use crate::support::{providers, reservation, usage, with};
use maysend_tests::maysend;
use serde_json::{Value, json};

/// A ruleset record and the id of the terms of `summaries-eu` in it, from the ruleset that is built in.
fn ruleset() -> (Value, String) {
    let builtin = maysend::ruleset::Ruleset::builtin().unwrap();
    let files: serde_json::Map<String, Value> =
        builtin.files.iter().map(|file| (file.name.clone(), file.text.clone().into())).collect();
    let terms = builtin.rules.destinations.get("summaries-eu").unwrap().terms()[0].terms_id().to_owned();
    let record = json!({
        "schema": 1, "digest": builtin.digest, "program": "maysend 0.1.0", "files": files,
        "published_at": "2026-03-01T00:00:00Z",
    });
    (record, terms)
}

fn alias(key: &str, person: &str) -> Value {
    json!({
        "schema": 1, "tenant": "acme", "customer_key": key, "person": person, "recorded_at": "2026-03-02T09:14:03Z",
    })
}

on_both! {
    fn each_provider_is_named_with_why_and_until_when(ledger) {
        let (record, terms) = ruleset();
        let digest = record["digest"].clone();
        let reserved = |id: &str, at: &str| {
            let reserved = with(with(reservation(id, "ck"), "terms", terms.as_str()), "ruleset", digest.clone());
            with(reserved, "reserved_at", at)
        };
        ledger.import(&[
            record,
            reserved("r-1", "2026-03-02T09:14:03Z"),
            reserved("r-2", "2026-03-05T23:59:59Z"),
            usage("r-1", "ck", 1, "completed"),
        ]);
        let found = ledger.handoffs(&["ck"]);
        assert_eq!(providers(&found), ["example-models"]);
        let work = &found["providers"][0]["possibly_sent"];
        assert_eq!(work.as_array().unwrap().len(), 1, "usage names no terms: its reservation's hold: {work}");
        let work = &work[0];
        assert_eq!(
            json!([work["source"], work["destination"], work["terms"], work["rulesets"], work["reservations"]]),
            json!(["transcript", "summaries-eu", terms, [digest], 2])
        );
        assert_eq!(json!([work["reserved_requests"], work["requests_used"]]), json!([2, 1]));
        assert_eq!(work["provider_request_ids"], json!(["req-r-1"]));
        assert_eq!(
            json!([work["first_at"], work["last_at"]]),
            json!(["2026-03-02T09:14:03Z", "2026-03-05T23:59:59Z"])
        );
        let copy = &work["copy_may_exist"];
        assert_eq!(copy["until_by_contract"], "2026-04-04", "30 days by these terms: {copy}");
        assert_eq!(copy["terms_found_in"], "ruleset");

        let ran = ledger.command("handoffs").args(["--tenant", "acme", "ck"]).run().exits(0);
        let ran = ran.says(&["not compared with what the topics hold"]);
        for said in ["example-models owes a cleanup", "2 reserved, 1 used", "until 2026-04-04 by contract"] {
            assert!(ran.text().contains(said), "{}", ran.text());
        }
    }

    fn terms_without_proof_have_no_end(ledger) {
        let (_, terms) = ruleset();
        // Before its evidence counts, and after; by no terms at all; by terms that nobody knows.
        let at = |id: &str, at: &str| with(with(reservation(id, id), "terms", terms.as_str()), "reserved_at", at);
        ledger.import(&[
            at("early", "2026-01-01T00:00:00Z"),
            at("late", "2031-01-01T00:00:00Z"),
            with(reservation("none", "none"), "terms", Value::Null),
            reservation("unknown", "unknown"),
        ]);
        for customer in ["early", "late", "none", "unknown"] {
            let found = ledger.handoffs(&[customer]);
            let copy = &found["providers"][0]["possibly_sent"][0]["copy_may_exist"];
            assert_eq!(copy["until_by_contract"], Value::Null, "{customer}: {copy}");
        }
        // The terms are named by a digest of what they are, so the register of today has the same.
        ledger.import(&[at("today", "2026-03-02T00:00:00Z")]);
        let found = ledger.handoffs(&["today"]);
        let copy = &found["providers"][0]["possibly_sent"][0]["copy_may_exist"];
        assert_eq!(json!([copy["until_by_contract"], copy["terms_found_in"]]), json!(["2026-04-01", "register"]));
    }

    fn terms_that_are_not_those_in_use_prove_nothing(ledger) {
        let (record, terms) = ruleset();
        let builtin = maysend::ruleset::Ruleset::builtin().unwrap();
        let own = builtin.rules.destinations.get("summaries-eu").unwrap().terms_by_id(&terms).unwrap();
        let until = |customer: &str, plan: &str, endpoint: &str| {
            let reserved = with(with(reservation(customer, customer), "terms", terms.as_str()), "ruleset", record["digest"].clone());
            let used = with(with(usage(customer, customer, 1, "completed"), "plan", plan), "endpoint", endpoint);
            ledger.import(&[record.clone(), reserved, used]);
            let copy = ledger.handoffs(&[customer])["providers"][0]["possibly_sent"][0]["copy_may_exist"].clone();
            (copy["until_by_contract"].clone(), copy["because"].as_str().unwrap().to_owned())
        };
        assert_eq!(until("ck_1", &own.plan, &own.endpoint).0, "2026-04-01");
        for (customer, plan, endpoint) in [("ck_2", "free", own.endpoint.as_str()), ("ck_3", own.plan.as_str(), "elsewhere")] {
            let (until, because) = until(customer, plan, endpoint);
            assert_eq!(until, Value::Null);
            assert!(because.contains("another plan or endpoint"), "{because}");
        }
    }

    fn all_keys_of_a_person_are_one_customer(ledger) {
        let of = |id: &str, customer: &str, provider: &str| with(reservation(id, customer), "provider", provider);
        ledger.import(&[
            of("r-1", "ck_1", "one"),
            of("r-2", "ck_2", "two"),
            of("r-3", "ck_3", "three"),
            of("r-4", "ck_4", "four"),
        ]);
        assert_eq!(ledger.owed(&["ck_1"]), ["one"]);
        assert_eq!(ledger.owed(&["ck_1", "ck_4"]), ["four", "one"], "as many keys as are given");
        // Two records of persons that share a key are one person.
        ledger.import(&[alias("ck_1", "jan"), alias("ck_2", "jan"), alias("ck_2", "piet"), alias("ck_3", "piet")]);
        assert_eq!(ledger.owed(&["ck_1"]), ["one", "three", "two"]);
        assert_eq!(ledger.handoffs(&["ck_3"])["customer_keys"], json!(["ck_1", "ck_2", "ck_3"]));
        assert_eq!(ledger.handoffs_at("other", &["ck_1"])["customer_keys"], json!(["ck_1"]), "at its tenant only");
    }

    fn two_destinations_of_a_provider_are_one_handoff(ledger) {
        ledger.import(&[
            reservation("r-1", "ck"),
            with(reservation("r-2", "ck"), "destination", "summaries-eu-zdr"),
            with(with(reservation("r-3", "ck"), "destination", "labs"), "provider", "other-models"),
        ]);
        let found = ledger.handoffs(&["ck"]);
        assert_eq!(providers(&found), ["example-models", "other-models"]);
        let destinations: Vec<&Value> = found["providers"][0]["possibly_sent"]
            .as_array()
            .unwrap()
            .iter()
            .map(|work| &work["destination"])
            .collect();
        assert_eq!(destinations, ["summaries-eu", "summaries-eu-zdr"]);
    }

    fn blocked_transcripts_are_counted_and_owe_nothing(ledger) {
        let decision = json!({
            "schema": 1, "attempt": "0-a", "transcript_id": "t-1", "tenant": "acme", "customer_key": "ck",
            "destination": "summaries-eu", "mode": "enforce", "ruleset": "sha256:bb", "program": "maysend 0.1.0",
            "terms": "2026-02-11 sha256:aa", "source": {"file": "day.jsonl", "line": 7}, "verdict": "block",
            "reasons": [{"reason": "tier1_retained", "entities": ["nl.bsn"]}], "entities": {"nl.bsn": 1},
            "suppressed": [], "stripped": {}, "reservation_id": null, "as_of": "2026-03-02T09:14:03Z",
        });
        let sent = with(with(decision.clone(), "verdict", "send"), "attempt", "0-b");
        ledger.import(&[decision, sent]);
        let found = ledger.handoffs(&["ck"]);
        assert_eq!((providers(&found), &found["blocked"]), (vec![], &json!(1)));
        let ran = ledger.command("handoffs").args(["--tenant", "acme", "ck"]).run().exits(0);
        assert!(ran.text().contains("No provider owes a cleanup") && ran.text().contains("1 blocked"), "{}", ran.text());
    }

    fn a_customer_without_rows_owes_nothing(ledger) {
        assert_eq!(ledger.owed(&["ck_nobody"]), [""; 0]);
        ledger.command("handoffs").args(["--tenant", "acme", ""]).run().exits(2).says(&["at least one key"]);
    }
}

#[test]
fn a_store_that_is_not_there_or_is_something_else_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("ledger.db").display().to_string();
    let ask = |store: &str| maysend(["ledger", "handoffs", "--tenant", "acme", "--store", store, "ck"]).run().exits(2);
    ask(&missing).says(&["ledger.db", "is not there"]);
    ask("mysql://host/db").says(&["neither a file nor postgres://"]);
    ask("postgres://u:secret@127.0.0.1/db").says(&["holds a password"]);
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no database, but long enough to have been one in another life".repeat(20)).unwrap();
    ask(&text.display().to_string()).says(&["notes.txt", "not a database"]);
}
