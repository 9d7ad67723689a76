//! What is held is decided again when its cause is put right.

use maysend_tests::{AS_OF, KEY, Outputs, Patterns, Ran, lines, maysend, outputs, transcript};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path};
use tempfile::TempDir;

const LATER: &str = "2026-03-04";

/// A transcript that only the United States' missing mechanism holds. What it says of a person only the look-up of the
/// fields can find: the look-up in prose stands alone, for no pattern finds a name.
fn american(id: &str) -> maysend_tests::Transcript {
    transcript(id)
        .to("summaries-us")
        .field("customer_name", "Jan de Vries")
        .field("account_email", "jan@example.nl")
        .customer("This is jan de vries, mail me at jan@example.nl please.")
}

/// Scans these into `first/` of a new folder.
fn held(transcripts: &[maysend_tests::Transcript]) -> (TempDir, Outputs) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("first");
    let input = lines(transcripts);
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([&out]).with_key().input(input).run().exits(0);
    let outputs = Outputs::of(&out);
    (folder, outputs)
}

/// A ruleset in which transcripts of the European Union may go to the United States.
fn put_right(folder: &Path) -> Patterns {
    let patterns = Patterns::copied_to(&folder.join("patterns"));
    let mechanism = "mechanisms = [{ from = \"EU\", kind = \"contract_clauses\", evidence = \"us-order\" }]";
    let region = "region = { value = \"US\", evidence = \"us-order\" }";
    patterns.edit("destinations.toml", region, &format!("{region}\n{mechanism}"));
    patterns
}

/// Decides again what `first/` holds, into another folder.
fn redecide(folder: &Path, patterns: &Patterns, out: &str, options: &[&str]) -> Ran {
    maysend(["redecide", "--as-of", LATER, "--patterns", patterns.path(), "--out"])
        .args([folder.join(out), folder.join("first/held.jsonl")])
        .args(options)
        .with_key()
        .run()
}

#[test]
fn what_the_register_held_is_cleared_redacted_once_the_register_allows_it() {
    let (folder, first) = held(&[american("t-1"), american("t-2").customer("mijn BSN is 111222333")]);
    assert_eq!(first.reasons("t-1"), ["no_transfer_mechanism"]);
    assert_eq!(first.reasons("t-2"), ["tier1_retained", "no_transfer_mechanism"]);

    redecide(folder.path(), &put_right(folder.path()), "second", &[]).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    let cleared = outputs::one(&second.cleared, "t-1");
    assert_eq!(outputs::texts(cleared), ["This is [NAME_1], mail me at [EMAIL_1] please."]);
    assert!(second.held.is_empty());
    assert_eq!(outputs::ids(&second.review), ["t-2"], "what is left is for a reviewer");
    assert_eq!(second.reasons("t-2"), ["tier1_retained"]);
}

#[test]
fn the_next_attempt_is_linked_to_the_one_before_and_reserves_anew() {
    let (folder, first) = held(&[american("t-1"), american("t-2")]);
    redecide(folder.path(), &put_right(folder.path()), "second", &[]).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    for id in ["t-1", "t-2"] {
        let (before, after) = (first.decision(id), second.decision(id));
        assert_eq!(after["previous_attempt"], before["attempt"]);
        assert!(before["attempt"].as_str().unwrap().starts_with("0-"));
        assert!(after["attempt"].as_str().unwrap().starts_with("1-"));
        assert_ne!(after["ruleset"], before["ruleset"]);
        assert_eq!(after["as_of"], "2026-03-04T00:00:00Z");
        let (cleared, reservation) = (outputs::one(&second.cleared, id), outputs::one(&second.reservations, id));
        assert_eq!(cleared["reservation_id"], reservation["reservation_id"]);
        assert_eq!(cleared["reservation_id"], after["reservation_id"]);
        assert_eq!(cleared["previous_attempt"], before["attempt"]);
    }
    let attempts: BTreeSet<&str> = outputs::distinct(&second.decisions, "attempt");
    assert!(attempts.is_disjoint(&outputs::distinct(&first.decisions, "attempt")));
    outputs::distinct(&second.reservations, "reservation_id");
}

#[test]
fn deciding_again_twice_gives_the_same_bytes() {
    let (folder, _) = held(&[american("t-1"), american("t-2").customer("mijn BSN is 111222333")]);
    let patterns = put_right(folder.path());
    redecide(folder.path(), &patterns, "second", &[]).exits(0);
    redecide(folder.path(), &patterns, "third", &["--threads", "1"]).exits(0);
    for name in outputs::FILES {
        let bytes = |out: &str| fs::read(folder.path().join(out).join(name)).unwrap();
        assert!(bytes("second") == bytes("third"), "{name}");
    }
}

#[test]
fn what_is_still_not_allowed_stays_held_and_can_be_decided_again() {
    let (folder, first) = held(&[american("t-1")]);
    let unchanged = Patterns::copied_to(&folder.path().join("unchanged"));
    redecide(folder.path(), &unchanged, "second", &[]).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    assert_eq!(second.reasons("t-1"), ["no_transfer_mechanism"]);
    assert_eq!(outputs::texts(&second.held[0]), outputs::texts(&first.held[0]));
    assert_eq!(second.held[0]["findings"], first.held[0]["findings"]);
    assert!(second.reservations.is_empty());

    let out = folder.path().join("third");
    maysend(["redecide", "--as-of", LATER, "--patterns", put_right(folder.path()).path(), "--out"])
        .args([&out, &folder.path().join("second/held.jsonl")])
        .run()
        .exits(0);
    let third = Outputs::of(&out);
    assert_eq!(outputs::texts(&third.cleared[0]), ["This is [NAME_1], mail me at [EMAIL_1] please."]);
    assert_eq!(third.cleared[0]["previous_attempt"], second.held[0]["attempt"]);
    assert!(third.cleared[0]["attempt"].as_str().unwrap().starts_with("2-"));
}

