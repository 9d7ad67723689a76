//! `maysend diff` from outside: what it prints and how it ends.

use crate::rulesets::{PATTERNS, edit, files, write};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn diff(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_maysend")).arg("diff").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with the reviewed files after an edit.
fn edited(file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut all = files();
    edit(&mut all, file, from, to);
    write(folder.path(), &all);
    folder
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().unwrap()
}

#[test]
fn no_difference_passes() {
    let output = diff(&["builtin", PATTERNS]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("\nno difference\n"));
}

#[test]
fn a_loosening_needs_to_be_accepted() {
    let new = edited("policy.toml", "family = \"nl\"\ntier = 1", "family = \"nl\"\ntier = 2");
    let refused = diff(&["builtin", path(&new)]);
    assert_eq!(refused.status.code(), Some(1));
    let out = text(&refused.stdout);
    assert!(out.contains("MAY DECIDE LESS (2)") && out.contains("rule[nl.bsn].tier  1 → 2"), "{out}");
    assert!(text(&refused.stderr).contains("--accept-loosening"));
    let evidence = new.path().join("policy.toml");
    assert_eq!(diff(&["builtin", path(&new), "--evidence", evidence.to_str().unwrap()]).status.code(), Some(1));
    let accepted = diff(&["builtin", path(&new), "--accept-loosening"]);
    assert_eq!(accepted.status.code(), Some(0));
    assert!(text(&accepted.stdout).contains("accepted by --accept-loosening"));
    // Undone, it passes by itself.
    let back = diff(&[path(&new), "builtin"]);
    assert_eq!(back.status.code(), Some(0));
    assert!(text(&back.stdout).contains("DECIDES MORE (2)"));
}

#[test]
fn another_detection_needs_evidence_that_is_named_with_its_digest() {
    let new = edited("evidence.toml", "floor = 10", "floor = 11");
    let report = new.path().join("report.md");
    fs::write(&report, "abc").unwrap();
    assert_eq!(diff(&["builtin", path(&new)]).status.code(), Some(1));
    assert_eq!(diff(&["builtin", path(&new), "--accept-loosening"]).status.code(), Some(1));
    let shown = diff(&["builtin", path(&new), "--evidence", report.to_str().unwrap()]);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let out = text(&shown.stdout);
    assert!(out.contains(digest) && out.contains("report.md") && out.contains("DETECTS DIFFERENTLY (1)"), "{out}");
    let missing = diff(&["builtin", path(&new), "--evidence", "/no/such/report"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("cannot read /no/such/report"));
    fs::write(&report, "").unwrap();
    assert_eq!(diff(&["builtin", path(&new), "--evidence", report.to_str().unwrap()]).status.code(), Some(2));
}

#[test]
fn json_and_markdown_say_the_same() {
    let new = edited("templates.toml", "max_value_bytes = 200", "max_value_bytes = 300");
    let json = diff(&["builtin", path(&new), "--format", "json"]);
    assert_eq!(json.status.code(), Some(0));
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["counts"]["fewer_decisions"], 1);
    assert_eq!(value["changes"][0]["key"], "template[account-header].max_value_bytes");
    assert_eq!(value["changes"][0]["old"], "200");
    assert_eq!(json.stdout, diff(&["builtin", path(&new), "--format", "json"]).stdout);
    let markdown = text(&diff(&["builtin", path(&new), "--format", "markdown"]).stdout);
    assert!(markdown.contains("### 🟢 Fewer decisions to make (1)"), "{markdown}");
    assert!(markdown.contains("| <code>200</code> | <code>300</code> |"), "{markdown}");
}

#[test]
fn what_cannot_be_loaded_is_told_with_its_folder() {
    let broken = edited("policy.toml", "tier = 1", "tier = 9");
    let output = diff(&["builtin", path(&broken)]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains(path(&broken)) && error.contains("there is no tier 9 here"), "{error}");
    assert!(!Path::new("/no/such/folder").exists());
    assert_eq!(diff(&["/no/such/folder", "builtin"]).status.code(), Some(2));
}
