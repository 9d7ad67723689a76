//! Labels: the words that name an entity, found in one pass over a view.

use super::{
    LabelHits, Weights,
    labelled::Hit,
    reach::Reach,
    words::{Starts, Words, starts},
};
use crate::{
    bits::{BLOCK, ones},
    boundary::{char_after, char_before},
    document::Turn,
    engine::Places,
    pattern::Catalogue,
    trigrams::Trigrams,
    view::{BREAK, ByteView},
};
use aho_corasick::{Anchored, MatchKind, automaton::Automaton, nfa::contiguous::NFA};
use std::collections::BTreeMap;

/// One automaton over every label of every entity. It is run, anchored, from where a label may start.
pub struct Labels {
    automaton: NFA,
    beginnings: Beginnings,
    /// For each word of the automaton, what it names.
    names: Vec<Vec<usize>>,
    /// The name of numbers of other kinds: an order, an invoice, a parcel.
    other: usize,
    /// By entity, if it has patterns that are looked for only near labels.
    reaches: Vec<Option<Reach>>,
}

impl Labels {
    /// Builds the automaton: linear in all labels together.
    pub fn new(catalogue: &Catalogue, weights: &Weights) -> Result<Self, aho_corasick::BuildError> {
        let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let other = catalogue.entities.len();
        let of_entities = catalogue.entities.iter().map(|entity| &entity.labels).enumerate();
        for (name, labels) in of_entities.chain([(other, &weights.other_labels)]) {
            for label in labels {
                spellings(&label.words, |spelling| words.entry(spelling).or_default().push(name));
            }
        }
        let automaton =
            NFA::builder().match_kind(MatchKind::Standard).ascii_case_insensitive(true).build(words.keys())?;
        let beginnings = Beginnings::of(words.keys().map(String::as_bytes));
        let mut names: Vec<Vec<usize>> = words.into_values().collect();
        for names in &mut names {
            names.sort_unstable();
            names.dedup();
        }
        Ok(Self { automaton, beginnings, names, other, reaches: Reach::of(catalogue, weights) })
    }

    /// Finds every label that is a whole word, and every word. Linear in the view.
    pub fn find(&self, view: &ByteView) -> LabelHits {
        let bytes = view.bytes();
        let mut words = Words::of(bytes.len());
        let mut hits = Vec::with_capacity(HITS);
        for block in starts(bytes, self.beginnings.signs) {
            words.push(&block);
            self.beginnings.find(bytes, &block, |start| self.labels_from(bytes, start, &mut hits));
        }
        LabelHits::new(hits, self.other, words)
    }

