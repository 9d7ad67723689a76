//! The plain engine: one lazy automaton for all patterns that share a boundary rule, run from every valid start.

use super::{Candidate, Engine};
use crate::{
    boundary::{Boundary, ByteSet},
    pattern::{BoundValidator, Pattern},
    view::ByteView,
};
use regex_automata::{
    Anchored, Input, MatchKind,
    hybrid::{
        LazyStateID,
        dfa::{Cache, DFA},
    },
    meta,
    nfa::thompson,
    util::pool::Pool,
};
use regex_syntax::hir::Hir;
use std::collections::BTreeMap;

/// Bytes that one lazy automaton may use for its states, in each thread.
const CACHE_BYTES: usize = 8 << 20;

type Caches = Vec<Cache>;
type NewCaches = Box<dyn Fn() -> Caches + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;

/// The reference engine.
///
/// Patterns that share a boundary rule are compiled into one automaton that reports all matches from one start. The
/// automaton is run, anchored, from each position where the rule allows a start and some pattern can take the byte;
/// it stops when no pattern can go on. Nothing is searched backwards and no start is read twice for one rule.
///
/// Cost: positions that can start a match, times the longest match from there (bounded by the patterns). Memory: up
/// to 8 MiB of automaton states a rule and thread, made as text needs them.
pub struct PlainEngine {
    groups: Vec<Group>,
    patterns: Vec<Shape>,
    caches: Pool<Caches, NewCaches>,
}

/// Patterns under one boundary rule.
struct Group {
    boundary: Boundary,
    /// Bytes that can start a match.
    first: ByteSet,
    automaton: DFA,
    /// The automaton's pattern numbers, as indexes of the ruleset.
    members: Vec<usize>,
}

/// What is needed of a pattern after it has matched.
struct Shape {
    value: Option<meta::Regex>,
    validator: Option<BoundValidator>,
}

/// What the engine needs of a pattern: anything that is matched under a boundary rule can be given as one.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The regular expression.
    pub hir: Hir,
    /// What may not adjoin a match.
    pub boundary: Boundary,
    /// Whether a group `value` is what is found.
    pub has_value: bool,
    /// The check.
    pub validator: Option<BoundValidator>,
}

impl From<&Pattern> for Expression {
    fn from(pattern: &Pattern) -> Self {
        Self {
            hir: pattern.hir.clone(),
            boundary: pattern.boundary,
            has_value: pattern.has_value,
            validator: pattern.validator.clone(),
        }
    }
}

/// A pattern cannot be compiled: too large.
#[derive(Debug, thiserror::Error)]
#[error("the patterns cannot be compiled: {0}")]
pub struct CompileError(String);

impl PlainEngine {
    /// Compiles the patterns. Fails if the automata would be too large.
    pub fn new(patterns: &[Expression]) -> Result<Self, CompileError> {
        let fail = |error: &dyn std::fmt::Display| CompileError(error.to_string());
        let mut rules: BTreeMap<Boundary, Vec<usize>> = BTreeMap::new();
        for (i, pattern) in patterns.iter().enumerate() {
            rules.entry(pattern.boundary).or_default().push(i);
        }
        let groups = rules
            .into_iter()
            .map(|(boundary, members)| {
                let hirs: Vec<&Hir> = members.iter().map(|i| &patterns[*i].hir).collect();
                let automaton = compile(&hirs).map_err(|error| fail(&error))?;
                let first = first_bytes(&automaton);
                Ok(Group { boundary, first, automaton, members })
            })
            .collect::<Result<Vec<Group>, CompileError>>()?;
        let shapes = patterns
            .iter()
            .map(|pattern| {
                let value = match pattern.has_value {
                    true => Some(meta::Builder::new().build_from_hir(&pattern.hir).map_err(|error| fail(&error))?),
                    false => None,
                };
                Ok(Shape { value, validator: pattern.validator.clone() })
            })
            .collect::<Result<Vec<Shape>, CompileError>>()?;
        let automata: Vec<DFA> = groups.iter().map(|group| group.automaton.clone()).collect();
        let new: NewCaches = Box::new(move || automata.iter().map(DFA::create_cache).collect());
        Ok(Self { groups, patterns: shapes, caches: Pool::new(new) })
    }

