//! Every attempt has one decision and one place.

use super::*;

// 2. Every attempt has exactly one decision, and exactly one place.

#[test]
fn enforced_every_line_has_one_decision_and_one_place_in_the_order_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let input = mixture();
    scan(folder.path()).input(text_of(&input)).run().exits(0);
    let outputs = Outputs::of(folder.path());
    let every: Vec<u64> = (1..=input.len() as u64).collect();
    assert_eq!(lines_by_source(&outputs.decisions), every);
    outputs::distinct(&outputs.decisions, "attempt");

    let places = [&outputs.cleared, &outputs.review, &outputs.held, &outputs.dead_letter];
    let mut placed: Vec<u64> = Vec::new();
    for records in places {
        assert!(!records.is_empty(), "the mixture has something for every place");
        let lines = lines_by_source(records);
        assert!(lines.is_sorted());
        placed.extend(lines);
    }
    placed.sort_unstable();
    assert_eq!(placed, every);

    let verdicts: BTreeMap<&str, &str> = outputs
        .decisions
        .iter()
        .map(|decision| (decision["attempt"].as_str().unwrap(), decision["verdict"].as_str().unwrap()))
        .collect();
    for (records, verdict) in places.iter().zip(["send", "block", "block", "block"]) {
        for attempt in outputs::distinct(records, "attempt") {
            assert_eq!(verdicts[attempt], verdict);
        }
    }
    for withheld in outputs.review.iter().chain(&outputs.held) {
        assert_eq!(withheld["shadow"], false);
        assert_eq!(withheld["mode"], "enforce");
    }
}

#[test]
fn in_shadow_mode_every_record_that_decodes_goes_out_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    for destination in DESTINATIONS.into_iter().filter(|destination| *destination != "nowhere") {
        patterns.append("policy.toml", &SHADOW.replace("ID", destination));
    }
    let out = folder.path().join("out");
    let input: Vec<String> = mixture().into_iter().filter(|line| !line.contains("nowhere")).collect();
    scan(&out).args(["--patterns", patterns.path()]).input(text_of(&input)).run().exits(0);
    let outputs = Outputs::of(&out);
    let readable: Vec<&str> = input.iter().map(String::as_str).filter(|line| !UNREADABLE.contains(line)).collect();
    assert!(outputs.raw_lines("cleared.jsonl") == readable);
    assert_eq!(outputs.dead_letter.len(), UNREADABLE.len());

    // What would have been blocked is copied, says so, and is reserved like the rest.
    assert_eq!(outputs.reservations.len(), readable.len());
    let mut to_copy = BTreeSet::new();
    for decision in outputs.decisions.iter().filter(|decision| decision["transcript_id"].is_string()) {
        assert_eq!(decision["mode"], "shadow");
        assert!(decision["reservation_id"].is_string());
        if decision["verdict"] == "block" {
            to_copy.insert(decision["attempt"].as_str().unwrap());
        }
    }
    let copies: Vec<&Value> = outputs.review.iter().chain(&outputs.held).collect();
    assert!(!outputs.review.is_empty() && !outputs.held.is_empty());
    assert!(copies.iter().all(|copy| copy["shadow"] == true));
    let copied: BTreeSet<&str> = copies.iter().map(|copy| copy["attempt"].as_str().unwrap()).collect();
    assert_eq!(copied, to_copy);
    assert_eq!(copies.len(), to_copy.len());
}

#[test]
fn shadow_ends_by_itself_and_can_be_overruled_but_only_to_be_stricter() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.append("policy.toml", &SHADOW.replace("ID", "summaries-eu"));
    let blocked = lines([&transcript("t-1").customer("mijn BSN is 111222333")]);
    for (as_of, options, cleared) in
        [("2026-03-31T23:59:59Z", &[][..], 1), ("2026-04-01", &[], 0), ("2026-03-02", &["--enforce"], 0)]
    {
        let out = folder.path().join(format!("out-{as_of}").replace(':', "-"));
        maysend(["scan", "--as-of", as_of, "--patterns", patterns.path(), "--out"])
            .args([&out])
            .args(options)
            .input(blocked.clone())
            .run()
            .exits(0);
        let outputs = Outputs::of(&out);
        assert_eq!((outputs.cleared.len(), outputs.review.len()), (cleared, 1), "{as_of}");
    }
}

#[test]
fn an_erased_customer_is_not_sent_in_shadow_mode_either() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.append("policy.toml", &SHADOW.replace("ID", "summaries-eu"));
    let erasures = folder.path().join("erasures.jsonl");
    let erased =
        json!({"schema": 1, "tenant": "acme", "customer_key": "ck_5f0c2b", "erased_at": "2026-03-03T00:00:00Z"});
    fs::write(&erasures, erased.to_string()).unwrap();
    let out = folder.path().join("out");
    let options = ["--patterns", patterns.path(), "--erasures", erasures.to_str().unwrap()];
    scan(&out).args(options).input(lines([&transcript("t-1").customer("Hello.")])).run().exits(0);
    let outputs = Outputs::of(&out);
    assert_eq!(outputs.reasons("t-1"), ["customer_erased"]);
    let others = [&outputs.cleared, &outputs.review, &outputs.held, &outputs.reservations, &outputs.dead_letter];
    assert!(others.iter().all(|records| records.is_empty()));
}

// 3. What cannot be read, decided or looked up is never sent.

#[test]
fn what_cannot_be_read_is_never_cleared_in_either_mode() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.append("policy.toml", &SHADOW.replace("ID", "summaries-eu"));
    let good = transcript("t-bad").customer("Hello.");
    let names: serde_json::Map<String, Value> = (0..300).map(|n| (n.to_string(), json!(format!("name {n}")))).collect();
    let bad = [
        good.line().replacen('{', "{\"id\":\"t-other\",", 1),
        good.clone().with("schema", json!(2)).line(),
        good.clone().with("turns", json!([{"at": "x", "text": "Hello."}])).line(),
        good.clone().with("fields", json!({"customer_name": names})).line(),
        good.clone().customer(&"x".repeat(2 << 20)).line(),
        good.line()[1..].to_owned(),
    ];
    for options in [&[][..], &["--patterns", patterns.path()]] {
        let out = folder.path().join(format!("out-{}", options.len()));
        scan(&out).args(options).input(text_of(&bad)).run().exits(0);
        let outputs = Outputs::of(&out);
        assert_eq!(outputs.dead_letter.len(), bad.len());
        assert!(outputs.cleared.is_empty() && outputs.reservations.is_empty());
    }
}
