//! Every mistake in a file is reported with file, line, key, what is wrong and what would be right.

mod common;

use common::{files, with_entities};
use maysend_detector::{REFERENCES, load, source::SourceFile};

/// The mistakes of a family of this text.
fn mistakes(toml: &str) -> Vec<String> {
    let error = load(&with_entities(toml)).err().expect("it must be refused");
    error.0.iter().map(ToString::to_string).collect()
}

/// An entity with one pattern; `more` stands in the pattern's table.
fn pattern(more: &str) -> String {
    format!(
        "[[entity]]\nid = \"x.y\"\nname = \"n\"\nreference = \"r\"\n[[entity.pattern]]\nid = \"p\"\n\
         points = {{ shape = 1 }}\n{more}"
    )
}

#[track_caller]
fn assert_refused(toml: &str, expected: &[&str]) {
    assert_eq!(mistakes(toml), expected);
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_known_one() {
    assert_refused(
        &pattern("regex = 'ab'\nexamples = [\"ab\"]\nboundry = \"token\"\n"),
        &["x.toml:10: entity[0].pattern[0].boundry: unknown key; did you mean `boundary`?"],
    );
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let toml = "[[entity]]\nid = \"X\"\ncountry = \"UK\"\n[[entity.pattern]]\nid = \"p\"\nregex = '\\d+'\n\
                validator = \"nl.bns\"\npoints = { shape = 500, valid = 1, invalid = 1 }\nexamples = []\n";
    assert_refused(
        toml,
        &[
            "x.toml:1: entity[0].name: missing; it takes a string",
            "x.toml:1: entity[0].reference: missing; it takes a string",
            "x.toml:2: entity[0].id: `X` is no entity id; `family.name` in lower case, such as `nl.bsn`",
            "x.toml:3: entity[0].country: unknown country `UK`; ISO 3166-1 writes the United Kingdom `GB`",
            "x.toml:6: entity[0].pattern[0].regex: it has no bound; bound each repetition, or declare `length = \"run\"`",
            "x.toml:7: entity[0].pattern[0].validator: unknown validator `nl.bns`; did you mean `nl.bsn`?",
            "x.toml:8: entity[0].pattern[0].points.invalid: 1 points; -100 to 0 (tenths of a ban)",
            "x.toml:8: entity[0].pattern[0].points.shape: 500 points; 0 to 100 (tenths of a ban)",
            "x.toml:9: entity[0].pattern[0].examples: no example; at least one text in which the pattern must be found",
        ],
    );
}

#[test]
fn an_example_must_match_and_a_counterexample_must_not() {
    assert_refused(
        &pattern("regex = 'ab'\nexamples = [\"ab\",\n  \"cd\"]\ncounterexamples = [\"x ab\"]\n"),
        &[
            "x.toml:10: entity[0].pattern[0].examples[1]: `x.y/p` does not find its example; an example that matches and passes",
            "x.toml:11: entity[0].pattern[0].counterexamples[0]: `x.y/p` finds its counterexample; a text that it must not find",
        ],
    );
}

#[test]
fn what_breaks_linear_time_is_refused() {
    for (regex, wrong) in [
        ("a{0,3}", "it matches the empty string"),
        ("a+", "it has no bound"),
        (r"\ba", "it looks around (`^`, `$`, `\\b`)"),
        ("a{1,9999}", "not a regular expression: "),
    ] {
        let found = mistakes(&pattern(&format!("regex = '{regex}'\nexamples = [\"a\"]\n")));
        assert!(found[0].contains(wrong) || found[0].contains("it matches up to"), "{regex}: {found:?}");
    }
}

#[test]
fn an_unknown_region_is_refused() {
    let toml = pattern(
        "regex = '0\\d{9}'\nvalidator = \"phone.national\"\nregions = [\"FE\", \"UK\"]\nexamples = [\"0612345678\"]\n",
    )
    .replace("shape = 1", "shape = 1, valid = 1, invalid = -1");
    let found = mistakes(&toml);
    assert!(found.contains(
        &"x.toml:10: entity[0].pattern[0].regions[0]: unknown region `FE`; an ISO 3166-1 alpha-2 code, such as `NL`".into()
    ));
    assert!(found.contains(
        &"x.toml:10: entity[0].pattern[0].regions[1]: unknown region `UK`; ISO 3166-1 writes the United Kingdom `GB`".into()
    ));
}

#[test]
fn a_label_that_can_never_match_is_refused() {
    let toml =
        pattern("regex = 'ab'\nexamples = [\"ab\"]\n") + "[entity.context]\nnl = [\"BSN\", \"\"]\ndutch = [\"x\"]\n";
    let found = mistakes(&toml);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].ends_with("context.nl[0]: a label that can never match; lower case, no space at either end"));
    assert!(found[2].ends_with("context.dutch: no language; an ISO 639-1 code such as `nl`, or `within`"));
}

/// The built-in ruleset with other references.
fn references(toml: &str) -> Vec<String> {
    let mut files = files();
    files.retain(|file| file.name != REFERENCES);
    files.push(SourceFile::new(REFERENCES, toml));
    load(&files).err().expect("it must be refused").0.iter().map(ToString::to_string).collect()
}

fn reference(format: &str, examples: &str, neighbours: &str, hides: &str) -> String {
    format!(
        "[[reference]]\nid = \"r\"\nname = \"n\"\nformat = '{format}'\nhides = [{hides}]\nowner = \"o\"\n\
         dated = 2026-02-11\nexamples = [{examples}]\nneighbours = [{neighbours}]\n"
    )
}

#[test]
fn a_reference_that_covers_an_entity_is_refused() {
    let found = references(&reference(r"\d{9}", "\"123456789\"", "\"1234567890\"", "\"nl.bsn\""));
    assert!(
        found
            .iter()
            .any(|line| line
                .contains("references.toml:8: reference[0].examples[0]: `r` covers the form of `nl.bsn/plain`")),
        "{found:?}"
    );
}

#[test]
fn a_reference_is_held_to_its_examples_and_neighbours() {
    let found = references(&reference(r"Q-\d{4}", "\"Q-12345\"", "\"Q-1234\"", "\"nl.bns\""));
    assert_eq!(
        found,
        [
            "references.toml:5: reference[0].hides[0]: unknown entity `nl.bns`; did you mean `nl.bsn`?",
            "references.toml:8: reference[0].examples[0]: `r` does not match its example; a string that is such a reference as a whole",
            "references.toml:9: reference[0].neighbours[0]: `r` matches its neighbour; a format anchored to the whole token, or another neighbour",
        ]
    );
}

#[test]
fn a_reference_that_hides_nothing_or_has_no_neighbour_is_refused() {
    let found = references(&reference(r"Q-\d{4}", "\"Q-1234\"", "", ""));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].ends_with("hides: it hides nothing; the entities whose findings it may hide"));
}
