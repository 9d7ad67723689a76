//! What a record of processing (GDPR Art. 30(1)) says that no program can know: who is responsible, what for, whose data, and
//! how it is secured. It is declared, in the file that declares systems.

use super::datamap::escaped;
use maysend_detector::source::Table;
use serde::Serialize;
use std::fmt::Write as _;

/// What is declared of the processing of one tenant's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Processing {
    /// The controller, with an address (Art. 30(1)(a)).
    pub controller: String,
    /// Joint controllers.
    pub joint_controllers: Vec<String>,
    /// The controller's representative.
    pub representative: Option<String>,
    /// The data protection officer.
    pub data_protection_officer: Option<String>,
    /// The purposes (Art. 30(1)(b)).
    pub purposes: Vec<String>,
    /// Categories of data subjects (Art. 30(1)(c)).
    pub data_subjects: Vec<String>,
    /// Categories of personal data.
    pub personal_data: Vec<String>,
    /// Technical and organisational measures (Art. 30(1)(g)).
    pub security_measures: Vec<String>,
}

impl Processing {
    /// Reads the table of one tenant. Mistakes are kept where the file was opened.
    pub(super) fn read(table: &mut Table<'_>) -> Option<(String, Self)> {
        let list = |table: &mut Table<'_>, key: &str| -> Vec<String> {
            let items = table.strings(key);
            items.iter().filter(|item| item.value.trim().is_empty()).for_each(|item| {
                table.mistake_at(item, "empty", "it says something");
            });
            items.into_iter().map(|item| item.value).collect()
        };
        let needed = |table: &mut Table<'_>, key: &str| {
            let all = list(table, key);
            if all.is_empty() {
                table.mistake(key, "nothing is named", "at least one");
            }
            all
        };
        let tenant = table.string("tenant");
        let controller = table.string("controller");
        let processing = Self {
            controller: controller.unwrap_or_default(),
            joint_controllers: list(table, "joint_controllers"),
            representative: table.opt_string("representative"),
            data_protection_officer: table.opt_string("data_protection_officer"),
            purposes: needed(table, "purposes"),
            data_subjects: needed(table, "data_subjects"),
            personal_data: needed(table, "personal_data"),
            security_measures: needed(table, "security_measures"),
        };
        Some((tenant?, processing))
    }
}

/// A part of a record, with what is said in it.
pub(super) fn part(out: &mut String, title: &str, said: &[(&str, Vec<&str>)]) {
    let _ = write!(out, "\n## {title}\n\n");
    for (name, all) in said {
        let all: Vec<String> = all.iter().map(|one| escaped(one)).collect();
        let all = if all.is_empty() { "none".into() } else { all.join("; ") };
        let _ = writeln!(out, "- {name}: {all}");
    }
}

/// What stands in a part that nobody has declared.
pub(super) const NOT_DECLARED: &str =
    "**Not declared: give --systems FILE with a table `[[processing]]` for this tenant; see examples/systems.toml.**";

fn texts(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// The parts (a) to (c).
pub(super) fn who_and_what(out: &mut String, declared: Option<&Processing>) {
    let Some(processing) = declared else {
        let _ = write!(out, "\n## Controller, purposes, categories: Art. 30(1)(a) to (c)\n\n{NOT_DECLARED}\n");
        return;
    };
    let Processing { controller, joint_controllers, representative, data_protection_officer, .. } = processing;
    part(
        out,
        "Controller: Art. 30(1)(a)",
        &[
            ("controller", vec![controller]),
            ("joint controllers", texts(joint_controllers)),
            ("representative", representative.as_deref().into_iter().collect()),
            ("data protection officer", data_protection_officer.as_deref().into_iter().collect()),
        ],
    );
    part(out, "Purposes: Art. 30(1)(b)", &[("purposes", texts(&processing.purposes))]);
    part(
        out,
        "Categories: Art. 30(1)(c)",
        &[("data subjects", texts(&processing.data_subjects)), ("personal data", texts(&processing.personal_data))],
    );
}

/// The part (g).
pub(super) fn security(out: &mut String, declared: Option<&Processing>) {
    match declared {
        Some(processing) => {
            part(out, "Security: Art. 30(1)(g)", &[("measures", texts(&processing.security_measures))]);
        }
        None => {
            let _ = write!(out, "\n## Security: Art. 30(1)(g)\n\n{NOT_DECLARED}\n");
        }
    }
}
