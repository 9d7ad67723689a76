//! The schemas against what the program really writes: neither can change without the other.

use jsonschema::Validator;
use maysend::schema::{ALL, Named};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const KEY: &str = "f3a1c05e7b92d4486a1fe0933c57b8d2146e9fa07d38c2b5e0814f6a2d9b7c31";

/// The files that `scan` writes, and what a line of each is.
const FILES: [(&str, &str); 6] = [
    ("reservations", "reservation"),
    ("cleared", "cleared"),
    ("review", "review"),
    ("held", "held"),
    ("decisions", "decision"),
    ("dead-letter", "dead-letter"),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

fn schema(name: &str) -> Value {
    Named::of_name(name).unwrap().schema()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::options().should_validate_formats(true).build(schema).unwrap()
}

/// The schema with no room for carried members: the built-in policy carries none.
fn closed(name: &str) -> Validator {
    let mut schema = schema(name);
    if schema.get("additionalProperties").is_none() && schema.get("unevaluatedProperties").is_none() {
        schema["unevaluatedProperties"] = false.into();
    }
    validator(&schema)
}

#[track_caller]
fn is_valid(validator: &Validator, record: &Value) {
    let mistakes: Vec<String> =
        validator.iter_errors(record).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(mistakes.is_empty(), "{mistakes:#?}\n{record:#}");
}

fn maysend(arguments: &[&str], folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_maysend"));
    let output = command.args(arguments).current_dir(folder).env_clear().env("MAYSEND_KEY", KEY).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Scans the examples and what a broken producer would send; where it is asked for, with a destination in shadow mode.
fn scanned(shadow: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let patterns = folder.path().join("patterns");
    fs::create_dir(&patterns).unwrap();
    for file in fs::read_dir(repository().join("patterns")).unwrap() {
        let file = file.unwrap();
        let mut text = fs::read_to_string(file.path()).unwrap();
        if shadow && file.file_name() == "policy.toml" {
            text += "[mode.destination.summaries-eu]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"nobody\"\n";
        }
        fs::write(patterns.join(file.file_name()), text).unwrap();
    }
    let mut input = fs::read(repository().join("examples/transcripts.jsonl")).unwrap();
    input.extend(b"{\"id\": \"\xff\"}\n");
    fs::write(folder.path().join("input.jsonl"), input).unwrap();
    let scan = ["scan", "--patterns", "patterns", "--as-of", "2026-03-02", "--out", "out", "input.jsonl", "--quiet"];
    maysend(&scan, folder.path());
    folder
}

#[test]
fn every_schema_is_one() {
    for named in ALL {
        let schema = named.schema();
        jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{}: {error}", named.name));
        let start: Vec<&str> = schema.as_object().unwrap().keys().take(4).map(String::as_str).collect();
        assert_eq!(start, ["$schema", "$id", "title", "description"]);
        assert!(!schema.to_string().contains("\"$ref\""), "{} refers to another", named.name);
    }
}

#[test]
fn schemas_are_golden() {
    for named in ALL {
        let text = serde_json::to_string_pretty(&named.schema()).unwrap() + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/schema/{}.json", named.name));
        if std::env::var_os("MAYSEND_TEST_WRITE_GOLDEN").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            golden, text,
            "{} differs; if that is meant, run this test with MAYSEND_TEST_WRITE_GOLDEN=1",
            named.name
        );
    }
}

#[test]
fn every_record_that_is_written_is_valid() {
    let (findings, transcripts) = (validator(&schema("finding")), validator(&schema("transcript")));
    for shadow in [false, true] {
        let folder = scanned(shadow);
        let out = folder.path().join("out");
        for (file, name) in FILES {
            let validator = closed(name);
            let records = records(&out.join(format!("{file}.jsonl")));
            assert!(!records.is_empty(), "no {name}");
            for record in &records {
                // In shadow mode the record goes out as it was read.
                let as_read = name == "cleared" && record["attempt"].is_null();
                assert!(shadow || !as_read);
                is_valid(if as_read { &transcripts } else { &validator }, record);
                record["findings"].as_array().into_iter().flatten().for_each(|finding| is_valid(&findings, finding));
            }
        }
        if shadow {
            let cleared = records(&out.join("cleared.jsonl"));
            assert!(cleared.iter().any(|record| record["attempt"].is_null()), "nothing is in shadow mode");
            continue;
        }
        let redecide = ["redecide", "--as-of", "2026-03-03", "--out", "again", "out/held.jsonl", "--quiet"];
        maysend(&redecide, folder.path());
        let again = records(&folder.path().join("again/decisions.jsonl"));
        assert!(again.iter().all(|record| record["previous_attempt"].is_string()));
        again.iter().for_each(|record| is_valid(&closed("decision"), record));
    }
}

#[test]
fn every_record_of_another_shape_is_valid() {
    let folder = scanned(false);
    for name in ["tickets", "conversations"] {
        let example = repository().join("examples/mapped").join(name);
        fs::copy(example.join("input.toml"), folder.path().join("patterns/input.toml")).unwrap();
        let input = example.join("records.jsonl");
        let scan = ["scan", "--patterns", "patterns", "--as-of", "2026-03-02", "--out", name, "--quiet"];
        maysend(&[&scan[..], &[input.to_str().unwrap()]].concat(), folder.path());
        for (file, schema) in FILES {
            let schema = if file == "cleared" { validator(&self::schema("cleared-mapped")) } else { closed(schema) };
            let records = records(&folder.path().join(name).join(format!("{file}.jsonl")));
            assert!(!records.is_empty() || file == "held", "no {file}");
            for mut record in records {
                is_valid(&schema, &record);
                if let Some(own) = record.get_mut("maysend") {
                    own["surprise"] = 1.into();
                    assert!(!schema.is_valid(&record));
                }
            }
        }
    }
}

#[test]
fn the_golden_records_are_valid() {
    for name in ["decision", "reservation", "cleared", "held", "dead-letter"] {
        let path = repository().join(format!("pipeline/tests/golden/record/{name}.json"));
        let mut record = records(&path).swap_remove(0);
        // Their digests are made up, short.
        if record["ruleset"] == "sha256:bb" {
            record["ruleset"] = format!("sha256:{}", "b".repeat(64)).into();
        }
        is_valid(&validator(&schema(name)), &record);
    }
}

#[test]
fn a_member_more_or_less_is_not_valid() {
    let folder = scanned(false);
    for (file, name) in FILES {
        let validator = closed(name);
        let record = records(&folder.path().join(format!("out/{file}.jsonl"))).swap_remove(0);
        let Value::Object(members) = &record else { panic!("{name} is no object") };
        let mut more = members.clone();
        more.insert("surprise".into(), 1.into());
        assert!(!validator.is_valid(&more.into()), "{name} with another member");
        for member in members.keys() {
            let mut less: Map<String, Value> = members.clone();
            less.shift_remove(member);
            // What is there for some records only.
            let may_be_missing = ["tenant_region", "record", "record_base64", "previous_attempt"];
            let is_missed = !validator.is_valid(&less.into());
            assert_eq!(is_missed, !may_be_missing.contains(&member.as_str()), "{name} without {member}");
        }
        for object in ["/source", "/decision", "/decision/reasons/0", "/findings/0", "/turns/0", "/reasons/0"] {
            let mut more = record.clone();
            if let Some(Value::Object(members)) = more.pointer_mut(object) {
                members.insert("surprise".into(), 1.into());
                assert!(!validator.is_valid(&more), "{name} with another member in {object}");
            }
        }
        let mut other = members.clone();
        other.insert("mode".into(), "off".into());
        assert!(!validator.is_valid(&other.into()), "{name} in another mode");
        let mut other = members.clone();
        other.insert("schema".into(), 2.into());
        assert!(!validator.is_valid(&other.into()), "{name} of another version");
    }
}

#[test]
fn a_transcript_is_valid_exactly_if_it_is_read() {
    let validator = validator(&schema("transcript"));
    let whole = json!({
        "schema": 1, "id": "t-1", "tenant": "acme", "tenant_region": "EU", "customer_key": "ck_1",
        "destination": "summaries-eu", "fields": { "account_email": "a@example.com" },
        "turns": [{ "speaker": "customer", "at": "2026-03-02T09:14:03Z", "text": "Hello" }], "other": [1],
    });
    let intake = maysend::ruleset::policy::Intake::default();
    let is_read = |record: &Value| maysend::wire::decode(record.to_string().as_bytes(), &intake, None).is_ok();
    let edit = |edits: &[(&str, Value)]| {
        let mut record = whole.clone();
        for (pointer, value) in edits {
            let (parent, member) = pointer.rsplit_once('/').unwrap();
            let parent = record.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match value {
                Value::String(gone) if gone == "GONE" => drop(parent.shift_remove(member)),
                value => drop(parent.insert(member.into(), value.clone())),
            }
        }
        record
    };
    let gone = || Value::from("GONE");
    for (edits, right) in [
        (vec![], true),
        (vec![("/tenant_region", gone()), ("/customer_key", gone()), ("/fields", gone())], true),
        (vec![("/tenant_region", Value::Null), ("/customer_key", Value::Null), ("/fields", Value::Null)], true),
        (vec![("/turns/0/speaker", Value::Null), ("/turns/0/at", Value::Null)], true),
        (vec![("/turns", gone()), ("/text", "Hello".into())], true),
        (vec![("/text", "Hello".into())], false),
        (vec![("/turns", gone())], false),
        (vec![("/turns", json!([]))], false),
        (vec![("/turns/0/text", gone())], false),
        (vec![("/turns/0/text", 1.into())], false),
        (vec![("/turns/0/at", "yesterday".into())], false),
        (vec![("/schema", 2.into())], false),
        (vec![("/schema", "1".into())], false),
        (vec![("/schema", gone())], false),
        (vec![("/id", "".into())], false),
        (vec![("/tenant", gone())], false),
        (vec![("/destination", Value::Null)], false),
        (vec![("/customer_key", 7.into())], false),
        (vec![("/fields", json!([]))], false),
    ] {
        let record = edit(&edits);
        assert_eq!((validator.is_valid(&record), is_read(&record)), (right, right), "{edits:?}");
    }
    let examples = fs::read_to_string(repository().join("examples/transcripts.jsonl")).unwrap();
    // One of them is no JSON.
    for record in examples.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        assert_eq!(validator.is_valid(&record), is_read(&record), "{record}");
    }
}

#[test]
fn the_schema_of_the_configuration_takes_the_example_and_no_slip() {
    let validator = validator(&schema("config"));
    let text = fs::read_to_string(repository().join("examples/maysend.toml")).unwrap();
    let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '"') && line.contains(" = ");
    let uncommented = |line: &'_ str| line.strip_prefix('#').filter(|key| is_key(key)).unwrap_or(line).to_owned();
    let whole: String = text.lines().map(|line| uncommented(line) + "\n").collect();
    for text in [&text, &whole] {
        is_valid(&validator, &toml::from_str(text).unwrap());
    }
    for slip in [
        "[stream]\nbatch_byte = 1",
        "[stream]\nbatch_bytes = 0",
        "[kafka]\nstart = \"now\"",
        "[strem]",
        "[kafka.options]\na = 1",
    ] {
        assert!(!validator.is_valid(&toml::from_str(slip).unwrap()), "{slip}");
    }
}
