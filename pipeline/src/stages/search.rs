//! From a transcript to what is in it: stripped texts, findings, and what was counted on the way.

use crate::{
    gate::{Distinct, is_field},
    redact::{carried_texts, carried_turns},
    ruleset::{Ruleset, day_of, tenants::Tenant},
    strip::{self, Lookup, fold::skeleton},
    wire::{HeldRecord, Transcript},
};
use jiff::Timestamp;
use maysend_detector::{EntityId, Finding, Options, PatternId, Span, Turn};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

pub(super) use strip::TooManyValues;

/// A transcript after strip and detection.
pub(super) struct Searched<'t> {
    /// The text of each turn, stripped.
    pub(super) texts: Vec<Cow<'t, str>>,
    /// The texts in carried members. In findings they count as turns after the last one.
    pub(super) carried: Vec<&'t str>,
    /// What was found, in order of place.
    pub(super) findings: Vec<Finding>,
    /// Distinct values of the entities that combinations count.
    pub(super) distinct: Distinct,
    /// What references hid, by reference and pattern.
    pub(super) suppressed: BTreeMap<(String, PatternId), u64>,
    /// What was stripped, by field.
    pub(super) stripped: BTreeMap<String, u64>,
    /// The earliest and the latest time of a turn.
    pub(super) times: Option<(Timestamp, Timestamp)>,
}

impl Searched<'_> {
    /// What stands in all pieces of a finding that is split over turns, if this is one of them.
    pub(super) fn whole(&self, finding: usize, piece: Span) -> Option<String> {
        let finding = self.findings.get(finding).filter(|finding| !finding.more.is_empty())?;
        finding.pieces().find(|own| *own == piece)?;
        let text = |turn: usize| match self.texts.get(turn) {
            Some(text) => Some(text.as_ref()),
            None => self.carried.get(turn - self.texts.len()).copied(),
        };
        finding.pieces().map(|piece| text(piece.turn)?.get(piece.start..piece.end)).collect()
    }
}

/// Strips and searches a transcript.
pub(super) fn search<'t>(
    ruleset: &'t Ruleset,
    as_of: Timestamp,
    transcript: &'t Transcript,
    tenant: Option<&Tenant>,
) -> Result<Searched<'t>, TooManyValues> {
    let stripped = strip::strip(&ruleset.templates, transcript);
    let fields = transcript.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let lookup = Lookup::new(&ruleset.templates, fields.chain(stripped.values.iter().copied()))?;
    let carried = carried_texts(&transcript.carried);
    let looked_up = lookup.find(&all_texts(&stripped.texts, &carried));
    let mut searched = detect(ruleset, as_of, transcript, tenant, stripped.texts, carried, looked_up);
    searched.stripped = stripped.counts;
    Ok(searched)
}

/// Searches a withheld transcript again. Its fields are gone, so what their look-up found is taken from the record.
pub(super) fn search_again<'t>(
    ruleset: &'t Ruleset,
    as_of: Timestamp,
    held: &'t HeldRecord,
    tenant: Option<&Tenant>,
) -> Searched<'t> {
    let texts = held.transcript.turns.iter().map(|turn| Cow::Borrowed(turn.text.as_str())).collect();
    let carried = carried_texts(&held.transcript.carried);
    let looked_up = held.findings.iter().filter(|finding| is_field(&finding.pattern)).cloned().collect();
    let mut searched = detect(ruleset, as_of, &held.transcript, tenant, texts, carried, looked_up);
    searched.stripped = held.decision.stripped.clone();
    searched
}

fn detect<'t>(
    ruleset: &Ruleset,
    as_of: Timestamp,
    transcript: &Transcript,
    tenant: Option<&Tenant>,
    texts: Vec<Cow<'t, str>>,
    carried: Vec<&'t str>,
    looked_up: Vec<Finding>,
) -> Searched<'t> {
    let day = day_of(as_of);
    let options = Options {
        packs: tenant.map_or(&[], |tenant| tenant.packs.as_slice()),
        on: Some((day.year(), day.month(), day.day())),
        explain: false,
    };
    let document: Vec<Turn<'_>> = texts
        .iter()
        .zip(&transcript.turns)
        .map(|(text, turn)| Turn { role: turn.role, text })
        .chain(carried_turns(&transcript.carried))
        .collect();
    let detection = ruleset.detector.detect(&document, &options);
    let findings = merge(detection.findings, looked_up);
    let distinct = distinct(ruleset, &document, &findings);
    let times = || transcript.turns.iter().filter_map(|turn| turn.at.as_ref()).map(|at| at.time);
    Searched {
        texts,
        carried,
        findings,
        distinct,
        suppressed: detection.suppressed,
        stripped: BTreeMap::new(),
        times: times().min().zip(times().max()),
    }
}

fn all_texts<'a>(texts: &'a [Cow<'_, str>], carried: &[&'a str]) -> Vec<&'a str> {
    texts.iter().map(AsRef::as_ref).chain(carried.iter().copied()).collect()
}

/// Findings by pattern and by look-up together, in order of place. Where both found the same entity in the same
/// place, the wider one stands: they are one value.
fn merge(mut found: Vec<Finding>, mut looked_up: Vec<Finding>) -> Vec<Finding> {
    let covers = |wide: &Finding, narrow: &Finding| wide.entity == narrow.entity && wide.span.contains(&narrow.span);
    if !looked_up.is_empty() {
        looked_up.retain(|field| !found.iter().any(|own| own.span != field.span && covers(own, field)));
        found.retain(|own| !looked_up.iter().any(|field| covers(field, own)));
        found.append(&mut looked_up);
        found.sort_by_key(|finding| finding.span);
    }
    found
}

/// Distinct values, by letters and digits without case, of each entity that a combination counts.
fn distinct(ruleset: &Ruleset, document: &[Turn<'_>], findings: &[Finding]) -> Distinct {
    let policy = &ruleset.rules.policy;
    let mut values: BTreeMap<&EntityId, BTreeSet<String>> = policy.counted().map(|e| (e, BTreeSet::new())).collect();
    for finding in findings {
        let counts = is_field(&finding.pattern) || finding.points >= policy.rule(finding.entity.as_str()).redact_at;
        if let Some(values) = values.get_mut(&finding.entity).filter(|_| counts) {
            let text = |piece: Span| document.get(piece.turn).and_then(|t| t.text.get(piece.start..piece.end));
            values.insert(skeleton(&finding.pieces().filter_map(text).collect::<String>()));
        }
    }
    values.into_iter().map(|(entity, values)| (entity.clone(), values.len())).collect()
}
