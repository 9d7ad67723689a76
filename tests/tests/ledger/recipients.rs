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

        let text = ledger.command("recipients").args(["--tenant", "acme", "--as-of", "2026-03-02"]).run().exits(0);
        assert!(text.text().contains("| example-models<br>summaries-us | transcript | 1 | 1, 0 |"), "{}", text.text());
        assert!(text.text().contains("nothing is proven"), "{}", text.text());
    }
}
