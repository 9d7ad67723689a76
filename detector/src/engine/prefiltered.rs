//! The prefiltered engine: the plain engine's automata in groups, each run only where the text near has what every match
//! of the group must have.

use super::{
    Engine, Match,
    automaton::{Automata, Automaton},
    expression::{CompileError, Ending, Expression},
    requirement::{BEGINNING, DIGIT, NEEDED, Near, Requirement, is_space},
    starts::Starts,
};
use crate::{
    boundary::{Boundary, ByteSet},
    finding::Verdict,
    trigrams::Trigrams,
    view::{BREAK, ByteView},
};
use std::collections::BTreeMap;

/// The engine of a detector.
///
/// Most of a text is words, and most patterns need a digit, an `@` or a known word: what a match must have is read from
/// each expression, and patterns of like needs are compiled together. The view is read backwards, so that at each byte it
/// is known by table which groups' needed bytes stand ahead of it and which groups may begin with the bytes that follow,
/// for all groups at once, as bits. An automaton is run only where its group's bit is left. What is left out could not
/// have matched, so the set is the plain engine's.
///
/// Cost: a few look-ups in tables a byte; for each start that is left, the longest match from there. Memory: up to 8 MiB
/// of automaton states a group, kind and thread, made as text needs them; in all a few.
pub struct PrefilteredEngine {
    starts: Starts,
    groups: Vec<Group>,
    filter: Filter,
    /// By kind and group: which automaton reads on.
    automaton_of: Vec<Vec<usize>>,
    automata: Automata,
    endings: Vec<Ending>,
}

/// A set of groups.
type Groups = u32;

/// What is asked of each byte, by table, for all groups at once.
struct Filter {
    by_byte: Box<[OfByte; 256]>,
    /// By kind of start and byte: the groups with a match that it can start.
    first: Vec<[Groups; 256]>,
    /// By bytes up to the next digit: the groups that it is near enough for, or that need none.
    digit_within: [Groups; DISTANCES],
    /// By bytes up to the next white space: the groups that need no more.
    solid_for: [Groups; DISTANCES],
    /// Groups that begin with literals, and those.
    literal: Groups,
    prefixes: Trigrams,
    /// Groups that need no byte.
    free: Groups,
}

/// What a byte is to the groups.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct OfByte {
    /// Groups that it is a needed byte of.
    needed: Groups,
    /// Groups that it may stand before the needed byte of.
    through: Groups,
    /// Groups that may have it as the second byte of a match, the third, and so on.
    beginning: [Groups; BEGINNING - 1],
    /// The class of [`NEEDED`] that it is of, [`SPACE`], or [`OTHER`].
    class: u8,
}

/// White space, which ends what is solid.
const SPACE: usize = NEEDED.len();
/// What is of no class.
const OTHER: usize = NEEDED.len() + 1;
const CLASSES: usize = NEEDED.len() + 2;

/// Distances that are told apart; what is farther is as far as the last.
const DISTANCES: usize = 64;

/// Patterns of like requirements.
struct Group {
    members: Vec<usize>,
    is_literal: bool,
    near: Option<Near>,
    solid: usize,
    beginning: [ByteSet; BEGINNING],
}

/// What patterns have in common that are compiled together. There are 23 at most: a group is a bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GroupKey {
    /// Literals.
    Literal,
    /// A digit: whether it may be far, and whether small letters may stand before it.
    NearDigit { far: bool, words: bool },
    /// A byte of a class, and whether it is the first.
    Near { class: usize, first: bool },
    /// None of these: whether it is longer than most words.
    Solid { long: bool },
}

/// Bytes before a digit that is near.
const SHORT: usize = 4;

/// Bytes of most words.
const WORD: usize = 12;

