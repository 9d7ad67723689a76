//! Nothing that is printed or carried further holds transcript text.

use super::*;

// 7. Nothing that is printed holds transcript text.

/// Every member of a transcript but its ids holds a canary of its own, and so do values that are found.
fn with_canaries() -> Vec<Transcript> {
    let base = |id: &str| {
        transcript(id)
            .with("tenant_region", json!("canary-region"))
            .with("canary-member", json!({"canary-inner": "canary-value"}))
            .with("carried", json!({"canary-carried-name": "canary-carried", "n": 4111111111111111_u64}))
            .field("customer_name", "Canary-Name Canary-Family")
            .field("account_email", "canary-field@example.nl")
            .field("canary-field-name", "canary-unmapped")
            .bot("Account email: canary-header@example.nl\n\nCanary-greeting")
            .turn("canary-speaker", "I am canary-name CANARY-FAMILY, canary-said@example.nl, mijn BSN is 111222333")
            .customer("My password is canary-Pass!word9 and my card 4111 1111 1111 1111")
    };
    let mut all: Vec<Transcript> = DESTINATIONS.iter().map(|to| base(&format!("t-{to}")).to(to)).collect();
    all.push(base("t-ordinary").with("tenant_region", json!("EU")).to("summaries-eu-zdr"));
    all.push(base("t-review").with("tenant_region", json!("EU")));
    all.push(base("t-key").with("customer_key", json!("canary-key@example.nl")));
    all.push(base("t-tenant").with("tenant", json!("canary-tenant@example.nl")));
    all.push(base("canary-id@example.nl"));
    all
}

#[track_caller]
fn assert_no_canary(what: &str, printed: &str) {
    for canary in ["canary", "4111", "111222333"] {
        let at = printed.to_lowercase().find(canary);
        assert!(at.is_none(), "{what} prints {canary}:\n{printed}");
    }
}

/// Lines that cannot be read, each with canaries where an error could quote it.
fn unreadable_canaries() -> Vec<Vec<u8>> {
    let good = transcript("t-1").customer("Canary-said");
    let with = |name: &str, value: Value| good.clone().with(name, value).line().into_bytes();
    let line = good.line();
    vec![
        b"canary: no JSON".to_vec(),
        line.as_bytes()[..line.len() - 9].to_vec(),
        [line.as_bytes(), b"\xFFcanary"].concat(),
        line.replacen('{', "{\"canary-twice\":1,\"canary-twice\":2,", 1).into_bytes(),
        with("schema", json!("canary")),
        with("schema", json!(4111)),
        with("fields", json!("canary")),
        with("turns", json!([{"text": "x", "at": "canary"}])),
        with("turns", json!([{"canary-member": "x"}])),
        with("turns", json!("canary")),
        format!("\"{}\"", "canary".repeat(1 << 18)).into_bytes(),
    ]
}

#[test]
fn scan_prints_no_transcript_text_whatever_it_reads_and_however_much_it_is_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("policy.toml", "carry = []", "carry = [\"carried\"]");
    patterns.append("policy.toml", &SHADOW.replace("ID", "labs-free"));
    let mut input = lines(&with_canaries()).into_bytes();
    for line in unreadable_canaries() {
        input.extend_from_slice(&line);
        input.push(b'\n');
    }
    let file = folder.path().join("input.jsonl");
    fs::write(&file, &input).unwrap();
    for (n, options) in [&["--verbose"][..], &[], &["--quiet"], &["--fail-on-block", "-v"]].into_iter().enumerate() {
        for (kind, patterns) in [("built-in", &[][..]), ("edited", &["--patterns", patterns.path()])] {
            let out = folder.path().join(format!("out-{kind}-{n}"));
            let ran = scan(&out).args([&file]).args(options).args(patterns).run();
            assert!(ran.code == Some(0) || ran.code == Some(1));
            assert_no_canary("scan", &format!("{}{}", ran.text(), ran.stderr));
            assert_eq!(Outputs::of(&out).dead_letter.len(), unreadable_canaries().len());
        }
    }
}

