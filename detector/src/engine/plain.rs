//! The plain engine: for each kind of byte before a start, one lazy automaton of all patterns that may start after it.

use super::{
    Engine, Match, Places,
    automaton::{Automata, Automaton},
    expression::{CompileError, Ending, Expression},
    starts::Starts,
};
use crate::{
    boundary::{Boundary, ByteSet},
    finding::Verdict,
    view::ByteView,
};
use regex_syntax::hir::Hir;

/// The reference engine: what a faster one must agree with.
///
/// Which patterns may start at a position is decided by the character before it. Bytes that allow the same patterns are
/// of one kind, and for each kind those patterns are compiled into one automaton that reports all matches from one
/// start. It is run, anchored, from each position whose byte some of its patterns can take, and stops when none can go
/// on. Nothing is searched backwards and no start is read twice.
///
/// Cost: a look at each byte; for those that can start a match, the longest match from there (bounded by the patterns).
/// Memory: up to 16 MiB of automaton states a kind and thread, made as text needs them.
pub struct PlainEngine {
    starts: Starts,
    /// By kind: bytes that can start a match, and which automaton reads on.
    kinds: Vec<(ByteSet, usize)>,
    automata: Automata,
    endings: Vec<Ending>,
    /// By pattern.
    groups: Vec<Option<usize>>,
}

impl PlainEngine {
    /// Compiles the patterns. Fails if the automata would be too large.
    pub fn new(expressions: &[Expression]) -> Result<Self, CompileError> {
        let boundaries: Vec<Boundary> = expressions.iter().map(|expression| expression.boundary).collect();
        let starts = Starts::new(&boundaries);
        let mut kinds = Vec::new();
        let mut automata = Vec::new();
        for set in starts.sets() {
            if set.is_empty() {
                kinds.push((ByteSet::EMPTY, 0));
                continue;
            }
            let hirs: Vec<&Hir> = set.iter().map(|i| &expressions[*i].hir).collect();
            let automaton = Automaton::new(&hirs, set.clone(), &boundaries);
            let automaton = automaton.map_err(|error| CompileError::new(&error))?;
            kinds.push((*automaton.first(), automata.len()));
            automata.push(automaton);
        }
        let groups = expressions.iter().map(|expression| expression.group).collect();
        Ok(Self { starts, kinds, automata: Automata::new(automata), endings: Ending::of(expressions)?, groups })
    }
}

impl Engine for PlainEngine {
    fn matches(&self, view: &ByteView, places: Option<&Places>, found: &mut dyn FnMut(Match)) {
        let bytes = view.bytes();
        let mut automata = self.automata.in_use();
        for (start, byte) in bytes.iter().enumerate() {
            let Some(kind) = self.starts.kind(bytes, start) else { continue };
            let (first, automaton) = &self.kinds[kind];
            if first.contains(*byte) {
                automata.matches_from(*automaton, bytes, start, |pattern, end| {
                    if self.groups[pattern].zip(places).is_some_and(|(group, places)| !places.contains(group, start)) {
                        return;
                    }
                    self.endings[pattern].value(bytes, pattern, start, end).into_iter().for_each(&mut *found);
                });
            }
        }
    }

    fn verdict(&self, view: &ByteView, found: &Match) -> Verdict {
        self.endings[found.pattern].verdict(&view.bytes()[found.start..found.end])
    }
}
