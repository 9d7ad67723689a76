//! The plain engine: for each kind of byte before a start, one lazy automaton of all patterns that may start after it.

use super::{Engine, Match};
use crate::{
    boundary::{Boundary, ByteSet, char_before, is_continuation},
    finding::Verdict,
    pattern::{BoundValidator, Pattern},
    view::ByteView,
    work,
};
use regex_automata::{
    Anchored, Input, MatchKind,
    hybrid::dfa::{Cache, DFA},
    meta,
    nfa::thompson,
    util::pool::Pool,
};
use regex_syntax::hir::Hir;
use std::collections::BTreeMap;

/// Bytes that one lazy automaton may use for its states, in each thread.
const CACHE_BYTES: usize = 8 << 20;

/// By kind; made when the first start of that kind is read.
type Caches = Vec<Option<Cache>>;
type NewCaches = Box<dyn Fn() -> Caches + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;

/// The reference engine.
///
/// Which patterns may start at a position is decided by the character before it. Bytes that allow the same patterns are
/// of one kind, and for each kind those patterns are compiled into one automaton that reports all matches from one
/// start. It is run, anchored, from each position whose byte some of its patterns can take, and stops when none can go
/// on. Nothing is searched backwards and no start is read twice.
///
/// Cost: a look at each byte; for those that can start a match, the longest match from there (bounded by the patterns).
/// Memory: up to 8 MiB of automaton states a kind and thread, made as text needs them.
pub struct PlainEngine {
    kinds: Vec<Kind>,
    /// The kind of each byte as the one before a start, as an index; one of [`WIDE`] depends on its character.
    kind_of: [usize; 256],
    patterns: Vec<Shape>,
    caches: Pool<Caches, NewCaches>,
}

/// The kind of what adjoins nothing: the start of a turn, and characters beyond ASCII that are no letters or digits.
const OPEN: usize = 0;
/// The kind of letters and digits beyond ASCII.
const WIDE_WORD: usize = 1;
/// Stands for a byte beyond ASCII until its character is known.
const WIDE: usize = usize::MAX;

/// Patterns that may start after one kind of character.
struct Kind {
    /// Bytes that can start a match.
    first: ByteSet,
    /// Absent where no pattern may start.
    automaton: Option<DFA>,
    /// The automaton's pattern numbers, as indexes of the ruleset.
    members: Vec<usize>,
}

/// What is needed of a pattern after it has matched.
struct Shape {
    boundary: Boundary,
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
        let members = |may: &dyn Fn(&Boundary) -> bool| -> Vec<usize> {
            (0..patterns.len()).filter(|i| may(&patterns[*i].boundary)).collect()
        };
        let mut sets = vec![members(&|_| true), members(&|boundary| !boundary.unicode)];
        let mut known: BTreeMap<Vec<usize>, usize> = BTreeMap::from([(sets[OPEN].clone(), OPEN)]);
        let mut kind_of = [WIDE; 256];
        for byte in 0..0x80u8 {
            let set = members(&|boundary| !boundary.before.contains(byte));
            kind_of[usize::from(byte)] = *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            });
        }
        let kinds = sets
            .into_iter()
            .map(|members| Kind::new(patterns, members).map_err(|error| fail(&error)))
            .collect::<Result<Vec<Kind>, CompileError>>()?;
        let shapes = patterns
            .iter()
            .map(|pattern| {
                let value = match pattern.has_value {
                    true => Some(meta::Builder::new().build_from_hir(&pattern.hir).map_err(|error| fail(&error))?),
                    false => None,
                };
                Ok(Shape { boundary: pattern.boundary, value, validator: pattern.validator.clone() })
            })
            .collect::<Result<Vec<Shape>, CompileError>>()?;
        let count = kinds.len();
        let new: NewCaches = Box::new(move || (0..count).map(|_| None).collect());
        Ok(Self { kinds, kind_of, patterns: shapes, caches: Pool::new(new) })
    }

    /// What a pattern's match finds: its group `value`, if it has one.
    fn value(&self, bytes: &[u8], pattern: usize, start: usize, end: usize) -> Option<Match> {
        let Some(regex) = &self.patterns[pattern].value else { return Some(Match { start, end, pattern }) };
        work::count(end - start);
        let mut captures = regex.create_captures();
        let input = Input::new(bytes).range(start..end).anchored(Anchored::Yes);
        regex.search_captures(&input, &mut captures);
        let value = captures.get_group_by_name("value")?;
        Some(Match { start: value.start, end: value.end, pattern })
    }
}

impl Engine for PlainEngine {
    fn matches(&self, view: &ByteView, found: &mut dyn FnMut(Match)) {
        let bytes = view.bytes();
        let mut caches = self.caches.get();
        let mut before = OPEN;
        for (start, byte) in bytes.iter().enumerate() {
            if before == WIDE && !is_continuation(*byte) {
                let is_word = char_before(bytes, start).is_some_and(char::is_alphanumeric);
                before = if is_word { WIDE_WORD } else { OPEN };
            }
            if let Some(kind) = self.kinds.get(before)
                && kind.first.contains(*byte)
                && let Some(automaton) = &kind.automaton
            {
                let cache = caches[before].get_or_insert_with(|| automaton.create_cache());
                kind.matches_from(automaton, cache, bytes, start, |pattern, end| {
                    if self.patterns[pattern].boundary.ends(bytes, end)
                        && let Some(value) = self.value(bytes, pattern, start, end)
                    {
                        found(value);
                    }
                });
            }
            before = self.kind_of[usize::from(*byte)];
        }
    }

    fn verdict(&self, view: &ByteView, found: &Match) -> Verdict {
        let Some(validator) = &self.patterns[found.pattern].validator else { return Verdict::Unchecked };
        validator.verdict(&view.bytes()[found.start..found.end])
    }
}

impl Kind {
    fn new(patterns: &[Expression], members: Vec<usize>) -> Result<Self, Box<dyn std::error::Error>> {
        if members.is_empty() {
            return Ok(Self { first: ByteSet::EMPTY, automaton: None, members });
        }
        let hirs: Vec<&Hir> = members.iter().map(|i| &patterns[*i].hir).collect();
        let automaton = compile(&hirs)?;
        Ok(Self { first: first_bytes(&automaton), automaton: Some(automaton), members })
    }

    /// Calls back with (pattern, end) for each match that starts at `start`.
    fn matches_from(
        &self,
        automaton: &DFA,
        cache: &mut Cache,
        bytes: &[u8],
        start: usize,
        mut found: impl FnMut(usize, usize),
    ) {
        let input = Input::new(bytes).range(start..).anchored(Anchored::Yes);
        // The automaton gives up only on quit bytes and on a limit of cache clearings; it has neither.
        let Ok(mut state) = automaton.start_state_forward(cache, &input) else { return };
        for at in start..=bytes.len() {
            work::count(1);
            // A match is known one byte late: entering a match state by the byte at `at` says one ended at `at`.
            let next = match bytes.get(at) {
                Some(byte) => automaton.next_state(cache, state, *byte),
                None => automaton.next_eoi_state(cache, state),
            };
            let Ok(next) = next else { return };
            if next.is_match() {
                for i in 0..automaton.match_len(cache, next) {
                    found(self.members[automaton.match_pattern(cache, next, i).as_usize()], at);
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
