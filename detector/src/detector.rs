//! The detector: from a document to findings.

use crate::{
    document::{Span, Turn},
    engine::{Engine, PrefilteredEngine},
    evidence::{Evidence, Labels, Weights},
    finding::{EntityId, Finding, PatternId, Rival, Verdict},
    judge::{Judge, Judged},
    overlap::{Weighed, heaviest},
    pattern::Catalogue,
    reference::{Date, References},
    view::{ByteView, Corrections},
};
use std::{cell::RefCell, cmp::Reverse, collections::BTreeMap};

/// A ruleset's patterns, weights and references, compiled. Made by [`load`](crate::load); shared between threads.
pub struct Detector {
    pub(crate) catalogue: Catalogue,
    pub(crate) weights: Weights,
    pub(crate) references: References,
    pub(crate) labels: Labels,
    pub(crate) corrections: Corrections,
    pub(crate) engine: PrefilteredEngine,
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
    /// The other pieces of one that is split over turns.
    pub more: Vec<Span>,
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
    /// It is joined or misread, and nothing names it or its check does not pass.
    NotCertain,
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
        if self.catalogue.patterns.is_empty() {
            return Detection::default();
        }
        // Taken out while in use, so that a panic elsewhere leaves no borrow behind.
        let mut view = VIEW.with(|view| std::mem::take(&mut *view.borrow_mut()));
        view.fill(turns);
        view.add_readings(turns, &self.corrections);
        let labels = self.labels.find(&view);
        let places = (!options.explain).then(|| self.labels.places(&labels, &view, turns, &self.weights));
        let judge = Judge::new(self, &view, turns, &labels, options);
        let mut judged = Vec::new();
        self.engine.matches(&view, places.as_ref(), &mut |found| judged.extend(judge.judge(&found)));
        let detection = match judged.is_empty() {
            true => Detection::default(),
            false => self.weigh(judged, &Offsets::of(turns), options),
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

    /// Words by which people correct the end of a number.
    pub fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    /// The engine.
    pub fn engine(&self) -> &PrefilteredEngine {
        &self.engine
    }

    /// Settles what was judged: each candidate once, in order of place.
    fn weigh(&self, mut judged: Vec<Judged>, offsets: &Offsets, options: &Options<'_>) -> Detection {
        // Of the same place read in two ways the one that was found, and the stronger, stands.
        let is_found = |judged: &Judged| judged.outcome == Outcome::Found;
        judged.sort_by(|a, b| {
            let key =
                |judged: &Judged| (judged.candidate.pattern, Reverse(is_found(judged)), Reverse(judged.score.points));
            (&a.spans, key(a)).cmp(&(&b.spans, key(b)))
        });
        judged.dedup_by(|later, kept| later.candidate.pattern == kept.candidate.pattern && later.spans == kept.spans);
        let mut suppressed: BTreeMap<(String, PatternId), u64> = BTreeMap::new();
        for judged in &judged {
            if let Outcome::Suppressed(reference) = &judged.outcome {
                let pattern = self.catalogue.patterns[judged.candidate.pattern].id.clone();
                *suppressed.entry((reference.clone(), pattern)).or_default() += 1;
            }
        }
        let findings = self.resolve(&mut judged, offsets);
        let explanations = match options.explain {
            true => judged.into_iter().map(|judged| self.explain(judged)).collect(),
            false => Vec::new(),
        };
        Detection { findings, suppressed, explanations }
    }

    /// Chooses among overlapping readings, and makes the chosen findings with the others as their rivals.
    fn resolve(&self, judged: &mut [Judged], offsets: &Offsets) -> Vec<Finding> {
        let standing: Vec<usize> = (0..judged.len()).filter(|i| judged[*i].outcome == Outcome::Found).collect();
        let (split, whole): (Vec<usize>, Vec<usize>) = standing.into_iter().partition(|i| judged[*i].spans.len() > 1);
        let weighed = self.weighed(&whole, judged, offsets);
        let mut chosen: Vec<usize> = heaviest(&weighed).into_iter().map(|k| whole[k]).collect();
        let mut in_pieces = Pieces::default();
        if !split.is_empty() {
            in_pieces = accepted(&split, &chosen, judged, offsets);
            let free: Vec<usize> =
                whole.iter().copied().filter(|i| in_pieces.touching(&judged[*i].spans).is_none()).collect();
            let weighed = self.weighed(&free, judged, offsets);
            chosen = heaviest(&weighed).into_iter().map(|k| free[k]).collect();
        }
        // Of what was not chosen each overlaps something that was: one in pieces, or else the first that ends after it
        // starts.
        let mut rivals: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for i in whole.into_iter().chain(split) {
            let spans = &judged[i].spans;
            let winner = in_pieces.touching(spans).or_else(|| touching(&chosen, judged, spans).next());
            if let Some(winner) = winner.filter(|winner| *winner != i) {
                judged[i].outcome =
                    Outcome::Outweighed(self.catalogue.patterns[judged[winner].candidate.pattern].id.clone());
                // What was only joined says nothing more beside a whole number.
                if judged[i].spans.len() == 1 {
                    rivals.entry(winner).or_default().push(i);
                }
            }
        }
        chosen.extend(in_pieces.0.values().map(|(_, i)| *i));
        chosen.sort_by(|a, b| judged[*a].spans.cmp(&judged[*b].spans));
        chosen.dedup();
        let found = |i: usize| {
            let mut finding = self.finding(&judged[i]);
            for rival in rivals.get(&i).into_iter().flatten() {
                self.add_rival(&mut finding, self.finding(&judged[*rival]));
            }
            finding
        };
        chosen.into_iter().map(found).collect()
    }

    /// Readings that stand in one piece, with their weights.
    fn weighed(&self, standing: &[usize], judged: &[Judged], offsets: &Offsets) -> Vec<Weighed> {
        let mut longest: BTreeMap<(usize, usize), (usize, i32)> = BTreeMap::new();
        for judged in standing.iter().map(|i| &judged[*i]) {
            let place = offsets.weighed(judged);
            let own = longest.entry((judged.candidate.pattern, place.start)).or_default();
            *own = (*own).max((place.end, place.points));
        }
        let weigh = |i: &usize| {
            let judged = &judged[*i];
            let place = offsets.weighed(judged);
            let (end, points) = longest[&(judged.candidate.pattern, place.start)];
            // A pattern without a check that goes on says the same about more. Its beginning must not win together
            // with what happens to stand in the rest, as in the body of a private key.
            let is_beginning =
                judged.candidate.verdict == Verdict::Unchecked && place.end < end && place.points <= points;
            Weighed { points: if is_beginning { 1 } else { place.points }, ..place }
        };
        standing.iter().map(weigh).collect()
    }

    fn finding(&self, judged: &Judged) -> Finding {
        let pattern = &self.catalogue.patterns[judged.candidate.pattern];
        Finding {
            entity: self.catalogue.entity_of(pattern).id.clone(),
            pattern: pattern.id.clone(),
            span: judged.spans[0],
            more: judged.spans[1..].to_vec(),
            points: judged.score.points,
            verdict: judged.candidate.verdict,
            rivals: Vec::new(),
        }
    }

    fn explain(&self, judged: Judged) -> Explanation {
        let Finding { entity, pattern, span, more, points, verdict, .. } = self.finding(&judged);
        let evidence = judged.score.items.unwrap_or_default();
        Explanation { entity, pattern, span, more, verdict, points, evidence, outcome: judged.outcome }
    }

    /// Keeps a rival: the strongest of each entity. Not kept is one that says nothing more: of the finding's own
    /// entity inside its span, or one that the finding explains, such as a row of digits inside an account number.
    fn add_rival(&self, finding: &mut Finding, rival: Finding) {
        let inside = rival.pieces().all(|piece| finding.pieces().any(|own| own.contains(&piece)));
        let explained = inside
            && !finding.pieces().eq(rival.pieces())
            && finding.verdict == Verdict::Valid
            && finding.points - rival.points >= self.weights.explained;
        if explained || (inside && rival.entity == finding.entity) {
            return;
        }
        let Finding { entity, pattern, span, more, points, .. } = rival;
        let rival = Rival { entity, pattern, span, more, points };
        match finding.rivals.iter_mut().find(|kept| kept.entity == rival.entity) {
            Some(kept) if kept.points >= rival.points => {}
            Some(kept) => *kept = rival,
            None => finding.rivals.push(rival),
        }
    }
}

/// Where each turn would start if the texts stood one after another.
struct Offsets(Vec<usize>);

impl Offsets {
    fn of(turns: &[Turn<'_>]) -> Self {
        let mut next = 0;
        let start = |turn: &Turn<'_>| {
            let own = next;
            next += turn.text.len() + 1;
            own
        };
        Self(turns.iter().map(start).collect())
    }

