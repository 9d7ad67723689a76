//! What must always be true, where files can show it. The numbers are those of the design.

use maysend_corpora::{Day, Labelled, Style};
use maysend_tests::{
    AS_OF, Outputs, Patterns, Program, Running, Transcript, lines, maysend, names_in, outputs, transcript,
};
use rustix::fs::inotify;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    mem::MaybeUninit,
    os::unix::fs::PermissionsExt,
    path::Path,
};

const DESTINATIONS: [&str; 5] = ["summaries-eu", "summaries-eu-zdr", "summaries-us", "labs-free", "nowhere"];

const UNREADABLE: [&str; 6] = ["no JSON", "", "{\"schema\":1}", "[1]", "{\"schema\":9,\"id\":\"t\"}", "\"\\ud800\""];

const SHADOW: &str =
    "[mode.destination.ID]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"privacy officer\"\n";

fn scan(out: &Path) -> Program {
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([out]).with_key()
}

fn date() -> maysend_corpora::Date {
    "2026-03-02".parse().unwrap()
}

/// Transcripts full of personal data, for every destination in turn; some with an identifier that is personal data.
fn dense(count: u64) -> Vec<(Labelled, String)> {
    let made = Day::new(7, date(), count, Style::Dense).enumerate();
    made.map(|(n, made)| {
        let mut record: Value = serde_json::from_str(&made.to_json()).unwrap();
        record["destination"] = json!(DESTINATIONS[n % DESTINATIONS.len()]);
        if n % 17 == 0 {
            record["customer_key"] = json!("jan.jansen@example.nl");
        }
        (made, record.to_string())
    })
    .collect()
}

/// The same, with ordinary transcripts and lines that cannot be read in between.
fn mixture() -> Vec<String> {
    let ordinary = Day::new(7, date(), 150, Style::Normal).map(|mut made| {
        made.transcript.id.push_str("-ordinary");
        made.to_json()
    });
    let mut all: Vec<String> = dense(150).into_iter().map(|(_, line)| line).chain(ordinary).collect();
    for (n, line) in UNREADABLE.iter().enumerate() {
        all.insert(n * 40 + 3, (*line).into());
    }
    all
}

fn text_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn lines_by_source(records: &[Value]) -> Vec<u64> {
    records.iter().map(|record| record["source"]["line"].as_u64().unwrap()).collect()
}

// 1. No cleared record without an earlier acknowledged reservation, for any reader.

#[test]
fn every_cleared_record_has_a_reservation_of_its_id() {
    let folder = tempfile::tempdir().unwrap();
    scan(folder.path()).input(text_of(&mixture())).run().exits(0);
    let outputs = Outputs::of(folder.path());
    let cleared = outputs::distinct(&outputs.cleared, "reservation_id");
    assert!(cleared.len() > 100);
    assert_eq!(cleared, outputs::distinct(&outputs.reservations, "reservation_id"));
    let sent = outputs.decisions.iter().filter(|decision| decision["verdict"] == "send");
    let decided: BTreeSet<&str> = sent.map(|decision| decision["reservation_id"].as_str().unwrap()).collect();
    assert_eq!(cleared, decided);
    for (cleared, reservation) in outputs.cleared.iter().zip(&outputs.reservations) {
        for member in ["attempt", "transcript_id", "tenant", "customer_key", "destination", "terms", "ruleset"] {
            assert_eq!(cleared[member], reservation[member], "{member}");
        }
        assert_eq!(reservation["reserved_requests"], 1);
        assert!(reservation["provider"].is_string() && reservation["terms"].is_string());
    }
}

/// What happens in a folder while a program runs: the names that appear by renaming, and those that go.
fn events(folder: &Path, run: impl FnOnce()) -> Vec<String> {
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    let flags = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::DELETE;
    inotify::add_watch(&watch, folder, flags).unwrap();
    run();
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(&watch, &mut buffer);
    let mut seen = Vec::new();
    while let Ok(event) = reader.next() {
        let name = event.file_name().unwrap().to_str().unwrap().to_owned();
        seen.push(if event.events().contains(inotify::ReadFlags::DELETE) { format!("-{name}") } else { name });
    }
    seen
}

