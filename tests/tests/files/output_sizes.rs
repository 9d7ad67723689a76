//! How large an output can become, and what happens to a record whose outputs would be larger.

use maysend_tests::{AS_OF, Outputs, Transcript, lines, maysend, outputs, transcript};
use serde_json::Value;

/// What a review or held record lists at most.
const LISTED: usize = 1000;

fn scanned(transcripts: &[Transcript]) -> Outputs {
    let folder = tempfile::tempdir().unwrap();
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([folder.path()]).input(lines(transcripts)).run().exits(0);
    Outputs::of(folder.path())
}

/// A turn with so many e-mail addresses.
fn addresses(count: usize) -> String {
    (0..count).map(|n| format!("piet.{n}@example.nl, ")).collect()
}

fn findings(record: &Value) -> &Vec<Value> {
    record["findings"].as_array().unwrap()
}

#[test]
fn a_review_record_lists_the_strongest_findings_and_says_how_many_more_there_are() {
    let about = transcript("t-many").customer(&addresses(1500)).customer("mijn BSN is 111222333");
    let outputs = scanned(&[about, transcript("t-few").customer("mijn BSN is 111222333")]);
    let many = outputs::one(&outputs.review, "t-many");
    assert_eq!(findings(many).len(), LISTED);
    assert_eq!(many["findings_omitted"], 501);
    assert_eq!(findings(many).last().unwrap()["entity"], "nl.bsn", "the strongest stays, in order of place");
    let entities = &outputs.decision("t-many")["entities"];
    assert_eq!((&entities["contact.email"], &entities["nl.bsn"]), (&1500.into(), &1.into()), "all of them decide");
    assert_eq!(outputs::one(&outputs.review, "t-few").get("findings_omitted"), None);
}

#[test]
fn everything_is_redacted_however_much_is_found() {
    let outputs = scanned(&[transcript("t-many").customer(&"piet@example.nl, ".repeat(1500))]);
    let cleared = outputs::one(&outputs.cleared, "t-many").to_string();
    assert!(!cleared.contains("piet"));
}

#[test]
fn what_only_the_fields_could_find_is_always_listed() {
    let about = transcript("t-field")
        .field("customer_name", "Wilhelmina Achterberg")
        .customer(&addresses(1500))
        .customer("I am Wilhelmina Achterberg")
        .to("nowhere");
    let outputs = scanned(&[about]);
    let held = outputs::one(&outputs.held, "t-field");
    let of_fields = findings(held).iter().filter(|finding| finding["pattern"].as_str().unwrap().contains("/fields."));
    assert_eq!((findings(held).len(), of_fields.count()), (LISTED, 1));
}

#[test]
fn more_from_fields_than_can_be_listed_is_not_written_at_all() {
    let about = transcript("t-names").field("customer_name", "Wilhelmina Achterberg");
    let outputs = scanned(&[about.customer(&"Wilhelmina Achterberg, ".repeat(LISTED + 1)).to("nowhere")]);
    assert!(outputs.held.is_empty() && outputs.cleared.is_empty() && outputs.reservations.is_empty());
    assert_eq!(outputs::reasons(&outputs.decisions[0]), ["too_large"]);
}

#[test]
fn a_record_whose_outputs_would_be_too_large_is_a_dead_letter_with_its_digest_only() {
    let long = "n".repeat(300_000);
    let outputs =
        scanned(&[transcript(&long).customer("Where is my parcel?"), transcript("t-last").customer("Hello.")]);
    assert_eq!(outputs.cleared.len(), 1);
    let [letter] = outputs.dead_letter.as_slice() else { panic!("one dead letter") };
    assert_eq!((&letter["reason"], letter.get("record")), (&"too_large".into(), None));
    assert!(letter["digest"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(outputs.reservations.len(), 1);
}
