//! Labels: the words that name an entity, and how far they stand from a candidate.

use super::{Weights, tables::Tables};
use crate::{
    boundary::{char_after, char_before},
    document::Turn,
    pattern::Catalogue,
    trigrams::Trigrams,
    view::{BREAK, ByteView},
};
use aho_corasick::{Anchored, MatchKind, automaton::Automaton, nfa::contiguous::NFA};
use std::{cell::OnceCell, collections::BTreeMap};

/// One automaton over every label of every entity. It is run, anchored, from where a label may start.
pub struct Labels {
    automaton: NFA,
    beginnings: Beginnings,
    /// For each word of the automaton, what it names.
    names: Vec<Vec<Named>>,
    entities: usize,
}

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// An entity, by its index.
    Entity(usize),
    /// A number of another kind: an order, an invoice, a parcel.
    Other,
}

/// The labels found in one view.
#[derive(Debug)]
pub struct LabelHits {
    /// By entity: where its labels stand, in order.
    by_entity: Vec<Vec<(usize, usize)>>,
    /// Labels of other kinds.
    other: Vec<(usize, usize)>,
    /// Where each word of the view starts.
    words: Vec<usize>,
    /// Tables; looked for when the first candidate asks.
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

impl Labels {
    /// Builds the automaton: linear in all labels together.
    pub fn new(catalogue: &Catalogue, weights: &Weights) -> Result<Self, aho_corasick::BuildError> {
        let mut words: BTreeMap<String, Vec<Named>> = BTreeMap::new();
        for (i, entity) in catalogue.entities.iter().enumerate() {
            for label in &entity.labels {
                spellings(&label.words, |spelling| words.entry(spelling).or_default().push(Named::Entity(i)));
            }
        }
        for label in &weights.other_labels {
            spellings(&label.words, |spelling| words.entry(spelling).or_default().push(Named::Other));
        }
        let automaton =
            NFA::builder().match_kind(MatchKind::Standard).ascii_case_insensitive(true).build(words.keys())?;
        let beginnings = Beginnings::of(words.keys().map(String::as_bytes));
        let mut names: Vec<Vec<Named>> = words.into_values().collect();
        for names in &mut names {
            names.sort_unstable();
            names.dedup();
        }
        Ok(Self { automaton, beginnings, names, entities: catalogue.entities.len() })
    }

    /// Finds every label that is a whole word, and every word. Linear in the view.
    pub fn find(&self, view: &ByteView) -> LabelHits {
        let bytes = view.bytes();
        let mut hits = LabelHits {
            by_entity: vec![Vec::new(); self.entities],
            other: Vec::new(),
            words: word_starts(bytes),
            tables: OnceCell::new(),
        };
        self.beginnings.find(bytes, |start| {
            if char_before(bytes, start).is_some_and(char::is_alphanumeric) {
                return;
            }
            self.labels_from(bytes, start, |label, end| {
                if char_after(bytes, end).is_some_and(char::is_alphanumeric) {
                    return;
                }
                for named in &self.names[label] {
                    match named {
                        Named::Entity(entity) => keep_longest(&mut hits.by_entity[*entity], (start, end)),
                        Named::Other => keep_longest(&mut hits.other, (start, end)),
                    }
                }
            });
        });
        hits
    }

