//! Differences as text, as JSON and as Markdown for a pull request. Each class stands under a heading of its own.

use super::{Change, Class, EvidenceFile, Given, count};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::{self, Write as _};

/// A comparison with all that a report says of it.
pub struct Comparison<'c> {
    /// The older ruleset: its name as given, and its digest.
    pub old: (&'c str, &'c str),
    /// The newer ruleset.
    pub new: (&'c str, &'c str),
    /// The differences, in order.
    pub changes: &'c [Change],
    /// What is given so that they may pass.
    pub given: &'c Given,
}

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// What each class means, and what lets it pass.
fn meaning(class: Class) -> &'static str {
    match class {
        Class::MayDecideLess => "More may be sent, or in clearer text, or to other places.",
        Class::DetectsDifferently => "Other findings, or other evidence for them.",
        Class::FewerDecisions => "Less is left to decide; no decision is taken differently.",
        Class::DecidesMore => "More is refused or redacted.",
        Class::NoDecision => "Names, dates, examples, comments: for people.",
    }
}

fn colour(class: Class) -> Style {
    match class {
        Class::MayDecideLess => AnsiColor::Red.on_default().bold(),
        Class::DetectsDifferently => AnsiColor::Yellow.on_default().bold(),
        Class::FewerDecisions => AnsiColor::Green.on_default().bold(),
        Class::DecidesMore => AnsiColor::Cyan.on_default().bold(),
        Class::NoDecision => BOLD.dimmed(),
    }
}

impl Comparison<'_> {
    fn of(&self, class: Class) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.class == class)
    }

    /// One line with the number of changes of each class.
    pub fn summary(&self) -> String {
        if self.changes.is_empty() {
            return "no difference".into();
        }
        let counts = Class::ALL.map(|class| format!("{} {}", count(self.changes, class), class.name()));
        counts.join(", ")
    }

    /// What stands in the way, with what would let it pass; one line for each class.
    pub fn refusals(&self) -> Vec<String> {
        let refusal = |class| match class {
            Class::MayDecideLess => {
                "it may decide less: --accept-loosening, once somebody who may has read each change above"
            }
            _ => "it detects differently: --evidence FILE, a report of what that does to transcripts",
        };
        self.given.refused(self.changes).into_iter().map(|class| refusal(class).into()).collect()
    }

    /// The comparison for a terminal, with colours.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out).expect("a string takes all");
        out
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        for (name, (path, digest)) in [("old", self.old), ("new", self.new)] {
            writeln!(out, "{name}  {BOLD}{}{BOLD:#}  {DIM}{digest}{DIM:#}", visible(path))?;
        }
        for class in Class::ALL {
            let number = count(self.changes, class);
            if number == 0 {
                continue;
            }
            let colour = colour(class);
            let heading = class.name().to_uppercase();
            writeln!(out, "\n{colour}{heading} ({number}){colour:#}  {DIM}{}{DIM:#}", meaning(class))?;
            let mut file = "";
            for change in self.of(class) {
                if change.file != file {
                    file = &change.file;
                    writeln!(out, "  {BOLD}{}{BOLD:#}", visible(file))?;
                }
                let key = if change.key.is_empty() { "the file".into() } else { visible(&change.key) };
                writeln!(out, "    {colour}{key}{colour:#}  {}", arrow(change))?;
                writeln!(out, "      {DIM}{}{DIM:#}", visible(&change.why))?;
            }
        }
        writeln!(out, "\n{}", self.summary())?;
        if self.given.loosening && count(self.changes, Class::MayDecideLess) > 0 {
            writeln!(out, "accepted by --accept-loosening: it may decide less")?;
        }
        if let Some(EvidenceFile { path, digest }) = &self.given.evidence {
            writeln!(out, "evidence: {} {digest}", visible(path))?;
        }
        Ok(())
    }

    /// The comparison as one JSON object, with members and changes in a fixed order.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Side<'a> {
            name: &'a str,
            digest: &'a str,
        }
        #[derive(Serialize)]
        struct Row<'a> {
            class: &'static str,
            file: &'a str,
            key: &'a str,
            old: Option<&'a str>,
            new: Option<&'a str>,
            why: &'a str,
        }
        #[derive(Serialize)]
        struct File<'a> {
            path: &'a str,
            sha256: &'a str,
        }
        #[derive(Serialize)]
        struct Answer<'a> {
            schema: u32,
            old: Side<'a>,
            new: Side<'a>,
            counts: serde_json::Map<String, serde_json::Value>,
            accept_loosening: bool,
            evidence: Option<File<'a>>,
            refused: Vec<&'static str>,
            changes: Vec<Row<'a>>,
        }
        let counts = Class::ALL.map(|class| (class.as_str().to_owned(), count(self.changes, class).into()));
        let answer = Answer {
            schema: 1,
            old: Side { name: self.old.0, digest: self.old.1 },
            new: Side { name: self.new.0, digest: self.new.1 },
            counts: counts.into_iter().collect(),
            accept_loosening: self.given.loosening,
            evidence: self.given.evidence.as_ref().map(|EvidenceFile { path, digest }| File {
                path,
                sha256: digest.strip_prefix("sha256:").unwrap_or(digest),
            }),
            refused: self.given.refused(self.changes).into_iter().map(Class::as_str).collect(),
            changes: self
                .changes
                .iter()
                .map(|Change { class, file, key, old, new, why }| Row {
                    class: class.as_str(),
                    file,
                    key,
                    old: old.as_deref(),
                    new: new.as_deref(),
                    why,
                })
                .collect(),
        };
        let mut text = serde_json::to_string_pretty(&answer).expect("strings and numbers");
        text.push('\n');
        text
    }

    /// The comparison for a pull request.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        self.write_markdown(&mut out).expect("a string takes all");
        out
    }

    fn write_markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "## What this change of ruleset does\n")?;
        for (name, (path, digest)) in [("Old", self.old), ("New", self.new)] {
            writeln!(out, "- {name}: {} {}", code(path), code(digest))?;
        }
        writeln!(out, "\n**{}**", self.summary())?;
        for class in Class::ALL {
            let number = count(self.changes, class);
            if number == 0 {
                continue;
            }
            writeln!(out, "\n### {} ({number})\n\n{}\n", heading(class), meaning(class))?;
            writeln!(out, "| Where | Old | New | Why |\n|---|---|---|---|")?;
            for Change { class: _, file, key, old, new, why } in self.of(class) {
                let place = if key.is_empty() { code(file) } else { format!("{}<br>{}", code(file), code(key)) };
                let value = |value: &Option<String>| value.as_deref().map_or_else(|| "—".into(), code);
                writeln!(out, "| {place} | {} | {} | {} |", value(old), value(new), escaped(why))?;
            }
        }
        let refusals = self.refusals();
        if !refusals.is_empty() {
            writeln!(out, "\n### Not passed\n")?;
            refusals.iter().try_for_each(|refusal| writeln!(out, "- {}", escaped(refusal)))?;
        }
        if self.given.loosening && count(self.changes, Class::MayDecideLess) > 0 {
            writeln!(out, "\nAccepted by `--accept-loosening`: it may decide less.")?;
        }
        if let Some(EvidenceFile { path, digest }) = &self.given.evidence {
            writeln!(out, "\nEvidence: {} {}", code(path), code(digest))?;
        }
        Ok(())
    }
}

