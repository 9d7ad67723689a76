//! `maysend check --config` from outside.

use serde_json::Value;
use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

const PASSWORD: &str = "correct horse battery staple";

struct Checked {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs it on a file with this text.
fn check(text: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Checked {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("maysend.toml");
    fs::write(&path, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_maysend"));
    command.args(["check", "--config", "maysend.toml"]).args(arguments).current_dir(folder.path()).env_clear();
    let Output { status, stdout, stderr } = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Checked { code: status.code(), out: text(stdout), err: text(stderr) }
}

const FILE: &str = "[kafka]\nbrokers = \"localhost:9092\"\n\n[stream]\nbatch_records = 100\n";

#[test]
fn every_value_is_shown_with_its_origin_and_no_secret() {
    let variables = [
        ("MAYSEND_STREAM__DRAIN_TIMEOUT_MS", "9000"),
        ("MAYSEND_KAFKA_SASL_PASSWORD", PASSWORD),
        ("MAYSEND_ORDINAL", "maysend-2"),
    ];
    let checked = check(FILE, &["--as-of", "2026-03-02"], &variables);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let has = |parts: &[&str]| checked.out.lines().any(|line| line.split_whitespace().eq(parts.iter().copied()));
    assert!(has(&["brokers", "\"localhost:9092\"", "maysend.toml:2"]), "{}", checked.out);
    assert!(has(&["batch_records", "100", "maysend.toml:5"]), "{}", checked.out);
    assert!(has(&["drain_timeout_ms", "9000", "MAYSEND_STREAM__DRAIN_TIMEOUT_MS"]), "{}", checked.out);
    assert!(has(&["ordinal", "2", "MAYSEND_ORDINAL"]), "{}", checked.out);
    assert!(has(&["batch_age_ms", "200", "default"]), "{}", checked.out);
    assert!(has(&["MAYSEND_KAFKA_SASL_PASSWORD"]), "{}", checked.out);
    assert!(checked.out.contains("\nsound: no mistakes"), "{}", checked.out);
    assert!(!checked.out.contains(PASSWORD) && !checked.err.contains(PASSWORD));
    assert!(!checked.err.contains("ordinal"), "{}", checked.err);
}

#[test]
fn json_says_the_same() {
    let variables = [("MAYSEND_STREAM__ENFORCE", "true"), ("MAYSEND_KAFKA_SASL_PASSWORD", PASSWORD)];
    let checked = check(FILE, &["--format", "json", "--as-of", "2026-03-02"], &variables);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    assert!(!checked.out.contains(PASSWORD));
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    let config = &json["config"];
    assert_eq!((&json["sound"], &config["file"]), (&true.into(), &"maysend.toml".into()));
    let setting = |key: &str| config["settings"].as_array().unwrap().iter().find(|row| row["key"] == key).unwrap();
    assert_eq!(setting("enforce")["value"], true);
    assert_eq!(
        setting("enforce")["origin"],
        serde_json::json!({ "kind": "variable", "variable": "MAYSEND_STREAM__ENFORCE" })
    );
    assert_eq!(
        setting("batch_records")["origin"],
        serde_json::json!({ "kind": "file", "file": "maysend.toml", "line": 5 })
    );
    assert_eq!(setting("batch_bytes")["origin"], serde_json::json!({ "kind": "default" }));
    assert_eq!(config["secrets"], serde_json::json!(["MAYSEND_KAFKA_SASL_PASSWORD"]));
    assert!(config["needs"][0].as_str().unwrap().contains("no ordinal"), "{config}");
}

#[test]
fn mistakes_of_the_file_and_of_the_environment_are_shown_together() {
    let text = "[kafka]\nbrokers = \"localhost:9092\"\n[stream]\nbatch_bytes = 0\n";
    let checked = check(text, &[], &[("MAYSEND_STREAM__BATCH_AGE", "1")]);
    assert_eq!(checked.code, Some(1));
    assert!(checked.out.contains("maysend.toml:4: stream.batch_bytes: 0; 1 to 1073741824\n"), "{}", checked.out);
    assert!(checked.out.contains("MAYSEND_STREAM__BATCH_AGE: sets no key; "), "{}", checked.out);
    assert!(checked.err.contains("2 mistakes in the configuration"), "{}", checked.err);
    let checked = check(text, &["--format", "json"], &[("MAYSEND_STREAM__BATCH_AGE", "1")]);
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!((&json["sound"], &json["mistakes"][1]["line"]), (&false.into(), &4.into()));
    assert_eq!(json["mistakes"][0]["line"], Value::Null);
}

#[test]
fn the_ruleset_that_it_names_is_checked_too() {
    let text = "[kafka]\nbrokers = \"localhost:9092\"\n[ruleset]\nfolder = \"/no/such/folder\"\n";
    let checked = check(text, &[], &[]);
    assert_eq!(checked.code, Some(2));
    assert!(checked.err.contains("/no/such/folder"), "{}", checked.err);
    let checked = check(FILE, &["--patterns", "patterns"], &[]);
    assert_eq!(checked.code, Some(2));
    assert!(checked.err.contains("--config"), "{}", checked.err);
}

#[test]
fn a_key_that_cannot_be_used_is_said() {
    let checked = check(FILE, &["--as-of", "2026-03-02"], &[("MAYSEND_KEY", PASSWORD), ("MAYSEND_ORDINAL", "0")]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    assert!(checked.err.contains("`run` would refuse to start here: MAYSEND_KEY is neither"), "{}", checked.err);
    assert!(!checked.err.contains(PASSWORD) && !checked.out.contains(PASSWORD));
}
