//! How far labels reach: where a match can be labelled at all. Elsewhere patterns that need a label are not looked for.
//!
//! What is said here follows [`labelled`](LabelHits::labelled), and may only ever say more: a place that it leaves out is a
//! miss. A test holds the two together.

use super::{LabelHits, Weights, labelled::Hit};
use crate::{document::Turn, engine::Places, pattern::Catalogue, view::ByteView};
use std::ops::Range;

/// What is known of an entity with patterns that are looked for only near its labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Words between a label before and a match, at most.
    within: usize,
    /// Bytes of a match, at most.
    longest: usize,
}

impl Reach {
    /// Those of a catalogue's entities, by index, that have such patterns.
    pub(super) fn of(catalogue: &Catalogue, weights: &Weights) -> Vec<Option<Self>> {
        let mut all: Vec<Option<Self>> = vec![None; catalogue.entities.len()];
        for pattern in &catalogue.patterns {
            let Some(longest) = pattern.confined() else { continue };
            let within = catalogue.entity_of(pattern).within.unwrap_or(weights.within);
            let own = all[pattern.entity].get_or_insert(Self { within, longest });
            own.longest = own.longest.max(longest);
        }
        all
    }
}

/// The segments of a view that go with each turn, and so can answer a question in the turn before.
struct Answers(Vec<(usize, usize)>);

impl Answers {
    fn of(view: &ByteView) -> Self {
        let of_segment = |segment: usize| {
            let (first, last) = view.turns(segment);
            [Some((first, segment)), (last > first).then_some((last, segment))]
        };
        let mut all: Vec<(usize, usize)> = (0..view.segments().count()).flat_map(of_segment).flatten().collect();
        all.sort_unstable();
        Self(all)
    }

    fn to(&self, turn: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.0.partition_point(|(of, _)| *of < turn);
        self.0[first..].iter().take_while(move |(of, _)| *of == turn).map(|(_, segment)| *segment)
    }
}

impl LabelHits {
    /// Where matches of entities, whose reaches these are, can be labelled. Linear in the labels, but for logarithms in the
    /// view.
    pub(super) fn places(
        &self,
        reaches: &[Option<Reach>],
        view: &ByteView,
        turns: &[Turn<'_>],
        weights: &Weights,
    ) -> Places {
        let mut places = Places::default();
        let mut answers = None;
        let mut ranges = Vec::new();
        for labels in self.by_name() {
            let entity = labels[0].name;
            let Some(reach) = reaches.get(entity).copied().flatten() else { continue };
            for label in labels {
                let segment = view.segment_at(label.start);
                let turn = view.range(segment);
                ranges.push(self.after(label, reach.within, &turn));
                ranges.push(self.before(label, reach.longest, weights.after_words, &turn));
                ranges.extend(self.tables(view).under(label.start));
                let is_asked =
                    turns.get(segment).zip(turns.get(segment + 1)).is_some_and(|(own, next)| own.role != next.role)
                        && self.words.between(label.end, turn.end) <= weights.within;
                if is_asked {
                    let answers = answers.get_or_insert_with(|| Answers::of(view));
                    ranges.extend(answers.to(segment + 1).map(|answer| {
                        let range = view.range(answer);
                        match view.turns(answer) {
                            (first, last) if first < last => range,
                            _ => range.start..self.words_on(range.start, weights.within, range.end),
                        }
                    }));
                }
            }
            places.add(entity, &mut ranges);
            ranges.clear();
        }
        places
    }

    /// Where a match may start that a label stands before.
    fn after(&self, label: &Hit, within: usize, turn: &Range<usize>) -> Range<usize> {
        label.end..self.words_on(label.end, within, turn.end)
    }

    /// One past where so many words start after `from`, or `end`.
    fn words_on(&self, from: usize, words: usize, end: usize) -> usize {
        self.words.from(from).nth(words).map_or(end, |word| end.min(word + 1))
    }

    /// Where a match may start that a label stands after.
    fn before(&self, label: &Hit, longest: usize, words: usize, turn: &Range<usize>) -> Range<usize> {
        let first_end = self.words.back_from(label.start).nth(words).map_or(turn.start, |word| word + 1);
        turn.start.max(first_end.saturating_sub(longest))..label.start
    }
}
