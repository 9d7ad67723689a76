//! Patterns that are looked for in some places only.

use super::{
    automaton::InUse,
    expression::{CompileError, Expression},
    places::Places,
};
use crate::{
    boundary::{Boundary, ByteSet},
    work,
};
use std::{collections::BTreeMap, ops::Range};

/// The patterns of groups. Those of one group and boundary share an automaton.
#[derive(Default)]
pub(super) struct Confined {
    /// By group.
    groups: BTreeMap<usize, Vec<Part>>,
}

/// Patterns of one group and boundary.
struct Part {
    boundary: Boundary,
    /// Bytes that can start a match.
    first: ByteSet,
    /// Index of their automaton.
    automaton: usize,
}

impl Confined {
    /// Those of the expressions that are of a group. Of some of them `compile` makes an automaton, and tells its index and
    /// the bytes that can start a match.
    pub(super) fn new(
        expressions: &[Expression],
        mut compile: impl FnMut(Vec<usize>) -> Result<(usize, ByteSet), CompileError>,
    ) -> Result<Self, CompileError> {
        let mut members: BTreeMap<(usize, Boundary), Vec<usize>> = BTreeMap::new();
        for (i, expression) in expressions.iter().enumerate() {
            if let Some(group) = expression.group {
                members.entry((group, expression.boundary)).or_default().push(i);
            }
        }
        let mut confined = Self::default();
        for ((group, boundary), members) in members {
            let (automaton, first) = compile(members)?;
            confined.groups.entry(group).or_default().push(Part { boundary, first, automaton });
        }
        Ok(confined)
    }

    /// Calls back with (pattern, start, end) for each match that starts in the places of its group, or anywhere.
    pub(super) fn matches(
        &self,
        bytes: &[u8],
        places: Option<&Places>,
        automata: &mut InUse<'_>,
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        let mut search = |parts: &[Part], ranges: &[Range<usize>]| {
            for part in parts {
                ranges.iter().for_each(|range| part.matches(bytes, range.clone(), automata, found));
            }
        };
        match places {
            Some(places) => places.iter().for_each(|(group, ranges)| {
                search(self.groups.get(&group).map_or(&[], Vec::as_slice), ranges);
            }),
            None => self.groups.values().for_each(|parts| search(parts, std::slice::from_ref(&(0..bytes.len())))),
        }
    }
}

impl Part {
    fn matches(
        &self,
        bytes: &[u8],
        range: Range<usize>,
        automata: &mut InUse<'_>,
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        work::count(range.len());
        for (start, byte) in range.clone().zip(&bytes[range]) {
            if self.first.contains(*byte) && self.boundary.starts(bytes, start) {
                automata.matches_from(self.automaton, bytes, start, |pattern, end| found(pattern, start, end));
            }
        }
    }
}
