//! Who possibly received data, for a record of processing, an answer to a customer, and an impact assessment.

use crate::support::{Ledger, reservation, usage, with};
use serde_json::{Value, json};

fn recipients(ledger: &Ledger, more: &[&str]) -> Value {
    let command = ledger.command("recipients").args(["--json", "--as-of", "2026-03-02", "--tenant", "acme"]);
    serde_json::from_slice(&command.args(more).run().exits(0).stdout).expect("JSON")
}

on_both! {
    fn recipients_are_those_of_what_was_possibly_sent(ledger) {
        ledger.import(&[
            reservation("r-1", "ck_1"),
            reservation("r-2", "ck_1"),
            reservation("r-3", "ck_2"),
            usage("r-3", "ck_2", 2, "completed"),
            with(reservation("r-4", "ck_2"), "destination", "summaries-us"),
            // Refused before anything was reserved, and at another tenant.
            with(reservation("r-5", "ck_3"), "reserved_requests", 0),
            with(reservation("r-6", "ck_1"), "tenant", "other"),
        ]);
        let all = recipients(ledger, &[]);
        assert_eq!(all["tenant_region"], "EU");
        let eu = &all["recipients"][0];
        assert_eq!(
            [&eu["destination"], &eu["customers"], &eu["reserved_requests"], &eu["requests_used"]],
            [&json!("summaries-eu"), &json!(2), &json!(3), &json!(2)]
        );
        assert_eq!((&eu["terms"]["transfer"], &eu["terms"]["standard_days"]), (&json!("within the region"), &json!(30)));
        let us = &all["recipients"][1];
        assert_eq!((&us["terms"]["region"], &us["terms"]["transfer"]), (&json!("US"), &Value::Null));
        assert_eq!(all["recipients"].as_array().unwrap().len(), 2);

        let one = recipients(ledger, &["ck_1"]);
        assert_eq!((&one["of_one_customer"], one["recipients"].as_array().unwrap().len()), (&json!(true), 1));
        assert_eq!(one["recipients"][0]["reserved_requests"], 2);
        assert_eq!(recipients(ledger, &["ck_3"])["recipients"], json!([]));

        // What came without a key, by the name of its sender.
        let reply = with(with(reservation("reply-1", ""), "customer_key", Value::Null), "sender", "abcd");
        ledger.import(&[with(reply, "source", "reply_interpretation")]);
        let by_sender = ledger.command("recipients").with_key().args(["--json", "--tenant", "acme", "--sender", "hash:abcd"]);
        let found: Value = serde_json::from_slice(&by_sender.run().exits(0).stdout).expect("JSON");
        assert_eq!(found["recipients"][0]["source"], "reply_interpretation");
        assert_eq!((&found["of_one_customer"], &found["recipients"][0]["reserved_requests"]), (&json!(true), &json!(1)));

        let text = ledger.command("recipients").args(["--tenant", "acme", "--as-of", "2026-03-02"]).run().exits(0);
        assert!(text.text().contains("| example-models<br>summaries-us | transcript | 1 | 1, 0 |"), "{}", text.text());
        assert!(text.text().contains("nothing is proven"), "{}", text.text());
        assert!(text.text().contains("**Not declared: give --systems FILE"), "{}", text.text());
    }

    fn a_record_of_processing_has_all_that_the_article_asks_for(ledger) {
        let blocked = json!({
            "schema": 1, "attempt": "0-a", "transcript_id": "t-1", "tenant": "acme", "customer_key": "ck_9",
            "destination": "labs-free", "verdict": "block", "as_of": "2026-03-02T09:14:03Z",
            "reasons": [{"reason": "tier1_retained"}, {"reason": "training_eligible"}],
        });
        let other = with(with(blocked.clone(), "attempt", "0-b"), "reasons", json!([{"reason": "training_eligible"}]));
        ledger.import(&[reservation("r-1", "ck_1"), with(reservation("r-2", "ck_1"), "destination", "summaries-us"), blocked, other]);
        let systems = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/systems.toml");
        let record = ledger.command("recipients").args(["--tenant", "acme", "--as-of", "2026-03-02", "--systems", systems]);
        let record = record.run().exits(0);
        for says in [
            "## Controller: Art. 30(1)(a)\n\n- controller: Acme B.V., Damrak 1, Amsterdam\n- joint controllers: none\n- representative: none\n- data protection officer: dpo@acme.example\n",
            "## Purposes: Art. 30(1)(b)\n\n- purposes: summaries of support conversations; ",
            "## Categories: Art. 30(1)(c)\n\n- data subjects: customers who write to support; support agents\n- personal data: ",
            "## Recipients and transfers: Art. 30(1)(d) and (e)",
            "within the region",
            "| Kafka topic `transcripts.review` | transcripts for reviewers, not redacted | ",
            "## Security: Art. 30(1)(g)\n\n- measures: transcripts with national identifiers",
            "- requests that were possibly made: 2 reserved, 0 reported as used\n",
            "- recipients to which no transfer is proven: 1\n",
            "  - tier1\\_retained: 1\n  - training\\_eligible: 2\n",
        ] {
            assert!(record.text().contains(says), "{says}\n{}", record.text());
        }
        let one = ledger.command("recipients").args(["--tenant", "acme", "ck_1", "--systems", systems]).run().exits(0);
        assert!(one.text().contains("Purposes") && !one.text().contains("Security"), "{}", one.text());
    }
}
