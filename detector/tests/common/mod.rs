//! What the detector's tests share: the built-in files, and the cases that are written as data.

#![allow(dead_code, reason = "each test program uses its part")]

use maysend_detector::{Detector, EVIDENCE, REFERENCES, Role, Turn, load, source::SourceFile};
use serde::Deserialize;
use std::{fs, path::PathBuf, sync::LazyLock};

/// Files of the ruleset that are the policy's, not the detector's.
const POLICY_FILES: [&str; 4] = ["policy.toml", "tenants.toml", "destinations.toml", "templates.toml"];

/// The detector's files, as they stand in `patterns/`.
pub fn files() -> Vec<SourceFile> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../patterns");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml") && !POLICY_FILES.contains(&name.as_str()))
        .collect();
    names.sort();
    names.into_iter().map(|name| SourceFile::new(&name, fs::read_to_string(folder.join(&name)).unwrap())).collect()
}

/// A ruleset of one family beside the built-in weights and no references.
pub fn with_entities(toml: &str) -> Vec<SourceFile> {
    let mut files: Vec<SourceFile> = files().into_iter().filter(|file| file.name == EVIDENCE).collect();
    files.push(SourceFile::new("x.toml", toml));
    files.push(SourceFile::new(REFERENCES, ""));
    files
}

/// The built-in detector.
pub static DETECTOR: LazyLock<Detector> = LazyLock::new(|| load(&files()).unwrap_or_else(|error| panic!("{error}")));

/// A file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    #[serde(default)]
    pub case: Vec<Case>,
}

/// One case: a document, and what must come of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// One text by a customer; or `turns`.
    pub text: Option<String>,
    /// (role, text) for each turn.
    #[serde(default)]
    pub turns: Vec<(String, String)>,
    /// Country packs.
    #[serde(default)]
    pub packs: Vec<String>,
    /// The findings, all of them for the entities in `of`, or for all.
    #[serde(default)]
    pub find: Vec<Expected>,
    /// Look at findings of these entities only.
    #[serde(default)]
    pub of: Vec<String>,
    /// References that hid something.
    #[serde(default)]
    pub suppressed: Vec<String>,
}

/// A finding that must be there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub entity: String,
    /// The exact text of its span.
    pub text: String,
    #[serde(default)]
    pub turn: usize,
    /// Of one that is split over turns the other pieces, each its turn and text.
    #[serde(default)]
    pub more: Vec<(usize, String)>,
    /// Points at least.
    pub from: Option<i32>,
    /// Points at most.
    pub to: Option<i32>,
    /// What the validator said: `valid`, `invalid` or `unchecked`.
    pub verdict: Option<String>,
    /// Entities that are among its rivals; an empty list means that it has none.
    pub rivals: Option<Vec<String>>,
}

impl Case {
    /// The document.
    pub fn document(&self) -> Vec<Turn<'_>> {
        match &self.text {
            Some(text) => vec![Turn { role: Role::Customer, text }],
            None => self.turns.iter().map(|(role, text)| Turn { role: role_named(role), text }).collect(),
        }
    }
}

fn role_named(name: &str) -> Role {
    match name {
        "customer" => Role::Customer,
        "agent" => Role::Agent,
        "bot" => Role::Bot,
        "other" => Role::Other,
        _ => panic!("unknown role {name}"),
    }
}

/// Every case of `tests/cases`, with the name of its file.
pub fn cases() -> Vec<(String, Case)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let suite: Suite =
            toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
        cases.extend(suite.case.into_iter().map(|case| (name.clone(), case)));
    }
    assert!(!cases.is_empty());
    cases
}
