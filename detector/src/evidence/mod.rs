//! Evidence: what speaks for a candidate, and what against, in integer points.
//!
//! A random 9-digit number passes at least one of the world's checksums 86 % of the time, so a passed check settles
//! little by itself. The evidence is a sum: shape, check, grouping, labels around it and their distance, the question
//! before, the tenant's country packs, less what a look-alike would show. One item never depends on another
//! candidate, so an explanation of one match never changes with its neighbours.

mod labelled;
mod labels;
mod lookalike;
mod reach;
mod tables;
mod weights;
mod words;

pub use labelled::{LabelHits, Labelled};
pub use labels::Labels;
pub use weights::{Weights, load};

use crate::{
    document::Turn,
    engine::{Candidate, Match},
    finding::Verdict,
    pattern::{Catalogue, Grouped, grouped},
    view::{ByteView, Reading},
};
use std::fmt;

/// What an item of evidence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceKind {
    /// The pattern's shape.
    Shape,
    /// The check passed.
    CheckPassed,
    /// The check failed.
    CheckFailed,
    /// Grouped in a canonical form.
    CanonicalGrouping,
    /// Grouped otherwise.
    OddGrouping,
    /// A label before, with the number of words between.
    LabelBefore(usize),
    /// A label after, with the number of words between.
    LabelAfter(usize),
    /// The turn before asks for it.
    Question,
    /// A label in the header of its column.
    Header,
    /// The tenant's pack holds its country.
    Pack,
    /// The turn holds nothing else.
    Alone,
    /// Joined to more digits by a decimal or thousands separator.
    Decimal,
    /// Part of a longer row of groups of digits.
    LongerRun,
    /// Inside a URL.
    Url,
    /// Inside a UUID.
    Uuid,
    /// A time.
    Timestamp,
    /// Hours of opening.
    Hours,
    /// A word before names something else.
    OtherLabel,
    /// Letters in it were read as digits.
    Misread,
    /// It is joined from several turns.
    Joined,
    /// The limit of a failed check.
    FailedCheckCap,
    /// A label says that a reference is not one.
    ReferenceContradicted,
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape => f.write_str("shape"),
            Self::CheckPassed => f.write_str("check passed"),
            Self::CheckFailed => f.write_str("check failed"),
            Self::CanonicalGrouping => f.write_str("canonical grouping"),
            Self::OddGrouping => f.write_str("odd grouping"),
            Self::LabelBefore(words) => write!(f, "label before, words between: {words}"),
            Self::LabelAfter(words) => write!(f, "label after, words between: {words}"),
            Self::Question => f.write_str("asked in the turn before"),
            Self::Header => f.write_str("label in the header of its column"),
            Self::Pack => f.write_str("country pack"),
            Self::Alone => f.write_str("nothing else in the turn"),
            Self::Decimal => f.write_str("joined to digits by a decimal or thousands separator"),
            Self::LongerRun => f.write_str("part of a longer row of digit groups"),
            Self::Url => f.write_str("inside a URL"),
            Self::Uuid => f.write_str("inside a UUID"),
            Self::Timestamp => f.write_str("reads as a time"),
            Self::Hours => f.write_str("reads as hours of opening"),
            Self::OtherLabel => f.write_str("a word before names something else"),
            Self::Misread => f.write_str("letters read as digits"),
            Self::Joined => f.write_str("joined from several turns"),
            Self::FailedCheckCap => f.write_str("limit of a failed check"),
            Self::ReferenceContradicted => f.write_str("a label contradicts a reference"),
        }
    }
}

/// One item of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What it is about.
    pub kind: EvidenceKind,
    /// For (positive) or against (negative), in tenths of a ban.
    pub points: i32,
}

/// The evidence of one candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The sum.
    pub points: i32,
    /// The items, in the order counted; `None` where nobody will ask.
    pub items: Option<Vec<Evidence>>,
}

impl Score {
    /// Nothing counted yet. Items are kept if they are to be explained.
    pub fn new(explain: bool) -> Self {
        Self { points: 0, items: explain.then(Vec::new) }
    }

    /// Counts an item; one of no points is left out.
    pub fn count(&mut self, kind: EvidenceKind, points: i32) {
        if points != 0 {
            self.points += points;
            self.items.iter_mut().for_each(|items| items.push(Evidence { kind, points }));
        }
    }
}

/// What is known around the candidates of one document.
pub struct Surroundings<'d> {
    /// The byte view.
    pub view: &'d ByteView,
    /// The turns.
    pub turns: &'d [Turn<'d>],
    /// The labels found.
    pub labels: &'d LabelHits,
    /// Country packs of the tenant, ISO 3166-1 alpha-2.
    pub packs: &'d [String],
    /// Whether the items of a score will be asked for.
    pub explain: bool,
}

/// How a match of this pattern is labelled. Logarithmic in the document.
pub fn labelled(found: &Match, catalogue: &Catalogue, weights: &Weights, around: &Surroundings<'_>) -> Labelled {
    let pattern = &catalogue.patterns[found.pattern];
    let within = catalogue.entity_of(pattern).within.unwrap_or(weights.within);
    around.labels.labelled(pattern.entity, within, (found.start, found.end), around.view, around.turns, weights)
}

