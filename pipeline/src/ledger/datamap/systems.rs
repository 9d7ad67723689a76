//! Systems that somebody declares: they get copies, and nothing here knows them by itself.

use super::{Action, Control, Row};
use crate::ledger::processing::Processing;
use jiff::{ToSpan as _, civil::Date};
use maysend_detector::source::{InvalidSources, Mistakes, SourceFile, Table};
use std::collections::{BTreeMap, BTreeSet};

/// What is declared in TOML; `examples/systems.toml` has an example of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Systems {
    /// Who sees to our own topics, stores and files.
    pub owner: String,
    /// What is declared of the processing of each tenant's data.
    pub processing: BTreeMap<String, Processing>,
    declared: Vec<(Row, Option<i64>)>,
}

impl Default for Systems {
    fn default() -> Self {
        Self { owner: "whoever runs maysend".into(), processing: BTreeMap::new(), declared: Vec::new() }
    }
}

const CONTROLS: [(&str, Control); 2] = [("ours", Control::Ours), ("theirs", Control::Theirs)];

/// What may be declared to be done. What is kept as evidence, and who owes a handoff, is known without.
const ACTIONS: [(&str, Action); 5] = [
    ("delete", Action::Delete),
    ("rewrite", Action::Rewrite),
    ("prefix", Action::Prefix),
    ("api", Action::Api),
    ("expiry", Action::Expiry),
];

impl Systems {
    /// Reads the file.
    ///
    /// # Errors
    /// All its mistakes.
    pub fn parse(name: &str, text: &str) -> Result<Self, InvalidSources> {
        let (mistakes, file) = (Mistakes::default(), SourceFile::new(name, text));
        let mut systems = Self::default();
        if let Some(mut root) = file.read(&mistakes) {
            if let Some(owner) = root.opt_string("owner") {
                systems.owner = owner;
            }
            let mut ids = BTreeSet::new();
            for mut table in root.tables("system") {
                if let Some((row, days)) = system(&mut table) {
                    if !ids.insert(row.id.clone()) {
                        table.mistake("id", format!("a second `{}`", row.id), "one table for each system");
                    }
                    systems.declared.push((row, days));
                }
                table.finish();
            }
            for mut table in root.tables("processing") {
                if let Some((tenant, processing)) = Processing::read(&mut table)
                    && systems.processing.insert(tenant.clone(), processing).is_some()
                {
                    table.mistake("tenant", format!("a second `{tenant}`"), "one table for each tenant");
                }
                table.finish();
            }
            root.finish();
        }
        let mistakes = mistakes.into_sorted();
        if mistakes.is_empty() { Ok(systems) } else { Err(InvalidSources(mistakes)) }
    }

    /// A row for each, as of a day.
    pub(super) fn rows(&self, day: Date) -> impl Iterator<Item = Row> {
        self.declared.iter().map(move |(row, days)| {
            let gone_by = days.and_then(|days| day.checked_add(days.days()).ok());
            Row { gone_by, ..row.clone() }
        })
    }
}

fn system(table: &mut Table<'_>) -> Option<(Row, Option<i64>)> {
    let text = |table: &mut Table<'_>, key: &str| {
        let text = table.string(key)?;
        if text.trim().is_empty() {
            table.mistake(key, "empty", "it says something");
            return None;
        }
        Some(text)
    };
    let id = text(table, "id");
    let name = text(table, "name");
    let copy = text(table, "copy");
    let control = table.one_of("control", &CONTROLS);
    let owner = text(table, "owner");
    let action = table.one_of("action", &ACTIONS);
    let days = table.opt_integer("gone_within_days");
    let left_behind = text(table, "left_behind");
    let evidence = table.opt_string("evidence");
    let evidence_date = table.opt_date("evidence_date");
    if let Some(wrong) = days.filter(|days| !(0..=36_525).contains(days)) {
        table.mistake("gone_within_days", format!("{wrong} days"), "from 0 to 36525");
    }
    if (control, days) == (Some(Control::Ours), None) {
        let right = "the days after which a copy is gone: what is ours has a completion date";
        table.mistake("gone_within_days", "missing", right);
    }
    if evidence.is_some() != evidence_date.is_some() {
        table.mistake("evidence_date", "evidence and its date stand together", "both, or neither where there is none");
    }
    let date = evidence_date.and_then(|(year, month, day)| Date::new(year, month, day).ok());
    if evidence_date.is_some() && date.is_none() {
        table.mistake("evidence_date", "not a day", "a day of the calendar");
    }
    let row = Row {
        id: format!("system:{}", id?),
        system: name?,
        copy: copy?,
        control: control?,
        owner: owner?,
        action: action?,
        kept: match days {
            Some(0) => "no longer than the day".into(),
            Some(1) => "1 day".into(),
            Some(days) => format!("{days} days"),
            None => "nobody has said".into(),
        },
        gone_by: None,
        left_behind: left_behind?,
        warning: evidence.is_none().then(|| "nobody has shown that this is so".into()),
        evidence,
        evidence_date: date,
        done: None,
    };
    Some((row, days))
}
