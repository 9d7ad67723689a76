//! Judging matches: what becomes of each before overlaps are seen to.
//!
//! What costs least is asked first. Most matches of a dense text come to nothing for want of a label, so their checks are
//! never run and their evidence is never counted, unless somebody asked for an explanation.

use crate::{
    detector::{Detector, Options, Outcome},
    document::{Span, Turn},
    engine::{Candidate, Engine, Match},
    evidence::{EvidenceKind, LabelHits, Labelled, Score, Surroundings, Weights, labelled, score},
    finding::Verdict,
    pattern::Catalogue,
    reference::Token,
    view::{ByteView, Reading},
};
use std::cell::OnceCell;

/// A candidate with its score and what became of it so far.
pub(crate) struct Judged {
    pub(crate) candidate: Candidate,
    /// Where it stands in the turns; never empty.
    pub(crate) spans: Vec<Span>,
    pub(crate) score: Score,
    pub(crate) outcome: Outcome,
}

/// The judge of one document's matches. References are looked for in each segment of the view that has a match which they
/// may hide.
pub(crate) struct Judge<'d> {
    detector: &'d Detector,
    view: &'d ByteView,
    turns: &'d [Turn<'d>],
    options: &'d Options<'d>,
    labels: &'d LabelHits,
    /// By segment.
    tokens: Vec<OnceCell<Vec<Token>>>,
}

impl<'d> Judge<'d> {
    pub(crate) fn new(
        detector: &'d Detector,
        view: &'d ByteView,
        turns: &'d [Turn<'d>],
        labels: &'d LabelHits,
        options: &'d Options<'d>,
    ) -> Self {
        let tokens = view.segments().map(|_| OnceCell::new()).collect();
        Self { detector, view, turns, options, labels, tokens }
    }

    /// What becomes of a match; `None` if nothing does and nobody will ask why.
    pub(crate) fn judge(&self, found: &Match) -> Option<Judged> {
        let Detector { catalogue, weights, engine, .. } = self.detector;
        let explain = self.options.explain;
        let reading = self.view.reading(self.view.segment_at(found.start));
        let is_other = matches!(reading, Reading::Misread | Reading::Joined);
        if is_other && !self.view.is_changed(found.start, found.end) {
            return None;
        }
        let spans = if is_other { self.view.spans(found.start, found.end) } else { Vec::new() };
        if reading == Reading::Joined && spans.len() < 2 {
            return None;
        }
        let around = Surroundings {
            view: self.view,
            turns: self.turns,
            labels: self.labels,
            packs: self.options.packs,
            explain,
        };
        let labelled = labelled(found, catalogue, weights, &around);

        let no_label = catalogue.patterns[found.pattern].needs_label && !labelled.any();
        if no_label && !explain {
            return None;
        }
        let is_slow = catalogue.patterns[found.pattern].validator.as_ref().is_some_and(|check| check.rule.is_slow);
        if is_slow && !explain && is_weak(found, &labelled, catalogue, weights, &around) {
            return None;
        }
        let candidate = found.with(engine.verdict(self.view, found));
        let check_failed = candidate.verdict == Verdict::Invalid && (is_other || !labelled.any());
        if check_failed && !explain {
            return None;
        }
        let mut score = score(&candidate, &labelled, catalogue, weights, &around);
        let outcome = match (no_label, check_failed) {
            (true, _) => Outcome::NoLabel,
            (_, true) => Outcome::CheckFailed,
            _ if !is_certain(reading, &candidate, &labelled, &score, weights) => Outcome::NotCertain,
            _ => self.outcome(&candidate, &mut score, &around),
        };
        if !explain && !matches!(outcome, Outcome::Found | Outcome::Suppressed(_)) {
            return None;
        }
        let spans = if is_other { spans } else { vec![self.view.span(candidate.start, candidate.end)] };
        Some(Judged { candidate, spans, score, outcome })
    }

    /// Whether a candidate stands against references and the floor.
    fn outcome(&self, candidate: &Candidate, score: &mut Score, around: &Surroundings<'_>) -> Outcome {
        let Detector { catalogue, weights, references, .. } = self.detector;
        let pattern = &catalogue.patterns[candidate.pattern];
        let entity = catalogue.entity_of(pattern);
        let segment = self.view.segment_at(candidate.start);
        let tokens = || self.tokens[segment].get_or_init(|| references.find_in(self.view, segment));
        let is_joined = self.view.reading(segment) == Reading::Joined;
        if is_joined && references.overlapping(tokens(), candidate.start, candidate.end).next().is_some() {
            return Outcome::NotCertain;
        }
        let holding =
            references.may_hide(&entity.id).then(|| references.holding(tokens(), candidate.start, candidate.end));
        for token in holding.into_iter().flatten() {
            let reference = &references.formats[token.reference];
            if !reference.may_hide(&entity.id) || !reference.in_force(self.options.on) {
                continue;
            }
            if !reference.is_own()
                && around.labels.claims(pattern.entity, (token.start, token.end), around.view, around.turns, weights)
            {
                score.count(EvidenceKind::ReferenceContradicted, weights.reference_contradicted);
                break;
            }
            if score.points >= weights.floor {
                return Outcome::Suppressed(reference.id.clone());
            }
        }
        if score.points < weights.floor { Outcome::BelowFloor } else { Outcome::Found }
    }
}

/// Whether a match comes to nothing even if its check passes.
fn is_weak(
    found: &Match,
    labelled: &Labelled,
    catalogue: &Catalogue,
    weights: &Weights,
    around: &Surroundings<'_>,
) -> bool {
    score(&found.with(Verdict::Valid), labelled, catalogue, weights, around).points < weights.floor
}

/// Whether something read in another way than letter by letter is certain enough to be looked at.
fn is_certain(reading: Reading, candidate: &Candidate, labelled: &Labelled, score: &Score, weights: &Weights) -> bool {
    match reading {
        Reading::Turn | Reading::Decoded => true,
        Reading::Misread => labelled.any() && candidate.verdict == Verdict::Valid,
        Reading::Joined => {
            labelled.any() || (candidate.verdict == Verdict::Valid && score.points >= weights.joined_alone)
        }
    }
}
