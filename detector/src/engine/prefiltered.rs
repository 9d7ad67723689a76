//! The prefiltered engine: the plain engine's automata in groups, each run only where the text near has what every match
//! of the group must have.

use super::{
    Engine, Match, Places,
    automaton::{Automata, Automaton},
    coarse::coarse,
    confined::Confined,
    expression::{CompileError, Ending, Expression},
    filter::Filter,
    lanes::{Lane, Lanes, MOST_LANES},
    opening::Opening,
    requirement::{Prefixes, Requirement},
};
use crate::{boundary::Boundary, finding::Verdict, view::ByteView};
use regex_syntax::hir::Hir;
use std::collections::BTreeSet;

/// The engine of a detector.
///
/// Most of a text is words, and most patterns need a digit, an `@` or a known word: what a match must have is read from
/// each expression, and patterns of like needs share a lane. The view is read backwards by a filter that tells at each
/// byte which lanes may have a match from there. What is left out could not have matched, so the set is the plain
/// engine's. Tokens share an automaton, and each other lane has its own, whatever stands before: that is asked of a match,
/// since most reading comes to none. What starts with a digit, and tokens, are read coarsely, and only the patterns that
/// match so are asked by themselves; so are those without a bound.
///
/// Cost: two look-ups in tables a byte; for each start that is left, the longest match from there. Memory: up to 16 MiB
/// of automaton states a family and thread, made as text needs them; in all a few.
pub struct PrefilteredEngine {
    filter: Filter,
    prefixes: Prefixes,
    /// Lanes of literals.
    literal: Lanes,
    /// By lane, its family.
    family_of: [usize; MOST_LANES],
    /// By family, its lanes.
    families: Vec<Lanes>,
    /// By family, its patterns without a bound.
    runs: Vec<Vec<usize>>,
    confined: Confined,
    /// By pattern that is asked by itself: its automaton.
    own: Vec<Option<usize>>,
    /// Those of the families, then the others.
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
        let everywhere = (0..expressions.len()).filter(|i| expressions[*i].group.is_none());
        let lanes = Lane::of(everywhere, &requirements, &openings, &boundaries);
        let families = Lane::families(&lanes);

        let compile = |hirs: &[&Hir], members: Vec<usize>| {
            Automaton::new(hirs, members, &boundaries).map_err(|error| CompileError::new(&error))
        };
        let mut automata: Vec<Automaton> = Vec::new();
        let mut asked = BTreeSet::new();
        let mut runs = Vec::new();
        for family in &families {
            let own = || lanes.iter().enumerate().filter(|(lane, _)| family >> lane & 1 == 1).map(|(_, lane)| lane);
            let members: BTreeSet<usize> = own().flat_map(|lane| lane.members.iter().copied()).collect();
            let is_bounded = |i: &usize| expressions[*i].hir.properties().maximum_len().is_some();
            let (members, unbounded): (Vec<usize>, Vec<usize>) = members.into_iter().partition(is_bounded);
            let is_coarse = own().all(|lane| lane.is_coarse);
            let read = |i: &usize| if is_coarse { coarse(&expressions[*i].hir) } else { expressions[*i].hir.clone() };
            let hirs: Vec<Hir> = members.iter().map(read).collect();
            asked.extend(members.iter().zip(&hirs).filter(|(i, hir)| **hir != expressions[**i].hir).map(|(i, _)| *i));
            asked.extend(unbounded.iter().copied());
            runs.push(unbounded);
            automata.push(compile(&hirs.iter().collect::<Vec<_>>(), members)?);
        }
        let mut own = vec![None; expressions.len()];
        for i in asked {
            own[i] = Some(automata.len());
            automata.push(compile(&[&expressions[i].hir], vec![i])?);
        }
        let confined = Confined::new(expressions, |members| {
            let hirs: Vec<&Hir> = members.iter().map(|i| &expressions[*i].hir).collect();
            automata.push(compile(&hirs, members)?);
            Ok((automata.len() - 1, *automata[automata.len() - 1].first()))
        })?;
        let literal: Lanes =
            lanes.iter().enumerate().filter(|(_, lane)| lane.is_literal).map(|(bit, _)| 1 << bit).sum();
        let of_literals = lanes.iter().filter(|lane| lane.is_literal).flat_map(|lane| &lane.members);
        Ok(Self {
            filter: Filter::new(&lanes, &openings, &boundaries),
            prefixes: Prefixes::of(of_literals.filter_map(|i| requirements[*i].prefixes.as_ref())),
            literal,
            family_of: std::array::from_fn(|lane| {
                families.iter().position(|family| family >> lane & 1 == 1).unwrap_or(0)
            }),
            families,
            runs,
            confined,
            own,
            automata: Automata::new(automata),
            endings: Ending::of(expressions)?,
        })
    }
}

