//! Walks records and counts what stands where.

use super::{
    PlaceReport,
    places::{Places, Step, Use},
};
use crate::{ruleset::Ruleset, wire::Json};
use maysend_detector::{Options, Role, Turn};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
};

/// The longest name that is shown.
const LONGEST_NAME: usize = 64;

/// An object with more members than this, none of which leads to what is read, is a map by keys of the platform's: it
/// is shown with `*` for its names.
const MOST_MEMBERS: usize = 32;

/// The most places that are shown. What is beyond is counted as one.
const MOST_PLACES: usize = 1000;

/// The place of what is beyond.
const BEYOND: &str = "(further places)";

/// A string of so many characters with so many blanks is probably something that a person wrote.
const TEXT_CHARS: usize = 24;
const TEXT_BLANKS: usize = 3;

/// Counts of a place.
#[derive(Clone, Default)]
struct Counts {
    records: u64,
    values: u64,
    texts: u64,
    longest_text: u64,
    /// The last record that was counted.
    last: u64,
}

impl Counts {
    fn value(&mut self, record: u64, text: Option<&str>) {
        self.present(record);
        self.values += 1;
        if let Some(text) = text.filter(|text| reads_like_text(text)) {
            self.texts += 1;
            self.longest_text = self.longest_text.max(text.chars().count() as u64);
        }
    }

    fn present(&mut self, record: u64) {
        self.records += u64::from(self.last != record);
        self.last = record;
    }

    fn report(&self, pointer: String, member: Option<&'static str>) -> PlaceReport {
        let Self { records, values, texts, longest_text, last: _ } = *self;
        // Of what is read, that it reads like text is as it should be.
        let (texts, longest_text) = if member.is_some() { (0, 0) } else { (texts, longest_text) };
        PlaceReport { pointer, member, records, values, texts, longest_text }
    }
}

fn reads_like_text(text: &str) -> bool {
    text.chars().nth(TEXT_CHARS - 1).is_some()
        && text.chars().filter(|c| c.is_whitespace()).nth(TEXT_BLANKS - 1).is_some()
}

/// A walk through many records.
pub(super) struct Walk<'r> {
    ruleset: &'r Ruleset,
    places: Places,
    show_text: bool,
    record: u64,
    /// By the position of each known place.
    known: Vec<Counts>,
    /// By pointer.
    dropped: BTreeMap<String, Counts>,
    /// Names as they are shown.
    names: HashMap<String, String>,
}

impl<'r> Walk<'r> {
    pub(super) fn new(ruleset: &'r Ruleset, places: Places, show_text: bool) -> Self {
        let known = vec![Counts::default(); places.0.len()];
        let (dropped, names) = (BTreeMap::new(), HashMap::new());
        Self { ruleset, places, show_text, record: 0, known, dropped, names }
    }

    pub(super) fn shows_text(&self) -> bool {
        self.show_text
    }

    pub(super) fn record(&mut self, json: &Json) {
        self.record += 1;
        self.visit(json, &mut Vec::new(), &mut String::new());
    }

    /// `shown` is the path as a report has it.
    fn visit(&mut self, json: &Json, path: &mut Vec<Step>, shown: &mut String) {
        if let Some(at) = self.places.find(path) {
            count_below(json, self.record, &mut self.known[at]);
            return;
        }
        let length = shown.len();
        match json {
            Json::Null => {}
            Json::Bool(_) | Json::Number(_) => self.drop(shown, None),
            Json::String(text) => self.drop(shown, Some(text)),
            Json::Array(items) => {
                shown.push_str("/*");
                path.push(Step::Position);
                items.iter().for_each(|item| self.visit(item, path, shown));
                path.pop();
                shown.truncate(length);
            }
            Json::Object(members) => {
                let as_map = members.len() > MOST_MEMBERS && !self.places.leads_on(path);
                for (name, value) in members {
                    let name_shown = if as_map { "*".into() } else { self.shown(name) };
                    let _ = write!(shown, "/{}", name_shown.replace('~', "~0").replace('/', "~1"));
                    path.push(Step::Member(name.clone()));
                    self.visit(value, path, shown);
                    path.pop();
                    shown.truncate(length);
                }
            }
        }
    }

