//! `maysend check` from outside: what it prints and how it ends.

use crate::rulesets::{PATTERNS, edit, files, write};
use std::process::{Command, Output};

fn check(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_maysend")).arg("check").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn edited(edits: &[(&str, &str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut all = files();
    for (file, from, to) in edits {
        edit(&mut all, file, from, to);
    }
    write(folder.path(), &all);
    folder
}

#[test]
fn a_sound_ruleset_is_described_without_colours_in_a_pipe() {
    let output = check(&["--as-of", "2026-03-02"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    assert!(out.contains("as of 2026-03-02") && out.contains("\nsound: no mistakes"), "{out}");
    assert!(!out.contains('\u{1b}'));
    let verbose = text(&check(&["--as-of", "2026-03-02", "--verbose"]).stdout);
    assert!(verbose.len() > out.len() && verbose.contains("nl.bsn/eight"));
    let quiet = text(&check(&["--as-of", "2026-03-02", "--quiet"]).stdout);
    assert!(quiet.lines().all(|line| line.contains("labs-free")), "{quiet}");
}

#[test]
fn every_mistake_of_every_file_at_once() {
    let folder = edited(&[
        ("policy.toml", "family = \"nl\"\ntier = 1", "family = \"nl\"\ntier = 7"),
        ("tenants.toml", "region = \"EU\"", "region = \"NL\""),
        ("nl.toml", "examples = [\"12345672\"", "examples = [\"12345673\""),
    ]);
    let path = folder.path().to_str().unwrap();
    let output = check(&["--patterns", path]);
    assert_eq!(output.status.code(), Some(1));
    let out = text(&output.stdout);
    for part in [
        "policy.toml:",
        "there is no tier 7 here",
        "tenants.toml:",
        "write EU",
        "nl.toml:",
        "does not find its example",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(text(&output.stderr).contains("mistakes in the ruleset"));
    let json: serde_json::Value =
        serde_json::from_slice(&check(&["--patterns", path, "--format", "json"]).stdout).unwrap();
    assert_eq!(json["sound"], false);
    assert_eq!(json["mistakes"].as_array().unwrap().len(), out.lines().count());
}

#[test]
fn what_cannot_be_read_is_another_exit_code() {
    assert_eq!(check(&["--patterns", "/no/such/folder"]).status.code(), Some(2));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(check(&["--patterns", empty.path().to_str().unwrap()]).status.code(), Some(2));
    assert_eq!(check(&["--against", empty.path().to_str().unwrap()]).status.code(), Some(2));
    assert_eq!(check(&["--as-of", "yesterday"]).status.code(), Some(2));
}

#[test]
fn past_terms_may_not_go() {
    let day = ["--as-of", "2026-03-02"];
    let folder = edited(&[("destinations.toml", "plan = \"free\"", "plan = \"trial\"")]);
    let path = folder.path().to_str().unwrap();
    let output = check(&[&["--patterns", path, "--against", PATTERNS], &day[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("destination `labs-free`") && error.contains("2026-02-11 sha256:"), "{error}");
    assert_eq!(check(&[&["--patterns", path, "--against", path], &day[..]].concat()).status.code(), Some(0));
    assert_eq!(check(&[&["--against", "builtin"], &day[..]].concat()).status.code(), Some(0));
}

#[test]
fn json_is_the_same_each_time() {
    let run = || check(&["--as-of", "2026-03-02", "--format", "json"]).stdout;
    let first = run();
    assert_eq!(first, run());
    let json: serde_json::Value = serde_json::from_slice(&first).unwrap();
    assert_eq!((&json["sound"], &json["report"]["as_of"]), (&true.into(), &"2026-03-02".into()));
    assert_eq!(json["report"]["entities"][0]["patterns"].as_array().map(Vec::is_empty), Some(false));
}
