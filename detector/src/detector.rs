//! The detector: from a document to findings.

use crate::{
    document::{Span, Turn},
    engine::{Engine, PlainEngine},
    evidence::{Evidence, Labels, Weights},
    finding::{EntityId, Finding, PatternId, Rival, Verdict},
    judge::{Judge, Judged},
    overlap::{Weighed, heaviest},
    pattern::Catalogue,
    reference::{Date, References},
    view::ByteView,
};
use std::{cell::RefCell, collections::BTreeMap};

/// A ruleset's patterns, weights and references, compiled. Made by [`load`](crate::load); shared between threads.
pub struct Detector {
    pub(crate) catalogue: Catalogue,
    pub(crate) weights: Weights,
    pub(crate) references: References,
    pub(crate) labels: Labels,
    pub(crate) engine: PlainEngine,
}

/// What a detection depends on beside the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// Country packs of the tenant, ISO 3166-1 alpha-2. They only ever raise.
    pub packs: &'o [String],
    /// The day on which references must be in force; `None` takes all.
    pub on: Option<Date>,
    /// Whether to keep the derivation of every candidate, also of those that came to nothing.
    pub explain: bool,
}

/// What was found in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// The findings, by turn and start; none overlaps another.
    pub findings: Vec<Finding>,
    /// What references hid, by reference and pattern.
    pub suppressed: BTreeMap<(String, PatternId), u64>,
    /// The derivation of each candidate, by place; empty unless asked for.
    pub explanations: Vec<Explanation>,
}

/// How a candidate came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What it would be.
    pub entity: EntityId,
    /// The pattern that matched.
    pub pattern: PatternId,
    /// Where.
    pub span: Span,
    /// What the validator said.
    pub verdict: Verdict,
    /// The sum of its evidence.
    pub points: i32,
    /// The evidence, item by item.
    pub evidence: Vec<Evidence>,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is a finding.
    Found,
    /// Its pattern needs a label, and none is near.
    NoLabel,
    /// Its check failed and no label is near.
    CheckFailed,
    /// Its evidence is below the floor.
    BelowFloor,
    /// It lies in a reference of this id.
    Suppressed(String),
    /// A heavier reading by this pattern overlaps it.
    Outweighed(PatternId),
}

thread_local! {
    /// A view whose buffers are used again for each document of a thread.
    static VIEW: RefCell<ByteView> = RefCell::default();
}

/// A view of more bytes than this is not kept: one large document must not occupy a thread's memory for good.
const KEPT_BYTES: usize = 1 << 20;

/// Bytes of the buffer that this thread keeps.
#[cfg(test)]
pub(crate) fn kept_bytes() -> usize {
    VIEW.with(|view| view.borrow().capacity())
}

