//! The gate: rules from text, findings, and what is decided about them.

mod built_in;
mod combinations;
mod monotone;
mod no_exemption;
mod table;

use jiff::Timestamp;
use maysend::ruleset::Rules;
use maysend_detector::{
    document::Span,
    finding::{Finding, Rival, Verdict},
    source::{Mistakes, SourceFile},
};
use std::collections::BTreeSet;

/// One tenant in the European Economic Area.
pub const TENANTS: &str = "[[tenant]]\nid = \"acme\"\nregion = \"EU\"\npacks = [\"NL\"]\n";

/// The rules of three files, or every mistake in them.
pub fn rules(policy: &str, tenants: &str, destinations: &str, known: &[&str]) -> Result<Rules, Vec<String>> {
    let files = [
        SourceFile::new("policy.toml", policy),
        SourceFile::new("tenants.toml", tenants),
        SourceFile::new("destinations.toml", destinations),
    ];
    let known: BTreeSet<String> = known.iter().map(|entity| (*entity).to_owned()).collect();
    let mistakes = Mistakes::default();
    let rules = Rules::load(&files, &known, &mistakes);
    rules.ok_or_else(|| mistakes.into_sorted().iter().map(ToString::to_string).collect())
}

/// Noon of a day, in UTC.
pub fn noon(day: &str) -> Timestamp {
    format!("{day}T12:00:00Z").parse().expect("a day")
}

/// A finding at a place of its own: the `n`th ten bytes of the first turn.
pub fn finding(entity: &str, points: i32, n: usize) -> Finding {
    Finding {
        entity: entity.into(),
        pattern: format!("{entity}/plain").as_str().into(),
        span: Span { turn: 0, start: 10 * n, end: 10 * n + 9 },
        points,
        verdict: Verdict::Unchecked,
        more: Vec::new(),
        rivals: Vec::new(),
    }
}

/// The same finding with another reading of the same characters.
pub fn with_rival(mut finding: Finding, entity: &str, points: i32) -> Finding {
    let pattern = format!("{entity}/plain").as_str().into();
    finding.rivals.push(Rival { entity: entity.into(), pattern, span: finding.span, more: Vec::new(), points });
    finding
}

/// A destination's terms as a file: one evidence for each attribute, `bad` of which ended long ago.
#[derive(Clone, Debug)]
pub struct Register {
    pub suspended: bool,
    pub effective: &'static str,
    pub zero_retention: bool,
    pub days: [u32; 3],
    pub training: bool,
    pub region: &'static str,
    pub mechanism: Option<&'static str>,
    /// Attributes whose evidence has ended.
    pub expired: Vec<&'static str>,
}

/// Every attribute that the gate asks for.
pub const ATTRIBUTES: [&str; 7] =
    ["zero_retention", "standard", "abuse_monitoring", "human_review", "training", "region", "mechanism"];

impl Register {
    /// Nothing is kept, trained on or transferred.
    pub fn best() -> Self {
        Self {
            suspended: false,
            effective: "2026-02-11",
            zero_retention: true,
            days: [0; 3],
            training: false,
            region: "EU",
            mechanism: None,
            expired: Vec::new(),
        }
    }

    /// The file.
    pub fn text(&self) -> String {
        let Self { suspended, effective, zero_retention, days, training, region, .. } = self;
        let mechanism = match self.mechanism {
            Some(from) => {
                format!(
                    "mechanisms = [{{ from = \"{from}\", kind = \"contract_clauses\", evidence = \"mechanism\" }}]\n"
                )
            }
            None => String::new(),
        };
        let mut text = format!(
            "[[destination]]\nid = \"d\"\nprovider = \"example\"\naccount = \"a\"\nsuspended = {suspended}\n\
             [[destination.terms]]\neffective = {effective}\nplan = \"p\"\nendpoint = \"https://d.example\"\n\
             zero_retention = {{ value = {zero_retention}, evidence = \"zero_retention\" }}\n\
             training_eligible = {{ value = {training}, evidence = \"training\" }}\n\
             region = {{ value = \"{region}\", evidence = \"region\" }}\n{mechanism}[destination.terms.retention]\n"
        );
        for (days, category) in days.iter().zip(["standard", "abuse_monitoring", "human_review"]) {
            text += &format!("{category}_days = {{ value = {days}, evidence = \"{category}\" }}\n");
        }
        for attribute in ATTRIBUTES {
            let until = if self.expired.contains(&attribute) { "2026-03-01" } else { "2026-12-31" };
            text += &format!(
                "[evidence.{attribute}]\ndocument = \"annex\"\ndate = 2026-01-01\nanswered_by = \"desk\"\n\
                 role = \"contact\"\nvalid_until = {until}\n"
            );
        }
        text
    }
}