    /// Calls back with (label, end) for each label that starts here. Reads at most the longest label.
    fn labels_from(&self, bytes: &[u8], start: usize, mut found: impl FnMut(usize, usize)) {
        let Ok(mut state) = self.automaton.start_state(Anchored::Yes) else { return };
        for (at, byte) in (start..).zip(&bytes[start..]) {
            state = self.automaton.next_state(Anchored::Yes, state, *byte);
            if !self.automaton.is_special(state) {
                continue;
            }
            if self.automaton.is_dead(state) {
                return;
            }
            // Of what ends here only what starts at `start`: others are suffixes of it.
            if self.automaton.is_match(state) {
                (0..self.automaton.match_len(state)).map(|i| self.automaton.match_pattern(state, i)).for_each(
                    |label| {
                        if self.automaton.pattern_len(label) == at + 1 - start {
                            found(label.as_usize(), at + 1);
                        }
                    },
                );
            }
        }
    }
}

impl LabelHits {
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
        let own = &self.by_entity[entity];
        if own.is_empty() {
            return Labelled::default();
        }
        let segment = view.segment_at(start);
        let range = view.range(segment);
        let cell = self.tables.get_or_init(|| Tables::find(view)).header_of(view, start);
        let is_of_other_column = cell.as_ref().is_some_and(|cell| {
            let last = own.partition_point(|(_, end)| *end <= start).checked_sub(1).map(|at| own[at].0);
            last.is_some_and(|label| cell.line.contains(&label) && !cell.own.contains(&label))
        });
        let before =
            self.nearest(own, start, range.start).filter(|distance| *distance <= within && !is_of_other_column);
        let after = own
            .get(own.partition_point(|(from, _)| *from < end))
            .filter(|(from, _)| *from < range.end)
            .filter(|(_, to)| !self.introduces_digits(*to, range.end, view.bytes(), weights.adjacent_words))
            .map(|(from, _)| self.words_between(end, *from))
            .filter(|distance| *distance <= weights.after_words);
        let (first, last) = view.turns(segment);
        let is_asked = |turn: usize| {
            turn > 0
                && turns.get(turn).zip(turns.get(turn - 1)).is_some_and(|(own, asking)| own.role != asking.role)
                && self.asked(own, view.range(turn - 1), weights.within)
        };
        let question = (is_asked(first) && self.words_between(range.start, start) <= weights.within)
            || (last > first && is_asked(last));
        let header = cell.is_some_and(|cell| {
            let first = own.partition_point(|(from, _)| *from < cell.own.start);
            own.get(first).is_some_and(|(_, to)| *to <= cell.own.end)
        });
        Labelled { before, after, question, header }
    }

    /// Whether a label of another kind stands before what starts here, nearer than any of its own.
    pub fn is_of_another(&self, labelled: &Labelled, within: usize, start: usize, view: &ByteView) -> bool {
        if self.other.is_empty() {
            return false;
        }
        let turn = view.range(view.segment_at(start)).start;
        self.nearest(&self.other, start, turn)
            .is_some_and(|other| other <= within && labelled.before.is_none_or(|before| other < before))
    }

    /// Words between the last of the labels before `start`, if it stands in the turn that starts at `turn`, and there.
    fn nearest(&self, hits: &[(usize, usize)], start: usize, turn: usize) -> Option<usize> {
        let at = hits.partition_point(|(_, end)| *end <= start);
        let (from, to) = *hits.get(at.checked_sub(1)?)?;
        (from >= turn).then(|| self.words_between(to, start))
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
        let own = &self.by_entity[entity];
        let no_digits = |range: std::ops::Range<usize>| !view.bytes()[range].iter().any(u8::is_ascii_digit);
        let label_end = own.partition_point(|(_, to)| *to <= start).checked_sub(1).map(|at| own[at].1);
        let before = labelled.before.is_some() && label_end.is_some_and(|to| no_digits(to..start));
        let after = own
            .get(own.partition_point(|(from, _)| *from < end))
            .is_some_and(|(from, _)| labelled.after.is_some() && no_digits(end..*from));
        before || after || (labelled.question && no_digits(turn.start..start))
    }

    /// Whether a number starts within a few words after a label: then the label names that number.
    fn introduces_digits(&self, label_end: usize, turn_end: usize, bytes: &[u8], words: usize) -> bool {
        let first = self.words.partition_point(|word| *word < label_end);
        self.words[first..]
            .iter()
            .take(words + 1)
            .take_while(|word| **word < turn_end)
            .any(|word| bytes[*word].is_ascii_digit())
    }

    /// Whether a turn names the entity near its end.
    fn asked(&self, hits: &[(usize, usize)], turn: std::ops::Range<usize>, within: usize) -> bool {
        let at = hits.partition_point(|(_, end)| *end <= turn.end);
        at.checked_sub(1)
            .and_then(|i| hits.get(i))
            .is_some_and(|(from, to)| *from >= turn.start && self.words_between(*to, turn.end) <= within)
    }

    /// How many words start in these bytes.
    fn words_between(&self, from: usize, to: usize) -> usize {
        let before = |position: usize| self.words.partition_point(|word| *word < position);
        before(to).saturating_sub(before(from))
    }
}

