//! Precision and recall by entity on the project's own corpora, which say what stands where.

use maysend::ruleset::Ruleset;
use maysend_corpora::{Date, Day, Labelled, Speaker, Style};
use maysend_detector::{Options, Role, Span, Turn};
use std::collections::BTreeMap;

/// Counts of one entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Labelled places.
    pub labels: u64,
    /// Those that are a finding of the entity with exactly that span, at or over `redact_at`.
    pub exact: u64,
    /// Those of which every byte is in some finding or rival at or over its `redact_at`: nothing of them is sent.
    pub covered: u64,
    /// Findings of the entity at or over `redact_at`.
    pub findings: u64,
    /// Those that share a byte with a label of the entity.
    pub right: u64,
}

/// A seed of its own: no test looks at these transcripts.
const SEED: u64 = 20_261_130;

/// Counts by entity over so many transcripts of each style.
pub fn count(ruleset: &Ruleset, transcripts: u64) -> BTreeMap<String, Counts> {
    let mut counts = BTreeMap::new();
    let date = Date::new(2026, 3, 2).expect("a date");
    for style in [Style::Normal, Style::Dense, Style::Digits] {
        for labelled in Day::new(SEED, date, transcripts, style) {
            add(ruleset, &labelled, &mut counts);
        }
    }
    counts
}

fn add(ruleset: &Ruleset, labelled: &Labelled, counts: &mut BTreeMap<String, Counts>) {
    let role = |speaker: Speaker| match speaker {
        Speaker::Customer => Role::Customer,
        Speaker::Agent => Role::Agent,
        Speaker::Bot => Role::Bot,
    };
    let transcript = &labelled.transcript;
    let turns: Vec<Turn<'_>> =
        transcript.turns.iter().map(|turn| Turn { role: role(turn.speaker), text: &turn.text }).collect();
    let packs = ruleset.rules.tenants.get(transcript.tenant).map_or(&[][..], |tenant| &tenant.packs);
    let mut findings = ruleset.detector.detect(&turns, &Options { packs, ..Options::default() }).findings;
    let redacts = |entity: &str, points: i32| points >= ruleset.rules.policy.rule(entity).redact_at;
    let mut redacted: Vec<Span> = Vec::new();
    for finding in &findings {
        if redacts(finding.entity.as_str(), finding.points) {
            redacted.extend(finding.pieces());
        }
        for rival in finding.rivals.iter().filter(|rival| redacts(rival.entity.as_str(), rival.points)) {
            redacted.extend(rival.pieces());
        }
    }
    findings.retain(|finding| redacts(finding.entity.as_str(), finding.points));
    for label in &labelled.labels {
        let span = Span { turn: label.turn, start: label.start, end: label.end };
        let own = counts.entry(label.entity.to_owned()).or_default();
        own.labels += 1;
        let exact = |finding: &&_| -> bool {
            let finding: &maysend_detector::Finding = finding;
            finding.entity.as_str() == label.entity && finding.span == span
        };
        own.exact += u64::from(findings.iter().any(|finding| exact(&finding)));
        own.covered += u64::from(is_covered(span, &redacted));
    }
    for finding in &findings {
        let own = counts.entry(finding.entity.to_string()).or_default();
        own.findings += 1;
        let is_right = labelled.labels.iter().any(|label| {
            let span = Span { turn: label.turn, start: label.start, end: label.end };
            label.entity == finding.entity.as_str() && finding.pieces().any(|piece| piece.overlaps(&span))
        });
        own.right += u64::from(is_right);
    }
}

/// Whether every byte of a span is in one of the others.
fn is_covered(span: Span, others: &[Span]) -> bool {
    let mut at = span.start;
    while at < span.end {
        let next =
            others.iter().filter(|other| other.turn == span.turn && other.start <= at).map(|other| other.end).max();
        match next {
            Some(end) if end > at => at = end,
            _ => return false,
        }
    }
    true
}

/// Wilson's interval at 95 % of a share, in percent.
pub fn interval(of: u64, among: u64) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    if among == 0 {
        return (0.0, 100.0);
    }
    let (n, p) = (among as f64, of as f64 / among as f64);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let bound = |value: f64| (value / (1.0 + Z * Z / n) * 100.0).clamp(0.0, 100.0);
    (bound(middle - half), bound(middle + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = interval(10, 10);
        assert!((low - 72.25).abs() < 0.01 && (high - 100.0).abs() < 0.01);
        let (low, high) = interval(5, 10);
        assert!((low - 23.66).abs() < 0.01 && (high - 76.34).abs() < 0.01);
    }

    #[test]
    fn covered_is_every_byte() {
        let span = |start, end| Span { turn: 0, start, end };
        assert!(is_covered(span(2, 8), &[span(0, 4), span(4, 9)]));
        assert!(!is_covered(span(2, 8), &[span(0, 4), span(5, 9)]));
    }
}
