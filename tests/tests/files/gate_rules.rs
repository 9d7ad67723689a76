//! The rules of the gate as they show in files: what is blocked, why, and where it goes.

use maysend_tests::{AS_OF, KEY, Outputs, Patterns, Transcript, lines, maysend, outputs, transcript};
use serde_json::{Value, json};
use std::{fs, path::Path};

const BSN: &str = "mijn BSN is 111222333";
const CARD: &str = "My card number is 4111 1111 1111 1111.";

/// What comes of these transcripts under the built-in ruleset.
fn scan(transcripts: &[Transcript]) -> Outputs {
    scan_with(&[], transcripts)
}

/// What comes of them with more options.
fn scan_with(options: &[&str], transcripts: &[Transcript]) -> Outputs {
    let folder = tempfile::tempdir().unwrap();
    maysend(["scan", "--as-of", AS_OF, "--out"])
        .args([folder.path()])
        .args(options)
        .with_key()
        .input(lines(transcripts))
        .run()
        .exits(0);
    Outputs::of(folder.path())
}

/// What comes of one of them.
fn decide(transcript: Transcript) -> Outputs {
    scan(&[transcript])
}

/// Where a transcript of these outputs went.
fn places(outputs: &Outputs, id: &str) -> Vec<&'static str> {
    let all = [
        ("cleared", &outputs.cleared),
        ("review", &outputs.review),
        ("held", &outputs.held),
        ("dead-letter", &outputs.dead_letter),
    ];
    all.into_iter().filter(|(_, records)| records.iter().any(|r| r["transcript_id"] == id)).map(|(n, _)| n).collect()
}

/// Fails the test unless a transcript is blocked for these reasons and went there.
#[track_caller]
fn assert_blocked(outputs: &Outputs, id: &str, reasons: &[&str], place: &[&str]) {
    assert_eq!(outputs.decision(id)["verdict"], "block");
    assert_eq!(outputs.reasons(id), reasons);
    assert_eq!(places(outputs, id), place);
    assert_eq!(outputs.decision(id)["reservation_id"], Value::Null, "what is blocked reserves nothing");
    assert!(outputs.reservations.iter().all(|reservation| reservation["transcript_id"] != id));
}

#[test]
fn tier_1_data_blocks_the_whole_document_where_the_destination_retains() {
    let outputs = decide(transcript("t-1").customer("Hello.").agent("Yes?").customer(BSN));
    assert_blocked(&outputs, "t-1", &["tier1_retained"], &["review"]);
    assert_eq!(outputs.decision("t-1")["reasons"][0]["entities"], json!(["nl.bsn"]));
}

#[test]
fn a_destination_that_keeps_nothing_gets_tier_1_data_redacted() {
    let outputs = decide(transcript("t-1").to("summaries-eu-zdr").customer(BSN).agent("Thanks.").customer(CARD));
    assert_eq!(places(&outputs, "t-1"), ["cleared"]);
    let texts = outputs::texts(&outputs.cleared[0]);
    assert_eq!(texts, ["mijn BSN is [NL_BSN_1]", "Thanks.", "My card number is [CARD_1]."]);
}

#[test]
fn a_number_that_is_split_over_turns_is_one_finding_and_each_piece_is_redacted() {
    let split = |id| transcript(id).customer("mijn BSN is 1112").agent("En dan?").customer("22 333 dus");
    let outputs = scan(&[split("t-eu"), split("t-zdr").to("summaries-eu-zdr")]);
    assert_blocked(&outputs, "t-eu", &["tier1_retained"], &["review"]);
    let found = outputs.review[0]["findings"].as_array().unwrap();
    let bsn = found.iter().find(|finding| finding["entity"] == "nl.bsn").unwrap();
    assert_eq!((&bsn["turn"], &bsn["start"], &bsn["end"]), (&json!(0), &json!(12), &json!(16)));
    let pieces = json!([{"turn": 0, "start": 12, "end": 16}, {"turn": 2, "start": 0, "end": 6}]);
    assert_eq!(bsn["pieces"], pieces);
    assert_eq!(places(&outputs, "t-zdr"), ["cleared"]);
    let texts = outputs::texts(&outputs.cleared[0]);
    assert_eq!(texts, ["mijn BSN is [NL_BSN_1]", "En dan?", "[NL_BSN_1] dus"]);
    assert_eq!(outputs.decision("t-zdr")["entities"]["nl.bsn"], 1);
}

#[test]
fn what_is_encoded_is_redacted_in_the_form_that_was_written() {
    let text = "see https://x.example/?m=anna%40example.org&t=1 or ａｎｎａ＠ｅｘａｍｐｌｅ．ｏｒｇ";
    let outputs = decide(transcript("t-1").to("summaries-eu-zdr").customer(text));
    let text = outputs::texts(&outputs.cleared[0]).remove(0);
    assert!(!text.contains("anna") && !text.contains("ａｎｎａ"), "{text}");
}