impl Engine for PrefilteredEngine {
    fn matches(&self, view: &ByteView, places: Option<&Places>, found: &mut dyn FnMut(Match)) {
        let bytes = view.bytes();
        let mut automata = self.automata.in_use();
        let mut ended = |pattern: usize, start: usize, end: usize| {
            self.endings[pattern].value(bytes, pattern, start, end).into_iter().for_each(&mut *found);
        };
        self.confined.matches(bytes, places, &mut automata, &mut ended);
        // The automata of patterns that may match at a start.
        let mut own: Vec<usize> = Vec::new();
        for (start, mut left) in self.filter.starts(bytes) {
            if left & self.literal != 0 && !self.prefixes.may_begin(&bytes[start..]) {
                left &= !self.literal;
            }
            while left != 0 {
                let family = self.family_of[left.trailing_zeros() as usize];
                left &= !self.families[family];
                automata.matches_from(family, bytes, start, |pattern, end| {
                    if !self.endings[pattern].starts(bytes, start) {
                        return;
                    }
                    match self.own[pattern] {
                        None => ended(pattern, start, end),
                        Some(automaton) if self.endings[pattern].ends(bytes, end) && !own.contains(&automaton) => {
                            own.push(automaton);
                        }
                        Some(_) => {}
                    }
                });
                // What has no bound is read only from where it may start: never twice.
                let runs = self.runs[family].iter().filter(|pattern| self.endings[**pattern].starts(bytes, start));
                own.extend(runs.filter_map(|pattern| self.own[*pattern]));
                for automaton in own.drain(..) {
                    automata.matches_from(automaton, bytes, start, |pattern, end| ended(pattern, start, end));
                }
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
    const REGEXES: [(&str, &str); 24] = [
        ("[0-9]{6}", "token"),
        ("1[0-9][ -]?[12][0-9]{3,5}", "digits"),
        ("1[0-9]{1,3}a", "token"),
        ("[ab]{2}[0-9]", "unicode"),
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

    fn expression((regex, boundary): &(&str, &str)) -> Expression {
        Expression {
            hir: ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap(),
            boundary: Boundary::named(boundary).unwrap(),
            has_value: false,
            validator: None,
            group: None,
        }
    }

    fn view_of(text: &str) -> ByteView {
        let mut view = ByteView::default();
        view.fill(&[Turn { role: Role::Other, text }]);
        view
    }

    fn set(engine: &dyn Engine, view: &ByteView) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        engine.candidates(view, &mut candidates);
        candidates
    }

    #[test]
    fn the_digits_of_a_number_may_stand_far_from_each_other() {
        let engine = PrefilteredEngine::new(&[expression(&("[0-9](?: {1,40}[0-9]){5}", "token"))]).unwrap();
        let found = |gap: usize| set(&engine, &view_of(&["1"; 6].join(&" ".repeat(gap)))).len();
        assert_eq!([1, 8, 40, 41].map(found), [1, 1, 1, 0]);
    }

    proptest! {
        #[test]
        fn lanes_of_every_kind_leave_the_set_as_it_is(text in "[aA12@_=/:. é\n-]{0,150}") {
            let expressions: Vec<Expression> = REGEXES.iter().map(expression).collect();
            let view = view_of(&text);
            prop_assert_eq!(
                set(&PrefilteredEngine::new(&expressions).unwrap(), &view),
                set(&PlainEngine::new(&expressions).unwrap(), &view)
            );
        }
    }
}
