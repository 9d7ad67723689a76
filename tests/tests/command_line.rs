//! The command line: what scripts rely on, and what a person reads when something is wrong.

use maysend_tests::{AS_OF, Outputs, Patterns, Program, Ran, lines, maysend, outputs, transcript};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Stdio};

const CARD_LINE: &str = "My card number is 4111 1111 1111 1111, thanks";

fn detect<'a>(args: impl IntoIterator<Item = &'a str>) -> Program {
    maysend(["detect", "--as-of", AS_OF]).args(args)
}

fn jsonl(id: &Value, text: &str) -> String {
    format!("{}\n", json!({"id": id, "text": text}))
}

// Exit codes.

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

// Rulesets.

#[test]
fn all_mistakes_of_a_ruleset_are_listed_at_once_with_file_line_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("policy.toml", "[intake]\n", "[intake]\nexempt_tenants = [\"acme\"]\n");
    patterns.edit("tenants.toml", "region = \"EU\"", "region = \"EUROPE\"");
    patterns.edit("tenants.toml", "packs = [\"NL\"", "packs = [\"UK\"");
    patterns.append(
        "nl.toml",
        "[[entity.pattern]]\nid = \"x\"\nregex = 'a*'\nvalidator = \"nl.bns\"\npoints = { shape = 1 }\nsecret = 1\n",
    );
    let line_of = |file: &str, text: &str| {
        1 + patterns.read(file).lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"))
    };
    let out = folder.path().join("out");
    let ran = maysend(["scan", "--patterns", patterns.path(), "--out"]).args([&out]).input("").run().exits(2);
    ran.says(&[
        &format!("nl.toml:{}", line_of("nl.toml", "nl.bns")),
        &format!("nl.toml:{}", line_of("nl.toml", "secret = 1")),
        "nl.bns",
    ]);
    assert!(!out.exists());

    patterns.write("nl.toml", &fs::read_to_string(maysend_tests::rulesets::reviewed().join("nl.toml")).unwrap());
    let ran = maysend(["detect", "--patterns", patterns.path()]).input("").run().exits(2);
    ran.says(&[
        &format!("policy.toml:{}", line_of("policy.toml", "exempt_tenants")),
        "exempt_tenants",
        &format!("tenants.toml:{}", line_of("tenants.toml", "EUROPE")),
        &format!("tenants.toml:{}", line_of("tenants.toml", "\"UK\"")),
        "GB",
    ]);
}

#[test]
fn mistakes_in_patterns_do_not_hide_those_in_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("nl.toml", "id = \"nl.bsn\"", "id = \"nl.bsn\"\nnonsense = 1");
    patterns.edit("policy.toml", "[intake]\n", "[intake]\nexempt_tenants = [\"acme\"]\n");
    let ran = maysend(["detect", "--patterns", patterns.path()]).input("").run().exits(2);
    ran.says(&["nl.toml:", "nonsense", "policy.toml:", "exempt_tenants"]);
}

#[test]
fn a_folder_without_a_ruleset_is_2_and_says_what_one_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    detect(["--patterns", path]).run().exits(2).says(&[path, "holds no `.toml` file", "patterns/"]);
    let missing = format!("{path}/missing");
    detect(["--patterns", &missing]).run().exits(2).says(&["cannot read the ruleset folder", &missing]);
}

#[test]
fn the_reviewed_folder_is_the_ruleset_that_is_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let digest = |options: &[&str], out: &str| {
        let out = folder.path().join(out);
        let scan = maysend(["scan", "--as-of", AS_OF, "--out"]).args([&out]).args(options);
        scan.input(lines([&transcript("t-1").customer("Hello.")])).run().exits(0);
        Outputs::of(&out).decisions[0]["ruleset"].clone()
    };
    let reviewed = maysend_tests::rulesets::reviewed();
    assert_eq!(digest(&[], "built-in"), digest(&["--patterns", reviewed.to_str().unwrap()], "folder"));
}

// What `detect` reads and prints.

