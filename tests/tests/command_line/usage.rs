//! Exit codes: what is wrong with the words of a command, and with a key.

use super::detect;
use maysend_tests::{AS_OF, Outputs, Patterns, lines, maysend, outputs, transcript};

#[test]
fn help_and_version_are_results() {
    let help = maysend(["--help"]).run().exits(0);
    for command in ["demo", "detect", "scan", "redecide", "check", "diff"] {
        assert!(help.text().contains(command), "{command}");
        let own = maysend([command, "--help"]).run().exits(0);
        assert!(own.text().contains("Usage:") && own.stderr.is_empty());
    }
    let version = maysend(["--version"]).run().exits(0);
    assert_eq!(version.text(), format!("maysend {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_is_2_and_says_what_is_right() {
    maysend([""; 0]).run().exits(2).says(&["Usage:"]);
    maysend(["scam"]).run().exits(2).says(&["unrecognized subcommand", "scan"]);
    maysend(["scan"]).run().exits(2).says(&["--out <DIR>"]);
    detect(["--colour"]).run().exits(2).says(&["unexpected argument '--colour'"]);
    maysend(["scan", "--quiet", "--verbose", "--out", "never-made"]).run().exits(2).says(&["cannot be used with"]);
    detect(["--plain"]).run().exits(2).says(&["`--plain` goes with `--format jsonl`"]);
    detect(["--min-confidence", "50"]).run().exits(2).says(&["write a number from 0 to 1, such as 0.5"]);
}

#[test]
fn a_wrong_date_is_2_and_says_how_one_is_written() {
    for wrong in ["yesterday", "02-03-2026", "2026-02-30", "2026-03-02T09:14", "2026-03-02T09:14:03"] {
        let said = ["write a date such as 2026-03-02 or a time such as 2026-03-02T09:14:03Z"];
        maysend(["scan", "--out", "never-made", "--as-of", wrong]).run().exits(2).says(&said);
    }
}

#[test]
fn a_wrong_country_is_2_and_names_the_right_one() {
    detect(["--packs", "NL,UK"]).run().exits(2).says(&["UK", "GB"]);
    detect(["--packs", "nl"]).run().exits(2).says(&["NL"]);
    detect(["--packs", "NL,GB"]).input("").run().exits(0);
}

#[test]
fn an_unreadable_input_is_2_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.txt");
    let ran = detect([missing.to_str().unwrap()]).run().exits(2);
    ran.says(&["cannot read", missing.to_str().unwrap(), "No such file"]);
    let erasures = ["scan", "--out", "never-made", "--erasures"];
    maysend(erasures).args([&missing]).run().exits(2).says(&["cannot read", missing.to_str().unwrap()]);
}

#[test]
fn a_blocked_document_is_1_only_when_that_is_asked_for() {
    let sent = transcript("t-1").customer("Hello.");
    let blocked = transcript("t-2").customer("mijn BSN is 111222333");
    let run = |transcripts: &[_], options: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let scan = maysend(["scan", "--as-of", AS_OF, "--out"]).args([folder.path()]).args(options);
        let ran = scan.input(lines(transcripts)).run();
        assert_eq!(Outputs::of(folder.path()).decisions.len(), transcripts.len(), "results are written all the same");
        ran
    };
    run(&[sent.clone(), blocked.clone()], &[]).exits(0);
    run(&[sent.clone(), blocked.clone()], &["--fail-on-block"]).exits(1);
    run(&[sent.clone(), sent.to("labs-free")], &["--fail-on-block"]).exits(1);
    run(&[transcript("t-1").customer("Hello.")], &["--fail-on-block"]).exits(0);
}

#[test]
fn a_key_that_is_none_is_2_and_not_repeated() {
    for wrong in ["canary", "00112233445566778899", &"00".repeat(32)] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let ran = maysend(["scan", "--out"]).args([&out]).env("MAYSEND_KEY", wrong).input("").run().exits(2);
        let ran = ran.says(&["MAYSEND_KEY", "openssl rand -hex 32"]);
        assert!(!ran.stderr.contains(wrong));
        assert!(!out.exists());
    }
}

#[test]
fn a_policy_that_hashes_needs_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    let rule = "entity = \"contact.email\"\ntier = 2\naction = \"redact\"\n";
    patterns.edit("policy.toml", rule, &format!("{rule}form = {{ kind = \"keyed_hash\" }}\n"));
    let scan = |out: &str| {
        let input = lines([&transcript("t-1").customer("I am jan@example.nl and JAN@example.nl")]);
        maysend(["scan", "--as-of", AS_OF, "--patterns", patterns.path(), "--out"])
            .args([folder.path().join(out)])
            .input(input)
    };
    scan("without").run().exits(2).says(&["contact.email", "MAYSEND_KEY", "openssl rand -hex 32"]);
    assert!(!folder.path().join("without").exists());

    scan("with").with_key().run().exits(0);
    let outputs = Outputs::of(&folder.path().join("with"));
    let text = outputs::texts(&outputs.cleared[0])[0].to_owned();
    let names: Vec<&str> = text.split(['[', ']']).skip(1).step_by(2).collect();
    assert!(names.len() == 2 && names[0] == names[1] && names[0].starts_with("EMAIL:"), "{text}");
}
