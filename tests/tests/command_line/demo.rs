//! The demonstration, from outside: nothing is installed for it, and it says what it does not prove.

use maysend_tests::{Ran, maysend};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Command, Stdio},
};

const NOTICE: &str = "Its broker is an in-memory mock: this proves nothing about delivery.";

fn demo<'a>(options: impl IntoIterator<Item = &'a str>) -> Ran {
    maysend(["demo", "--plain"]).args(options).run()
}

/// The number before a word of the summary.
fn number(summary: &str, word: &str) -> u64 {
    let numbered = summary.lines().filter_map(|line| line.trim_start().split_once("  "));
    let found = numbered.into_iter().find(|(_, name)| name.starts_with(word));
    let (number, _) = found.unwrap_or_else(|| panic!("no {word:?} in\n{summary}"));
    number.replace(',', "").parse().expect("a number")
}

#[test]
fn it_decides_everything_and_ends_by_itself() {
    let ran = demo(["--documents", "500"]).exits(0).says(&[NOTICE]);
    let summary = ran.text();
    assert!(summary.starts_with("500 of 500 transcripts decided in "), "{summary}");
    assert!(summary.contains(NOTICE) && summary.contains("examples/transcripts.jsonl"), "{summary}");
    let outcomes = ["sent", "for review", "held"].map(|outcome| number(summary, outcome));
    assert_eq!(outcomes.iter().sum::<u64>(), 500, "{summary}");
    assert!(!summary.contains('\u{1b}'), "no colours where nobody sees them");
    for says in [
        " asks to be erased: by the ledger",
        "example-models owes a cleanup",
        " reserved, 0 used",
        "a copy may exist",
        "The data map: ours is work",
    ] {
        assert!(summary.contains(says), "{says}\n{summary}");
    }
}

#[test]
fn in_shadow_mode_what_would_be_blocked_is_sent_all_the_same() {
    let options = ["--documents", "2000", "--rate", "2000", "--seed", "7"];
    let enforced = demo(options).exits(0);
    let shadow = demo(options.into_iter().chain(["--shadow"])).exits(0);
    let [enforced, shadow] = [enforced.text(), shadow.text()];
    assert!(number(shadow, "sent") > number(enforced, "sent"), "{enforced}\n{shadow}");
    assert_eq!(number(shadow, "for review"), number(enforced, "for review"));
    assert!(shadow.contains("Shadow:") && !enforced.contains("Shadow:"));
}

#[test]
fn asked_to_stop_it_commits_what_is_in_flight_and_says_what_was_decided() {
    let mut child = Command::new(maysend_tests::program::path())
        .args(["demo", "--plain", "--documents", "1000000", "--rate", "200"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut decided = lines.map_while(Result::ok).filter(|line| line.contains(" decided "));
    assert!(decided.next().is_some(), "it says how it stands");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let mut summary = String::new();
    child.stdout.take().unwrap().read_to_string(&mut summary).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(summary.contains(" of 1,000,000 transcripts decided in ") && summary.contains(NOTICE), "{summary}");
}

#[test]
fn wrong_options_are_2_and_say_what_is_right() {
    demo(["--enforce", "--shadow"]).exits(2).says(&["cannot be used with"]);
    demo(["--rate", "0"]).exits(2).says(&["1..=1000000"]);
    demo(["--documents", "many"]).exits(2).says(&["--documents <N>"]);
}
