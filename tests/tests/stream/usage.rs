//! Usage that names another plan or endpoint than the register's.

use maysend_tests::{
    Transcript,
    kafka::{Broker, Decisions, Isolation, New, Page, Prefix, decisions::reasons, prefix::CANARY, produce, read},
    transcript,
};
use serde_json::{Value, json};

const PLAN: &str = "business";
const ENDPOINT: &str = "https://eu.models.example/v1/responses";

fn usage(decision: &Value, plan: &str, endpoint: &str) -> New {
    let record = json!({
        "schema": 1, "reservation_id": decision["reservation_id"], "tenant": "acme", "customer_key": "ck_5f0c2b",
        "destination": "summaries-eu", "provider": "example-models", "requests_used": 1, "outcome": "completed",
        "provider_request_ids": ["req-1"], "terms": decision["terms"], "plan": plan, "endpoint": endpoint,
        "reported_at": "2026-03-02T10:00:00Z",
    });
    New::value(record.to_string()).key(decision["reservation_id"].as_str().unwrap_or_default())
}

fn report(prefix: &Prefix, records: impl IntoIterator<Item = New>) {
    produce(prefix.bootstrap(), &prefix.topic("usage"), records);
}

fn numbered(name: &str) -> impl Fn(usize) -> Transcript {
    move |n| transcript(&format!("{name}-{n}")).customer("Where is my parcel?")
}

const WORST: [&str; 2] = ["training_eligible", "no_transfer_mechanism"];

#[test]
fn a_destination_that_is_not_what_the_register_says_is_taken_at_its_worst_until_the_register_changes() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "usage").partitions(2).create();
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    let first = decisions.decide(&prefix, &mut gate, &numbered("first")(0));
    // What cannot be read, and what agrees, changes nothing.
    report(&prefix, [New::value(CANARY).to(0), usage(&first, PLAN, ENDPOINT).to(0)]);
    decisions.wait_until_said(&mut gate, &format!("{}/0/0 is not taken into account", prefix.topic("usage")));
    assert_eq!(decisions.decide(&prefix, &mut gate, &numbered("agreed")(0))["verdict"], "send");
    let page = Page::of(&mut gate);
    let read_as = |page: Page, result: &str| page.metrics().sum("maysend_usage_records_total", &[("result", result)]);
    page.wait(&mut gate, "counted", |page| (read_as(page, "unreadable"), read_as(page, "agrees")) == (1.0, 1.0));
    let terms = [("destination", "summaries-eu")];
    assert_eq!(page.metrics().sum("maysend_contradicted_terms", &terms), 0.0);

    report(&prefix, [usage(&first, "free trial", ENDPOINT), usage(&first, PLAN, "https://elsewhere.example")]);
    let is_worst = |decision: &Value| reasons(decision) == WORST;
    decisions.decide_until(&prefix, &mut gate, numbered("second"), is_worst);
    decisions.wait_until_said(&mut gate, "summaries-eu is taken at its worst");
    assert!(!gate.says().contains("free trial"), "what a sender writes is not repeated");
    page.wait(&mut gate, "counted", |page| read_as(page, "contradicts") == 2.0);
    assert_eq!(page.metrics().sum("maysend_contradicted_terms", &terms), 1.0);
    assert!(page.get("/readyz").1.contains("terms of summaries-eu"));
    let other = numbered("other")(0).to("summaries-eu-zdr");
    assert_eq!(decisions.decide(&prefix, &mut gate, &other)["verdict"], "send", "another destination");
    gate.stop().exits(0);

    let found = read(prefix.bootstrap(), &prefix.topic("contradictions"), Isolation::Committed);
    assert!((1..=2).contains(&found.len()), "no more than what came before the first was known");
    let found = found[0].json();
    assert_eq!((&found["destination"], &found["terms"]), (&json!("summaries-eu"), &first["terms"]));

    // After a restart, before anything is decided.
    for start in 0..2 {
        let mut gate = prefix.gate(0);
        let decision = decisions.decide(&prefix, &mut gate, &numbered("restarted")(start));
        assert_eq!(reasons(&decision), WORST);
        // New terms, though they say the same, were looked at by somebody.
        if start == 1 {
            let register = prefix.patterns().read("destinations.toml");
            let (head, rest) = register.split_once("[[destination.terms]]\n").unwrap();
            let (terms, tail) = rest.split_once("# The same provider").unwrap();
            let anew = terms.replace("effective = 2026-02-11", "effective = 2026-02-12");
            let register =
                format!("{head}[[destination.terms]]\n{terms}[[destination.terms]]\n{anew}# The same provider{tail}");
            prefix.patterns().write("destinations.toml", &register);
            let sent = |decision: &Value| decision["verdict"] == "send";
            decisions.decide_until(&prefix, &mut gate, numbered("anew"), sent);
        }
        gate.kill();
    }
    prefix.history().holds();
}
