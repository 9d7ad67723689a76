//! The rule: what was possibly sent is owed a cleanup, what was refused before is not. The provider of the first cases is
//! a real one that counts its calls, behind a real gate and a real sender.

use crate::support::{Ledger, reservation, usage, with};
use maysend::ledger::{
    identity::Customer,
    predicate::{LEGACY, POSSIBLY_SENT, View, is_installed},
};
use maysend_tests::{
    kafka::{Broker, Deadline, Follower, Isolation, New, PATIENCE, Prefix, client, read},
    program,
    provider::{Answer, Provider},
    transcript,
};
use serde_json::{Value, json};
use std::{sync::OnceLock, time::Duration};

/// What the gate and the sender wrote about one customer who was refused and one who was called, and how many calls came.
struct Happened {
    records: Vec<Value>,
    calls: usize,
}

fn happened() -> &'static Happened {
    static HAPPENED: OnceLock<Happened> = OnceLock::new();
    HAPPENED.get_or_init(|| {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), "cases").partitions(1).create();
        let said = |id: &str, customer: &str, text: &str| {
            New::value(transcript(id).with("customer_key", json!(customer)).customer(text).line())
        };
        prefix.produce([
            said("t-refused", "ck_refused", "mijn BSN is 111222333"),
            said("t-called", "ck_called", "Where is my parcel?"),
        ]);
        let mut gate = prefix.gate(0);
        prefix.wait_for(2, &mut [&mut gate]);
        gate.stop().exits(0);
        let provider = Provider::start(|_, _| Answer::Done);
        let sender = program::sender(["--brokers", prefix.bootstrap(), "--topic-prefix", prefix.input()]).args([
            "--destination",
            "summaries-eu",
            "--provider",
            "example-models",
            "--endpoint",
            provider.endpoint(),
        ]);
        let mut sender = prefix.start(9, sender);
        let mut reported = Follower::new(prefix.bootstrap(), &prefix.topic("usage"), Isolation::Committed);
        let deadline = Deadline::patient();
        while reported.poll(Duration::from_millis(100)).is_none() {
            assert!(
                sender.is_running() && !deadline.is_over(),
                "no usage in {PATIENCE:?}; it says:\n{}",
                sender.says()
            );
        }
        sender.stop().exits(0);
        let topics = ["reservations", "usage", "decisions"];
        let of = |topic: &&str| read(prefix.bootstrap(), &prefix.topic(topic), Isolation::Committed);
        let records = topics.iter().flat_map(of).map(|record: client::Record| record.json()).collect();
        Happened { records, calls: provider.calls().len() }
    })
}

/// One case: a customer to whom one thing happened, asked for by one view, and whether the provider owes a cleanup.
struct Case {
    name: &'static str,
    customer: &'static str,
    view: View,
    owed: bool,
}

const CASES: [Case; 8] = {
    const fn case(name: &'static str, customer: &'static str, view: View, owed: bool) -> Case {
        Case { name, customer, view, owed }
    }
    use View::{Erase, Replay};
    [
        case("refused before anything was reserved", "ck_refused", Erase, false),
        case("refused before anything was reserved", "ck_refused", Replay, false),
        case("really called", "ck_called", Erase, true),
        case("really called", "ck_called", Replay, true),
        case("a reply reserved, with no run", "ck_reserved", Erase, true),
        case("a reply reserved, with no run", "ck_reserved", Replay, true),
        case("a reply with nothing reserved", "ck_nothing", Erase, false),
        case("a reply with nothing reserved", "ck_nothing", Replay, false),
    ]
};

fn reply(id: &str, customer: &str, reserved: u32) -> Value {
    let record = with(reservation(id, customer), "reserved_requests", reserved);
    with(record, "source", "reply_interpretation")
}

fn is_owed(ledger: &Ledger, case: &Case) -> bool {
    let statement = format!("SELECT DISTINCT destination FROM {} WHERE customer = $1", case.view.name());
    let rows = ledger.query(&statement, &[Customer::of("acme", case.customer).bytes().into()]);
    rows.iter().any(|row| row.text(0).is_ok_and(|destination| destination == "summaries-eu"))
}