#[test]
fn an_identifier_that_was_personal_data_stays_held_though_only_its_hash_is_left() {
    let address = "jan.jansen@example.nl";
    let (folder, first) = held(&[
        transcript("t-key").with("customer_key", json!(address)).customer("Hello."),
        american("t-both").with("customer_key", json!(address)),
        american("t-1"),
    ]);
    assert_eq!(first.reasons("t-key"), ["identifier_not_opaque"]);
    assert_eq!(first.reasons("t-both"), ["no_transfer_mechanism", "identifier_not_opaque"]);

    redecide(folder.path(), &put_right(folder.path()), "second", &[]).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    assert_eq!(second.reasons("t-key"), ["identifier_not_opaque"]);
    assert_eq!(second.reasons("t-both"), ["identifier_not_opaque"]);
    assert_eq!(outputs::ids(&second.held), ["t-key", "t-both"]);
    assert_eq!(second.held[0]["customer_key"], first.held[0]["customer_key"], "the same hash again");
    assert_eq!(outputs::ids(&second.cleared), ["t-1"]);
}

#[test]
fn an_erased_customer_is_not_sent_later_either() {
    let (folder, _) = held(&[american("t-1")]);
    let erasures = folder.path().join("erasures.jsonl");
    let erased =
        json!({"schema": 1, "tenant": "acme", "customer_key": "ck_5f0c2b", "erased_at": "2026-03-03T00:00:00Z"});
    fs::write(&erasures, erased.to_string()).unwrap();
    let options = ["--erasures", erasures.to_str().unwrap()];
    redecide(folder.path(), &put_right(folder.path()), "second", &options).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    assert_eq!(second.reasons("t-1"), ["customer_erased"]);
    assert!(second.cleared.is_empty() && second.held.is_empty() && second.reservations.is_empty());
}

#[test]
fn what_was_sent_in_shadow_mode_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let shadow = Patterns::copied_to(&folder.path().join("shadow"));
    shadow.append(
        "policy.toml",
        "[mode.destination.summaries-us]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"privacy officer\"\n",
    );
    let first = folder.path().join("first");
    maysend(["scan", "--as-of", AS_OF, "--patterns", shadow.path(), "--out"])
        .args([&first])
        .input(lines([&american("t-sent"), &american("t-held").to("labs-free")]))
        .run()
        .exits(0);
    assert_eq!(outputs::ids(&Outputs::of(&first).held), ["t-sent", "t-held"]);

    let ran = redecide(folder.path(), &put_right(folder.path()), "second", &[]).exits(0);
    ran.says(&["1 records were sent in shadow mode already"]);
    let second = Outputs::of(&folder.path().join("second"));
    assert_eq!(outputs::ids(&second.decisions), ["t-held"]);
    assert!(second.cleared.is_empty() && second.dead_letter.is_empty());
}

#[test]
fn a_decision_again_is_enforced_also_where_the_destination_is_only_watched() {
    let (folder, _) = held(&[american("t-1")]);
    let patterns = put_right(folder.path());
    patterns.append(
        "policy.toml",
        "[mode.destination.summaries-us]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"privacy officer\"\n",
    );
    redecide(folder.path(), &patterns, "second", &[]).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    assert_eq!(second.decision("t-1")["mode"], "enforce");
    assert_eq!(outputs::texts(&second.cleared[0]), ["This is [NAME_1], mail me at [EMAIL_1] please."]);
}

#[test]
fn what_is_no_held_record_is_a_dead_letter_and_never_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = put_right(folder.path());
    let input = format!("{}\nno JSON\n", american("t-1").line());
    let out = folder.path().join("second");
    maysend(["redecide", "--as-of", LATER, "--patterns", patterns.path(), "--out"])
        .args([&out])
        .input(input)
        .run()
        .exits(0)
        .says(&["2 of 2 records could not be read"]);
    let second = Outputs::of(&out);
    let reasons: Vec<&Value> = second.dead_letter.iter().map(|letter| &letter["reason"]).collect();
    assert_eq!(reasons, ["missing_member", "not_json"]);
    assert!(second.cleared.is_empty());
}

#[test]
fn a_held_record_with_a_finding_outside_its_text_is_not_believed() {
    let (folder, _) = held(&[american("t-1")]);
    let path = folder.path().join("first/held.jsonl");
    let mut record: Value = serde_json::from_str(fs::read_to_string(&path).unwrap().trim()).unwrap();
    record["findings"][0]["end"] = json!(100_000);
    fs::write(&path, format!("{record}\n")).unwrap();
    redecide(folder.path(), &put_right(folder.path()), "second", &[]).exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    assert!(second.cleared.is_empty());
    assert_eq!(second.dead_letter[0]["reason"], "wrong_type");
}

#[test]
fn the_key_is_not_printed() {
    let (folder, _) = held(&[american("t-1")]);
    let ran = redecide(folder.path(), &put_right(folder.path()), "second", &["--verbose"]).exits(0);
    assert!(!ran.stderr.contains(KEY));
}
