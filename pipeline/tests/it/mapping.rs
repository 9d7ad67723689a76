//! Whatever the mapping and whatever the record, nothing unread is cleared.

use crate::rulesets::{files, ruleset};
use maysend::{
    ruleset::Ruleset,
    stages::{Coordinates, Erasures, Output, Settings, Stages},
    wire::{Pointer, Source},
};
use maysend_detector::source::SourceFile;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, sync::Arc};

/// What is found wherever it stands: in a string, as a number, as the name of a member.
const ADDRESS: &str = "canary@example.com";
const CARD: u64 = 4_111_111_111_111_111;

const NAMES: [&str; 5] = ["a", "b", "c", "schema", "turns"];

/// A mapping and what is carried, as a file and a list, and where that all stands.
#[derive(Clone, Debug)]
struct Shape {
    input: String,
    carry: Vec<String>,
    /// Pointers that cleared may have members at, with `*` for positions.
    allowed: Vec<String>,
}

fn pointers() -> impl Strategy<Value = Vec<String>> {
    let one = proptest::collection::vec(proptest::sample::select(&NAMES[..]), 1..4)
        .prop_map(|names| format!("/{}", names.join("/")));
    proptest::collection::vec(one, 40)
}

/// As many of these pointers as do not overlap, in their order.
fn apart(candidates: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for candidate in candidates {
        let pointer = Pointer::parse(candidate).unwrap();
        if kept.iter().all(|other| !Pointer::parse(other).unwrap().overlaps(&pointer)) {
            kept.push(candidate.clone());
        }
    }
    kept
}

fn shapes() -> impl Strategy<Value = Shape> {
    (pointers(), pointers(), any::<[bool; 5]>()).prop_filter_map("too few pointers", |(whole, within, choices)| {
        let (mut whole, within) = (apart(&whole).into_iter(), apart(&within));
        let [single, one, constants, times, skip] = choices;
        let mut allowed = Vec::new();
        let mut next = |allowed: &mut Vec<String>| {
            let pointer = whole.next()?;
            allowed.push(pointer.clone());
            Some(pointer)
        };
        let mut input = format!("[transcript]\nid = \"{}\"\n", next(&mut allowed)?);
        if constants {
            input += "tenant = { constant = \"acme\" }\ndestination = { constant = \"summaries-eu-zdr\" }\n";
        } else {
            let (tenant, destination) = (next(&mut allowed)?, next(&mut allowed)?);
            let _ = write!(input, "tenant = \"{tenant}\"\ndestination = \"{destination}\"\n");
        }
        let _ = writeln!(input, "fields = {{ account_email = \"{}\" }}", next(&mut Vec::new())?);
        if single {
            let _ = writeln!(input, "text = \"{}\"", next(&mut allowed)?);
        } else {
            let place = next(&mut Vec::new())?;
            let [text, speaker, at] = [within.first()?, within.get(1)?, within.get(2)?];
            let (place_key, position) = if one { ("one", "") } else { ("each", "/*") };
            allowed.extend([text, speaker, at].map(|pointer| format!("{place}{position}{pointer}")));
            let _ = write!(input, "[[turns]]\n{place_key} = \"{place}\"\ntext = \"{text}\"\nspeaker = \"{speaker}\"\nat = \"{at}\"\nskip_without_text = {skip}\n");
            if times {
                input += "time = \"epoch_seconds\"\n";
            }
        }
        let carry: Vec<String> = next(&mut allowed).into_iter().chain(next(&mut allowed)).collect();
        Some(Shape { input, carry, allowed })
    })
}

