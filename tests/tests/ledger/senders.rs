//! What came without a customer key, such as an imported reply, is found by the keyed hash of its sender's address.

use crate::{
    desk::Desk,
    support::{Ledger, providers, reservation, with},
};
use maysend_tests::maysend;
use serde_json::{Value, json};

const ADDRESS: &str = "jan@example.nl";

/// The name that rows have for an address.
fn name(tenant: &str, address: &str) -> String {
    let ran = maysend(["ledger", "sender", "--tenant", tenant, address]).with_key().run().exits(0);
    ran.text().trim_end().to_owned()
}

/// A reply that was sent to a provider of its own.
fn reply(id: &str, sender: &str) -> Value {
    let record = with(with(reservation(id, ""), "customer_key", Value::Null), "sender", sender);
    with(with(record, "source", "reply_interpretation"), "provider", id)
}

fn owed(ledger: &Ledger, more: &[&str]) -> Vec<String> {
    let ran = ledger.command("handoffs").with_key().args(["--json", "--tenant", "acme"]).args(more).run().exits(0);
    providers(&serde_json::from_slice(&ran.stdout).expect("JSON"))
}

#[test]
fn an_address_has_one_name_and_lines_keep_their_order() {
    let print = maysend(["ledger", "sender", "--tenant", "acme", "-"]).with_key();
    let ran = print.input("zoe@example.nl\n Jan@Example.NL \njan@example.nl\n").run().exits(0);
    let names: Vec<&str> = ran.text().lines().collect();
    assert_eq!((names.len(), names[1]), (3, names[2]));
    assert_ne!(names[0], names[1]);
    assert_ne!(name("other", ADDRESS), names[1]);
    maysend(["ledger", "sender", "--tenant", "acme", ADDRESS]).run().exits(2).says(&["MAYSEND_KEY"]);
}

on_both! {
    fn a_sender_is_a_name_of_a_person_beside_the_keys(ledger) {
        let sender = name("acme", ADDRESS);
        ledger.import(&[
            reservation("r-1", "ck"),
            reply("reply-1", &sender),
            reply("reply-2", &name("acme", "piet@example.nl")),
            with(reply("reply-3", &sender), "tenant", "other"),
        ]);
        assert_eq!(owed(ledger, &["ck"]), ["example-models"]);
        assert_eq!(owed(ledger, &["ck", "--sender", "JAN@example.nl"]), ["example-models", "reply-1"]);
        assert_eq!(owed(ledger, &["--sender", &format!("hash:{sender}")]), ["reply-1"]);
        // A row that has both joins them.
        ledger.import(&[with(reservation("r-2", "ck"), "sender", sender)]);
        assert_eq!(owed(ledger, &["ck"]), ["example-models", "reply-1"]);
        assert_eq!(owed(ledger, &["--sender", ADDRESS]), ["reply-1"], "what has a key is found by the key");
        let none = ledger.command("handoffs").args(["--tenant", "acme"]).run().exits(2);
        none.says(&["KEY"]);
    }

    fn what_came_from_a_sender_is_erased_and_erased_again_after_a_restore(ledger) {
        let desk = Desk::new(ledger, "senders");
        let (sender, other) = (name("acme", ADDRESS), name("acme", "piet@example.nl"));
        ledger.import(&[
            reply("reply-1", &sender),
            reply("reply-2", &other),
            // Rows of others that name the same sender: at another tenant, and of a customer with a key.
            with(reply("reply-3", &sender), "tenant", "other"),
            with(with(reservation("r-4", "ck_colleague"), "provider", "reply-4"), "sender", sender.as_str()),
        ]);
        let others_stay = || {
            let elsewhere = ledger.command("handoffs").with_key().args(["--json", "--tenant", "other"]);
            let ran = elsewhere.args(["--sender", &format!("hash:{sender}")]).run().exits(0);
            let found: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
            assert_eq!(providers(&found), ["reply-3"]);
            assert_eq!(ledger.query("SELECT id FROM reservations WHERE customer_key = 'ck_colleague'", &[]).len(), 1);
        };
        let backup = ledger.backup();
        let erased = desk.erase("R-1", &["--sender", ADDRESS]).exits(0);
        let printed = format!("senders  hash:{sender}\n");
        for says in [printed.as_str(), "owed by  reply-1: summaries-eu, reply_interpretation: 1 reserved", "store:reservations without a key: 1"] {
            assert!(erased.text().contains(says), "{says}: {}", erased.text());
        }
        let records = desk.records();
        assert!(!records.iter().any(|record| record.to_string().contains(&sender)), "a record names nobody");
        assert_eq!(owed(ledger, &["--sender", ADDRESS]), [""; 0]);
        assert_eq!(owed(ledger, &["--sender", "piet@example.nl"]), ["reply-2"]);
        others_stay();
        desk.erase("R-1", &["--confirm"]).exits(2).says(&["1 more names in the records"]);
        desk.confirm("R-1", &["--sender", &format!("hash:{sender}")]).exits(0);

        // By the records alone; and what the rows say is not counted again.
        ledger.restore(&backup);
        desk.follow();
        let replayed = desk.signing("replay").run().exits(0);
        assert!(replayed.text().contains("store:reservations without a key: 1"), "{}", replayed.text());
        assert_eq!(owed(ledger, &["--sender", ADDRESS]), [""; 0]);
        assert_eq!(owed(ledger, &["--sender", "piet@example.nl"]), ["reply-2"]);
        assert!(!desk.kinds().contains(&"supplement".to_owned()), "{:?}", desk.kinds());
        others_stay();
        let nobody = desk.signing("replay").run().exits(0);
        assert_eq!(nobody.text(), "nobody who was erased is in the store\n", "whoever else names the sender was not erased");

        // A reply that was imported after the backup was made is newly owed.
        ledger.restore(&backup);
        ledger.import(&[reply("reply-9", &sender)]);
        desk.follow();
        let replayed = desk.signing("replay").run().exits(0);
        assert!(replayed.text().contains("newly owed by reply-9: summaries-eu"), "{}", replayed.text());
        let supplement = desk.records().into_iter().find(|record| record["statement"]["kind"] == "supplement").unwrap();
        assert_eq!(supplement["statement"]["handoffs"][0]["reservations"], json!(["reply-9"]));

        // At another tenant the same sender is another customer, under another name.
        desk.follow();
        let of = ["--tenant", "other", "--request", "R-1", "--received", "2026-11-02"];
        let elsewhere = desk.signing("erase").args(of).args(["--sender", &format!("hash:{sender}")]).run().exits(0);
        assert!(elsewhere.text().contains("owed by  reply-3"), "{}", elsewhere.text());
        let senders = |record: &Value| record["statement"]["customer"]["senders"][0].as_str().map(str::to_owned);
        let named: Vec<String> = desk.records().iter().filter_map(senders).collect();
        assert_eq!(named.len(), 2);
        assert_ne!(named[0], named[1]);
    }
}