    /// A reading with its first piece's place among all texts.
    fn weighed(&self, judged: &Judged) -> Weighed {
        let Span { turn, start, end } = judged.spans[0];
        let from = self.0.get(turn).copied().unwrap_or_default();
        Weighed { start: from + start, end: from + end, points: judged.score.points }
    }
}

/// The pieces of readings that do not overlap: by turn and start, the end and the reading's index.
#[derive(Default)]
struct Pieces(BTreeMap<(usize, usize), (usize, usize)>);

impl Pieces {
    /// The reading of a piece that shares a byte with one of these spans. Logarithmic.
    fn touching(&self, spans: &[Span]) -> Option<usize> {
        spans.iter().find_map(|span| {
            let (at, (end, index)) = self.0.range(..(span.turn, span.end)).next_back()?;
            (at.0 == span.turn && *end > span.start).then_some(*index)
        })
    }
}

/// Of the readings in pieces those that weigh more than all that was chosen in their place, the strongest first.
fn accepted(split: &[usize], chosen: &[usize], judged: &[Judged], offsets: &Offsets) -> Pieces {
    let mut order = split.to_vec();
    order.sort_by_key(|i| (Reverse(judged[*i].score.points), &judged[*i].spans));
    let mut accepted = Pieces::default();
    for i in order {
        let spans = &judged[i].spans;
        let others = touching(chosen, judged, spans).map(|other| offsets.weighed(&judged[other]).weight());
        if accepted.touching(spans).is_none() && offsets.weighed(&judged[i]).weight() > others.sum() {
            accepted.0.extend(spans.iter().map(|span| ((span.turn, span.start), (span.end, i))));
        }
    }
    accepted
}

/// Those of the chosen readings, which stand in one piece each and in order, that share a byte with one of these spans.
fn touching<'j>(chosen: &'j [usize], judged: &'j [Judged], spans: &'j [Span]) -> impl Iterator<Item = usize> + 'j {
    spans.iter().flat_map(move |span| {
        let place = |i: usize| judged[i].spans[0];
        let first = chosen.partition_point(|i| (place(*i).turn, place(*i).end) <= (span.turn, span.start));
        chosen[first..].iter().copied().take_while(move |i| place(*i).overlaps(span))
    })
}
