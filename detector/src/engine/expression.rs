//! What engines match, and what becomes of a match when its end is known.

use super::Match;
use crate::{
    boundary::Boundary,
    finding::Verdict,
    pattern::{BoundValidator, Pattern},
    work,
};
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::Hir;

/// What an engine needs of a pattern: anything that is matched under a boundary rule can be given as one.
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
    /// The group of patterns that it is of, if it may be asked for in places only. It has no group `value` then.
    pub group: Option<usize>,
}

impl From<&Pattern> for Expression {
    fn from(pattern: &Pattern) -> Self {
        Self {
            hir: pattern.hir.clone(),
            boundary: pattern.boundary,
            has_value: pattern.has_value,
            validator: pattern.validator.clone(),
            group: pattern.confined().map(|_| pattern.entity),
        }
    }
}

/// A pattern cannot be compiled: too large.
#[derive(Debug, thiserror::Error)]
#[error("the patterns cannot be compiled: {0}")]
pub struct CompileError(String);

impl CompileError {
    pub(super) fn new(error: &dyn std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// What is needed of a pattern after it has matched.
pub(super) struct Ending {
    boundary: Boundary,
    value: Option<meta::Regex>,
    validator: Option<BoundValidator>,
}

impl Ending {
    /// That of each expression, in order.
    pub(super) fn of(expressions: &[Expression]) -> Result<Vec<Self>, CompileError> {
        let one = |expression: &Expression| {
            let value = match expression.has_value {
                true => Some(
                    meta::Builder::new().build_from_hir(&expression.hir).map_err(|error| CompileError::new(&error))?,
                ),
                false => None,
            };
            Ok(Self { boundary: expression.boundary, value, validator: expression.validator.clone() })
        };
        expressions.iter().map(one).collect()
    }

    /// Whether the pattern's match may start there.
    #[inline]
    pub(super) fn starts(&self, bytes: &[u8], start: usize) -> bool {
        self.boundary.starts(bytes, start)
    }

    /// Whether the pattern's match may end there.
    #[inline]
    pub(super) fn ends(&self, bytes: &[u8], end: usize) -> bool {
        self.boundary.ends(bytes, end)
    }

    /// What the pattern's match finds: its group `value`, if it has one. `None` if it may not end there.
    #[inline]
    pub(super) fn value(&self, bytes: &[u8], pattern: usize, start: usize, end: usize) -> Option<Match> {
        if !self.boundary.ends(bytes, end) {
            return None;
        }
        let Some(regex) = &self.value else { return Some(Match { start, end, pattern }) };
        work::count(end - start);
        let mut captures = regex.create_captures();
        let input = Input::new(bytes).range(start..end).anchored(Anchored::Yes);
        regex.search_captures(&input, &mut captures);
        let value = captures.get_group_by_name("value")?;
        Some(Match { start: value.start, end: value.end, pattern })
    }

    /// What the validator says of what was found.
    pub(super) fn verdict(&self, found: &[u8]) -> Verdict {
        self.validator.as_ref().map_or(Verdict::Unchecked, |validator| validator.verdict(found))
    }
}