impl GroupKey {
    fn of(requirement: &Requirement) -> Self {
        match (&requirement.prefixes, requirement.near) {
            (_, Some(Near { class, reach: 0, .. })) => Self::Near { class, first: true },
            (Some(_), _) => Self::Literal,
            (None, Some(Near { class: DIGIT, reach, through })) => {
                Self::NearDigit { far: reach > SHORT, words: through.iter().any(|byte| byte.is_ascii_lowercase()) }
            }
            (None, Some(Near { class, .. })) => Self::Near { class, first: false },
            (None, None) => Self::Solid { long: requirement.solid > WORD },
        }
    }
}

impl Group {
    fn new(key: GroupKey, members: Vec<usize>, requirements: &[Requirement]) -> Self {
        let own = || members.iter().map(|i| &requirements[*i]);
        let near = |requirement: &Requirement| {
            requirement.near.filter(|_| !matches!(key, GroupKey::Literal | GroupKey::Solid { .. }))
        };
        let wider = |a: Near, b: Near| Near {
            reach: a.reach.max(b.reach),
            through: a.through.union(&b.through),
            class: a.class,
        };
        Self {
            is_literal: key == GroupKey::Literal,
            near: own().filter_map(near).reduce(wider),
            solid: own().map(|requirement| requirement.solid).min().unwrap_or(0),
            beginning: own().fold([ByteSet::EMPTY; BEGINNING], |all, requirement| {
                std::array::from_fn(|i| all[i].union(&requirement.beginning[i]))
            }),
            members,
        }
    }
}

impl PrefilteredEngine {
    /// Compiles the patterns. Fails if the automata would be too large.
    pub fn new(expressions: &[Expression]) -> Result<Self, CompileError> {
        let boundaries: Vec<Boundary> = expressions.iter().map(|expression| expression.boundary).collect();
        let requirements: Vec<Requirement> = expressions
            .iter()
            .map(|expression| Requirement::of(&expression.hir).map_err(|error| CompileError::new(&error)))
            .collect::<Result<_, _>>()?;
        let mut members: BTreeMap<GroupKey, Vec<usize>> = BTreeMap::new();
        for (i, requirement) in requirements.iter().enumerate() {
            members.entry(GroupKey::of(requirement)).or_default().push(i);
        }
        let groups: Vec<Group> =
            members.into_iter().map(|(key, members)| Group::new(key, members, &requirements)).collect();

        let starts = Starts::new(&boundaries);
        let mut automata: Vec<Automaton> = Vec::new();
        // Many kinds allow the same patterns of a group.
        let mut known: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut first = Vec::new();
        let mut automaton_of = Vec::new();
        for set in starts.sets() {
            let mut first_of_kind = [0; 256];
            let mut automata_of_kind = Vec::new();
            for (bit, group) in groups.iter().enumerate() {
                let own: Vec<usize> =
                    group.members.iter().copied().filter(|member| set.binary_search(member).is_ok()).collect();
                if own.is_empty() {
                    automata_of_kind.push(0);
                    continue;
                }
                let index = match known.get(&own) {
                    Some(index) => *index,
                    None => {
                        automata
                            .push(Automaton::new(expressions, own.clone()).map_err(|error| CompileError::new(&error))?);
                        known.insert(own, automata.len() - 1);
                        automata.len() - 1
                    }
                };
                automata[index].first().iter().for_each(|byte| first_of_kind[usize::from(byte)] |= 1 << bit);
                automata_of_kind.push(index);
            }
            first.push(first_of_kind);
            automaton_of.push(automata_of_kind);
        }
        let of_literals = groups.iter().filter(|group| group.is_literal).flat_map(|group| &group.members);
        let prefixes = Trigrams::of(of_literals.filter_map(|i| requirements[*i].prefixes.as_ref()).flatten().copied());
        let filter = Filter::new(&groups, first, prefixes);
        let (automata, endings) = (Automata::new(automata), Ending::of(expressions)?);
        Ok(Self { starts, groups, filter, automaton_of, automata, endings })
    }
}