#[test]
fn reservations_are_in_place_before_what_they_are_for() {
    let folder = tempfile::tempdir().unwrap();
    let run = |options: &[&str]| {
        let input = lines([&transcript("t-1").customer("Hello.")]);
        events(folder.path(), || drop(scan(folder.path()).args(options).input(input).run().exits(0)))
    };
    let seen = run(&[]);
    assert_eq!(seen[0], "reservations.jsonl", "{seen:?}");
    assert_eq!(seen.len(), outputs::FILES.len());

    // The cleared records of an earlier run go before their reservations do.
    let seen = run(&["--replace"]);
    let at = |name: &str| seen.iter().position(|event| event == name);
    assert!(at("-cleared.jsonl").is_some() && at("-cleared.jsonl") < at("reservations.jsonl"), "{seen:?}");
    assert!(at("reservations.jsonl") < at("cleared.jsonl"), "{seen:?}");
}

#[test]
fn every_reservation_is_another_even_for_equal_records() {
    let folder = tempfile::tempdir().unwrap();
    let line = transcript("t-1").customer("Hello.").line();
    let files = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name));
    for file in &files {
        fs::write(file, format!("{line}\n{line}\n")).unwrap();
    }
    let out = folder.path().join("out");
    scan(&out).args(&files).run().exits(0);
    let outputs = Outputs::of(&out);
    assert_eq!(outputs::distinct(&outputs.reservations, "reservation_id").len(), 4);
    assert_eq!(outputs::distinct(&outputs.decisions, "attempt").len(), 4);
}

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
    let erased = json!({"tenant": "acme", "customer_key": "ck_5f0c2b", "erased_at": "2026-03-03T00:00:00Z"});
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

// 4. A finding's span is exact in the bytes of the text it stands beside.

/// Whether these bytes are what an entity looks like, where one can tell.
fn looks_like(entity: &str, found: &str) -> bool {
    let digits = found.bytes().filter(u8::is_ascii_digit).count();
    let ends_well = !found.starts_with(char::is_whitespace) && !found.ends_with(char::is_whitespace);
    ends_well
        && match entity {
            "nl.bsn" => digits == 9 || digits == 8,
            "payment.card" => (12..=19).contains(&digits),
            "us.ssn" | "ca.sin" => digits == 9,
            "gb.nhs" => digits == 10,
            "de.idnr" | "be.nn" | "pl.pesel" | "br.cpf" => digits == 11,
            "contact.email" => found.matches('@').count() == 1,
            "fi.hetu" => found.len() == 11,
            "it.codicefiscale" => found.chars().filter(char::is_ascii_alphanumeric).count() == 16,
            _ => true,
        }
}

/// The findings of a record: entity, the bytes that the span points at, and the turn.
fn found(record: &Value) -> Vec<(String, String, u64)> {
    let texts = outputs::texts(record);
    let findings = record["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| {
            let at = |member: &str| finding[member].as_u64().unwrap() as usize;
            let bytes = texts[at("turn")].get(at("start")..at("end"));
            let entity = finding["entity"].as_str().unwrap().to_owned();
            let bytes = bytes.unwrap_or_else(|| panic!("{entity} is off character boundaries"));
            assert!(looks_like(&entity, bytes), "{entity} does not look like {bytes:?}");
            (entity, bytes.to_owned(), at("turn") as u64)
        })
        .collect()
}

#[test]
fn spans_in_review_and_held_are_exact_in_the_text_that_stands_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let made = dense(300);
    let input: Vec<String> = made.iter().map(|(_, line)| line.clone()).collect();
    scan(folder.path()).input(text_of(&input)).run().exits(0);
    let outputs = Outputs::of(folder.path());
    let mut labels = 0;
    for record in outputs.review.iter().chain(&outputs.held) {
        let line = record["source"]["line"].as_u64().unwrap() as usize;
        let found = found(record);
        // Every value of tier 1 that the generator wrote down is what some finding points at, byte for byte.
        let made = &made[line - 1].0;
        for label in made.labels.iter().filter(|label| label.tier1) {
            let value = made.value(label);
            let exact = found.iter().any(|(_, bytes, turn)| *turn == label.turn as u64 && bytes == value);
            assert!(exact, "{} {value:?} in turn {} of {found:?}", label.entity, label.turn);
            labels += 1;
        }
    }
    assert!(labels > 500, "{labels}");
}

