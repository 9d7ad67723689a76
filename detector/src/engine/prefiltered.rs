//! The prefiltered engine: the plain engine's automata in groups, each run only where the text near has what every match
//! of the group must have.

use super::{
    Engine, Match,
    automaton::{Automata, Automaton},
    expression::{CompileError, Ending, Expression},
    filter::Filter,
    lanes::{Lane, Lanes, MOST_LANES},
    opening::Opening,
    requirement::{Prefixes, Requirement},
    starts::Starts,
};
use crate::{boundary::Boundary, finding::Verdict, view::ByteView};
use std::collections::BTreeMap;

/// The engine of a detector.
///
/// Most of a text is words, and most patterns need a digit, an `@` or a known word: what a match must have is read from
/// each expression, and patterns of like needs share a lane. The view is read backwards by a filter that tells at each
/// byte which lanes may have a match from there. What is left out could not have matched, so the set is the plain
/// engine's. What starts with a digit has one automaton, other tokens have one, and each other lane has its own.
///
/// Cost: two look-ups in tables a byte; for each start that is left, the longest match from there. Memory: up to 16 MiB
/// of automaton states a family, kind and thread, made as text needs them; in all a few.
pub struct PrefilteredEngine {
    starts: Starts,
    filter: Filter,
    prefixes: Prefixes,
    /// Lanes of literals.
    literal: Lanes,
    /// By lane, its family.
    family_of: [usize; MOST_LANES],
    /// By family, its lanes.
    families: Vec<Lanes>,
    /// By kind of start and family: which automaton reads on.
    automaton_of: Vec<Vec<Option<usize>>>,
    automata: Automata,
    endings: Vec<Ending>,
}

impl PrefilteredEngine {
    /// Compiles the patterns. Fails if the automata would be too large.
    pub fn new(expressions: &[Expression]) -> Result<Self, CompileError> {
        let boundaries: Vec<Boundary> = expressions.iter().map(|expression| expression.boundary).collect();
        let requirements: Vec<Requirement> =
            expressions.iter().map(|expression| Requirement::of(&expression.hir)).collect();
        let openings: Vec<Opening> = expressions
            .iter()
            .map(|expression| Opening::of(&expression.hir).map_err(|error| CompileError::new(&error)))
            .collect::<Result<_, _>>()?;
        let lanes = Lane::of(&requirements, &openings, &boundaries);
        let families = Lane::families(&lanes);
        let is_of = |family: &Lanes, lane: usize| family >> lane & 1 == 1;

        let starts = Starts::new(&boundaries);
        let mut automata: Vec<Automaton> = Vec::new();
        // Many kinds allow the same patterns of a family.
        let mut known: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut automaton_of = Vec::new();
        for set in starts.sets() {
            let mut of_kind = Vec::new();
            for family in &families {
                let own = |i: &&usize| {
                    let mut lanes = lanes.iter().enumerate().filter(|(lane, _)| is_of(family, *lane));
                    lanes.any(|(_, lane)| lane.members.binary_search(i).is_ok())
                };
                let own: Vec<usize> = set.iter().filter(own).copied().collect();
                let index = match known.get(&own) {
                    _ if own.is_empty() => None,
                    Some(index) => Some(*index),
                    None => {
                        automata
                            .push(Automaton::new(expressions, own.clone()).map_err(|error| CompileError::new(&error))?);
                        known.insert(own, automata.len() - 1);
                        Some(automata.len() - 1)
                    }
                };
                of_kind.push(index);
            }
            automaton_of.push(of_kind);
        }
        let literal: Lanes =
            lanes.iter().enumerate().filter(|(_, lane)| lane.is_literal).map(|(bit, _)| 1 << bit).sum();
        let of_literals = lanes.iter().filter(|lane| lane.is_literal).flat_map(|lane| &lane.members);
        Ok(Self {
            filter: Filter::new(&lanes, &openings, &boundaries),
            prefixes: Prefixes::of(of_literals.filter_map(|i| requirements[*i].prefixes.as_ref())),
            literal,
            family_of: std::array::from_fn(|lane| families.iter().position(|family| is_of(family, lane)).unwrap_or(0)),
            families,
            starts,
            automaton_of,
            automata: Automata::new(automata),
            endings: Ending::of(expressions)?,
        })
    }
}

impl Engine for PrefilteredEngine {
    fn matches(&self, view: &ByteView, found: &mut dyn FnMut(Match)) {
        let bytes = view.bytes();
        let mut automata = self.automata.in_use();
        for (start, mut left) in self.filter.starts(bytes) {
            if left & self.literal != 0 && !self.prefixes.may_begin(&bytes[start..]) {
                left &= !self.literal;
            }
            let Some(kind) = self.starts.kind(bytes, start) else { continue };
            while left != 0 {
                let family = self.family_of[left.trailing_zeros() as usize];
                left &= !self.families[family];
                let Some(automaton) = self.automaton_of[kind][family] else { continue };
                automata.matches_from(automaton, bytes, start, |pattern, end| {
                    self.endings[pattern].value(bytes, pattern, start, end).into_iter().for_each(&mut *found);
                });
            }
        }
    }

    fn verdict(&self, view: &ByteView, found: &Match) -> Verdict {
        self.endings[found.pattern].verdict(&view.bytes()[found.start..found.end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        document::{Role, Turn},
        engine::{Candidate, PlainEngine},
    };
    use proptest::prelude::*;
    use regex_syntax::ParserBuilder;

    /// An expression of each kind of lane, more than there can be.
    const REGEXES: [(&str, &str); 20] = [
        ("[0-9]{3}", "token"),
        ("[A-Z]{2}[0-9]", "token"),
        ("[a-z]{2}[0-9]", "token"),
        ("[A-Z]{6}[0-9]", "token"),
        ("[a-z]{6}[0-9]", "token"),
        ("[A-Z]{2}[0-9]?1", "none"),
        ("[a-z]{2}[0-9]?1", "none"),
        ("[A-Z]{6}[0-9]?1", "none"),
        ("[a-z]{6}[0-9]?1", "none"),
        ("[A-Z]{4}", "token"),
        ("[a-z]{4}", "token"),
        ("aa1a?", "none"),
        ("[A1]{13}", "token"),
        ("[aA ]{1,3}@", "none"),
        ("[a ]{1,3}_", "unicode"),
        ("[a ]{1,3}=", "digits"),
        ("[a ]{1,3}/", "email"),
        ("[a ]{1,3}:", "none"),
        ("[a ]{1,3}-", "none"),
        ("[a ]{1,3}[.]", "none"),
    ];

    proptest! {
        #[test]
        fn lanes_of_every_kind_leave_the_set_as_it_is(text in "[aA1@_=/:. é\n-]{0,40}") {
            let expression = |(regex, boundary): &(&str, &str)| Expression {
                hir: ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap(),
                boundary: Boundary::named(boundary).unwrap(),
                has_value: false,
                validator: None,
            };
            let expressions: Vec<Expression> = REGEXES.iter().map(expression).collect();
            let mut view = ByteView::default();
            view.fill(&[Turn { role: Role::Other, text: &text }]);
            let set = |engine: &dyn Engine| {
                let mut candidates: Vec<Candidate> = Vec::new();
                engine.candidates(&view, &mut candidates);
                candidates
            };
            prop_assert_eq!(
                set(&PrefilteredEngine::new(&expressions).unwrap()),
                set(&PlainEngine::new(&expressions).unwrap())
            );
        }
    }
}