/// Any value, with canaries at every string, number and name.
fn noise() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(ADDRESS)),
        Just(json!(format!("write to {ADDRESS} please"))),
        Just(json!(CARD)),
        Just(Value::Null),
        Just(json!(true)),
    ];
    let name = prop_oneof![proptest::sample::select(&NAMES[..]).prop_map(String::from), Just(ADDRESS.to_owned())];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map(name.clone(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Puts a value at a pointer through objects; what is in the way goes.
fn put(record: &mut Value, pointer: &str, value: Value) {
    let mut at = record;
    for name in Pointer::parse(pointer).unwrap().names() {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        at = at.as_object_mut().unwrap().entry(name.clone()).or_insert(Value::Null);
    }
    *at = value;
}

/// A record that the mapping can read: noise, with what is required in its place.
fn fit(shape: &Shape, mut record: Value, turns: &[Value]) -> Value {
    let table: toml::Table = shape.input.parse().unwrap();
    let transcript = table["transcript"].as_table().unwrap();
    let mut place = |key: &str, value: &str| {
        if let Some(pointer) = transcript.get(key).and_then(|pointer| pointer.as_str()) {
            put(&mut record, pointer, json!(value));
        }
    };
    place("id", "t-1");
    place("tenant", "acme");
    place("destination", "summaries-eu-zdr");
    place("text", &format!("I am {ADDRESS}"));
    for carry in &shape.carry {
        put(&mut record, carry, turns[0].clone());
    }
    if let Some(of) = table.get("turns").map(|tables| &tables[0]) {
        let at = if of.get("time").is_some() { json!(1_772_442_843) } else { json!("2026-03-02T09:14:03Z") };
        let mut said: Vec<Value> = turns.to_vec();
        for turn in &mut said {
            put(turn, of["text"].as_str().unwrap(), json!(format!("I am {ADDRESS}")));
            put(turn, of["speaker"].as_str().unwrap(), json!(ADDRESS));
            put(turn, of["at"].as_str().unwrap(), at.clone());
        }
        match (of.get("each"), of.get("one")) {
            (Some(each), _) => put(&mut record, each.as_str().unwrap(), Value::Array(said)),
            (_, Some(one)) => put(&mut record, one.as_str().unwrap(), said.remove(0)),
            _ => unreachable!("the file was loaded"),
        }
    }
    record
}

fn with(shape: &Shape) -> Arc<Ruleset> {
    let few = [
        "contact.toml",
        "payment.toml",
        "evidence.toml",
        "references.toml",
        "templates.toml",
        "tenants.toml",
        "destinations.toml",
    ];
    let mut files: Vec<SourceFile> = files().into_iter().filter(|file| few.contains(&file.name.as_str())).collect();
    for file in &mut files {
        match file.name.as_str() {
            "references.toml" => file.text.clear(),
            "templates.toml" => file.text = file.text.split("[fields.billing_address]").next().unwrap().into(),
            _ => {}
        }
    }
    let list: Vec<String> = shape.carry.iter().map(|pointer| format!("{pointer:?}")).collect();
    let policy = format!(
        "version = 1\ndated = 2026-02-11\n[intake]\ncarry = [{}]\n[[rule]]\nfamily = \"payment\"\ntier = 2\naction = \"redact\"\n[[rule]]\nfamily = \"contact\"\ntier = 2\naction = \"redact\"\n",
        list.join(", ")
    );
    files.push(SourceFile::new("policy.toml", policy));
    files.push(SourceFile::new("input.toml", shape.input.clone()));
    ruleset(files)
}

/// Every pointer to a value that is neither object nor array, with `*` for positions.
fn leaves(value: &Value, at: &str, all: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, &format!("{at}/*"), all)),
        Value::Object(members) => members.iter().for_each(|(name, value)| leaves(value, &format!("{at}/{name}"), all)),
        _ => all.push(at.into()),
    }
}

#[test]
fn nothing_unread_is_cleared_whatever_the_mapping_and_the_record() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let as_of = "2026-03-02T12:00:00Z".parse().unwrap();
    let (mut cleared, mut carried) = (0, 0);
    for _ in 0..24 {
        let shape = shapes().new_tree(&mut runner).unwrap().current();
        let settings = Settings::new(with(&shape), None, Erasures::new(), true).unwrap();
        let stages = Stages::at(settings, as_of);
        for line in 1..100 {
            let record = noise().new_tree(&mut runner).unwrap().current();
            let turns = proptest::collection::vec(noise(), 1..4).new_tree(&mut runner).unwrap().current();
            // Some records as they come: whatever they are, they must not get through unread either.
            let record = if line % 5 == 0 { record } else { fit(&shape, record, &turns) };
            let source = Source::File { file: "f".into(), line };
            let attempt = stages.process(record.to_string().as_bytes(), &source, &Coordinates::of_line("f", line));
            for produced in attempt.outputs.iter().filter(|produced| produced.output == Output::Cleared) {
                cleared += 1;
                let text = std::str::from_utf8(&produced.value).unwrap();
                for canary in ["canary", "example.com", "4111111111111111"] {
                    assert!(!text.contains(canary), "{canary} is cleared:\n{text}\n{shape:#?}\n{record}");
                }
                let mut value: Value = serde_json::from_str(text).unwrap();
                let own = value.as_object_mut().unwrap().shift_remove("maysend").unwrap();
                assert!(own["reservation_id"].is_string());
                let mut places = Vec::new();
                leaves(&value, "", &mut places);
                for place in &places {
                    let allowed = shape.allowed.iter().any(|allowed| {
                        place.strip_prefix(allowed).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    });
                    assert!(allowed, "{place} is cleared:\n{text}\n{shape:#?}\n{record}");
                }
                let within = |carry: &String| places.iter().any(|place| place.starts_with(carry));
                carried += u64::from(shape.carry.iter().any(within));
            }
        }
    }
    assert!(cleared > 500 && carried > 500, "{cleared} {carried}");
}
