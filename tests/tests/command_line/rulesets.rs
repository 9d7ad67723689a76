//! Rulesets that a command is given.

use super::detect;
use maysend_tests::{AS_OF, Outputs, Patterns, lines, maysend, transcript};
use std::fs;

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
