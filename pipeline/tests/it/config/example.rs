//! `examples/maysend.toml` says what is so: every key, with its default.

use maysend::config::{Effective, Environment, Kind, Origin, Setting, keys};

const EXAMPLE: &str = include_str!("../../../../examples/maysend.toml");

fn read(text: &str) -> Vec<Setting> {
    Effective::read("maysend.toml", text, &Environment::default()).unwrap_or_else(|error| panic!("{error}")).settings
}

fn name(setting: &Setting) -> String {
    format!("{}.{}", setting.section, setting.key)
}

/// Keys that do nothing, or exclude each other, with the defaults of others: what is set in place of a line, so that every
/// key can be.
const TOGETHER: [(&str, &str); 2] =
    [("protocol = \"plaintext\"", "protocol = \"sasl_ssl\""), ("token_file = \"/var/run/secrets/tokens/kafka\"", "")];

/// The example with every key set: a line such as `#key = value` without its `#`.
fn with_every_key() -> String {
    let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '"') && line.contains(" = ");
    let lines = EXAMPLE.lines().map(|line| match line.strip_prefix('#') {
        Some(key) if is_key(key) => TOGETHER.iter().find(|(line, _)| *line == key).map_or(key, |(_, set)| *set),
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_as_it_stands_sets_only_what_must_be_set() {
    let set: Vec<String> = read(EXAMPLE).iter().filter(|key| key.origin != Origin::Default).map(name).collect();
    assert_eq!(set, ["kafka.brokers"]);
}

#[test]
fn every_key_stands_in_it_with_its_default() {
    let text = with_every_key();
    let there = read(&text);
    for (line, _) in TOGETHER {
        assert!(EXAMPLE.contains(&format!("\n#{line}\n")), "{line}");
    }
    for key in keys().into_iter().filter(|key| !TOGETHER.iter().any(|(line, _)| line.starts_with(&key.key))) {
        let found = there.iter().find(|setting| name(setting) == name(&key)).unwrap();
        assert!(matches!(found.origin, Origin::File(..)), "{} is missing", name(&key));
        if key.default.is_some() {
            assert_eq!(found.value, key.default, "{}", name(&key));
        }
    }
    assert!(there.iter().any(|setting| setting.kind == Kind::Option), "options are shown");
}

#[test]
fn every_key_has_its_meaning_above_it() {
    let mut is_explained = false;
    for (number, line) in EXAMPLE.lines().enumerate() {
        if line.is_empty() {
            is_explained = false;
        } else if line.starts_with("# ") {
            is_explained = true;
        } else if line != "#" && !line.starts_with('[') {
            assert!(is_explained, "line {}: {line}", number + 1);
        }
    }
    for key in keys() {
        assert!(key.description.ends_with('.'), "{}: {}", name(&key), key.description);
    }
}