impl Detector {
    /// Finds personal data in a document. Linear in its length, but for a logarithm in the candidates.
    pub fn detect(&self, turns: &[Turn<'_>], options: &Options<'_>) -> Detection {
        // Taken out while in use, so that a panic elsewhere leaves no borrow behind.
        let mut view = VIEW.with(|view| std::mem::take(&mut *view.borrow_mut()));
        view.fill(turns);
        let judge = Judge::new(self, &view, turns, options);
        let mut judged = Vec::new();
        self.engine.matches(&view, &mut |found| judged.extend(judge.judge(&found)));
        let detection = match judged.is_empty() {
            true => Detection::default(),
            false => self.weigh(&view, judged, options),
        };
        if view.bytes().len() <= KEPT_BYTES {
            VIEW.with(|kept| *kept.borrow_mut() = view);
        }
        detection
    }

    /// The entities and patterns.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The reference formats.
    pub fn references(&self) -> &References {
        &self.references
    }

    /// The weights of evidence.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The engine.
    pub fn engine(&self) -> &PlainEngine {
        &self.engine
    }

    /// Settles what was judged: each candidate once, in order of place.
    fn weigh(&self, view: &ByteView, mut judged: Vec<Judged>, options: &Options<'_>) -> Detection {
        judged.sort_unstable_by_key(|judged| judged.candidate);
        judged.dedup_by_key(|judged| judged.candidate);
        let mut suppressed: BTreeMap<(String, PatternId), u64> = BTreeMap::new();
        for judged in &judged {
            if let Outcome::Suppressed(reference) = &judged.outcome {
                let pattern = self.catalogue.patterns[judged.candidate.pattern].id.clone();
                *suppressed.entry((reference.clone(), pattern)).or_default() += 1;
            }
        }
        let findings = self.resolve(view, &mut judged);
        let explanations = match options.explain {
            true => judged.into_iter().map(|judged| self.explain(view, judged)).collect(),
            false => Vec::new(),
        };
        Detection { findings, suppressed, explanations }
    }

    /// Chooses among overlapping readings, and makes the chosen findings with the others as their rivals.
    fn resolve(&self, view: &ByteView, judged: &mut [Judged]) -> Vec<Finding> {
        let standing: Vec<usize> = (0..judged.len()).filter(|i| judged[*i].outcome == Outcome::Found).collect();
        let mut longest: BTreeMap<(usize, usize), (usize, i32)> = BTreeMap::new();
        for Judged { candidate, score, .. } in standing.iter().map(|i| &judged[*i]) {
            let own = longest.entry((candidate.pattern, candidate.start)).or_default();
            *own = (*own).max((candidate.end, score.points));
        }
        let weighed: Vec<Weighed> = standing
            .iter()
            .map(|i| {
                let Judged { candidate, score, .. } = &judged[*i];
                let (end, points) = longest[&(candidate.pattern, candidate.start)];
                // A pattern without a check that goes on says the same about more. Its beginning must not win together
                // with what happens to stand in the rest, as in the body of a private key.
                let is_beginning =
                    candidate.verdict == Verdict::Unchecked && candidate.end < end && score.points <= points;
                let points = if is_beginning { 1 } else { score.points };
                Weighed { start: candidate.start, end: candidate.end, points }
            })
            .collect();
        let chosen = heaviest(&weighed);
        let mut findings: Vec<Finding> = chosen.iter().map(|k| self.finding(view, &judged[standing[*k]])).collect();

        let starts: Vec<usize> = chosen.iter().map(|k| weighed[*k].start).collect();
        let is_chosen: std::collections::BTreeSet<usize> = chosen.iter().copied().collect();
        for (k, reading) in weighed.iter().enumerate() {
            if is_chosen.contains(&k) {
                continue;
            }
            // A reading that was not chosen overlaps one that was: the first that ends after it starts.
            let at = chosen.partition_point(|c| weighed[*c].end <= reading.start).min(starts.len() - 1);
            let own = &mut judged[standing[k]];
            own.outcome = Outcome::Outweighed(findings[at].pattern.clone());
            let rival = self.finding(view, own);
            self.add_rival(&mut findings[at], rival);
        }
        findings
    }

    fn finding(&self, view: &ByteView, judged: &Judged) -> Finding {
        let pattern = &self.catalogue.patterns[judged.candidate.pattern];
        Finding {
            entity: self.catalogue.entity_of(pattern).id.clone(),
            pattern: pattern.id.clone(),
            span: view.span(judged.candidate.start, judged.candidate.end),
            points: judged.score.points,
            verdict: judged.candidate.verdict,
            rivals: Vec::new(),
        }
    }

    fn explain(&self, view: &ByteView, judged: Judged) -> Explanation {
        let Finding { entity, pattern, span, points, verdict, .. } = self.finding(view, &judged);
        let evidence = judged.score.items.unwrap_or_default();
        Explanation { entity, pattern, span, verdict, points, evidence, outcome: judged.outcome }
    }

    /// Keeps a rival: the strongest of each entity. Not kept is one that says nothing more: of the finding's own
    /// entity inside its span, or one that the finding explains, such as a row of digits inside an account number.
    fn add_rival(&self, finding: &mut Finding, rival: Finding) {
        let inside = finding.span.contains(&rival.span);
        let explained = inside
            && finding.span != rival.span
            && finding.verdict == Verdict::Valid
            && finding.points - rival.points >= self.weights.explained;
        if explained || (inside && rival.entity == finding.entity) {
            return;
        }
        let rival = Rival { entity: rival.entity, pattern: rival.pattern, span: rival.span, points: rival.points };
        match finding.rivals.iter_mut().find(|kept| kept.entity == rival.entity) {
            Some(kept) if kept.points >= rival.points => {}
            Some(kept) => *kept = rival,
            None => finding.rivals.push(rival),
        }
    }
}
