//! What is written has an owner, and what was redacted stays redacted.

use super::{spans::found, *};

// 9. A copy of personal data has an owner: nobody else can read it.

#[test]
fn outputs_are_for_their_owner_only_while_they_are_written_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/out");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let check = || {
        for name in names_in(&out) {
            assert_eq!(mode(&out.join(&name)), 0o600, "{name}");
        }
        assert_eq!(mode(&out), 0o700);
        assert_eq!(mode(&folder.path().join("deep")), 0o700);
    };
    // Whatever the umask allows.
    let mut running = Running::start(scan(&out).after_shell("umask 000"));
    running.write_until_it_reads(lines([&transcript("t-1").customer("Hello.")]).repeat(200).as_bytes());
    assert_eq!(names_in(&out).len(), outputs::FILES.len());
    check();
    running.finish().exits(0);
    assert_eq!(names_in(&out), outputs::FILES);
    check();
}

#[test]
fn a_folder_that_is_there_keeps_its_mode_and_its_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o750)).unwrap();
    fs::write(out.join("mine.txt"), "mine").unwrap();
    scan(&out).input(lines([&transcript("t-1").customer("Hello.")])).run().exits(0);
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read(out.join("mine.txt")).unwrap(), b"mine");
}

// 10. What was redacted stays redacted.

#[test]
fn scanning_what_was_cleared_again_blocks_nothing_and_takes_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let ordinary = Day::new(5, date(), 1_000, Style::Normal).map(|made| made.to_json());
    let zdr = Day::new(5, date(), 400, Style::Dense).map(|mut made| {
        made.transcript.destination = "summaries-eu-zdr";
        made.to_json()
    });
    let input: Vec<String> = ordinary.chain(zdr).collect();
    scan(&folder.path().join("first")).input(text_of(&input)).run().exits(0);
    let first = Outputs::of(&folder.path().join("first"));
    let redacted = first.cleared.iter().filter(|record| record["destination"] == "summaries-eu-zdr").count();
    assert!(first.cleared.len() > 1_000 && redacted > 50, "{redacted} of {}", first.cleared.len());

    // To a destination that retains, now: no tier-1 data may be left, whatever the first destination was.
    let again: Vec<String> = first
        .cleared
        .iter()
        .map(|record| {
            let mut record = record.clone();
            record["destination"] = json!("summaries-eu");
            record.to_string()
        })
        .collect();
    scan(&folder.path().join("second")).input(text_of(&again)).run().exits(0);
    let second = Outputs::of(&folder.path().join("second"));
    let blocked: Vec<String> = second
        .review
        .iter()
        .chain(&second.held)
        .map(|record| format!("{} {:?}", record["decision"]["reasons"], found(record)))
        .collect();
    assert_eq!(blocked, [""; 0]);
    assert_eq!(second.cleared.len(), first.cleared.len());
    let mut changed = Vec::new();
    for (before, after) in first.cleared.iter().zip(&second.cleared) {
        for (before, after) in outputs::texts(before).into_iter().zip(outputs::texts(after)) {
            if before != after {
                let placeholders = |text: &str| text.matches('[').count();
                assert!(placeholders(before) < placeholders(after), "only more is redacted: {before} | {after}");
                changed.push(after.to_owned());
            }
        }
    }
    // A placeholder has fewer words than the number that stood there, so a label can reach over it to a weak one.
    assert!(changed.len() <= first.cleared.len() / 500, "{changed:?}");
}
