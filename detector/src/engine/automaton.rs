//! A lazy automaton of several patterns that reports every match from one start.

use super::states::{Classes, States};
use crate::{
    boundary::{Boundary, ByteSet},
    work,
};
use regex_automata::{Anchored, Input, MatchKind, hybrid::dfa::DFA, nfa::thompson};
use regex_syntax::hir::Hir;
use std::cell::Cell;
use thread_local::ThreadLocal;

/// Bytes that one lazy automaton may use for its states, in each thread; the tables of them take less than as much again.
const CACHE_BYTES: usize = 8 << 20;

/// An automaton of some patterns. It is run, anchored, from one start at a time, and stops when no pattern can go on.
pub(super) struct Automaton {
    dfa: DFA,
    classes: Classes,
    /// The automaton's pattern numbers, as indexes of the ruleset.
    members: Vec<usize>,
    /// Bytes that can start a match.
    first: ByteSet,
    /// Bytes that may stand after a match of none.
    never_after: ByteSet,
}

impl Automaton {
    /// Compiles these expressions of the members, which are indexes of the boundaries too. Fails if the automaton would be
    /// too large.
    pub(super) fn new(
        hirs: &[&Hir],
        members: Vec<usize>,
        boundaries: &[Boundary],
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let config = thompson::Config::new().utf8(true).which_captures(thompson::WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(config).build_many_from_hir(hirs)?;
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(CACHE_BYTES)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(None);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa)?;
        let first = first_bytes(&dfa);
        let after = members.iter().map(|i| boundaries[*i].after);
        let never_after = after.reduce(|a, b| a.intersection(&b)).unwrap_or(ByteSet::EMPTY);
        Ok(Self { classes: Classes::of(&dfa), dfa, members, first, never_after })
    }

    /// Bytes that can start a match.
    pub(super) fn first(&self) -> &ByteSet {
        &self.first
    }

    fn states(&self) -> States {
        States::new(&self.dfa, &self.classes)
    }

    /// Calls back with (pattern, end) for each match that starts at `start`.
    #[inline]
    pub(super) fn matches_from(
        &self,
        states: &mut States,
        bytes: &[u8],
        start: usize,
        mut found: impl FnMut(usize, usize),
    ) {
        let mut state = states.start();
        // A match is known one byte late: entering a match state by the byte at `at` says one ended at `at`.
        for (at, byte) in (start..).zip(&bytes[start..]) {
            work::count(1);
            let Some(next) = states.next(&self.dfa, &self.classes, state, Some(*byte)) else { return };
            let matches = states.matches(next);
            if !matches.is_empty() && !self.never_after.contains(*byte) {
                matches.iter().for_each(|pattern| found(self.members[*pattern as usize], at));
            }
            state = next;
        }
        if let Some(last) = states.next(&self.dfa, &self.classes, state, None) {
            states.matches(last).iter().for_each(|pattern| found(self.members[*pattern as usize], bytes.len()));
        }
    }
}

/// The bytes on which an automaton can leave its start.
fn first_bytes(dfa: &DFA) -> ByteSet {
    let mut states = dfa.create_cache();
    ByteSet::of((0..=u8::MAX).filter(|byte| {
        let start = dfa.start_state_forward(&mut states, &Input::new("").anchored(Anchored::Yes));
        let Ok(start) = start else { return true };
        !dfa.next_state(&mut states, start, *byte).is_ok_and(|next| next.is_dead())
    }))
}

/// By automaton; made when the first start of its own is read.
type Caches = Vec<Option<States>>;

/// Automata with their threads' caches.
pub(super) struct Automata {
    automata: Vec<Automaton>,
    caches: ThreadLocal<Cell<Caches>>,
}

/// The automata in use by one thread.
pub(super) struct InUse<'a> {
    automata: &'a [Automaton],
    caches: Caches,
    back: &'a Cell<Caches>,
}

impl Automata {
    pub(super) fn new(automata: Vec<Automaton>) -> Self {
        Self { automata, caches: ThreadLocal::new() }
    }

    /// Takes this thread's caches while they are in use, and puts them back after.
    pub(super) fn in_use(&self) -> InUse<'_> {
        let back = self.caches.get_or_default();
        let mut caches = back.take();
        caches.resize_with(self.automata.len(), || None);
        InUse { automata: &self.automata, caches, back }
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.back.set(std::mem::take(&mut self.caches));
    }
}

impl InUse<'_> {
    /// Calls back with (pattern, end) for each match of an automaton that starts at `start`.
    #[inline]
    pub(super) fn matches_from(
        &mut self,
        automaton: usize,
        bytes: &[u8],
        start: usize,
        found: impl FnMut(usize, usize),
    ) {
        let own = &self.automata[automaton];
        let states = self.caches[automaton].get_or_insert_with(|| own.states());
        own.matches_from(states, bytes, start, found);
    }
}
