//! The labels found in a view, and how far they stand from a candidate.

use super::{Weights, tables::Tables, words::Words};
use crate::{document::Turn, view::ByteView};
use std::cell::OnceCell;

/// A label where it stands in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// What it names: an entity, by its index, or after the last what is of other kinds.
    pub(super) name: usize,
    /// First byte.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
}

/// The labels found in one view.
#[derive(Debug)]
pub struct LabelHits {
    /// By name, then in order.
    hits: Vec<Hit>,
    /// The name of what is of other kinds.
    other: usize,
    /// The words of the view.
    pub(super) words: Words,
    /// Tables; looked for when they are first asked for.
    tables: OnceCell<Tables>,
}

/// How a candidate is labelled. Distances in words between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labelled {
    /// A label before it in its turn.
    pub before: Option<usize>,
    /// A label after it in its turn.
    pub after: Option<usize>,
    /// Whether the turn before, by another speaker, ends with a label.
    pub question: bool,
    /// Whether a label stands in the header of its column.
    pub header: bool,
}

impl Labelled {
    /// Whether anything names it.
    pub fn any(&self) -> bool {
        self.before.is_some() || self.after.is_some() || self.question || self.header
    }
}

impl LabelHits {
    /// Takes hits in order of start, then end, and the name of what is of other kinds.
    pub(super) fn new(mut hits: Vec<Hit>, other: usize, words: Words) -> Self {
        hits.sort_by_key(|hit| hit.name);
        keep_longest(&mut hits);
        Self { hits, other, words, tables: OnceCell::new() }
    }

    /// The labels of this name, in order of start and of end.
    fn of(&self, name: usize) -> &[Hit] {
        let first = self.hits.partition_point(|hit| hit.name < name);
        let own = &self.hits[first..];
        &own[..own.partition_point(|hit| hit.name == name)]
    }

