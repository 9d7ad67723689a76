//! The arithmetic that the gate was built for.
//!
//! Of 41,200 transcripts a day 144 hold data that no provider may keep. With a pattern for national numbers that also
//! takes the platform's own ticket references, 371 are blocked: 227 for nothing. Anchoring the reference brings the
//! rate back to 144 and touches no line of the policy. One full day is scanned under both rulesets.

use maysend_corpora::{
    Date, Day, Label, Labelled, Style,
    rates::{self, reference_passes_eleven_test},
    rng::Rng,
};
use maysend_tests::{AS_OF, Outputs, Patterns, maysend, names_in, outputs};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::Path,
    sync::LazyLock,
};

/// A pattern as it was before the change: it wants to find Dutch numbers however people group them, with or without
/// a country before them, and so it reads ticket references. A number that passes the check blocks by itself.
const READS_REFERENCES: &str = r#"
[[entity.pattern]]
id = "national"
regex = '(?:NL-)?(?<value>\d{4}-\d{4})'
boundary = { before = "[A-Za-z0-9_+]", after = "[A-Za-z0-9_]" }
validator = "nl.bsn"
points = { shape = 50, valid = 10, invalid = -40 }
examples = ["8842-1909", "NL-8842-1909"]
counterexamples = ["8842-1993", "NL-8842-19090"]
"#;

/// What the documents of a day hold, by their ids.
struct Truth {
    /// Labels of tier-1 data.
    tier1: BTreeMap<String, Vec<&'static str>>,
    /// Documents without any, that mention a reference which passes the check of Dutch numbers.
    passing_reference: BTreeSet<String>,
}

/// What became of a day under a ruleset.
struct Scanned {
    blocked: BTreeSet<String>,
    review: Vec<Value>,
    entities: BTreeMap<String, Value>,
    decided: usize,
}

struct Both {
    truth: Truth,
    before: Scanned,
    after: Scanned,
    /// The files that the two rulesets do not share byte for byte.
    changed: Vec<String>,
}

static DAY: LazyLock<Both> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let truth = make_day(&folder.path().join("day.jsonl"));
    let after = Patterns::copied_to(&folder.path().join("after"));
    after.append("nl.toml", READS_REFERENCES);
    let before = Patterns::copied_to(&folder.path().join("before"));
    before.append("nl.toml", READS_REFERENCES);
    before.remove_table("references.toml", "[[reference]]", "id = \"ticket\"");
    let same = |name: &String| before.read(name) == after.read(name);
    let names = names_in(Path::new(before.path()));
    assert_eq!(names, names_in(Path::new(after.path())));
    Both {
        truth,
        before: scan(folder.path(), &before, "out-before"),
        after: scan(folder.path(), &after, "out-after"),
        changed: names.into_iter().filter(|name| !same(name)).collect(),
    }
});

fn make_day(path: &Path) -> Truth {
    let mut file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    let mut truth = Truth { tier1: BTreeMap::new(), passing_reference: BTreeSet::new() };
    for made in Day::new(1, "2026-03-02".parse().unwrap(), rates::DAY, Style::Normal) {
        writeln!(file, "{}", made.to_json()).unwrap();
        let id = made.transcript.id.clone();
        if made.holds_tier1() {
            let labels = made.labels.iter().filter(|label| label.tier1);
            truth.tier1.insert(id, labels.map(|label: &Label| label.entity).collect());
        } else if made.transcript.turns.iter().any(|turn| mentions_passing_reference(&turn.text)) {
            truth.passing_reference.insert(id);
        }
    }
    file.flush().unwrap();
    truth
}

/// Whether a passing reference stands in what was said; the platform's own header line is none of it.
fn mentions_passing_reference(text: &str) -> bool {
    let said = text.lines().filter(|line| !line.starts_with("Ticket: "));
    said.flat_map(|line| line.match_indices("NL-").map(move |(at, _)| &line[at..]))
        .any(|rest| rest.get(..12).is_some_and(|token| is_reference(token) && reference_passes_eleven_test(token)))
}

