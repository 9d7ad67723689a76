//! The states that an automaton has made so far, laid out for the text that there is.

use regex_automata::{
    Anchored, Input,
    hybrid::{
        LazyStateID,
        dfa::{self, DFA},
    },
};
use std::collections::HashMap;

/// A state, by number. The highest bit says that matches end there.
type State = u16;

/// Where it is not known yet what follows.
const UNKNOWN: State = 0;
/// Where nothing can follow.
const DEAD: State = 1;
/// Where reading starts.
const START: State = 2;
const IS_MATCH: State = 1 << 15;

/// Classes of bytes that are looked up near each other.
const NEAR: usize = 16;

/// Other classes that have a bit.
const MASKED: usize = u64::BITS as usize;

/// The bytes of numbers, which are the most that automata read.
const NEAR_BYTES: &[u8; NEAR] = b"0123456789 -.,:/";

/// The classes of an automaton's bytes: those of numbers first.
pub(super) struct Classes {
    of_byte: [u8; 256],
    /// The class of the end.
    end: usize,
}

impl Classes {
    pub(super) fn of(dfa: &DFA) -> Self {
        let classes = dfa.byte_classes();
        let mut order: Vec<u8> = Vec::new();
        for byte in NEAR_BYTES.iter().copied().chain(0..=u8::MAX) {
            if !order.contains(&classes.get(byte)) {
                order.push(classes.get(byte));
            }
        }
        let place = |class: u8| order.iter().position(|other| *other == class).unwrap_or_default() as u8;
        Self { of_byte: std::array::from_fn(|byte| place(classes.get(byte as u8))), end: order.len() }
    }

    fn count(&self) -> usize {
        self.end + 1
    }
}

/// States in tables of their own: the classes of numbers stand together, so that reading a number touches one cache line a
/// byte, and which patterns match is a slice. The automaton behind them is asked once for each transition.
pub(super) struct States {
    behind: dfa::Cache,
    /// How often the automaton's states had been cleared when these were made.
    clears: usize,
    ids: Vec<LazyStateID>,
    known: HashMap<LazyStateID, State>,
    rows: Vec<Row>,
    /// The other classes, row by row.
    far: Vec<State>,
    width: usize,
    patterns: Vec<u32>,
}

/// What is looked up most of a state, in one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row {
    near: [State; NEAR],
    /// Of the other classes those after which nothing can follow, as far as it is known: most reading ends with one.
    dead: u64,
    /// The part of the patterns that match there.
    matches: (u32, u32),
}

impl States {
    pub(super) fn new(dfa: &DFA, classes: &Classes) -> Self {
        let mut states = Self {
            behind: dfa.create_cache(),
            clears: 0,
            ids: Vec::new(),
            known: HashMap::new(),
            rows: Vec::new(),
            far: Vec::new(),
            width: classes.count().saturating_sub(NEAR),
            patterns: Vec::new(),
        };
        states.reset(dfa);
        states
    }

    /// Begins anew with the start only.
    fn reset(&mut self, dfa: &DFA) {
        let start = dfa.start_state_forward(&mut self.behind, &Input::new("").anchored(Anchored::Yes));
        self.clears = self.behind.clear_count();
        self.ids.clear();
        self.known.clear();
        self.rows.clear();
        self.far.clear();
        self.patterns.clear();
        for _ in 0..START {
            self.push(LazyStateID::default());
        }
        // A start fails only for look-arounds that give up, and there are none.
        if let Ok(start) = start {
            self.number(dfa, start);
        }
    }

    fn push(&mut self, id: LazyStateID) {
        self.ids.push(id);
        let none = self.patterns.len() as u32;
        self.rows.push(Row { near: [UNKNOWN; NEAR], dead: 0, matches: (none, none) });
        self.far.resize(self.rows.len() * self.width, UNKNOWN);
    }

    /// The number of a state of the automaton.
    fn number(&mut self, dfa: &DFA, id: LazyStateID) -> State {
        if id.is_dead() || id.is_quit() {
            return DEAD;
        }
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        if self.ids.len() == usize::from(IS_MATCH) {
            self.reset(dfa);
            return self.number(dfa, id);
        }
        let mut number = self.ids.len() as State;
        self.push(id);
        if id.is_match() {
            number |= IS_MATCH;
            let count = dfa.match_len(&self.behind, id);
            self.patterns.extend((0..count).map(|i| dfa.match_pattern(&self.behind, id, i).as_u32()));
            self.rows.iter_mut().next_back().into_iter().for_each(|row| row.matches.1 = self.patterns.len() as u32);
        }
        self.known.insert(id, number);
        number
    }

    #[inline]
    pub(super) fn start(&self) -> State {
        START
    }

    /// The state after `byte`, or after the end; `None` if nothing can follow.
    #[inline]
    pub(super) fn next(&mut self, dfa: &DFA, classes: &Classes, state: State, byte: Option<u8>) -> Option<State> {
        let state = usize::from(state & !IS_MATCH);
        let class = byte.map_or(classes.end, |byte| usize::from(classes.of_byte[usize::from(byte)]));
        let row = &self.rows[state];
        let next = match class.checked_sub(NEAR) {
            None => row.near[class],
            Some(far) if far < MASKED && row.dead >> far & 1 == 1 => return None,
            Some(far) => self.far[state * self.width + far],
        };
        match next {
            DEAD => None,
            UNKNOWN => self.make(dfa, state, class, byte),
            next => Some(next),
        }
    }

    /// Whether matches end where a state was entered, and those patterns.
    #[inline]
    pub(super) fn matches(&self, state: State) -> &[u32] {
        match state & IS_MATCH {
            0 => &[],
            _ => {
                let (start, end) = self.rows[usize::from(state & !IS_MATCH)].matches;
                &self.patterns[start as usize..end as usize]
            }
        }
    }

    #[cold]
    fn make(&mut self, dfa: &DFA, state: usize, class: usize, byte: Option<u8>) -> Option<State> {
        let id = self.ids[state];
        let next = match byte {
            Some(byte) => dfa.next_state(&mut self.behind, id, byte),
            None => dfa.next_eoi_state(&mut self.behind, id),
        };
        // The automaton gives up only on quit bytes and on a limit of cache clearings; it has neither.
        let next = next.ok()?;
        if self.behind.clear_count() != self.clears {
            self.reset(dfa);
            return Some(self.number(dfa, next)).filter(|next| *next != DEAD);
        }
        let room = self.ids.len() < usize::from(IS_MATCH);
        let number = self.number(dfa, next);
        if room {
            match class.checked_sub(NEAR) {
                None => self.rows[state].near[class] = number,
                Some(far) => {
                    self.far[state * self.width + far] = number;
                    if number == DEAD && far < MASKED {
                        self.rows[state].dead |= 1 << far;
                    }
                }
            }
        }
        Some(number).filter(|next| *next != DEAD)
    }
}