    /// The labels of each name that there are, in order of names.
    pub(super) fn by_name(&self) -> impl Iterator<Item = &[Hit]> + '_ {
        self.hits.chunk_by(|a, b| a.name == b.name)
    }

    /// The tables of the view.
    pub(super) fn tables(&self, view: &ByteView) -> &Tables {
        self.tables.get_or_init(|| Tables::find(view))
    }

    /// How a candidate of this entity at these bytes of the view is labelled. Logarithmic in the view.
    pub fn labelled(
        &self,
        entity: usize,
        within: usize,
        (start, end): (usize, usize),
        view: &ByteView,
        turns: &[Turn<'_>],
        weights: &Weights,
    ) -> Labelled {
        let own = self.of(entity);
        if own.is_empty() {
            return Labelled::default();
        }
        let segment = view.segment_at(start);
        let range = view.range(segment);
        let cell = self.tables(view).header_of(view, start);
        let is_of_other_column = cell.as_ref().is_some_and(|cell| {
            let last = own.partition_point(|label| label.end <= start).checked_sub(1).map(|at| own[at].start);
            last.is_some_and(|label| cell.line.contains(&label) && !cell.own.contains(&label))
        });
        let before =
            self.nearest(own, start, range.start).filter(|distance| *distance <= within && !is_of_other_column);
        let after = own
            .get(own.partition_point(|label| label.start < end))
            .filter(|label| label.start < range.end)
            .map(|label| (label, self.words.between(end, label.start)))
            .filter(|(_, distance)| *distance <= weights.after_words)
            .filter(|(label, _)| !self.introduces_digits(label.end, range.end, view.bytes(), weights.adjacent_words))
            .map(|(_, distance)| distance);
        let (first, last) = view.turns(segment);
        let is_asked = |turn: usize| {
            turn > 0
                && turns.get(turn).zip(turns.get(turn - 1)).is_some_and(|(own, asking)| own.role != asking.role)
                && self.asked(own, view.range(turn - 1), weights.within)
        };
        let question = (is_asked(first) && self.words.between(range.start, start) <= weights.within)
            || (last > first && is_asked(last));
        let header = cell.is_some_and(|cell| {
            let first = own.partition_point(|label| label.start < cell.own.start);
            own.get(first).is_some_and(|label| label.end <= cell.own.end)
        });
        Labelled { before, after, question, header }
    }

    /// Whether a label of another kind stands before what starts here, nearer than any of its own.
    pub fn is_of_another(&self, labelled: &Labelled, within: usize, start: usize, view: &ByteView) -> bool {
        let others = self.of(self.other);
        if others.is_empty() {
            return false;
        }
        let turn = view.range(view.segment_at(start)).start;
        self.nearest(others, start, turn)
            .is_some_and(|other| other <= within && labelled.before.is_none_or(|before| other < before))
    }

    /// Words between the last of the labels before `start`, if it stands in the turn that starts at `turn`, and there.
    fn nearest(&self, hits: &[Hit], start: usize, turn: usize) -> Option<usize> {
        let last = hits.get(hits.partition_point(|label| label.end <= start).checked_sub(1)?)?;
        (last.start >= turn).then(|| self.words.between(last.end, start))
    }

    /// Whether a label claims what stands at these bytes for its entity: it stands right before with no other digits
    /// between, right after without introducing a number of its own, or it was asked for. Stricter than
    /// [`labelled`](Self::labelled), since this is what overrules a reference.
    pub fn claims(
        &self,
        entity: usize,
        (start, end): (usize, usize),
        view: &ByteView,
        turns: &[Turn<'_>],
        weights: &Weights,
    ) -> bool {
        let labelled = self.labelled(entity, weights.adjacent_words, (start, end), view, turns, weights);
        let turn = view.range(view.segment_at(start));
        let own = self.of(entity);
        let no_digits = |range: std::ops::Range<usize>| !view.bytes()[range].iter().any(u8::is_ascii_digit);
        let label_end = own.partition_point(|label| label.end <= start).checked_sub(1).map(|at| own[at].end);
        let before = labelled.before.is_some() && label_end.is_some_and(|to| no_digits(to..start));
        let after = own
            .get(own.partition_point(|label| label.start < end))
            .is_some_and(|label| labelled.after.is_some() && no_digits(end..label.start));
        before || after || (labelled.question && no_digits(turn.start..start))
    }

    /// Whether a number starts within a few words after a label: then the label names that number.
    fn introduces_digits(&self, label_end: usize, turn_end: usize, bytes: &[u8], words: usize) -> bool {
        self.words
            .from(label_end)
            .take(words + 1)
            .take_while(|word| *word < turn_end)
            .any(|word| bytes[word].is_ascii_digit())
    }

    /// Whether a turn names the entity near its end.
    fn asked(&self, hits: &[Hit], turn: std::ops::Range<usize>, within: usize) -> bool {
        let at = hits.partition_point(|label| label.end <= turn.end);
        at.checked_sub(1)
            .and_then(|i| hits.get(i))
            .is_some_and(|label| label.start >= turn.start && self.words.between(label.end, turn.end) <= within)
    }
}

/// Keeps of labels of one name inside each other the longest: then their ends are in order as their starts are, and
/// either can be searched.
fn keep_longest(hits: &mut Vec<Hit>) {
    hits.dedup_by(|later, kept| {
        let is_same = later.name == kept.name;
        if is_same && later.start == kept.start {
            kept.end = kept.end.max(later.end);
        }
        is_same && kept.end >= later.end
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_labels_inside_each_other_the_longest_stands_and_all_are_in_order() {
        let hit = |(start, end)| Hit { name: 0, start, end };
        // By start, then by end, as they are found: `a` in `a b c`, `b` in it, then `c d`, then `d` in it.
        let mut hits = [(0, 1), (0, 5), (2, 3), (4, 7), (6, 7), (8, 9)].map(hit).to_vec();
        hits.push(Hit { name: 1, start: 0, end: 1 });
        keep_longest(&mut hits);
        let kept = [(0, 5), (4, 7), (8, 9)].map(hit);
        assert_eq!(hits, [&kept[..], &[Hit { name: 1, start: 0, end: 1 }]].concat());
    }
}