    /// Where matches of patterns that need a label can have one. Linear in the labels, but for logarithms in the view.
    pub fn places(&self, hits: &LabelHits, view: &ByteView, turns: &[Turn<'_>], weights: &Weights) -> Places {
        hits.places(&self.reaches, view, turns, weights)
    }

    /// Adds each label that starts here and is a whole word. Reads at most the longest label.
    fn labels_from(&self, bytes: &[u8], start: usize, hits: &mut Vec<Hit>) {
        if char_before(bytes, start).is_some_and(char::is_alphanumeric) {
            return;
        }
        let Ok(mut state) = self.automaton.start_state(Anchored::Yes) else { return };
        for (at, byte) in (start..).zip(&bytes[start..]) {
            state = self.automaton.next_state(Anchored::Yes, state, *byte);
            if !self.automaton.is_special(state) {
                continue;
            }
            if self.automaton.is_dead(state) {
                return;
            }
            if !self.automaton.is_match(state) || char_after(bytes, at + 1).is_some_and(char::is_alphanumeric) {
                continue;
            }
            // Of what ends here only what starts at `start`: others are suffixes of it.
            let ended = (0..self.automaton.match_len(state)).map(|i| self.automaton.match_pattern(state, i));
            for label in ended.filter(|label| self.automaton.pattern_len(*label) == at + 1 - start) {
                hits.extend(self.names[label].iter().map(|name| Hit { name: *name, start, end: at + 1 }));
            }
        }
    }
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

/// How labels begin.
struct Beginnings {
    /// Of those that begin with an ASCII letter or digit: a set of hashes of [`beginning`]. It may say yes wrongly.
    plain: Box<[u64; 1 << (HASH_BITS - 6)]>,
    /// Of others: their first three bytes.
    other: Trigrams,
    /// Whether one of them begins with a sign.
    signs: bool,
}

/// Bits of a hash. A thousand beginnings leave three of a hundred words that are none of them.
const HASH_BITS: usize = 15;

impl Beginnings {
    /// Those of these labels.
    fn of<'l>(labels: impl Iterator<Item = &'l [u8]>) -> Self {
        let mut all = Self { plain: Box::new([0; _]), other: Trigrams::of([]), signs: false };
        let mut trigrams = Vec::new();
        for label in labels {
            match *label {
                [first, ..] if first.is_ascii_alphanumeric() => {
                    let hash = hash(beginning(label, letters(label)));
                    all.plain[hash >> 6] |= 1 << (hash & 63);
                }
                // A shorter one is looked for with anything after it.
                [a, b, c, ..] => trigrams.push([a, b, c]),
                [a, b] => trigrams.extend((0..=u8::MAX).map(|c| [a, b, c])),
                [a] => trigrams.extend((0..=u8::MAX).flat_map(|b| (0..=u8::MAX).map(move |c| [a, b, c]))),
                [] => {}
            }
            all.signs |= label.first().is_some_and(u8::is_ascii_punctuation);
        }
        all.other = Trigrams::of(trigrams.into_iter().map(folded));
        all
    }

    /// Calls back with where a label may start in a block, in order. A label starts where a run of letters and digits
    /// does, or with a character that is of none.
    fn find(&self, bytes: &[u8], block: &Starts, mut found: impl FnMut(usize)) {
        for bit in ones(block.plain | block.wide | block.signs) {
            let at = block.at + bit;
            let rest = &bytes[at..];
            let may_start = match block.plain >> bit & 1 {
                1 => {
                    let own = (!(block.letters >> bit)).trailing_zeros() as usize;
                    // What goes on in the next block is counted there.
                    let goes_on = bit + own == BLOCK && own < EIGHT;
                    let hash = hash(beginning(rest, if goes_on { letters(rest) } else { own.min(EIGHT) }));
                    self.plain[hash >> 6] >> (hash & 63) & 1 == 1
                }
                _ => self.other.may_hold(folded([0, 1, 2].map(|at| rest.get(at).copied().unwrap_or(BREAK)))),
            };
            if may_start {
                found(at);
            }
        }
    }
}

/// The same for either case; also for some that are no letters.
fn folded(bytes: [u8; 3]) -> [u8; 3] {
    bytes.map(|byte| byte | 0x20)
}

/// Labels that there is room for from the start: most documents have fewer.
const HITS: usize = 32;

/// Letters and digits of a beginning, at most.
const EIGHT: usize = 8;

/// How many ASCII letters and digits a text begins with: up to eight.
#[inline(never)]
fn letters(text: &[u8]) -> usize {
    text.iter().take(EIGHT).take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// The first of a text's bytes, so many, case folded, with zeros after them. A label that is a whole word has the letters
/// and digits at its beginning that the text has where it stands.
#[inline]
fn beginning(text: &[u8], length: usize) -> u64 {
    let eight = match text.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => text.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
    };
    (eight | 0x2020_2020_2020_2020) & (u64::MAX >> (64 - 8 * length))
}

/// A multiplicative hash (Knuth, The Art of Computer Programming, volume 3, section 6.4).
#[inline]
fn hash(beginning: u64) -> usize {
    (beginning.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - HASH_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LABELS: [&str; 7] = ["bsn", "burgerservicenummer", "e-mail", "06-nummer", "n", "身分證", "#"];

    proptest! {
        #[test]
        fn a_label_may_start_wherever_it_stands(
            label in prop::sample::select(LABELS.to_vec()),
            before in "[a 1.é]{0,140}",
            after in "[ .é-]?[a 1é]{0,9}",
        ) {
            let text = format!("{before} {}{after}", label.to_uppercase());
            let is_whole = !after.starts_with(char::is_alphanumeric);
            let beginnings = Beginnings::of(LABELS.iter().map(|label| label.as_bytes()));
            let mut found = Vec::new();
            for block in starts(text.as_bytes(), beginnings.signs) {
                beginnings.find(text.as_bytes(), &block, |at| found.push(at));
            }
            prop_assert!(found.is_sorted());
            prop_assert!(!is_whole || found.contains(&(before.len() + 1)));
        }
    }

    #[test]
    fn beginnings_are_letters_and_digits_in_either_case() {
        let read = |text: &str| {
            let beginning = beginning(text.as_bytes(), letters(text.as_bytes())).to_le_bytes();
            String::from_utf8(beginning.into_iter().take_while(|byte| *byte != 0).collect()).unwrap()
        };
        for (text, expected) in [
            ("BSN: 1", "bsn"),
            ("numéro", "num"),
            ("06-nummer", "06"),
            ("Burgerservicenummer", "burgerse"),
            ("a@bcdefgh", "a"),
            ("Z[bcdefgh", "z"),
            ("9:bcdefgh", "9"),
            ("AZaz09{[", "azaz09"),
            ("x", "x"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
