//! The examples of records of a platform's own shape.

use crate::Patterns;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file of an example.
pub fn file(example: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/mapped").join(example).join(name)
}

/// Its records, a line each.
pub fn records(example: &str) -> impl Iterator<Item = String> {
    let text = fs::read_to_string(file(example, "records.jsonl")).expect("its records");
    text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Lays its mapping beside the other files of a ruleset.
pub fn map(patterns: &Patterns, example: &str) {
    patterns.write("input.toml", &fs::read_to_string(file(example, "input.toml")).expect("its mapping"));
}

/// A cleared record without the gate's own members.
pub fn shape(cleared: &Value) -> Value {
    let mut record = cleared.clone();
    record.as_object_mut().expect("an object").shift_remove("maysend").expect("the gate's own members");
    record
}