/// Adds a label that starts last so far, and keeps of labels inside each other the longest: then ends are in order as
/// starts are, and either can be searched.
fn keep_longest(hits: &mut Vec<(usize, usize)>, (start, end): (usize, usize)) {
    if hits.last().is_some_and(|(_, last)| *last >= end) {
        return;
    }
    hits.pop_if(|(last, _)| *last == start);
    hits.push((start, end));
}

/// Calls back with a label as it may be written: the automaton folds ASCII case only, so the others' case is spelled
/// out.
fn spellings(words: &str, mut each: impl FnMut(String)) {
    each(words.to_owned());
    if !words.is_ascii() {
        each(words.to_uppercase());
        let mut chars = words.chars();
        if let Some(first) = chars.next().filter(|c| !c.is_ascii()) {
            each(first.to_uppercase().chain(chars).collect());
        }
    }
}

/// How labels begin: their first three bytes, case folded.
struct Beginnings(Trigrams);

impl Beginnings {
    /// Those of these labels. A shorter one is looked for with anything after it.
    fn of<'l>(labels: impl Iterator<Item = &'l [u8]>) -> Self {
        let mut all = Vec::new();
        for label in labels {
            match *label {
                [a, b, c, ..] => all.push([a, b, c]),
                [a, b] => all.extend((0..=u8::MAX).map(|c| [a, b, c])),
                [a] => all.extend((0..=u8::MAX).flat_map(|b| (0..=u8::MAX).map(move |c| [a, b, c]))),
                [] => {}
            }
        }
        Self(Trigrams::of(all.into_iter().map(Self::folded)))
    }

    /// Calls back with where a label may start, in order. A look at each byte.
    fn find(&self, bytes: &[u8], mut found: impl FnMut(usize)) {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(BREAK);
        let mut look = |at: usize| {
            if self.0.may_hold(Self::folded([byte(at), byte(at + 1), byte(at + 2)])) {
                found(at);
            }
        };
        look(0);
        // A label starts where a word does, or with a byte that is of none.
        for (at, byte) in (1..bytes.len()).zip(bytes) {
            if KINDS[usize::from(*byte)] & ALPHANUMERIC == 0 {
                look(at);
            }
        }
    }

    /// The same for either case; also for some that are no letters.
    fn folded(bytes: [u8; 3]) -> [u8; 3] {
        bytes.map(|byte| byte | 0x20)
    }
}

/// What a byte is to a word, as bits.
static KINDS: [u8; 256] = kinds();
/// Of a word: an ASCII letter or digit, or a byte of a character beyond ASCII.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
/// What may stand between the groups of a number.
const SEPARATOR: u8 = 4;
/// An ASCII letter or digit.
const ALPHANUMERIC: u8 = 8;

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte: u8 = 0;
    while byte < BREAK {
        kinds[byte as usize] = if byte.is_ascii_digit() {
            WORD | DIGIT | ALPHANUMERIC
        } else if byte.is_ascii_alphabetic() {
            WORD | ALPHANUMERIC
        } else if byte >= 0x80 {
            WORD
        } else if matches!(byte, b' ' | b'-' | b'.') {
            SEPARATOR
        } else {
            0
        };
        byte += 1;
    }
    kinds
}

/// Where words start: runs of ASCII letters and digits and of characters beyond ASCII. A number in groups is one word.
/// Words are short and end where nobody can foresee, so there is no branch on them.
fn word_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0; bytes.len() / 2 + 1];
    let mut count = 0;
    // The kinds of the two bytes before.
    let (mut second, mut last) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        let kind = KINDS[usize::from(*byte)];
        // Between two starts there is a byte outside of words, so there is always room.
        starts[count] = at;
        let goes_on = (kind & second & DIGIT != 0) & (last & SEPARATOR != 0);
        count += usize::from((kind & !last & WORD != 0) & !goes_on);
        (second, last) = (last, kind);
    }
    starts.truncate(count);
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_labels_inside_each_other_the_longest_stands_and_all_are_in_order() {
        let mut hits = Vec::new();
        // By start, then by end, as they are found: `a` in `a b c`, `b` in it, then `c d`, then `d` in it.
        for hit in [(0, 1), (0, 5), (2, 3), (4, 7), (6, 7), (8, 9)] {
            keep_longest(&mut hits, hit);
        }
        assert_eq!(hits, [(0, 5), (4, 7), (8, 9)]);
    }
}
