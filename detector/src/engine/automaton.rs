//! A lazy automaton of several patterns that reports every match from one start.

use super::expression::Expression;
use crate::{boundary::ByteSet, work};
use regex_automata::{
    Anchored, Input, MatchKind,
    hybrid::{
        LazyStateID,
        dfa::{self, DFA},
    },
    nfa::thompson,
    util::pool::Pool,
};
use regex_syntax::hir::Hir;

/// Bytes that one lazy automaton may use for its states, in each thread.
const CACHE_BYTES: usize = 8 << 20;

/// An automaton of some patterns. It is run, anchored, from one start at a time, and stops when no pattern can go on.
pub(super) struct Automaton {
    dfa: DFA,
    /// The automaton's pattern numbers, as indexes of the ruleset.
    members: Vec<usize>,
    /// Bytes that can start a match.
    first: ByteSet,
    /// Bytes that may stand after a match of none.
    never_after: ByteSet,
}

/// The states that an automaton has made so far in one thread.
pub(super) struct Cache {
    states: dfa::Cache,
    /// The state of a start, and how often the states had been cleared when it was made.
    start: Option<(LazyStateID, usize)>,
}

impl Automaton {
    /// Compiles the members of these expressions. Fails if the automaton would be too large.
    pub(super) fn new(expressions: &[Expression], members: Vec<usize>) -> Result<Self, Box<dyn std::error::Error>> {
        let config = thompson::Config::new().utf8(true).which_captures(thompson::WhichCaptures::None);
        let own: Vec<&Hir> = members.iter().map(|i| &expressions[*i].hir).collect();
        let nfa = thompson::Compiler::new().configure(config).build_many_from_hir(&own)?;
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(CACHE_BYTES)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(None);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa)?;
        let first = first_bytes(&dfa);
        let after = members.iter().map(|i| expressions[*i].boundary.after);
        let never_after = after.reduce(|a, b| a.intersection(&b)).unwrap_or(ByteSet::EMPTY);
        Ok(Self { dfa, members, first, never_after })
    }

    /// Bytes that can start a match.
    pub(super) fn first(&self) -> &ByteSet {
        &self.first
    }

    fn cache(&self) -> Cache {
        Cache { states: self.dfa.create_cache(), start: None }
    }

    /// Calls back with (pattern, end) for each match that starts at `start`.
    #[inline]
    pub(super) fn matches_from(
        &self,
        cache: &mut Cache,
        bytes: &[u8],
        start: usize,
        mut found: impl FnMut(usize, usize),
    ) {
        // The automaton gives up only on quit bytes and on a limit of cache clearings; it has neither.
        let Some(mut state) = self.start(cache) else { return };
        let states = &mut cache.states;
        // A match is known one byte late: entering a match state by the byte at `at` says one ended at `at`.
        for (at, byte) in (start..).zip(&bytes[start..]) {
            work::count(1);
            let Ok(next) = self.dfa.next_state(states, state, *byte) else { return };
            if next.is_tagged() {
                if next.is_match() {
                    if !self.never_after.contains(*byte) {
                        self.report(states, next, at, &mut found);
                    }
                } else if next.is_dead() || next.is_quit() {
                    return;
                }
            }
            state = next;
        }
        if let Ok(last) = self.dfa.next_eoi_state(states, state)
            && last.is_match()
        {
            self.report(states, last, bytes.len(), &mut found);
        }
    }

    /// Calls back with each pattern of a match state.
    fn report(&self, states: &dfa::Cache, state: LazyStateID, end: usize, found: &mut impl FnMut(usize, usize)) {
        for i in 0..self.dfa.match_len(states, state) {
            found(self.members[self.dfa.match_pattern(states, state, i).as_usize()], end);
        }
    }

    /// The state of a start. Patterns do not look around, so it is always the same.
    #[inline]
    fn start(&self, cache: &mut Cache) -> Option<LazyStateID> {
        let clears = cache.states.clear_count();
        match cache.start {
            Some((state, made)) if made == clears => Some(state),
            _ => {
                let state = start_state(&self.dfa, &mut cache.states)?;
                cache.start = Some((state, cache.states.clear_count()));
                Some(state)
            }
        }
    }
}

/// The bytes on which an automaton can leave its start.
fn first_bytes(dfa: &DFA) -> ByteSet {
    let mut states = dfa.create_cache();
    ByteSet::of((0..=u8::MAX).filter(|byte| {
        let Some(start) = start_state(dfa, &mut states) else { return true };
        !dfa.next_state(&mut states, start, *byte).is_ok_and(|next| next.is_dead())
    }))
}

fn start_state(dfa: &DFA, states: &mut dfa::Cache) -> Option<LazyStateID> {
    dfa.start_state_forward(states, &Input::new("").anchored(Anchored::Yes)).ok()
}

/// By automaton; made when the first start of its own is read.
type Caches = Vec<Option<Cache>>;
type NewCaches = Box<dyn Fn() -> Caches + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;

/// Automata with their threads' caches.
pub(super) struct Automata {
    automata: Vec<Automaton>,
    caches: Pool<Caches, NewCaches>,
}

/// The automata in use by one thread.
pub(super) struct InUse<'a> {
    automata: &'a [Automaton],
    caches: regex_automata::util::pool::PoolGuard<'a, Caches, NewCaches>,
}

impl Automata {
    pub(super) fn new(automata: Vec<Automaton>) -> Self {
        let count = automata.len();
        let new: NewCaches = Box::new(move || (0..count).map(|_| None).collect());
        Self { automata, caches: Pool::new(new) }
    }

    pub(super) fn in_use(&self) -> InUse<'_> {
        InUse { automata: &self.automata, caches: self.caches.get() }
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
        let cache = self.caches[automaton].get_or_insert_with(|| own.cache());
        own.matches_from(cache, bytes, start, found);
    }
}