impl Filter {
    fn new(groups: &[Group], first: Vec<[Groups; 256]>, prefixes: Trigrams) -> Self {
        let those = |holds: &dyn Fn(&Group) -> bool| -> Groups {
            groups.iter().enumerate().filter(|(_, group)| holds(group)).map(|(bit, _)| 1 << bit).sum()
        };
        let of_byte = |byte: u8| OfByte {
            needed: those(&|group| group.near.is_some_and(|near| NEEDED[near.class].contains(&byte))),
            through: those(&|group| group.near.is_some_and(|near| near.through.contains(byte))),
            beginning: std::array::from_fn(|place| those(&|group| group.beginning[place + 1].contains(byte))),
            class: match NEEDED.iter().position(|class| class.contains(&byte)) {
                Some(class) => class as u8,
                None if is_space(byte) => SPACE as u8,
                None => OTHER as u8,
            },
        };
        Self {
            by_byte: Box::new(std::array::from_fn(|byte| of_byte(byte as u8))),
            first,
            digit_within: std::array::from_fn(|distance| {
                let reaches = |near: Near| near.class != DIGIT || near.reach >= distance;
                those(&|group| group.near.is_none_or(reaches))
            }),
            solid_for: std::array::from_fn(|distance| {
                those(&|group| group.solid <= distance || distance == DISTANCES - 1)
            }),
            literal: those(&|group| group.is_literal),
            prefixes,
            free: those(&|group| group.near.is_none()),
        }
    }
}

impl Engine for PrefilteredEngine {
    fn matches(&self, view: &ByteView, found: &mut dyn FnMut(Match)) {
        let bytes = view.bytes();
        let mut automata = self.automata.in_use();
        let filter = &self.filter;
        // Groups whose needed byte stands ahead, with only bytes before it that may stand there; and where the next of
        // each class stands.
        let mut ahead: Groups = 0;
        let mut next = [bytes.len(); CLASSES];
        // Groups that may have the bytes from here on as the second and on of a match, the third and on, and so on. A
        // break follows the last.
        let mut follow: [Groups; BEGINNING - 1] = filter.by_byte[usize::from(BREAK)].beginning;
        for (start, byte) in bytes.iter().enumerate().rev() {
            let byte = usize::from(*byte);
            let OfByte { needed, through, beginning, class } = filter.by_byte[byte];
            let [second, ..] = follow;
            follow = std::array::from_fn(|i| beginning[i] & follow.get(i + 1).copied().unwrap_or(Groups::MAX));
            ahead = ahead & through | needed;
            next[usize::from(class)] = start;
            let Some(kind) = self.starts.kind(bytes, start) else { continue };
            let mut possible = filter.first[kind][byte] & second & (ahead | filter.free);
            if possible == 0 {
                continue;
            }
            possible &= filter.digit_within[(next[DIGIT] - start).min(DISTANCES - 1)]
                & filter.solid_for[(next[SPACE].max(start + 1) - start).min(DISTANCES - 1)];
            let is_prefix = |bytes: &[u8]| bytes.first_chunk().is_some_and(|prefix| filter.prefixes.may_hold(*prefix));
            if possible & filter.literal != 0 && !is_prefix(&bytes[start..]) {
                possible &= !filter.literal;
            }
            while possible != 0 {
                let bit = possible.trailing_zeros() as usize;
                possible &= possible - 1;
                if self.groups[bit].near.is_some_and(|near| next[near.class] - start > near.reach) {
                    continue;
                }
                automata.matches_from(self.automaton_of[kind][bit], bytes, start, |pattern, end| {
                    self.endings[pattern].value(bytes, pattern, start, end).into_iter().for_each(&mut *found);
                });
            }
        }
    }

    fn verdict(&self, view: &ByteView, found: &Match) -> Verdict {
        self.endings[found.pattern].verdict(&view.bytes()[found.start..found.end])
    }
}
