//! `maysend check --config`: what a configuration comes to, and where each value comes from.

use super::Error;
use crate::{
    config::{Effective, Environment, Origin, SECRETS, Setting},
    redact::{Key, KeyError, keyed},
    ruleset::Ruleset,
    stages::{Erasures, Settings},
    stream::client::{SetupError, connection::Login},
};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path, sync::Arc};

const HEADING: Style = Style::new().bold().underline();
const DIM: Style = Style::new().dimmed();
const SET: Style = AnsiColor::Cyan.on_default();

/// A configuration that is sound by itself.
pub(super) struct Report {
    file: String,
    effective: Effective,
    /// The variables with secrets that are set.
    secrets: Vec<String>,
}

impl Report {
    /// Reads a file and the environment of this process.
    pub(super) fn of_file(path: &Path) -> Result<Self, Error> {
        let environment = Environment::of_process();
        let effective = Effective::from_file(path, &environment)?;
        let for_kafka = SECRETS.iter().flat_map(|(_, variable)| [(*variable).to_owned(), format!("{variable}_FILE")]);
        let variables = std::iter::once(keyed::VARIABLE.to_owned()).chain(for_kafka);
        let secrets = variables.filter(|variable| environment.has(variable)).collect();
        Ok(Self { file: path.display().to_string(), effective, secrets })
    }

    /// The ruleset that it names.
    pub(super) fn load_ruleset(&self) -> Result<Arc<Ruleset>, Error> {
        Ok(match &self.effective.config.ruleset.folder {
            Some(folder) => Ruleset::from_folder(folder)?,
            None => Ruleset::builtin()?,
        })
    }

    /// What `run` needs besides, and does not find in this environment. A check may well run elsewhere.
    pub(super) fn needs(&self, ruleset: &Arc<Ruleset>) -> Vec<String> {
        let mut needs = Vec::new();
        if self.effective.config.kafka.ordinal.is_none() {
            needs.push(SetupError::NoOrdinal.to_string());
        }
        needs.extend(Login::new(&self.effective.config.kafka.security).err().map(|error| error.to_string()));
        match Key::from_env() {
            Err(error) if error != KeyError::Missing => needs.push(error.to_string()),
            key => {
                let settings = Settings::new(ruleset.clone(), key.ok(), Erasures::new(), false);
                needs.extend(settings.err().map(|error| error.to_string()));
            }
        }
        needs
    }

    /// For a person, with colours.
    pub(super) fn text(&self) -> String {
        let settings = &self.effective.settings;
        let shown: Vec<String> = settings.iter().map(shown).collect();
        let width = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0).min(48);
        let key_width = width(&mut settings.iter().map(|setting| setting.key.len()));
        let value_width = width(&mut shown.iter().map(String::len));
        let mut out = format!("configuration {}\n", self.file);
        let mut section = "";
        for (setting, value) in settings.iter().zip(&shown) {
            if setting.section != section {
                section = &setting.section;
                let _ = writeln!(out, "\n{HEADING}{section}{HEADING:#}");
            }
            let style = if setting.origin == Origin::Default { DIM } else { SET };
            let (key, origin) = (&setting.key, &setting.origin);
            let _ = writeln!(out, "  {key:key_width$}  {value:value_width$}  {style}{origin}{style:#}");
        }
        let secrets = match self.secrets.as_slice() {
            [] => "none is set".to_owned(),
            set => set.join(", "),
        };
        let _ = writeln!(out, "\n{HEADING}secrets{HEADING:#}\n  {secrets}\n");
        out
    }

    /// For a program.
    pub(super) fn json(&self, needs: &[String]) -> Value {
        let settings: Vec<Value> = self.effective.settings.iter().map(row).collect();
        json!({ "file": self.file, "settings": settings, "secrets": self.secrets, "needs": needs })
    }
}

/// A value as it would stand in the file.
fn shown(setting: &Setting) -> String {
    setting.value.as_ref().map_or_else(|| "not set".to_owned(), Value::to_string)
}

fn row(setting: &Setting) -> Value {
    let origin = match &setting.origin {
        Origin::File(file, line) => json!({ "kind": "file", "file": file, "line": line }),
        Origin::Variable(variable) => json!({ "kind": "variable", "variable": variable }),
        Origin::Default => json!({ "kind": "default" }),
    };
    json!({
        "section": setting.section, "key": setting.key, "value": setting.value, "default": setting.default,
        "origin": origin,
    })
}