/// Counts the evidence of a candidate, labelled so. Logarithmic in the document, linear in the candidate.
pub fn score(
    candidate: &Candidate,
    labelled: &Labelled,
    catalogue: &Catalogue,
    weights: &Weights,
    around: &Surroundings<'_>,
) -> Score {
    let pattern = &catalogue.patterns[candidate.pattern];
    let entity = catalogue.entity_of(pattern);
    let place = (candidate.start, candidate.end);
    let bytes = around.view.bytes();
    let mut score = Score::new(around.explain);

    score.count(EvidenceKind::Shape, pattern.points.shape);
    match candidate.verdict {
        Verdict::Unchecked => {}
        Verdict::Valid => score.count(EvidenceKind::CheckPassed, pattern.points.valid),
        Verdict::Invalid => score.count(EvidenceKind::CheckFailed, pattern.points.invalid),
    }
    if !pattern.groupings.is_empty() {
        match grouped(&bytes[place.0..place.1], &pattern.groupings) {
            Grouped::Plain => {}
            Grouped::Canonical => score.count(EvidenceKind::CanonicalGrouping, weights.grouping_canonical),
            Grouped::Odd => score.count(EvidenceKind::OddGrouping, weights.grouping_odd),
        }
    }

    // One label is enough: a second one beside it says little more.
    let mut label: Option<(EvidenceKind, i32)> = None;
    let mut offer = |kind, points| {
        if label.is_none_or(|(_, best)| points > best) {
            label = Some((kind, points));
        }
    };
    if let Some(words) = labelled.before {
        let adjacent = words <= weights.adjacent_words;
        offer(EvidenceKind::LabelBefore(words), if adjacent { weights.label_adjacent } else { weights.label_near });
    }
    if let Some(words) = labelled.after {
        offer(EvidenceKind::LabelAfter(words), weights.label_after);
    }
    if labelled.question {
        offer(EvidenceKind::Question, weights.question);
    }
    if labelled.header {
        offer(EvidenceKind::Header, weights.header);
    }
    if let Some((kind, points)) = label {
        score.count(kind, points);
    }
    let is_home = entity.country.is_some_and(|country| around.packs.iter().any(|pack| pack == country));
    let is_valid = candidate.verdict == Verdict::Valid;
    // A form that most strings have is no check.
    let is_answer = is_valid && pattern.points.valid >= weights.alone && is_alone(around.view, place);
    // Both say that it was to be expected here: they count once.
    if is_home {
        score.count(EvidenceKind::Pack, weights.pack_home);
    } else if is_answer {
        score.count(EvidenceKind::Alone, weights.alone);
    }
    let within = entity.within.unwrap_or(weights.within);
    if around.labels.is_of_another(labelled, within, place.0, around.view) && is_numeric(&bytes[place.0..place.1]) {
        score.count(EvidenceKind::OtherLabel, weights.other_label);
    }
    match around.view.reading(around.view.segment_at(place.0)) {
        Reading::Misread => score.count(EvidenceKind::Misread, weights.misread),
        Reading::Joined => score.count(EvidenceKind::Joined, weights.joined),
        Reading::Turn | Reading::Decoded => {}
    }
    let is_named =
        labelled.before.is_some_and(|words| words <= weights.adjacent_words) || labelled.question || labelled.header;
    let known = lookalike::Known {
        is_date: entity.id.as_str().starts_with("date."),
        is_claimed: is_named || is_answer || (is_valid && is_home),
    };
    lookalike::judge(bytes, place, known, weights, |kind, points| score.count(kind, points));

    if candidate.verdict == Verdict::Invalid && score.points > weights.failed_check_cap {
        score.count(EvidenceKind::FailedCheckCap, weights.failed_check_cap - score.points);
    }
    score
}

/// Whether a candidate is all that its turn says.
fn is_alone(view: &ByteView, (start, end): (usize, usize)) -> bool {
    /// Quotes, punctuation and spaces around it, at most.
    const MOST: usize = 16;
    let turn = view.range(view.segment_at(start));
    let around = [turn.start..start, end..turn.end];
    around.into_iter().all(|range| {
        range.len() <= MOST && !view.bytes()[range].iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    })
}

/// Whether a candidate is digits and separators only, and few: what order and invoice numbers look like.
fn is_numeric(candidate: &[u8]) -> bool {
    const MOST: usize = 256;
    candidate.len() <= MOST && !candidate.iter().any(u8::is_ascii_alphabetic)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::source::{Mistakes, SourceFile};

    /// The weights that are built in.
    pub(crate) fn weights() -> Weights {
        let file = SourceFile::new("evidence.toml", include_str!("../../../patterns/evidence.toml"));
        let mistakes = Mistakes::default();
        let weights = load(&file, &mistakes);
        assert_eq!(mistakes.into_sorted(), []);
        weights.unwrap()
    }
}
