//! Reservations stand before what they are for.

use super::*;

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
