//! What cannot be read becomes a dead letter with a reason from the closed list, and the run goes on.

use maysend_tests::{AS_OF, Outputs, Program, Running, maysend, outputs, transcript};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path};

fn scan(out: &Path) -> Program {
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([out])
}

fn good(id: &str) -> String {
    transcript(id).customer("Where is my parcel?").line()
}

/// Lines that cannot be read, with the reason of each.
fn bad_lines() -> Vec<(&'static str, Vec<u8>)> {
    let whole = good("t-bad");
    let without = |name: &str| transcript("t-bad").customer("Hello.").without(name).line();
    let with = |name: &str, value: Value| transcript("t-bad").customer("Hello.").with(name, value).line();
    let mut bad: Vec<(&'static str, Vec<u8>)> = vec![
        ("not_json", b"no JSON at all".to_vec()),
        ("not_json", whole[..whole.len() - 1].into()),
        ("not_json", format!("{whole} {{}}").into()),
        ("not_json", whole.replace("Where", "\\ud800").into()),
        ("not_json", format!("{}{}", "[".repeat(200), "]".repeat(200)).into()),
        ("not_json", format!("\u{FEFF}{whole}").into()),
        ("not_utf8", [&whole.as_bytes()[..40], b"\xFF", &whole.as_bytes()[40..]].concat()),
        ("duplicate_member", whole.replacen('{', "{\"id\":\"first\",", 1).into()),
        ("duplicate_member", whole.replace("\"fields\":{}", "\"fields\":{\"a\":{\"b\":1,\"b\":2}}").into()),
        ("duplicate_member", whole.replace("\"speaker\":", "\"text\":\"\",\"speaker\":").into()),
        ("duplicate_member", whole.replacen('{', "{\"unknown\":[[{\"x\":1,\"\\u0078\":2}]],", 1).into()),
        ("wrong_type", b"[]".to_vec()),
        ("wrong_type", b"null".to_vec()),
        ("wrong_type", with("id", json!(17)).into()),
        ("wrong_type", with("id", json!("")).into()),
        ("wrong_type", with("id", json!(null)).into()),
        ("wrong_type", with("customer_key", json!(["ck"])).into()),
        ("wrong_type", with("fields", json!("none")).into()),
        ("wrong_type", with("turns", json!({"text": "Hello."})).into()),
        ("wrong_type", with("turns", json!([{"speaker": "customer", "text": 5}])).into()),
        ("wrong_type", with("turns", json!([{"speaker": "customer", "at": "yesterday", "text": "x"}])).into()),
        ("wrong_type", with("text", json!("both a text and turns")).into()),
        ("wrong_type", with("schema", json!("1")).into()),
        ("wrong_type", with("schema", json!(1.0)).into()),
        ("unknown_schema", with("schema", json!(2)).into()),
        ("unknown_schema", with("schema", json!(0)).into()),
        ("empty", b"".to_vec()),
        ("empty", b"   ".to_vec()),
        ("empty", with("turns", json!([])).into()),
        ("empty", with("turns", json!([{"speaker": "customer", "text": " \n\u{00A0}"}])).into()),
        ("too_large", whole.replace("Where", &"w".repeat(1 << 20)).into()),
    ];
    for member in ["schema", "id", "tenant", "destination", "turns"] {
        bad.push(("missing_member", without(member).into()));
    }
    bad.push(("missing_member", with("turns", json!([{"speaker": "customer"}])).into()));
    // A record with more values than can be looked up has not been read.
    let fields: serde_json::Map<String, Value> =
        (0..300).map(|n| (n.to_string(), json!(format!("name {n}")))).collect();
    bad.push(("too_large", with("fields", json!({ "customer_name": fields })).into()));
    bad
}