    fn candidate(&self, bytes: &[u8], pattern: usize, start: usize, end: usize) -> Option<Candidate> {
        let shape = &self.patterns[pattern];
        let (start, end) = match &shape.value {
            None => (start, end),
            Some(regex) => {
                let mut captures = regex.create_captures();
                let input = Input::new(bytes).range(start..end).anchored(Anchored::Yes);
                regex.search_captures(&input, &mut captures);
                let value = captures.get_group_by_name("value")?;
                (value.start, value.end)
            }
        };
        let verdict = match &shape.validator {
            Some(validator) => validator.verdict(&bytes[start..end]),
            None => crate::finding::Verdict::Unchecked,
        };
        Some(Candidate { start, end, pattern, verdict })
    }
}

impl Engine for PlainEngine {
    fn candidates(&self, view: &ByteView, candidates: &mut Vec<Candidate>) {
        candidates.clear();
        let bytes = view.bytes();
        let mut caches = self.caches.get();
        for (group, cache) in self.groups.iter().zip(caches.iter_mut()) {
            for start in 0..bytes.len() {
                if !group.first.contains(bytes[start]) || !group.boundary.starts(bytes, start) {
                    continue;
                }
                group.matches_from(cache, bytes, start, |member, end| {
                    if group.boundary.ends(bytes, end) {
                        candidates.extend(self.candidate(bytes, group.members[member], start, end));
                    }
                });
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
    }
}

impl Group {
    /// Calls back with (member, end) for each match that starts at `start`.
    fn matches_from(&self, cache: &mut Cache, bytes: &[u8], start: usize, mut found: impl FnMut(usize, usize)) {
        // The automaton gives up only on quit bytes and on a limit of cache clearings; it has neither.
        let step = |state: Result<LazyStateID, _>| state.ok();
        let input = Input::new(bytes).range(start..).anchored(Anchored::Yes);
        let Ok(mut state) = self.automaton.start_state_forward(cache, &input) else { return };
        for at in start..=bytes.len() {
            // A match is known one byte late: entering a match state by the byte at `at` says one ended at `at`.
            let next = match bytes.get(at) {
                Some(byte) => self.automaton.next_state(cache, state, *byte),
                None => self.automaton.next_eoi_state(cache, state),
            };
            let Some(next) = step(next) else { return };
            if next.is_match() {
                for i in 0..self.automaton.match_len(cache, next) {
                    found(self.automaton.match_pattern(cache, next, i).as_usize(), at);
                }
            } else if next.is_dead() || next.is_quit() {
                return;
            }
            state = next;
        }
    }
}

/// One automaton that reports every match of every expression.
fn compile(hirs: &[&Hir]) -> Result<DFA, Box<dyn std::error::Error>> {
    let config = thompson::Config::new().utf8(true).which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new().configure(config).build_many_from_hir(hirs)?;
    let config = DFA::config()
        .match_kind(MatchKind::All)
        .cache_capacity(CACHE_BYTES)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(None);
    Ok(DFA::builder().configure(config).build_from_nfa(nfa)?)
}

/// The bytes on which an automaton can leave its anchored start.
fn first_bytes(automaton: &DFA) -> ByteSet {
    let mut cache = automaton.create_cache();
    let input = Input::new("").anchored(Anchored::Yes);
    ByteSet::of((0..=u8::MAX).filter(|byte| {
        let Ok(start) = automaton.start_state_forward(&mut cache, &input) else { return true };
        !automaton.next_state(&mut cache, start, *byte).is_ok_and(|next| next.is_dead())
    }))
}
