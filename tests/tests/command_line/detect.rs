//! What `detect` reads and prints.

use super::{CARD_LINE, detect, jsonl};
use serde_json::json;
use std::fs;

#[test]
fn findings_are_lines_with_file_line_and_column_and_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.txt");
    fs::write(&file, format!("Hello.\n\nÉén: {CARD_LINE}\n")).unwrap();
    let name = file.to_str().unwrap();
    let ran = detect([name]).run().exits(0);
    let start = format!("{name}:3:24: payment.card tier 1 ");
    assert!(ran.text().starts_with(&start), "{}", ran.text());
    assert!(ran.text().ends_with(" **** **** **** ****\n"), "{}", ran.text());
    assert_eq!(ran.stderr, "");

    let shown = detect(["--show-text", name]).run().exits(0);
    assert!(shown.text().ends_with(" 4111 1111 1111 1111\n"), "{}", shown.text());
}

#[test]
fn standard_input_is_read_for_a_dash_and_for_nothing() {
    for args in [&[][..], &["-"]] {
        let ran = detect(args.iter().copied()).input(CARD_LINE).run().exits(0);
        assert!(ran.text().starts_with("-:1:19: payment.card tier 1 "), "{}", ran.text());
    }
    let nothing = detect(["-"]).input("").run().exits(0);
    assert!(nothing.stdout.is_empty() && nothing.stderr.is_empty());
}

#[test]
fn a_folder_stands_for_the_files_below_it_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for below in [".git", "b", ".hidden"] {
        fs::create_dir(at(below)).unwrap();
    }
    for name in ["c.txt", "a.txt", "b/inner.txt", ".hidden/x.txt", ".secret", "ignored.log"] {
        fs::write(at(name), CARD_LINE).unwrap();
    }
    fs::write(at("picture.png"), format!("\0{CARD_LINE}")).unwrap();
    fs::write(at(".gitignore"), "*.log\n").unwrap();
    let path = folder.path().to_str().unwrap();
    let ran = detect([path]).run().exits(0);
    let files: Vec<&str> = ran.text().lines().map(|line| line.split(':').next().unwrap()).collect();
    let expected = ["a.txt", "b/inner.txt", "c.txt"].map(|name| format!("{path}/{name}"));
    assert_eq!(files, expected);

    let named = detect([at("ignored.log").to_str().unwrap(), at("picture.png").to_str().unwrap()]).run().exits(0);
    assert_eq!(named.text().lines().count(), 2, "a file that is named is read whatever it is");
}

#[test]
fn json_lines_have_the_documented_members_and_ids_as_they_came() {
    let ids = [json!(17), json!("t-1"), json!(null), json!({"a": [1.50]}), json!("é\u{1F600}")];
    let input: String = ids.iter().map(|id| jsonl(id, CARD_LINE)).collect();
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(0);
    let answers = ran.json();
    assert_eq!(answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), ids);
    for answer in &answers {
        let members: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(members, ["id", "findings"]);
        let finding = answer["findings"][0].as_object().unwrap();
        let members: Vec<&String> = finding.keys().collect();
        assert_eq!(members, ["entity", "start", "end", "points", "confidence", "pattern", "validated"]);
        assert_eq!((&finding["entity"], &finding["validated"]), (&json!("payment.card"), &json!(true)));
        assert_eq!((&finding["start"], &finding["end"]), (&json!(18), &json!(37)));
    }
}

#[test]
fn an_id_is_echoed_byte_for_byte() {
    let input = "{\"id\": 1.50e+01, \"text\": \"x\"}\n{\"id\":\"\\u00e9\",\"text\":\"x\",\"more\":1}\n";
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(0);
    assert_eq!(ran.text(), "{\"id\":1.50e+01,\"findings\":[]}\n{\"id\":\"\\u00e9\",\"findings\":[]}\n");
}

#[test]
fn one_line_answers_one_line_in_order_however_many() {
    let input: String = (0..5_000).map(|n| jsonl(&json!(n), if n % 3 == 0 { CARD_LINE } else { "Hello." })).collect();
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(0);
    let answers = ran.json();
    assert_eq!(answers.len(), 5_000);
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], json!(n));
        assert_eq!(answer["findings"].as_array().unwrap().len(), usize::from(n % 3 == 0));
    }
}