#[test]
fn what_the_policy_blocks_is_refused_everywhere_also_where_nothing_is_kept() {
    let secret = "My password is hunter2-Correct!Horse";
    let outputs = scan(&[
        transcript("t-zdr").to("summaries-eu-zdr").customer(secret),
        transcript("t-eu").to("summaries-eu").customer(secret),
    ]);
    assert_blocked(&outputs, "t-zdr", &["entity_blocked"], &["review"]);
    assert_blocked(&outputs, "t-eu", &["tier1_retained", "entity_blocked"], &["review"]);
    assert_eq!(outputs.decision("t-zdr")["reasons"][0]["entities"], json!(["secret.password_prose"]));
}

#[test]
fn a_bare_number_that_passes_its_check_is_redacted_and_does_not_block() {
    let outputs = decide(transcript("t-1").customer("It says 111222333 here."));
    assert_eq!(places(&outputs, "t-1"), ["cleared"]);
    assert_eq!(outputs::texts(&outputs.cleared[0]), ["It says [NL_BSN_1] here."]);
}

#[test]
fn a_destination_that_may_train_gets_nothing() {
    let outputs = decide(transcript("t-1").to("labs-free").customer("Hello."));
    assert_blocked(&outputs, "t-1", &["training_eligible"], &["held"]);
}

#[test]
fn without_a_transfer_mechanism_nothing_leaves_the_region() {
    let outputs = decide(transcript("t-1").to("summaries-us").customer("Hello."));
    assert_blocked(&outputs, "t-1", &["no_transfer_mechanism"], &["held"]);
}

#[test]
fn of_an_unknown_destination_the_worst_is_taken() {
    let outputs =
        scan(&[transcript("t-1").to("nowhere").customer("Hello."), transcript("t-2").to("nowhere").customer(BSN)]);
    let worst = ["training_eligible", "no_transfer_mechanism", "destination_unknown"];
    assert_blocked(&outputs, "t-1", &worst, &["held"]);
    assert_blocked(&outputs, "t-2", &[&["tier1_retained"][..], &worst].concat(), &["held"]);
    assert_eq!(outputs.decision("t-1")["terms"], Value::Null);
}

#[test]
fn a_region_that_contradicts_the_register_is_not_believed() {
    let outputs = scan(&[
        transcript("t-us").with("tenant_region", json!("US")).customer("Hello."),
        transcript("t-odd").with("tenant_region", json!("eu")).customer("Hello."),
        transcript("t-none").without("tenant_region").customer("Hello."),
        transcript("t-null").with("tenant_region", json!(null)).customer("Hello."),
    ]);
    assert_blocked(&outputs, "t-us", &["no_transfer_mechanism"], &["held"]);
    assert_blocked(&outputs, "t-odd", &["no_transfer_mechanism"], &["held"]);
    assert_eq!(places(&outputs, "t-none"), ["cleared"]);
    assert_eq!(places(&outputs, "t-null"), ["cleared"]);
}

#[test]
fn a_claimed_region_opens_no_other_way() {
    let american = transcript("t-1").to("summaries-us").with("tenant_region", json!("US")).customer("Hello.");
    assert_blocked(&decide(american), "t-1", &["no_transfer_mechanism"], &["held"]);
}

#[test]
fn an_unknown_tenant_has_no_region() {
    let outputs = decide(transcript("t-1").with("tenant", json!("stranger")).customer("Hello."));
    assert_blocked(&outputs, "t-1", &["no_transfer_mechanism"], &["held"]);
}

#[test]
fn all_reasons_are_reported_and_one_that_terms_must_change_decides_the_place() {
    let outputs = decide(transcript("t-1").to("labs-free").customer(BSN).customer("My password is hunter2-Horse!9"));
    let reasons = ["tier1_retained", "entity_blocked", "training_eligible"];
    assert_blocked(&outputs, "t-1", &reasons, &["held"]);
}

#[test]
fn terms_count_only_while_their_evidence_does() {
    let folder = tempfile::tempdir().unwrap();
    for (as_of, reasons) in [
        ("2026-02-10", &["training_eligible", "no_transfer_mechanism"][..]),
        ("2026-02-11", &[]),
        ("2027-06-30T23:59:59Z", &[]),
        ("2027-07-01", &["training_eligible", "no_transfer_mechanism"]),
    ] {
        let out = folder.path().join(as_of.replace(':', "-"));
        let one = lines([&transcript("t-1").customer("Hello.")]);
        maysend(["scan", "--as-of", as_of, "--out"]).args([&out]).input(one).run().exits(0);
        assert_eq!(Outputs::of(&out).reasons("t-1"), reasons, "{as_of}");
    }
}