#[test]
fn findings_are_lines_with_file_line_and_column_and_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.txt");
    fs::write(&file, format!("Hello.\n\nÉén: {CARD_LINE}\n")).unwrap();
    let name = file.to_str().unwrap();
    let ran = detect([name]).run().exits(0);
    let start = format!("{name}:3:24: payment.card tier 1 ");
    assert!(ran.text().starts_with(&start), "{}", ran.text());
    assert!(ran.text().ends_with(" **** **** **** ****\n"), "{}", ran.text());
    assert_eq!(ran.stderr, "");

    let shown = detect(["--show-text", name]).run().exits(0);
    assert!(shown.text().ends_with(" 4111 1111 1111 1111\n"), "{}", shown.text());
}

#[test]
fn standard_input_is_read_for_a_dash_and_for_nothing() {
    for args in [&[][..], &["-"]] {
        let ran = detect(args.iter().copied()).input(CARD_LINE).run().exits(0);
        assert!(ran.text().starts_with("-:1:19: payment.card tier 1 "), "{}", ran.text());
    }
    let nothing = detect(["-"]).input("").run().exits(0);
    assert!(nothing.stdout.is_empty() && nothing.stderr.is_empty());
}

#[test]
fn a_folder_stands_for_the_files_below_it_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for below in [".git", "b", ".hidden"] {
        fs::create_dir(at(below)).unwrap();
    }
    for name in ["c.txt", "a.txt", "b/inner.txt", ".hidden/x.txt", ".secret", "ignored.log"] {
        fs::write(at(name), CARD_LINE).unwrap();
    }
    fs::write(at("picture.png"), format!("\0{CARD_LINE}")).unwrap();
    fs::write(at(".gitignore"), "*.log\n").unwrap();
    let path = folder.path().to_str().unwrap();
    let ran = detect([path]).run().exits(0);
    let files: Vec<&str> = ran.text().lines().map(|line| line.split(':').next().unwrap()).collect();
    let expected = ["a.txt", "b/inner.txt", "c.txt"].map(|name| format!("{path}/{name}"));
    assert_eq!(files, expected);

    let named = detect([at("ignored.log").to_str().unwrap(), at("picture.png").to_str().unwrap()]).run().exits(0);
    assert_eq!(named.text().lines().count(), 2, "a file that is named is read whatever it is");
}

#[test]
fn json_lines_have_the_documented_members_and_ids_as_they_came() {
    let ids = [json!(17), json!("t-1"), json!(null), json!({"a": [1.50]}), json!("é\u{1F600}")];
    let input: String = ids.iter().map(|id| jsonl(id, CARD_LINE)).collect();
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(0);
    let answers = ran.json();
    assert_eq!(answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), ids);
    for answer in &answers {
        let members: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(members, ["id", "findings"]);
        let finding = answer["findings"][0].as_object().unwrap();
        let members: Vec<&String> = finding.keys().collect();
        assert_eq!(members, ["entity", "start", "end", "points", "confidence", "pattern", "validated"]);
        assert_eq!((&finding["entity"], &finding["validated"]), (&json!("payment.card"), &json!(true)));
        assert_eq!((&finding["start"], &finding["end"]), (&json!(18), &json!(37)));
    }
}

#[test]
fn an_id_is_echoed_byte_for_byte() {
    let input = "{\"id\": 1.50e+01, \"text\": \"x\"}\n{\"id\":\"\\u00e9\",\"text\":\"x\",\"more\":1}\n";
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(0);
    assert_eq!(ran.text(), "{\"id\":1.50e+01,\"findings\":[]}\n{\"id\":\"\\u00e9\",\"findings\":[]}\n");
}

#[test]
fn one_line_answers_one_line_in_order_however_many() {
    let input: String = (0..5_000).map(|n| jsonl(&json!(n), if n % 3 == 0 { CARD_LINE } else { "Hello." })).collect();
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(0);
    let answers = ran.json();
    assert_eq!(answers.len(), 5_000);
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], json!(n));
        assert_eq!(answer["findings"].as_array().unwrap().len(), usize::from(n % 3 == 0));
    }
}

