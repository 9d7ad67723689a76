//! Keys that want to be something else. Each is found by itself and by nothing else.

use crate::{
    desk::Desk,
    support::{reservation, with},
};
use serde_json::{Value, json};

fn keys() -> Vec<String> {
    vec![
        "'; DROP TABLE reservations; --".into(),
        "\" OR 1=1 --".into(),
        "$1".into(),
        "%".into(),
        "_".into(),
        "\\".into(),
        "a\0b".into(),
        "a\u{1a}0b".into(),
        "\0".into(),
        "line\nbreak\r\n".into(),
        " ".into(),
        "ключ-🗝️-\u{202e}drow".into(),
        "e\u{301}".into(),
        "\u{e9}".into(),
        "\u{feff}bom".into(),
        "NULL".into(),
        "x".repeat(1 << 20),
        format!("{}y", "x".repeat(1 << 20)),
    ]
}

on_both! {
    fn every_key_is_found_by_itself_alone(ledger) {
        let providers: Vec<String> = (0..keys().len()).map(|n| format!("provider-{n}")).collect();
        let records: Vec<Value> = keys()
            .iter()
            .zip(&providers)
            .map(|(key, provider)| {
                // The same is done to every other member that somebody else writes.
                let record = with(with(reservation(key, key), "provider", provider.as_str()), "terms", key.as_str());
                let record = with(with(record, "transcript_id", key.as_str()), "attempt", key.as_str());
                with(with(record, "ruleset", key.as_str()), "mode", key.as_str())
            })
            .collect();
        ledger.import(&records);
        for (key, provider) in keys().iter().zip(&providers) {
            let ask = ledger.command("handoffs").args(["--json", "--tenant", "acme", "-"]);
            let ran = ask.input(json!(key).to_string() + "\n").run().exits(0);
            let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
            assert_eq!(crate::support::providers(&found), [provider.as_str()]);
            assert_eq!(found["providers"][0]["possibly_sent"][0]["terms"], key.as_str(), "it comes back as it was");
        }
        let rows = ledger.rows();
        ledger.import(&records);
        assert_eq!(ledger.rows(), rows);
    }

    fn every_key_can_be_erased_and_takes_nobody_with_it(ledger) {
        let desk = Desk::new(ledger, "hostile");
        let small: Vec<String> = keys().into_iter().filter(|key| key.len() < 1000).collect();
        ledger.import(&small.iter().map(|key| reservation(key, key)).collect::<Vec<_>>());
        let erase = |request: &str, keys: &[String]| {
            let of = ["--tenant", "acme", "-", "--request", request, "--received", "2026-11-02"];
            let lines: String = keys.iter().map(|key| json!(key).to_string() + "\n").collect();
            desk.signing("erase").args(of).input(lines).run()
        };
        // Each by itself would show no more, and take minutes.
        let (gone, left) = small.split_at(small.len() / 2);
        erase("R-1", gone).exits(0);
        let rows = ledger.query("SELECT customer_key FROM reservations", &[]);
        let mut found: Vec<String> = rows.iter().map(|row| row.text(0).unwrap().to_owned()).collect();
        let mut wanted: Vec<String> = left.iter().cloned().chain(["ck_gone", "ck_gone", "ck_here"].map(String::from)).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted);
        desk.follow();
        let quoted = erase("'; DROP TABLE reservations; --\u{1b}[2J", left).exits(0);
        assert!(quoted.text().chars().all(|c| c == '\n' || !c.is_control()), "{:?}", quoted.text());
        assert_eq!(ledger.query("SELECT customer_key FROM reservations", &[]).len(), 3);
        desk.follow();

        // A key of a mebibyte.
        let large = "x".repeat(1 << 20);
        ledger.import(&[reservation("large", &large)]);
        erase("R-3", &[large]).exits(0);
        assert_eq!(ledger.query("SELECT customer_key FROM reservations", &[]).len(), 3);
    }

    fn a_hostile_tenant_is_one_too(ledger) {
        for tenant in keys().iter().filter(|key| key.len() < 100 && !key.contains('\0')) {
            ledger.import(&[with(reservation("r-1", "ck"), "tenant", tenant.as_str())]);
            let found = ledger.handoffs_at(tenant, &["ck"]);
            assert_eq!(crate::support::providers(&found), ["example-models"]);
        }
        assert_eq!(ledger.owed(&["ck"]), [""; 0]);
    }

    fn what_is_printed_moves_no_cursor(ledger) {
        ledger.import(&[with(reservation("r-1", "ck"), "provider", "evil\u{1b}[2J\r\u{7}")]);
        let ran = ledger.command("handoffs").args(["--tenant", "acme", "ck"]).run().exits(0);
        assert!(ran.text().chars().all(|c| c == '\n' || !c.is_control()), "{:?}", ran.text());
    }
}