#[test]
fn every_reason_of_the_closed_list_is_given_with_file_and_line_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input.jsonl");
    let bad = bad_lines();
    let mut bytes = format!("{}\n", good("t-first")).into_bytes();
    for (n, (_, line)) in bad.iter().enumerate() {
        bytes.extend_from_slice(line);
        bytes.extend_from_slice(format!("\n{}\n", good(&format!("t-{n}"))).as_bytes());
    }
    fs::write(&input, bytes).unwrap();
    let out = folder.path().join("out");
    let count = format!("{} of {} records could not be read", bad.len(), 2 * bad.len() + 1);
    scan(&out).args([&input]).run().exits(0).says(&[&count, "dead-letter.jsonl"]);

    let outputs = Outputs::of(&out);
    assert_eq!(outputs.cleared.len(), bad.len() + 1, "nothing readable is lost");
    let letters: Vec<(&str, &Value)> =
        outputs.dead_letter.iter().map(|letter| (letter["reason"].as_str().unwrap(), &letter["source"])).collect();
    let expected: Vec<(&str, Value)> = bad
        .iter()
        .enumerate()
        .map(|(n, (reason, _))| (*reason, json!({"file": input.to_str().unwrap(), "line": 2 * n + 2})))
        .collect();
    assert_eq!(letters, expected.iter().map(|(reason, source)| (*reason, source)).collect::<Vec<_>>());
    let given: BTreeSet<&str> = letters.iter().map(|(reason, _)| *reason).collect();
    let closed = [
        "duplicate_member",
        "empty",
        "missing_member",
        "not_json",
        "not_utf8",
        "too_large",
        "unknown_schema",
        "wrong_type",
    ];
    assert_eq!(given, BTreeSet::from(closed));
}

#[test]
fn a_dead_letter_is_decided_once_and_keeps_its_bytes_unless_it_was_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let bad = bad_lines();
    let input: Vec<u8> = bad.iter().flat_map(|(_, line)| [line.as_slice(), b"\n"].concat()).collect();
    scan(folder.path()).input(input).run().exits(0);
    let outputs = Outputs::of(folder.path());
    assert_eq!(outputs::distinct(&outputs.dead_letter, "attempt"), outputs::distinct(&outputs.decisions, "attempt"));
    for ((reason, line), (letter, decision)) in bad.iter().zip(outputs.dead_letter.iter().zip(&outputs.decisions)) {
        assert_eq!(outputs::reasons(decision), [*reason]);
        assert_eq!(decision["verdict"], "block");
        assert_eq!(decision["reservation_id"], Value::Null);
        match *reason {
            "too_large" => assert!(letter.get("record").is_none() && letter.get("record_base64").is_none()),
            "not_utf8" => assert!(letter["record_base64"].is_string() && letter.get("record").is_none()),
            _ => assert_eq!(letter["record"].as_str().unwrap().as_bytes(), line.as_slice()),
        }
        assert!(letter["digest"].as_str().unwrap().starts_with("sha256:"));
    }
    assert!(outputs.cleared.is_empty() && outputs.reservations.is_empty());
}

#[test]
fn even_a_quiet_run_says_that_something_was_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let input = format!("{}\nno JSON\n{}\n\n", good("t-1"), good("t-2"));
    let ran = scan(folder.path()).args(["--quiet"]).input(input).run().exits(0);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran.says(&["2 of 4 records could not be read", folder.path().join("dead-letter.jsonl").to_str().unwrap()]);
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    scan(folder.path()).input(format!("\u{FEFF}{}\r\n", good("t-1"))).run().exits(0);
    assert_eq!(outputs::ids(&Outputs::of(folder.path()).cleared), ["t-1"]);
}

#[test]
fn a_last_line_without_a_line_end_is_read() {
    let folder = tempfile::tempdir().unwrap();
    scan(folder.path()).input(format!("{}\n{}", good("t-1"), good("t-2"))).run().exits(0);
    assert_eq!(outputs::ids(&Outputs::of(folder.path()).cleared), ["t-1", "t-2"]);
}

#[test]
fn a_line_of_100_megabytes_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(scan(folder.path()));
    let lines = format!("{}\n", good("t-first")).repeat(2_000);
    let before = running.write_until_it_reads(lines.as_bytes()).peak_memory();
    let megabyte = vec![b'x'; 1_000_000];
    running.write(br#"{"schema":1,"id":"t-huge","text":""#);
    for _ in 0..100 {
        running.write(&megabyte);
    }
    running.write(format!("\"}}\n{}\n", good("t-last")).as_bytes());
    let grown = running.peak_memory() - before;
    running.finish().exits(0).says(&["1 of"]);
    assert!(grown < 32 << 20, "{grown} bytes more");

    let outputs = Outputs::of(folder.path());
    assert_eq!(outputs.dead_letter.len(), 1);
    assert_eq!(outputs.dead_letter[0]["reason"], "too_large");
    assert_eq!(outputs::ids(&outputs.cleared).last(), Some(&"t-last"));
}