fn wrong(ledger: &Ledger) -> Vec<(&'static str, View)> {
    CASES.iter().filter(|case| is_owed(ledger, case) != case.owed).map(|case| (case.name, case.view)).collect()
}

fn fill(ledger: &Ledger) {
    ledger.import(&happened().records);
    ledger.import(&[reply("reply-1", "ck_reserved", 1), reply("reply-2", "ck_nothing", 0)]);
}

on_both! {
    fn the_eight_cases(ledger) {
        fill(ledger);
        assert_eq!(happened().calls, 1, "one was really called, the other not");
        assert_eq!(wrong(ledger), []);
        for case in CASES.iter().filter(|case| case.view == View::Erase) {
            let owed: &[&str] = if case.owed { &["example-models"] } else { &[] };
            assert_eq!(ledger.owed(&[case.customer]), owed, "{}", case.name);
        }
    }

    fn the_legacy_rule_has_exactly_four_of_them_wrong(ledger) {
        fill(ledger);
        ledger.migrate(&["--to", "3"]).exits(0);
        assert_eq!(
            wrong(ledger),
            [
                ("refused before anything was reserved", View::Erase),
                ("refused before anything was reserved", View::Replay),
                ("a reply reserved, with no run", View::Erase),
                ("a reply reserved, with no run", View::Replay),
            ]
        );
        ledger.migrate(&[]).exits(0);
        assert_eq!(wrong(ledger), []);
    }

    fn what_is_installed_is_the_constant(ledger) {
        let installed = |rule| {
            let mut store = ledger.store();
            View::ALL.map(|view| store.write(|transaction| is_installed(transaction, view, rule)).unwrap())
        };
        assert_eq!((installed(POSSIBLY_SENT), installed(LEGACY)), ([true; 2], [false; 2]));
        ledger.migrate(&["--to", "3"]).exits(0);
        assert_eq!((installed(POSSIBLY_SENT), installed(LEGACY)), ([false; 2], [true; 2]));
    }

    fn whatever_became_of_what_was_reserved_it_is_owed(ledger) {
        for outcome in ["completed", "failed", "abandoned", "refused"] {
            let (id, customer) = (format!("r-{outcome}"), format!("ck_{outcome}"));
            ledger.import(&[reservation(&id, &customer), usage(&id, &customer, 0, outcome)]);
            assert_eq!(ledger.owed(&[&customer]), ["example-models"], "{outcome}");
        }
    }

    fn usage_without_a_reservation_is_owed_if_anything_was_used(ledger) {
        ledger.import(&[usage("r-1", "ck_used", 1, "abandoned"), usage("r-2", "ck_refused", 0, "refused")]);
        assert_eq!(ledger.owed(&["ck_used"]), ["example-models"]);
        assert_eq!(ledger.owed(&["ck_refused"]), [""; 0]);
    }

    fn two_reports_that_differ_in_their_outcome_only_both_count(ledger) {
        ledger.import(&[usage("r-1", "ck", 1, "failed"), usage("r-1", "ck", 1, "completed")]);
        assert_eq!(ledger.handoffs(&["ck"])["providers"][0]["possibly_sent"][0]["requests_used"], 2);
    }

    fn any_kind_of_work_counts_also_alone(ledger) {
        for source in ["assessment", "clarification", "reply_interpretation", "something_new"] {
            let customer = format!("ck_{source}");
            ledger.import(&[with(reservation(&format!("r-{source}"), &customer), "source", source)]);
            let handoffs = ledger.handoffs(&[&customer]);
            assert_eq!(handoffs["providers"][0]["possibly_sent"][0]["source"], source);
        }
    }

    fn a_tenant_has_customers_of_its_own(ledger) {
        ledger.import(&[reservation("r-1", "ck_same"), with(reservation("r-2", "ck_same"), "tenant", "other")]);
        ledger.import(&[with(with(reservation("r-3", "ck_other"), "tenant", "other"), "provider", "another")]);
        assert_eq!(ledger.handoffs_at("acme", &["ck_same"])["providers"][0]["possibly_sent"][0]["reservations"], 1);
        assert_eq!(ledger.handoffs_at("other", &["ck_same"])["providers"][0]["possibly_sent"][0]["reservations"], 1);
        assert_eq!(ledger.owed(&["ck_other"]), [""; 0]);
    }
}