#[test]
fn zero_retention_that_is_no_longer_proven_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    let register = patterns.read("destinations.toml");
    let (before, amendment) = register.split_once("[evidence.eu-zdr-amendment]").unwrap();
    let expired = amendment.replacen("2027-06-30", "2026-03-01", 1);
    patterns.write("destinations.toml", &format!("{before}[evidence.eu-zdr-amendment]{expired}"));
    let transcripts = [transcript("t-1").to("summaries-eu-zdr").customer(BSN)];
    let outputs = scan_with(&["--patterns", patterns.path()], &transcripts);
    assert_blocked(&outputs, "t-1", &["tier1_retained"], &["review"]);
}

#[test]
fn a_suspended_destination_gets_nothing_whatever_its_terms() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("destinations.toml", "id = \"summaries-eu\"\n", "id = \"summaries-eu\"\nsuspended = true\n");
    let outputs = scan_with(&["--patterns", patterns.path()], &[transcript("t-1").customer("Hello.")]);
    assert_blocked(&outputs, "t-1", &["destination_suspended"], &["held"]);
}

#[test]
fn of_an_erased_customer_only_the_decision_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let erasures = folder.path().join("erasures.jsonl");
    let erased = json!({"schema": 1, "tenant": "acme", "customer_key": "ck_gone", "erased_at": "2026-03-02T09:30:00Z"});
    let other =
        json!({"schema": 1, "tenant": "other", "customer_key": "ck_5f0c2b", "erased_at": "2026-03-02T09:30:00Z"});
    fs::write(&erasures, format!("{erased}\n{other}\n")).unwrap();
    let gone = |id: &str| transcript(id).with("customer_key", json!("ck_gone"));
    let late = json!([{"speaker": "customer", "at": "2026-03-02T09:30:01Z", "text": "I am back."}]);
    let outputs = scan_with(
        &["--erasures", erasures.to_str().unwrap()],
        &[
            gone("t-old").customer("Hello."),
            gone("t-grave").customer(BSN),
            gone("t-nowhere").to("nowhere").customer("Hello."),
            gone("t-undated").with("turns", json!([{"speaker": "customer", "text": "Hello."}])),
            gone("t-new").with("turns", late),
            transcript("t-other").customer("Hello."),
        ],
    );
    assert_blocked(&outputs, "t-old", &["customer_erased"], &[]);
    assert_blocked(&outputs, "t-grave", &["tier1_retained", "customer_erased"], &[]);
    assert_eq!(outputs.reasons("t-nowhere").last(), Some(&"customer_erased"));
    assert_eq!(places(&outputs, "t-nowhere"), [""; 0]);
    assert_blocked(&outputs, "t-undated", &["customer_erased"], &[]);
    assert_eq!(places(&outputs, "t-new"), ["cleared"], "what came after the erasure is another matter");
    assert_eq!(places(&outputs, "t-other"), ["cleared"], "another tenant's customer of the same key");
}

#[test]
fn an_erasure_that_cannot_be_read_stops_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let erasures = folder.path().join("erasures.jsonl");
    let out = folder.path().join("out");
    let good = json!({"schema": 1, "tenant": "acme", "customer_key": "ck", "erased_at": "2026-03-02T09:30:00Z"});
    for bad in [
        "no JSON".to_owned(),
        json!({"schema": 1, "tenant": "acme", "customer_key": "ck"}).to_string(),
        json!({"schema": 1, "tenant": "acme", "customer_key": "ck", "erased_at": "long ago"}).to_string(),
        json!({"schema": 1, "tenant": "acme", "customer_key": "ck", "erased_at": "2026-03-02T09:30:00Z", "until": "x"})
            .to_string(),
    ] {
        fs::write(&erasures, format!("{good}\n{bad}\n")).unwrap();
        let said = format!("{}:2: it is not an erasure: {{\"schema\": 1, \"tenant\": …", erasures.display());
        maysend(["scan", "--erasures"]).args([&erasures, Path::new("--out"), &out]).run().exits(2).says(&[&said]);
        assert!(!out.exists());
    }
}

#[test]
fn an_identifier_that_is_personal_data_blocks_and_is_hashed_everywhere_but_in_review() {
    let address = "jan.jansen@example.nl";
    let outputs = scan(&[
        transcript("t-1").with("customer_key", json!(address)).customer("Hello."),
        transcript(address).customer("Hello."),
    ]);
    assert_eq!(outputs.decisions.len(), 2);
    for decision in &outputs.decisions {
        assert_eq!(outputs::reasons(decision), ["identifier_not_opaque"]);
    }
    let hash = outputs.decision("t-1")["customer_key"].as_str().unwrap().to_owned();
    assert!(hash.starts_with("hash:") && hash.len() == 21, "{hash}");
    assert_eq!(outputs.held.len(), 2);
    for name in outputs::FILES {
        assert!(!outputs.text(name).contains(address), "{name}");
    }
    assert!(!hash.contains(KEY));
}