#[test]
fn searching_a_withheld_text_again_finds_the_same_in_the_same_places() {
    let folder = tempfile::tempdir().unwrap();
    let input: Vec<String> = dense(200).into_iter().map(|(_, line)| line).collect();
    let first = folder.path().join("first");
    scan(&first).input(text_of(&input)).run().exits(0);
    let first = Outputs::of(&first);
    for name in ["review.jsonl", "held.jsonl"] {
        let out = folder.path().join(format!("again-{name}"));
        let records = first.text(name).to_owned();
        maysend(["redecide", "--as-of", AS_OF, "--out"]).args([&out]).with_key().input(records).run().exits(0);
        let again = Outputs::of(&out);
        let (before, after) = match name {
            "review.jsonl" => (&first.review, &again.review),
            _ => (&first.held, &again.held),
        };
        assert!(before.len() > 30 && before.len() == after.len());
        for (before, after) in before.iter().zip(after) {
            assert_eq!(before["turns"], after["turns"]);
            assert_eq!(before["findings"], after["findings"]);
        }
    }
}

#[test]
fn spans_are_bytes_whatever_characters_stand_before_them() {
    let folder = tempfile::tempdir().unwrap();
    let prefixes = ["é", "\u{1F600}\u{1F3FD} ", "e\u{301} ", "\u{FEFF}", "\u{202E}", "中文，", "a\r\n\r\n\t", "\u{0}"];
    let transcripts: Vec<Transcript> = prefixes
        .iter()
        .enumerate()
        .map(|(n, prefix)| {
            transcript(&format!("t-{n}"))
                .field("customer_name", "Zoë de Vries")
                .bot("Customer name: Zoë de Vries\n\nHello \u{1F600}")
                .customer(&format!("{prefix} mijn BSN is 111222333 \u{1F600}, ik ben zoë DE-vries"))
        })
        .collect();
    scan(folder.path()).input(lines(&transcripts)).run().exits(0);
    let outputs = Outputs::of(folder.path());
    assert_eq!(outputs.review.len(), prefixes.len());
    for record in &outputs.review {
        let found = found(record);
        assert_eq!(found[0], ("nl.bsn".into(), "111222333".into(), 1), "{record}");
        assert_eq!(found[1], ("person.name".into(), "zoë DE-vries".into(), 1));
    }
}

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
    let canary = r#"{"tenant":"acme","customer_key":"canary","erased_at":"canary"}"#;
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

// 8. Same input, program, ruleset, mode, key and --as-of: same output bytes.

#[test]
fn the_same_run_writes_the_same_bytes_on_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("input.jsonl");
    // Enough for several batches.
    let mut input = mixture();
    input.extend(Day::new(3, date(), 4_500, Style::Normal).map(|made| made.to_json()));
    fs::write(&file, text_of(&input)).unwrap();
    let outs = ["--threads=1", "--threads=2", "--threads=5", "--quiet"].map(|option| {
        let out = folder.path().join(format!("out{option}"));
        scan(&out).args([option]).args([&file]).run().exits(0);
        outputs::FILES.map(|name| fs::read(out.join(name)).unwrap())
    });
    assert!(outs.iter().all(|out| *out == outs[0]));
    assert!(outs[0].iter().all(|bytes| !bytes.is_empty()));
}