    fn drop(&mut self, shown: &str, text: Option<&str>) {
        let key = match self.dropped.len() < MOST_PLACES || self.dropped.contains_key(shown) {
            true => shown,
            false => BEYOND,
        };
        match self.dropped.get_mut(key) {
            Some(counts) => counts.value(self.record, text),
            None => self.dropped.entry(key.into()).or_default().value(self.record, text),
        }
    }

    /// A name as it may be shown: what is found in it is not, nor is what is too long to be a name.
    pub(super) fn shown(&mut self, name: &str) -> String {
        if let Some(shown) = self.names.get(name) {
            return shown.clone();
        }
        let shown = match self.show_text {
            true => name.escape_debug().to_string(),
            false => self.masked(name),
        };
        if self.names.len() >= 10 * MOST_PLACES {
            self.names.clear();
        }
        self.names.insert(name.into(), shown.clone());
        shown
    }

    fn masked(&self, name: &str) -> String {
        if name.len() > LONGEST_NAME {
            return "[LONG_NAME]".into();
        }
        let found = self.ruleset.detector.detect(&[Turn { role: Role::Other, text: name }], &Options::default());
        let policy = &self.ruleset.rules.policy;
        match found.findings.iter().max_by_key(|finding| finding.points) {
            Some(finding) => format!("[{}]", policy.rule(finding.entity.as_str()).label),
            None => name.escape_debug().to_string(),
        }
    }

    /// What was read, carried and dropped.
    pub(super) fn reports(&self) -> (Vec<PlaceReport>, Vec<PlaceReport>, Vec<PlaceReport>) {
        let (mut read, mut carried) = (Vec::new(), Vec::new());
        for (known, counts) in self.places.0.iter().zip(&self.known) {
            let pointer = shown_steps(&known.steps);
            match known.used {
                Use::Read(member) => read.push(counts.report(pointer, Some(member))),
                Use::Carried => carried.push(counts.report(pointer, None)),
            }
        }
        let dropped = self.dropped.iter().map(|(pointer, counts)| counts.report(pointer.clone(), None));
        (read, carried, dropped.collect())
    }

    /// Texts that nothing reads, and what is read or carried of no record.
    pub(super) fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        for (pointer, counts) in self.dropped.iter().filter(|(_, counts)| counts.texts > 0) {
            hints.push(format!(
                "{pointer}: texts of up to {} characters in {} records, which nothing reads; if people said this, it needs a \
                 table [[turns]]",
                counts.longest_text, counts.records
            ));
        }
        for (known, _) in self.places.0.iter().zip(&self.known).filter(|(_, counts)| counts.records == 0) {
            let pointer = shown_steps(&known.steps);
            match known.used {
                Use::Carried => hints.push(format!("{pointer}: it is to be carried, and no record has it")),
                Use::Read(member) if self.ruleset.rules.mapping.is_some() => {
                    hints.push(format!("{pointer}: it is to be read as {member}, and no record has it"));
                }
                Use::Read(_) => {}
            }
        }
        hints
    }
}

/// Counts strings and numbers.
fn count_below(json: &Json, record: u64, counts: &mut Counts) {
    match json {
        Json::Null => {}
        Json::Bool(_) => counts.present(record),
        Json::Number(_) => counts.value(record, None),
        Json::String(text) => counts.value(record, Some(text)),
        Json::Array(items) => items.iter().for_each(|item| count_below(item, record, counts)),
        Json::Object(members) => members.iter().for_each(|(_, value)| count_below(value, record, counts)),
    }
}

/// The path of a known place, which comes from configuration.
fn shown_steps(steps: &[Step]) -> String {
    steps.iter().fold(String::new(), |mut shown, step| {
        match step {
            Step::Position => shown.push_str("/*"),
            Step::Member(name) => {
                let _ = write!(shown, "/{}", name.replace('~', "~0").replace('/', "~1"));
            }
        }
        shown
    })
}