#[test]
fn offsets_are_bytes_of_the_text_and_findings_stand_in_order() {
    let text =
        "é\u{1F600} jan@example.nl, 4111 1111 1111 1111 and mijn BSN is 111222333 \u{1F600} én NL91 ABNA 0417 1643 00";
    let ran = detect(["--format", "jsonl", "--show-text"]).input(jsonl(&json!(1), text)).run().exits(0);
    let answers = ran.json();
    let findings = answers[0]["findings"].as_array().unwrap();
    let entities: Vec<&str> = findings.iter().map(|finding| finding["entity"].as_str().unwrap()).collect();
    assert_eq!(entities, ["contact.email", "payment.card", "nl.bsn", "iban"]);
    for finding in findings {
        let at = |member: &str| finding[member].as_u64().unwrap() as usize;
        assert_eq!(text.get(at("start")..at("end")), finding["text"].as_str());
    }
}

#[test]
fn plain_text_is_answered_line_by_line_under_its_number() {
    let input = format!("{CARD_LINE}\n\nHello.\r\n{CARD_LINE}");
    let ran = detect(["--format", "jsonl", "--plain"]).input(input).run().exits(0);
    let answers = ran.json();
    let seen: Vec<(u64, usize)> = answers
        .iter()
        .map(|answer| (answer["id"].as_u64().unwrap(), answer["findings"].as_array().unwrap().len()))
        .collect();
    assert_eq!(seen, [(1, 1), (2, 0), (3, 0), (4, 1)]);
}

#[test]
fn a_line_that_is_no_json_is_2_with_its_place_and_without_its_text() {
    let input = format!("{}canary 4111 1111 1111 1111\n", jsonl(&json!(1), "x"));
    let ran = detect(["--format", "jsonl"]).input(input).run().exits(2);
    let ran = ran.says(&["-:2: ", "write such an object a line, or give `--plain`"]);
    assert!(!ran.stderr.contains("canary") && !ran.stderr.contains("4111"));
    let input = [jsonl(&json!(1), "x").as_bytes(), b"canary \xFF\n"].concat();
    detect(["--format", "jsonl"]).input(input).run().exits(2).says(&["-:2: not UTF-8"]);
}

#[test]
fn by_default_what_the_policy_would_redact_is_shown_and_at_confidence_0_everything() {
    // Eight digits may be the number of an identity card, and nothing says what they are: too weak to be redacted.
    let weak = jsonl(&json!(1), "It says 41270009 here.");
    let count = |options: &[&str]| {
        let args = ["--format", "jsonl"].into_iter().chain(options.iter().copied());
        detect(args).input(weak.clone()).run().exits(0).json()[0]["findings"].as_array().unwrap().len()
    };
    assert_eq!(count(&[]), 0);
    assert!(count(&["--min-confidence", "0"]) > 0);
    assert_eq!(count(&["--min-confidence", "0.9"]), 0);
}

#[test]
fn an_explanation_says_why_and_shows_no_text() {
    let text = "My card number is 4111 1111 1111 1112, see NL-8842-1909.";
    let ran = detect(["--explain"]).input(text).run().exits(0);
    for part in ["payment.card/sixteen", "found", "ticket", "**** **** **** ****"] {
        assert!(ran.text().contains(part), "{part}: {}", ran.text());
    }
    assert!(!ran.text().contains("4111") && !ran.text().contains("1909"));
    let ran = detect(["--explain", "--format", "jsonl"]).input(jsonl(&json!(1), text)).run().exits(0);
    let answers = ran.json();
    let outcomes: Vec<&str> =
        answers[0]["explanations"].as_array().unwrap().iter().map(|e| e["outcome"].as_str().unwrap()).collect();
    assert!(outcomes.contains(&"found") && outcomes.contains(&"suppressed by ticket"), "{outcomes:?}");
}

#[test]
fn bytes_that_are_no_text_keep_every_offset_true() {
    let bytes = [b"\xFF\xFE", CARD_LINE.as_bytes()].concat();
    let ran = detect([""; 0]).input(bytes).run().exits(0);
    assert!(ran.text().starts_with("-:1:21: payment.card"), "{}", ran.text());
}

// Where things are printed, and how.

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