fn is_reference(token: &str) -> bool {
    let shape: String = token.chars().map(|c| if c.is_ascii_digit() { 'd' } else { c }).collect();
    shape == "NL-dddd-dddd"
}

fn scan(folder: &Path, patterns: &Patterns, out: &str) -> Scanned {
    let out = folder.join(out);
    let day = folder.join("day.jsonl");
    let ran = maysend(["scan", "--quiet", "--as-of", AS_OF, "--patterns", patterns.path(), "--out"])
        .args([&out, &day])
        .run()
        .exits(0);
    assert_eq!(ran.stderr, "");
    let outputs = Outputs::of(&out);
    let blocked = outputs.decisions.iter().filter(|decision| decision["verdict"] == "block");
    let id = |record: &Value| record["transcript_id"].as_str().unwrap().to_owned();
    Scanned {
        blocked: blocked.map(id).collect(),
        entities: outputs.decisions.iter().map(|decision| (id(decision), decision["entities"].clone())).collect(),
        decided: outputs.decisions.len(),
        review: outputs.review,
    }
}

/// The range that a count lies in unless something is wrong: four standard deviations of the binomial around a mean.
fn around(mean: f64, among: u64) -> std::ops::RangeInclusive<usize> {
    let deviation = (mean * (1.0 - mean / among as f64)).sqrt();
    (mean - 4.0 * deviation).ceil() as usize..=(mean + 4.0 * deviation).floor() as usize
}

#[test]
fn a_ruleset_that_reads_references_blocks_371_of_41200() {
    let blocked = DAY.before.blocked.len();
    assert_eq!(DAY.before.decided, 41_200);
    assert!(around(371.0, rates::DAY).contains(&blocked), "{blocked}");
}

#[test]
fn with_the_reference_anchored_144_of_41200_are_blocked() {
    let blocked = DAY.after.blocked.len();
    assert_eq!(DAY.after.decided, 41_200);
    assert!(around(144.0, rates::DAY).contains(&blocked), "{blocked}");
}

#[test]
fn only_the_references_differ_and_the_policy_does_not() {
    assert_eq!(DAY.changed, ["references.toml"]);
}

#[test]
fn what_is_no_longer_blocked_is_what_mentioned_a_passing_reference() {
    let freed: BTreeSet<String> = DAY.before.blocked.difference(&DAY.after.blocked).cloned().collect();
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
    assert_eq!(only(&freed, &DAY.truth.passing_reference), [""; 0], "freed without a passing reference");
    assert_eq!(only(&DAY.truth.passing_reference, &freed), [""; 0], "a passing reference was not the cause");
    assert_eq!(only(&DAY.after.blocked, &DAY.before.blocked), [""; 0], "blocked only with the anchor");
}

#[test]
fn every_document_with_tier_1_data_is_blocked_under_both() {
    for (when, scanned) in [("before", &DAY.before), ("after", &DAY.after)] {
        let missed: Vec<_> = DAY.truth.tier1.iter().filter(|(id, _)| !scanned.blocked.contains(*id)).collect();
        let mut by_entity: BTreeMap<&str, usize> = BTreeMap::new();
        for entity in missed.iter().flat_map(|(_, entities)| entities.iter()) {
            *by_entity.entry(entity).or_default() += 1;
        }
        let of = DAY.truth.tier1.len();
        assert!(missed.is_empty(), "{when}: {} of {of} missed, by entity {by_entity:?}: {missed:?}", missed.len());
    }
}

