//! The program: files, exit codes, messages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use maysend_corpora::{Date, Day, Style, checks};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_maysend-corpora")).args(arguments).output().unwrap()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn generate_writes_a_pair_of_files_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/folder");
    let arguments = ["generate", "--seed", "7", "--start", "2026-02-28", "--days", "2", "--per-day", "40", "--out"];
    let output = run(&[&arguments[..], &[out.to_str().unwrap()]].concat());
    assert!(output.status.success() && output.stdout.is_empty());
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "labels-2026-02-28.jsonl",
            "labels-2026-03-01.jsonl",
            "transcripts-2026-02-28.jsonl",
            "transcripts-2026-03-01.jsonl"
        ]
    );
    let made: Vec<_> = Day::new(7, Date::new(2026, 3, 1).unwrap(), 40, Style::Normal).collect();
    let transcripts = read(&out.join("transcripts-2026-03-01.jsonl"));
    let labels = read(&out.join("labels-2026-03-01.jsonl"));
    assert!(transcripts.lines().eq(made.iter().map(|made| made.to_json())));
    assert!(labels.lines().eq(made.iter().map(|made| made.labels_to_json())));
    assert!(transcripts.ends_with('\n') && labels.ends_with('\n'));
}

#[test]
fn every_line_of_vectors_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("vectors.tsv");
    assert!(run(&["vectors", "--count", "3200", "--out", out.to_str().unwrap()]).status.success());
    let text = read(&out);
    for line in text.lines() {
        let [entity, number, valid] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let judged = checks::Rule::of(entity).unwrap().is_valid(number);
        assert_eq!(valid, if judged { "1" } else { "0" }, "{line}");
    }
    assert_eq!(text.lines().count(), 3_200);
}

#[test]
fn mistakes_are_named_and_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let missing = folder.path().join("no/such/folder/v.tsv");
    let cases: [(&[&str], &str); 6] = [
        (&["generate", "--out", file, "--start", "2026-02-30"], "2026-02-30"),
        (&["generate", "--out", file, "--style", "odd"], "odd"),
        (&["generate", "--out", file, "--days", "0"], "--days"),
        (&["generate", "--out", file], "cannot make the folder"),
        (&["vectors", "--out", missing.to_str().unwrap()], "cannot create"),
        (&["generate"], "--out"),
    ];
    for (arguments, message) in cases {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
}
