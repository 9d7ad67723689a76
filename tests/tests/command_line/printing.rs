//! Where things are printed, and how.

use super::{CARD_LINE, detect};
use maysend_tests::{AS_OF, Ran, lines, maysend, transcript};
use std::{fs, path::Path, process::Stdio};

#[test]
fn colour_is_for_terminals_and_never_where_it_is_not_wanted() {
    let run = |variables: &[(&str, &str)]| {
        let detect = detect([""; 0]).input(CARD_LINE);
        variables.iter().fold(detect, |detect, (name, value)| detect.env(name, value)).run().exits(0)
    };
    let coloured = |ran: &Ran| ran.text().contains('\u{1B}');
    assert!(!coloured(&run(&[])), "a pipe is no terminal");
    assert!(coloured(&run(&[("CLICOLOR_FORCE", "1")])));
    assert!(!coloured(&run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")])));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.txt");
    // Far more than a pipe holds.
    fs::write(&file, format!("{CARD_LINE}\n").repeat(20_000)).unwrap();
    for options in [&[][..], &["--format", "jsonl", "--plain"]] {
        let mut program = std::process::Command::new(maysend_tests::program::path());
        let detect = program.args(["detect", "--as-of", AS_OF]).args(options).arg(&file);
        let mut child = detect.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        {
            let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
            std::io::BufRead::read_line(&mut stdout, &mut first).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert!(!first.is_empty());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

fn scan_two(options: &[&str], out: &Path) -> Ran {
    let input = lines([
        &transcript("t-1").customer("Hello."),
        &transcript("t-2").customer("mijn BSN is 111222333 en NL-8842-1909"),
    ]);
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([out]).args(options).input(input).run().exits(0)
}

#[test]
fn the_summary_is_on_standard_error_and_says_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let ran = scan_two(&[], &folder.path().join("out"));
    assert!(ran.stdout.is_empty());
    ran.says(&[
        "2 documents",
        "MiB/s",
        "blocked 1 of 2 (50.00 %)",
        "tier1_retained",
        "tier 1  nl.bsn",
        "ticket",
        "review queue: 1 documents",
        "hours a day over the 1 day of these transcripts",
        "p99",
        "ruleset sha256:",
        "decided as of 2026-03-02T00:00:00Z",
    ]);
}

#[test]
fn a_quiet_run_prints_nothing_and_no_run_draws_a_bar_into_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let quiet = scan_two(&["--quiet"], &folder.path().join("quiet"));
    assert_eq!((quiet.stdout.as_slice(), quiet.stderr.as_str()), (&b""[..], ""));
    let usual = scan_two(&[], &folder.path().join("usual"));
    assert!(!usual.stderr.contains('\r') && !usual.stderr.contains('\u{1B}'));
}

#[test]
fn reviewer_hours_follow_their_settings() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--review-seconds", "3600", "--second-opinion-percent", "0"];
    scan_two(&options, &folder.path().join("out")).says(&["1 documents, 1.0 reviewer hours"]);
}

#[test]
fn terms_that_are_about_to_expire_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let scan = |as_of: &str, out: &str| {
        let input = lines([&transcript("t-1").customer("Hello.")]);
        maysend(["scan", "--as-of", as_of, "--out"]).args([folder.path().join(out)]).input(input).run().exits(0)
    };
    assert!(!scan("2026-03-02", "early").stderr.contains("2027-06-30"));
    scan("2027-06-15", "late").says(&["2027-06-30", "eu-annex"]);
}