#[test]
fn redecide_prints_no_transcript_text_of_whole_or_of_broken_records() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first");
    scan(&first).input(lines(&with_canaries())).run().exits(0);
    let first = Outputs::of(&first);
    for name in ["held.jsonl", "review.jsonl"] {
        let whole = first.text(name);
        assert!(whole.contains("canary-said"), "{name} holds what a reviewer needs");
        let broken = [
            whole.to_owned(),
            whole.replace("\"findings\":[{", "\"findings\":[{\"canary\":1,\"canary\":2,"),
            whole.replace("\"attempt\"", "\"canary\""),
            whole.replace("\"mode\":\"enforce\"", "\"mode\":\"canary\""),
        ];
        for (n, records) in broken.into_iter().enumerate() {
            let ran = maysend(["redecide", "--verbose", "--as-of", AS_OF, "--out"])
                .args([folder.path().join(format!("{n}-{name}"))])
                .with_key()
                .input(records)
                .run()
                .exits(0);
            assert_no_canary("redecide", &format!("{}{}", ran.text(), ran.stderr));
        }
    }
}

#[test]
fn detect_masks_what_it_shows_and_repeats_nothing_of_what_it_cannot_read() {
    let texts: Vec<String> = with_canaries()
        .iter()
        .enumerate()
        .map(|(n, made)| {
            let record: Value = serde_json::from_str(&made.line()).unwrap();
            json!({"id": n, "text": outputs::texts(&record).join("\n")}).to_string()
        })
        .collect();
    for options in [
        &[][..],
        &["--explain"],
        &["--verbose", "--min-confidence", "0"],
        &["--format", "jsonl"],
        &["--format", "jsonl", "--explain", "--min-confidence", "0"],
        &["--format", "jsonl", "--plain", "--explain"],
    ] {
        let ran = maysend(["detect", "--as-of", AS_OF]).args(options).input(text_of(&texts)).run().exits(0);
        assert!(!ran.stdout.is_empty());
        assert_no_canary("detect", &format!("{}{}", ran.text(), ran.stderr));
    }
    for line in unreadable_canaries() {
        let ran = maysend(["detect", "--format", "jsonl", "--verbose"]).input(line).run().exits(2);
        assert_no_canary("detect", &format!("{}{}", ran.text(), ran.stderr));
    }
}

#[test]
fn a_list_of_erasures_that_cannot_be_read_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let erasures = folder.path().join("erasures.jsonl");
    let canary = r#"{"schema":1,"tenant":"acme","customer_key":"canary","erased_at":"canary"}"#;
    for text in ["canary".to_owned(), canary.to_owned(), canary.replace("\"acme\"", "4111")] {
        fs::write(&erasures, text).unwrap();
        let out = folder.path().join("never-made");
        let ran = scan(&out).args(["--verbose", "--erasures"]).args([&erasures]).input("").run().exits(2);
        assert_no_canary("scan --erasures", &format!("{}{}", ran.text(), ran.stderr));
    }
}

#[test]
fn decisions_and_reservations_hold_no_text_and_identifiers_only_where_they_are_opaque() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("policy.toml", "carry = []", "carry = [\"carried\"]");
    scan(&folder.path().join("out"))
        .args(["--patterns", patterns.path()])
        .input(lines(&with_canaries()))
        .run()
        .exits(0);
    let outputs = Outputs::of(&folder.path().join("out"));
    assert_eq!(outputs.decisions.len(), with_canaries().len());
    for name in ["decisions.jsonl", "reservations.jsonl"] {
        assert_no_canary(name, outputs.text(name));
    }
}

#[test]
fn what_is_cleared_holds_nothing_that_was_found_stripped_or_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("policy.toml", "carry = []", "carry = [\"carried\"]");
    let sent = transcript("t-1")
        .to("summaries-eu-zdr")
        .with("canary-member", json!("canary"))
        .with("carried", json!({"canary@example.nl": "canary@example.nl", "n": 4111111111111111_u64}))
        .field("customer_name", "Canary-Name Canary-Family")
        .bot("Account email: canary-header@example.nl\nCustomer name: Canary-Name Canary-Family\n\nHello.")
        .turn("canary-speaker", "I am canary-name CANARY-FAMILY, canary-said@example.nl, mijn BSN is 111222333");
    let out = folder.path().join("out");
    scan(&out).args(["--patterns", patterns.path()]).input(lines([&sent])).run().exits(0);
    let outputs = Outputs::of(&out);
    assert_eq!(outputs.cleared.len(), 1);
    assert_no_canary("cleared.jsonl", outputs.text("cleared.jsonl"));
}

#[test]
fn a_crash_leaves_no_core_dump() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(scan(folder.path()));
    running.write_until_it_reads(lines([&transcript("t-1").customer("Hello.")]).repeat(200).as_bytes());
    let limit = running.limit("Max core file size");
    let numbers: Vec<&str> = limit.split_whitespace().skip(4).take(2).collect();
    running.finish().exits(0);
    assert_eq!(numbers, ["0", "0"], "{limit}");
}