/// A heading with a sign before it, so that classes are told apart before they are read.
fn heading(class: Class) -> &'static str {
    match class {
        Class::MayDecideLess => "🔴 May decide less",
        Class::DetectsDifferently => "🟠 Detects differently",
        Class::FewerDecisions => "🟢 Fewer decisions to make",
        Class::DecidesMore => "🔵 Decides more",
        Class::NoDecision => "⚪ Changes no decision",
    }
}

fn arrow(Change { class: _, file: _, key: _, old, new, why: _ }: &Change) -> String {
    match (old, new) {
        (None, None) => String::new(),
        (Some(old), None) => format!("{} → gone", visible(old)),
        (None, Some(new)) => format!("new: {}", visible(new)),
        (Some(old), Some(new)) => format!("{} → {}", visible(old), visible(new)),
    }
}

/// Text without characters that a terminal would obey.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// Text that neither ends a table's cell nor is read as markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '|' | '&' | '<' | '>' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '@' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(class: Class, key: &str, old: &str) -> Change {
        Change {
            class,
            file: "a.toml".into(),
            key: key.into(),
            old: Some(old.into()),
            new: None,
            why: "because | of <it>".into(),
        }
    }

    fn with<T>(changes: &[Change], tell: impl Fn(&Comparison<'_>) -> T) -> T {
        let given = Given::default();
        tell(&Comparison { old: ("a", "sha256:1"), new: ("b", "sha256:2"), changes, given: &given })
    }

    #[test]
    fn every_class_has_its_own_heading_in_every_format() {
        let changes: Vec<Change> = Class::ALL.map(|class| change(class, "k", "1")).into();
        let (text, markdown) = with(&changes, |comparison| (comparison.text(), comparison.markdown()));
        for class in Class::ALL {
            assert_eq!(text.matches(&format!("{} (1)", class.name().to_uppercase())).count(), 1);
            assert_eq!(markdown.to_lowercase().matches(&format!("{} (1)\n", class.name())).count(), 1);
        }
        let summary = "1 may decide less, 1 detects differently, 1 fewer decisions to make, 1 decides more, 1 changes no decision";
        assert!(text.contains(summary) && markdown.contains(summary));
    }

    #[test]
    fn values_cannot_break_out_of_a_table_or_command_a_terminal() {
        let changes = [change(Class::MayDecideLess, "k", "a|b\n\u{1b}[31m`</code>")];
        let (text, markdown) = with(&changes, |comparison| (comparison.text(), comparison.markdown()));
        assert!(text.contains(r"a|b\n\u{1b}[31m"));
        let row = markdown.lines().find(|line| line.contains("a&#124;b")).unwrap();
        assert_eq!(row.matches('|').count(), 5, "{row}");
        assert!(!row.contains("`</code>") && row.contains("because &#124; of &#60;it&#62;"), "{row}");
    }

    #[test]
    fn json_is_whole() {
        let changes = [change(Class::DetectsDifferently, "k", "1")];
        let json: serde_json::Value = serde_json::from_str(&with(&changes, |comparison| comparison.json())).unwrap();
        assert_eq!(json["counts"]["detects_differently"], 1);
        assert_eq!(json["refused"][0], "detects_differently");
        assert_eq!(json["changes"][0]["new"], serde_json::Value::Null);
        assert_eq!(with(&[], |comparison| comparison.summary()), "no difference");
    }
}
