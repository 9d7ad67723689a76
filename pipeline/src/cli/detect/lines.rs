//! Findings as lines: `file:line:column: entity tier confidence text`.

use super::{
    Error, Search,
    input::{Input, each, piece},
};
use crate::cli::terminal::{DIM, FOUND, PATH, PLACE};
use maysend_detector::{Detection, Explanation, Outcome, Role, Span, Turn};
use std::io::{self, Write};

/// Searches every input.
pub(super) fn run(search: &Search<'_>) -> Result<(), Error> {
    let mut out = anstream::AutoStream::auto(io::stdout()).lock();
    each(&search.options.files, |mut input| {
        let mut before = Before { lines: 0 };
        while let Some(text) = piece(&mut input)? {
            if before.lines == 0 && search.options.files.iter().any(|path| path.is_dir()) && text.contains('\0') {
                return Ok(());
            }
            let detection = search.detect(&[Turn { role: Role::Other, text: &text }]);
            print(search, &input, &text, &detection, &before, &mut out).map_err(Error::output)?;
            before.lines += text.matches('\n').count();
        }
        out.flush().map_err(Error::output)
    })
}

/// What came before this piece of the input.
struct Before {
    lines: usize,
}

fn print(
    search: &Search<'_>,
    input: &Input,
    text: &str,
    detection: &Detection,
    before: &Before,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut places = Places::new(text, before.lines);
    if search.options.explain {
        for explanation in &detection.explanations {
            explain(search, input, text, explanation, &mut places, out)?;
        }
        return Ok(());
    }
    for finding in &detection.findings {
        let (line, column) = places.of(finding.span.start);
        let found = shown(text, finding.span, search.options.show_text);
        writeln!(
            out,
            "{PATH}{}{PATH:#}:{PLACE}{line}{PLACE:#}:{PLACE}{column}{PLACE:#}: {} tier {} {:.2} {FOUND}{found}{FOUND:#}",
            input.name,
            finding.entity,
            search.tier(&finding.entity).number(),
            f64::from(finding.confidence()) / 100.0,
        )?;
    }
    Ok(())
}

fn explain(
    search: &Search<'_>,
    input: &Input,
    text: &str,
    explanation: &Explanation,
    places: &mut Places<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (line, column) = places.of(explanation.span.start);
    let found = shown(text, explanation.span, search.options.show_text);
    let name = &input.name;
    writeln!(
        out,
        "{PATH}{name}{PATH:#}:{PLACE}{line}{PLACE:#}:{PLACE}{column}{PLACE:#}: {} {} points {FOUND}{found}{FOUND:#}: {}",
        explanation.pattern,
        explanation.points,
        ending(search, explanation),
    )?;
    for item in &explanation.evidence {
        writeln!(out, "{DIM}    {:+4}  {}{DIM:#}", item.points, item.kind)?;
    }
    Ok(())
}

/// What became of a candidate, in words.
fn ending(search: &Search<'_>, explanation: &Explanation) -> String {
    let rule = search.ruleset.rules.policy.rule(explanation.entity.as_str());
    match &explanation.outcome {
        Outcome::Found if explanation.points >= rule.block_at => {
            format!("found, tier {}; at or over block_at {}", rule.tier.number(), rule.block_at)
        }
        Outcome::Found if explanation.points >= rule.redact_at => {
            format!("found, tier {}; at or over redact_at {}", rule.tier.number(), rule.redact_at)
        }
        Outcome::Found => format!("found, but below redact_at {}", rule.redact_at),
        Outcome::NoLabel => "rejected: its pattern needs a label, and none is near".into(),
        Outcome::CheckFailed => "rejected: its check failed, and no label is near".into(),
        Outcome::NotCertain => "rejected: joined or misread, and not certain enough".into(),
        Outcome::BelowFloor => format!("rejected: below the floor of {}", search.ruleset.detector.weights().floor),
        Outcome::Suppressed(reference) => format!("rejected: it lies in the reference `{reference}`"),
        Outcome::Outweighed(pattern) => format!("outweighed by {pattern}"),
    }
}

/// The found text, or its mask: as long, its letters and digits hidden.
fn shown(text: &str, span: Span, show: bool) -> String {
    let found = text.get(span.start..span.end).unwrap_or_default();
    let visible = |c: char| if show || !c.is_alphanumeric() { c } else { '*' };
    found.chars().map(|c| if c.is_control() { ' ' } else { visible(c) }).collect()
}

/// Lines and columns, both from 1; a column counts characters. Positions are asked in order.
struct Places<'t> {
    text: &'t str,
    line: usize,
    line_start: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str, lines_before: usize) -> Self {
        Self { text, line: lines_before + 1, line_start: 0 }
    }

    fn of(&mut self, position: usize) -> (usize, usize) {
        let between = self.text.get(self.line_start..position).unwrap_or_default();
        self.line += between.matches('\n').count();
        if let Some(last) = between.rfind('\n') {
            self.line_start += last + 1;
        }
        let column = self.text.get(self.line_start..position).unwrap_or_default().chars().count() + 1;
        (self.line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let mut places = Places::new("é1\n\nab", 4);
        assert_eq!(places.of(2), (5, 2));
        assert_eq!(places.of(5), (7, 1));
        assert_eq!(places.of(6), (7, 2));
    }

    #[test]
    fn a_mask_keeps_the_form() {
        let span = Span { turn: 0, start: 0, end: 6 };
        assert_eq!(shown("a1-b2\n", span, false), "**-** ");
        assert_eq!(shown("a1-b2\n", span, true), "a1-b2 ");
    }
}
