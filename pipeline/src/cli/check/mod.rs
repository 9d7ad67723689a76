//! `maysend check`: whether a ruleset is sound, and what it holds; and whether a configuration is.

mod config;
mod sample;

use super::{Error, RulesetOptions, Say, terminal};
use crate::{
    check::{Detail, Report, lost_terms},
    config::ConfigError,
    ruleset::{
        Ruleset, RulesetError,
        destinations::{self, Destinations},
        read_folder,
    },
};
use clap::{Args, ValueEnum};
use maysend_detector::source::{InvalidSources, Mistakes};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Options of `check`.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    ruleset: RulesetOptions,
    /// A configuration file: it is checked with the environment, and then the ruleset that it names.
    #[arg(long, value_name = "FILE", conflicts_with = "patterns")]
    config: Option<PathBuf>,
    /// Refuse to lose terms of this earlier ruleset's register: a folder, or `builtin`.
    #[arg(long, value_name = "OLD_DIR")]
    against: Option<PathBuf>,
    /// Show what would be read, carried and dropped of these records instead: a JSONL file, or `-`.
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    sample: Option<PathBuf>,
    /// With `--sample`: show names of members and speakers as they are, whatever is in them.
    #[arg(long, requires = "sample")]
    show_text: bool,
    /// How the report is shown.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal; `--verbose` shows every pattern and every attribute.
    Text,
    /// One object, members in a fixed order.
    Json,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let config = match options.config.as_deref().map(config::Report::of_file).transpose() {
        Ok(config) => config,
        Err(Error::Config(ConfigError::Invalid(mistakes))) => {
            return refuse(&mistakes, "configuration", options.format);
        }
        Err(error) => return Err(error),
    };
    let loaded = match &config {
        Some(config) => config.load_ruleset(),
        None => options.ruleset.load(),
    };
    let ruleset = match loaded {
        Ok(ruleset) => ruleset,
        Err(Error::Ruleset(RulesetError::Invalid(mistakes))) => return refuse(&mistakes, "ruleset", options.format),
        Err(error) => return Err(error),
    };
    if let Some(path) = &options.sample {
        return sample::run(path, &ruleset, options.show_text, options.format);
    }
    let needs = config.as_ref().map(|config| config.needs(&ruleset)).unwrap_or_default();
    let lost = match &options.against {
        Some(path) => lost_terms(&ruleset.rules.destinations, &register(path)?),
        None => Vec::new(),
    };
    let report = Report::new(&ruleset, options.ruleset.as_of());
    print(&match options.format {
        Format::Json => answer(&report, &lost, config.as_ref().map(|config| config.json(&needs))),
        Format::Text => {
            let config = config.filter(|_| say > Say::Little).map(|config| config.text()).unwrap_or_default();
            config
                + &report.text(match say {
                    Say::Little => Detail::Warnings,
                    Say::Usual => Detail::Summary,
                    Say::More => Detail::Everything,
                })
        }
    })?;
    needs.iter().for_each(|line| terminal::note(&format!("`run` would refuse to start here: {line}")));
    lost.iter().for_each(|line| terminal::error(line));
    Ok(if lost.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Every mistake at once. They are what was asked for, so they are the result.
fn refuse(InvalidSources(mistakes): &InvalidSources, of: &str, format: Format) -> Result<ExitCode, Error> {
    let text = match format {
        Format::Text => mistakes.iter().map(|mistake| format!("{mistake}\n")).collect(),
        Format::Json => {
            let row = |mistake: &maysend_detector::source::Mistake| {
                serde_json::json!({
                    "file": mistake.file, "line": (mistake.line > 0).then_some(mistake.line), "key": mistake.key,
                    "wrong": mistake.wrong, "right": mistake.right,
                })
            };
            let rows: Vec<_> = mistakes.iter().map(row).collect();
            pretty(&serde_json::json!({ "schema": 1, "sound": false, "mistakes": rows }))
        }
    };
    print(&text)?;
    let number = mistakes.len();
    terminal::error(&format!("{number} mistake{} in the {of}", if number == 1 { "" } else { "s" }));
    Ok(ExitCode::from(1))
}

/// The report as JSON, with what makes it fail before it.
fn answer(report: &Report, lost: &[String], config: Option<serde_json::Value>) -> String {
    let report = serde_json::to_value(report).expect("strings and numbers");
    let mut answer = serde_json::json!({ "schema": 1, "sound": lost.is_empty(), "lost_terms": lost });
    if let Some(config) = config {
        answer["config"] = config;
    }
    answer["report"] = report;
    pretty(&answer)
}

fn pretty(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("strings and numbers");
    text.push('\n');
    text
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = anstream::AutoStream::auto(io::stdout()).lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)
}

/// The register of an earlier ruleset. Its other files may be of an older form, so only this one is read.
fn register(path: &Path) -> Result<Destinations, Error> {
    if path.as_os_str() == super::diff::BUILTIN {
        return Ok(Ruleset::builtin()?.rules.destinations.clone());
    }
    let named = |error| Error::NamedRuleset { path: path.into(), error };
    let files = read_folder(path).map_err(named)?;
    let file = files.iter().find(|file| file.name == destinations::FILE).ok_or_else(|| {
        Error::Usage(format!(
            "{} holds no {}; give the folder of an earlier ruleset",
            path.display(),
            destinations::FILE
        ))
    })?;
    let mistakes = Mistakes::default();
    let register = Destinations::read(file, &mistakes);
    match mistakes.into_sorted() {
        none if none.is_empty() => Ok(register),
        mistakes => Err(named(InvalidSources(mistakes).into())),
    }
}
