//! Output files are there only when they are whole, whatever stops a run.

use maysend_tests::{AS_OF, Outputs, Program, Running, lines, maysend, names_in, outputs, transcript};
use rustix::process::Signal;
use std::{fs, path::Path};

fn scan(out: &Path) -> Program {
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([out])
}

fn some_lines() -> Vec<u8> {
    let transcripts: Vec<_> =
        (0..100).map(|n| transcript(&format!("t-{n:06}")).customer(&"Where is my parcel? ".repeat(40))).collect();
    lines(&transcripts).into_bytes()
}

/// The six hidden files that a run writes to before it puts them in place.
fn parts() -> Vec<String> {
    outputs::FILES.iter().map(|name| format!(".{name}.part")).collect()
}

/// A run that has read part of its input and waits for the rest.
fn running(out: &Path) -> Running {
    let mut running = Running::start(scan(out));
    running.write_until_it_reads(&some_lines());
    running
}

#[test]
fn a_run_that_is_asked_to_stop_says_so_and_leaves_nothing() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2), (Signal::QUIT, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let mut running = running(folder.path());
        assert_eq!(names_in(folder.path()), parts(), "while it runs");
        running.signal(signal);
        // Its input stays open: it must not wait for more of it.
        let said = format!("interrupted by signal {number}");
        running.end().exits(128 + number).says(&[&said, "nothing was written"]);
        assert_eq!(names_in(folder.path()), [""; 0]);
    }
}

#[test]
fn a_run_that_is_asked_to_stop_says_so_even_when_it_is_to_be_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(scan(folder.path()).args(["--quiet"]));
    running.write_until_it_reads(&some_lines()).signal(Signal::TERM);
    running.end().exits(143).says(&["interrupted by signal 15"]);
}

#[test]
fn an_interrupted_run_leaves_earlier_results_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    scan(folder.path()).input(some_lines()).run().exits(0);
    let before: Vec<_> = outputs::FILES.iter().map(|name| fs::read(folder.path().join(name)).unwrap()).collect();
    let mut running = Running::start(scan(folder.path()).args(["--replace"]));
    running.write_until_it_reads(&some_lines()).signal(Signal::TERM);
    running.end().exits(143);
    assert_eq!(names_in(folder.path()), outputs::FILES);
    let after: Vec<_> = outputs::FILES.iter().map(|name| fs::read(folder.path().join(name)).unwrap()).collect();
    assert!(before == after);
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = running(folder.path());
    killed.signal(Signal::KILL);
    assert_eq!(killed.end().code, None);
    assert_eq!(names_in(folder.path()), parts(), "nothing is in place, and parts are left");

    scan(folder.path()).input(some_lines()).run().exits(0);
    assert_eq!(names_in(folder.path()), outputs::FILES);
    assert_eq!(Outputs::of(folder.path()).decisions.len(), 100);
}

#[test]
fn what_a_killed_run_left_is_removed_even_if_the_next_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = running(folder.path());
    killed.signal(Signal::KILL);
    killed.end();
    let mut stopped = running(folder.path());
    stopped.signal(Signal::TERM);
    stopped.end().exits(143);
    assert_eq!(names_in(folder.path()), [""; 0]);
}

#[test]
fn results_are_never_written_over_unasked() {
    let folder = tempfile::tempdir().unwrap();
    scan(folder.path()).input(some_lines()).run().exits(0);
    let reserved = fs::read(folder.path().join("reservations.jsonl")).unwrap();
    let only = lines([&transcript("another").customer("Hello.")]);
    scan(folder.path()).input(only.clone()).run().exits(2).says(&[
        folder.path().to_str().unwrap(),
        "holds results already",
        "evidence of what was sent",
        "`--replace`",
        "name another folder",
    ]);
    assert_eq!(names_in(folder.path()), outputs::FILES);
    assert!(fs::read(folder.path().join("reservations.jsonl")).unwrap() == reserved);

    scan(folder.path()).args(["--replace"]).input(only).run().exits(0);
    assert_eq!(outputs::ids(&Outputs::of(folder.path()).decisions), ["another"]);
}

#[test]
fn one_results_file_is_enough_to_refuse_a_folder() {
    for name in outputs::FILES {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), "").unwrap();
        scan(folder.path()).input(some_lines()).run().exits(2).says(&["holds results already"]);
        assert_eq!(names_in(folder.path()), [name]);
    }
}

#[test]
fn two_runs_never_write_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = running(folder.path());
    for more in [&[][..], &["--replace"]] {
        let said = ["another run is writing", "wait for it, or name another folder"];
        scan(folder.path()).args(more).input(some_lines()).run().exits(2).says(&said);
        assert_eq!(names_in(folder.path()), parts(), "the first run's files are untouched");
    }
    first.finish().exits(0);
    assert_eq!(names_in(folder.path()), outputs::FILES);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("below")] {
        let said = ["cannot write", out.to_str().unwrap(), "name a folder that you may write"];
        scan(&out).input(some_lines()).run().exits(2).says(&said);
    }
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    assert_eq!(names_in(folder.path()), ["file"]);
}

#[test]
fn a_full_disk_stops_the_run_with_advice_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input.jsonl");
    fs::write(&input, some_lines().repeat(40)).unwrap();
    let out = folder.path().join("out");
    // No file may grow beyond some blocks; the signal that comes with it is ignored, so that writing fails as it does
    // on a full disk.
    let ran = scan(&out).args([&input]).after_shell("trap '' XFSZ; ulimit -f 64").run();
    ran.exits(2).says(&["cannot write", out.to_str().unwrap(), "make room"]);
    assert_eq!(names_in(&out), [""; 0]);
}

#[test]
fn a_disk_that_is_full_at_the_last_byte_stops_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // So little is written that it stays in memory until the files are put in place.
    let little = lines([&transcript("t-1").customer("Hello.")]);
    let ran = scan(&out).input(little).after_shell("trap '' XFSZ; ulimit -f 0").run();
    ran.exits(2).says(&["cannot write", out.to_str().unwrap(), "make room"]);
    assert_eq!(names_in(&out), [""; 0]);
}

#[test]
fn a_missing_input_is_known_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there.jsonl");
    fs::write(&there, some_lines()).unwrap();
    let missing = folder.path().join("missing.jsonl");
    let out = folder.path().join("out");
    let said = ["cannot read", missing.to_str().unwrap(), "No such file"];
    scan(&out).args([&there, &missing]).run().exits(2).says(&said);
    assert!(!out.exists());
}

#[test]
fn a_folder_as_input_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    scan(&out).args([folder.path()]).run().exits(2).says(&["cannot read", "it is a folder; name its files"]);
    assert!(!out.exists());
}
