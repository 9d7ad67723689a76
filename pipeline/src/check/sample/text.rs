//! The report for a terminal.

use super::{PlaceReport, SampleReport};
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Write as _};

const HEADING: Style = Style::new().bold().underline();
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const SOON: Style = AnsiColor::Yellow.on_default();

/// The most unread records that are listed.
const MOST_UNREAD: usize = 10;

impl SampleReport {
    /// The report for a person, with colours.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("a string takes all");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let shape = if self.shape == "wire" { "the wire form" } else { "the shape of input.toml" };
        writeln!(out, "{BOLD}{} records{BOLD:#} as {shape}, ruleset {}", self.records, self.ruleset)?;
        writeln!(out, "\n{HEADING}read{HEADING:#}")?;
        self.places(out, &self.read)?;
        let roles: Vec<String> = self.roles.iter().map(|(role, turns)| format!("{turns} {role}")).collect();
        let turns = &self.turns;
        if turns.total > 0 {
            writeln!(
                out,
                "  turns: {} in all, {} to {} in a record; by role: {}",
                turns.total,
                turns.fewest,
                turns.most,
                roles.join(", ")
            )?;
        }
        writeln!(out, "\n{HEADING}carried{HEADING:#}  {DIM}searched and redacted like a turn{DIM:#}")?;
        self.places(out, &self.carried)?;
        writeln!(out, "\n{HEADING}dropped{HEADING:#}  {DIM}never sent{DIM:#}")?;
        self.places(out, &self.dropped)?;
        if !self.unread.is_empty() {
            writeln!(out, "\n{HEADING}cannot be read{HEADING:#}")?;
            for unread in self.unread.iter().take(MOST_UNREAD) {
                writeln!(out, "  {BAD}line {}{BAD:#}: {}: {}", unread.line, unread.reason, unread.error)?;
            }
            if let Some(more @ 1..) = self.unread.len().checked_sub(MOST_UNREAD) {
                writeln!(out, "  and {more} more; --format json lists all")?;
            }
        }
        if !self.hints.is_empty() {
            writeln!(out, "\n{HEADING}hints{HEADING:#}")?;
            self.hints.iter().try_for_each(|hint| writeln!(out, "  {SOON}{hint}{SOON:#}"))?;
        }
        let style = if self.unread.is_empty() { GOOD } else { BAD };
        writeln!(out, "\n{style}{BOLD}{}{BOLD:#}{style:#} of {} records can be read", self.decoded, self.records)
    }

    fn places(&self, out: &mut String, places: &[PlaceReport]) -> fmt::Result {
        let width = places.iter().map(|place| place.pointer.chars().count()).max().unwrap_or(0).min(48);
        if places.is_empty() {
            return writeln!(out, "  nothing");
        }
        for place in places {
            let pointer = &place.pointer;
            let member = place.member.map_or_else(String::new, |member| format!("  {member:<13}"));
            let style = if place.records == 0 { SOON } else { Style::new() };
            write!(out, "  {BOLD}{pointer:<width$}{BOLD:#}{member}  {style}in {} records{style:#}", place.records)?;
            if place.values > place.records {
                write!(out, ", {} values", place.values)?;
            }
            if place.texts > 0 {
                write!(out, ", {SOON}{} texts{SOON:#}", place.texts)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