#[test]
fn offsets_are_bytes_of_the_text_and_findings_stand_in_order() {
    let text =
        "é\u{1F600} jan@example.nl, 4111 1111 1111 1111 and mijn BSN is 111222333 \u{1F600} én NL91 ABNA 0417 1643 00";
    let ran = detect(["--format", "jsonl", "--show-text"]).input(jsonl(&json!(1), text)).run().exits(0);
    let answers = ran.json();
    let findings = answers[0]["findings"].as_array().unwrap();
    let entities: Vec<&str> = findings.iter().map(|finding| finding["entity"].as_str().unwrap()).collect();
    assert_eq!(entities, ["contact.email", "payment.card", "nl.bsn", "iban"]);
    for finding in findings {
        let at = |member: &str| finding[member].as_u64().unwrap() as usize;
        assert_eq!(text.get(at("start")..at("end")), finding["text"].as_str());
    }
}

#[test]
fn plain_text_is_answered_line_by_line_under_its_number() {
    let input = format!("{CARD_LINE}\n\nHello.\r\n{CARD_LINE}");
    let ran = detect(["--format", "jsonl", "--plain"]).input(input).run().exits(0);
    let answers = ran.json();
    let seen: Vec<(u64, usize)> = answers
        .iter()
        .map(|answer| (answer["id"].as_u64().unwrap(), answer["findings"].as_array().unwrap().len()))
        .collect();
    assert_eq!(seen, [(1, 1), (2, 0), (3, 0), (4, 1)]);
}

#[test]
fn a_line_that_is_no_json_is_2_with_its_place_and_without_its_text() {
    let input = format!("{}canary 4111 1111 1111 1111\n", jsonl(&json!(1), "x"));
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(2);
    let ran = ran.says(&["-:2: ", "write such an object a line, or give `--plain`"]);
    assert!(!ran.stderr.contains("canary") && !ran.stderr.contains("4111"));
    let input = [jsonl(&json!(1), "x").as_bytes(), b"canary \xFF\n"].concat();
    detect(["--format", "jsonl"]).input(input).run().exits(2).says(&["-:2: not UTF-8"]);
}

#[test]
fn by_default_what_the_policy_would_redact_is_shown_and_at_confidence_0_everything() {
    // Eight digits may be the number of an identity card, and nothing says what they are: too weak to be redacted.
    let weak = jsonl(&json!(1), "It says 41270009 here.");
    let count = |options: &[&str]| {
        let args = ["--format", "jsonl"].into_iter().chain(options.iter().copied());
        detect(args).input(weak.clone()).run().exits(0).json()[0]["findings"].as_array().unwrap().len()
    };
    assert_eq!(count(&[]), 0);
    assert!(count(&["--min-confidence", "0"]) > 0);
    assert_eq!(count(&["--min-confidence", "0.9"]), 0);
}

#[test]
fn an_explanation_says_why_and_shows_no_text() {
    let text = "My card number is 4111 1111 1111 1112, see NL-8842-1909.";
    let ran = detect(["--explain"]).input(text).run().exits(0);
    for part in ["payment.card/sixteen", "found", "ticket", "**** **** **** ****"] {
        assert!(ran.text().contains(part), "{part}: {}", ran.text());
    }
    assert!(!ran.text().contains("4111") && !ran.text().contains("1909"));
    let ran = detect(["--explain", "--format", "jsonl"]).input(jsonl(&json!(1), text)).run().exits(0);
    let answers = ran.json();
    let outcomes: Vec<&str> =
        answers[0]["explanations"].as_array().unwrap().iter().map(|e| e["outcome"].as_str().unwrap()).collect();
    assert!(outcomes.contains(&"found") && outcomes.contains(&"suppressed by ticket"), "{outcomes:?}");
}

#[test]
fn bytes_that_are_no_text_keep_every_offset_true() {
    let bytes = [b"\xFF\xFE", CARD_LINE.as_bytes()].concat();
    let ran = detect([""; 0]).input(bytes).run().exits(0);
    assert!(ran.text().starts_with("-:1:21: payment.card"), "{}", ran.text());
}