#[test]
fn identifiers_are_hashed_by_the_key_and_left_out_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let address = "jan@example.nl";
    let hash = |name: &str, key: &dyn Fn(Program) -> Program| {
        let out = folder.path().join(name);
        let line = transcript("t-1").with("customer_key", json!(address)).customer("Hello.").line() + "\n";
        key(maysend(["scan", "--as-of", AS_OF, "--out"]).args([&out])).input(line).run().exits(0);
        let outputs = Outputs::of(&out);
        assert!(!outputs.text("held.jsonl").contains(address));
        outputs.held[0]["customer_key"].as_str().unwrap().to_owned()
    };
    let other: String = maysend_tests::KEY.chars().rev().collect();
    let one = hash("one", &Program::with_key);
    assert_eq!(one, hash("again", &Program::with_key));
    assert_ne!(one, hash("other", &|program| program.env("MAYSEND_KEY", &other)));
    assert_eq!(hash("none", &|program| program), "withheld");
}

// 9. A copy of personal data has an owner: nobody else can read it.

#[test]
fn outputs_are_for_their_owner_only_while_they_are_written_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/out");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let check = || {
        for name in names_in(&out) {
            assert_eq!(mode(&out.join(&name)), 0o600, "{name}");
        }
        assert_eq!(mode(&out), 0o700);
        assert_eq!(mode(&folder.path().join("deep")), 0o700);
    };
    // Whatever the umask allows.
    let mut running = Running::start(scan(&out).after_shell("umask 000"));
    running.write_until_it_reads(lines([&transcript("t-1").customer("Hello.")]).repeat(200).as_bytes());
    assert_eq!(names_in(&out).len(), outputs::FILES.len());
    check();
    running.finish().exits(0);
    assert_eq!(names_in(&out), outputs::FILES);
    check();
}

#[test]
fn a_folder_that_is_there_keeps_its_mode_and_its_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o750)).unwrap();
    fs::write(out.join("mine.txt"), "mine").unwrap();
    scan(&out).input(lines([&transcript("t-1").customer("Hello.")])).run().exits(0);
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read(out.join("mine.txt")).unwrap(), b"mine");
}

// 10. What was redacted stays redacted.

#[test]
fn scanning_what_was_cleared_again_blocks_nothing_and_takes_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let ordinary = Day::new(5, date(), 1_000, Style::Normal).map(|made| made.to_json());
    let zdr = Day::new(5, date(), 400, Style::Dense).map(|mut made| {
        made.transcript.destination = "summaries-eu-zdr";
        made.to_json()
    });
    let input: Vec<String> = ordinary.chain(zdr).collect();
    scan(&folder.path().join("first")).input(text_of(&input)).run().exits(0);
    let first = Outputs::of(&folder.path().join("first"));
    let redacted = first.cleared.iter().filter(|record| record["destination"] == "summaries-eu-zdr").count();
    assert!(first.cleared.len() > 1_000 && redacted > 50, "{redacted} of {}", first.cleared.len());

    // To a destination that retains, now: no tier-1 data may be left, whatever the first destination was.
    let again: Vec<String> = first
        .cleared
        .iter()
        .map(|record| {
            let mut record = record.clone();
            record["destination"] = json!("summaries-eu");
            record.to_string()
        })
        .collect();
    scan(&folder.path().join("second")).input(text_of(&again)).run().exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    let blocked: Vec<String> = second
        .review
        .iter()
        .chain(&second.held)
        .map(|record| format!("{} {:?}", record["decision"]["reasons"], found(record)))
        .collect();
    assert_eq!(blocked, [""; 0]);
    assert_eq!(second.cleared.len(), first.cleared.len());
    let mut changed = Vec::new();
    for (before, after) in first.cleared.iter().zip(&second.cleared) {
        for (before, after) in outputs::texts(before).into_iter().zip(outputs::texts(after)) {
            if before != after {
                let placeholders = |text: &str| text.matches('[').count();
                assert!(placeholders(before) < placeholders(after), "only more is redacted: {before} | {after}");
                changed.push(after.to_owned());
            }
        }
    }
    // A placeholder has fewer words than the number that stood there, so a label can reach over it to a weak one.
    assert!(changed.len() <= first.cleared.len() / 500, "{changed:?}");
}