#[test]
fn only_unmapped_members_that_are_carried_go_on() {
    let outputs = decide(transcript("t-1").customer("Hello.").with("meta", json!({"seen": true})));
    assert!(outputs.cleared[0].get("meta").is_none());
    assert!(outputs.cleared[0].get("fields").is_none());
}

#[test]
fn carried_members_are_searched_and_redacted_like_turns() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("policy.toml", "carry = []", "carry = [\"meta\", \"labels\"]");
    let carried = |id: &str, meta: Value| transcript(id).customer("Hello.").with("meta", meta);
    let transcripts = [
        carried("t-block", json!({"bsn": ["mijn BSN is 111222333"]})),
        carried("t-number", json!({"card number": 4111111111111111_u64})),
        carried("t-name", json!({"jan.jansen@example.nl": [true, null, 1.5]})).to("summaries-eu-zdr"),
        carried("t-zdr", json!([{"n": 4111111111111111_u64, "to": "jan.jansen@example.nl", "v": 2}]))
            .to("summaries-eu-zdr")
            .with("labels", json!(["urgent"]))
            .with("other", json!("not listed")),
    ];
    let outputs = scan_with(&["--patterns", patterns.path()], &transcripts);
    assert_blocked(&outputs, "t-block", &["tier1_retained"], &["review"]);
    assert_blocked(&outputs, "t-number", &["tier1_retained"], &["review"]);
    let cleared = |id: &str| outputs::one(&outputs.cleared, id);
    assert_eq!(cleared("t-name")["meta"], json!({"[EMAIL_1]": [true, null, 1.5]}));
    assert_eq!(cleared("t-zdr")["meta"], json!([{"n": "[CARD_1]", "to": "[EMAIL_1]", "v": 2}]));
    assert_eq!(cleared("t-zdr")["labels"], json!(["urgent"]));
    assert!(cleared("t-zdr").get("other").is_none());
}

#[test]
fn the_speaker_is_a_role_and_other_members_of_a_turn_are_dropped() {
    let turns = json!([{"speaker": "Jan Jansen", "text": "Hello.", "from": "jan.jansen@example.nl"},
        {"speaker": "AGENT", "text": "Yes?"}]);
    let outputs = decide(transcript("t-1").with("turns", turns));
    let expected = json!([{"speaker": "other", "text": "Hello."}, {"speaker": "agent", "text": "Yes?"}]);
    assert_eq!(outputs.cleared[0]["turns"], expected);
}

#[test]
fn fields_and_rendered_lines_are_stripped_and_looked_up_in_what_was_said() {
    let outputs = decide(
        transcript("t-1")
            .field("customer_name", "Jan de Vries")
            .field("account_email", "jan@example.nl")
            .bot("Account email: jan@example.nl\nCustomer name: Jan de Vries\nTicket: NL-8842-1993\n\nHow can we help?")
            .customer("This is jan de-vries, order ORD-2026-004211, ticket NL-8842-1993."),
    );
    assert_eq!(
        outputs::texts(&outputs.cleared[0]),
        ["How can we help?", "This is [NAME_1], order ORD-2026-004211, ticket NL-8842-1993."]
    );
    let stripped = &outputs.decision("t-1")["stripped"];
    assert!(stripped["account_email"].as_u64() >= Some(1) && stripped["ticket"].as_u64() == Some(1), "{stripped}");
}

#[test]
fn a_label_makes_a_reference_a_number_again() {
    // 8842-1909 passes the check of Dutch numbers with a leading zero, 8842-1993 does not.
    let outputs = scan(&[
        transcript("t-reference").customer("It is about NL-8842-1909."),
        transcript("t-label").customer("My BSN: NL-8842-1909"),
        transcript("t-mistyped").customer("My BSN: NL-8842-1993"),
    ]);
    assert_eq!(places(&outputs, "t-reference"), ["cleared"]);
    assert_eq!(outputs::texts(&outputs.cleared[0]), ["It is about NL-8842-1909."]);
    assert_blocked(&outputs, "t-label", &["tier1_retained"], &["review"]);
    assert_blocked(&outputs, "t-mistyped", &["tier1_retained"], &["review"]);
}

#[test]
fn what_a_reference_hid_is_counted() {
    let outputs = decide(transcript("t-1").customer("It says parcel 12345678-1234-4321-8765-123456789012 was sent."));
    assert_eq!(places(&outputs, "t-1"), ["cleared"]);
    let suppressed = outputs.decision("t-1")["suppressed"].as_array().unwrap();
    assert!(suppressed.iter().all(|hidden| hidden["reference"] == "uuid"));
}