/// A fortnight has some two thousand documents with tier-1 data, every kind in every language among them; only these
/// are scanned.
#[test]
fn every_document_of_a_fortnight_with_tier_1_data_is_blocked() {
    let folder = tempfile::tempdir().unwrap();
    let mut day: Date = "2026-03-03".parse().unwrap();
    let mut made: Vec<Labelled> = Vec::new();
    for _ in 0..14 {
        made.extend(Day::new(2, day, rates::DAY, Style::Normal).filter(Labelled::holds_tier1));
        day = day.plus(1);
    }
    assert!(made.len() > 1_800);
    let input: String = made.iter().map(|made| made.to_json() + "\n").collect();
    let out = folder.path().join("out");
    maysend(["scan", "--quiet", "--as-of", "2026-03-20", "--out"]).args([&out]).input(input).run().exits(0);
    let outputs = Outputs::of(&out);
    let mut by_entity: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missed = Vec::new();
    for (made, decision) in made.iter().zip(&outputs.decisions) {
        assert_eq!(decision["transcript_id"], made.transcript.id);
        if decision["verdict"] == "send" {
            for label in made.labels.iter().filter(|label| label.tier1) {
                *by_entity.entry(label.entity).or_default() += 1;
                missed.push(line_around(made, label));
            }
        }
    }
    assert!(missed.is_empty(), "of {} missed {by_entity:?}:\n{}", made.len(), missed.join("\n"));
}

/// The line in which a label stands, for whoever has to mend a pattern.
fn line_around(made: &Labelled, label: &Label) -> String {
    let text = &made.transcript.turns[label.turn].text;
    let start = text[..label.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[label.end..].find('\n').map_or(text.len(), |at| label.end + at);
    format!("{} {}: {}", made.transcript.id, label.entity, &text[start..end])
}

#[test]
fn of_the_other_documents_at_most_one_in_10000_is_blocked() {
    let wrongly: Vec<_> = DAY.after.blocked.iter().filter(|id| !DAY.truth.tier1.contains_key(*id)).collect();
    let entities: Vec<String> = wrongly.iter().map(|id| format!("{id} {}", DAY.after.entities[*id])).collect();
    let others = DAY.after.decided - DAY.truth.tier1.len();
    assert!(wrongly.len() <= others / 10_000, "{} of {others}: {entities:?}", wrongly.len());
}

#[test]
fn the_reference_ranks_first_among_the_causes_in_a_sample_of_200() {
    let mut documents: Vec<&Value> = DAY.before.review.iter().collect();
    assert_eq!(documents.len(), DAY.before.blocked.len(), "every blocked document can be judged by a reviewer");
    Rng::new(200, &[]).shuffle(&mut documents);
    let mut ranks: BTreeMap<String, usize> = BTreeMap::new();
    for document in &documents[..200] {
        for cause in causes(document) {
            *ranks.entry(cause).or_default() += 1;
        }
    }
    let reference = ranks.remove("ticket reference").unwrap_or(0);
    assert!(ranks.values().all(|count| *count < reference), "{reference} ticket references; {ranks:?}");
    let share = 200.0 * rates::FALSE_BSN_PER_DAY as f64 / 371.0;
    assert!(around(share, 200).contains(&reference), "{reference} of 200; {ranks:?}");
}

/// What a reviewer writes down as the cause of a block: for each finding that is strong enough to refuse a document,
/// what it is about.
fn causes(document: &Value) -> BTreeSet<String> {
    let texts = outputs::texts(document);
    let of_tier1: BTreeSet<&str> = document["decision"]["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|reason| reason["entities"].as_array().unwrap())
        .map(|entity| entity.as_str().unwrap())
        .collect();
    let number = |finding: &Value, member: &str| finding[member].as_u64().unwrap() as usize;
    document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| of_tier1.contains(finding["entity"].as_str().unwrap()))
        .filter(|finding| finding["points"].as_i64().unwrap() >= 40)
        .map(|finding| {
            let (start, end) = (number(finding, "start"), number(finding, "end"));
            let token = texts[number(finding, "turn")].get(start.saturating_sub(3)..end);
            match token {
                Some(token) if is_reference(token) => "ticket reference".to_owned(),
                _ => finding["entity"].as_str().unwrap().to_owned(),
            }
        })
        .collect()
}
