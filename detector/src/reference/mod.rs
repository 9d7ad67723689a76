//! Reference formats: strings of the platform's own that look like personal data and are not.
//!
//! A reference is anchored so that it can only ever be the whole token: `NL-8842-1993` is a ticket, `NL-8842-19934`
//! and `NL-8842-1993-1112` are not. It hides only findings that lie wholly inside its token, only of the entities
//! that it declares, and never against a label: in "BSN NL-8842-1993" a person says that it is no ticket.
//!
//! The platform's own mail address, phone or account is a list of exact values, hidden in the same way, but also beside a
//! label: "call us on" is what people say of such a number.

mod load;
mod share;

pub use load::load;
pub use share::{Share, shares};

use crate::{
    boundary::{Boundary, char_after, char_before},
    engine::{Candidate, CompileError, Engine, Expression, PrefilteredEngine},
    finding::EntityId,
    pattern::Example,
    view::ByteView,
};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::{collections::BTreeSet, ops::Range};

/// A calendar date as (year, month, day); compares as dates do.
pub type Date = (i16, i8, i8);

/// One of the platform's own formats.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its name in counts and explanations.
    pub id: String,
    /// For people.
    pub name: String,
    /// The format as written: a regular expression of bounded length. Of a list of values it is made of these.
    pub format: String,
    /// The exact values, where it is a list of the platform's own.
    pub values: Vec<String>,
    /// The format, parsed, without its folded variants.
    pub hir: Hir,
    /// The entities whose findings it may hide.
    pub hides: Vec<EntityId>,
    /// Who says that the format is the platform's.
    pub owner: String,
    /// Since when.
    pub dated: Date,
    /// Until and including when, if it ends.
    pub expires: Option<Date>,
    /// Strings that are such references.
    pub examples: Vec<Example>,
    /// Strings near it that are none.
    pub neighbours: Vec<Example>,
}

/// The reference formats of a ruleset, compiled.
pub struct References {
    /// The formats, in the order of the file.
    pub formats: Vec<Reference>,
    engine: PrefilteredEngine,
    /// Bytes that a token has at most.
    longest: usize,
    /// What any of them may hide.
    hidden: BTreeSet<EntityId>,
}

/// A token that is a reference. Positions are in the bytes of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Index of the format.
    pub reference: usize,
}

impl References {
    /// Compiles the formats with their folded variants: either case. The view has a hyphen for any dash.
    pub fn new(formats: Vec<Reference>) -> Result<Self, CompileError> {
        let boundary = Boundary { unicode: true, ..Boundary::named("token").expect("a ready-made rule") };
        let expressions: Vec<Expression> = formats
            .iter()
            .map(|format| Expression {
                hir: folded(&format.hir),
                boundary,
                has_value: false,
                validator: None,
                group: None,
            })
            .collect();
        let bytes =
            |expression: &Expression| expression.hir.properties().maximum_len().unwrap_or(crate::pattern::LONGEST);
        let longest = expressions.iter().map(bytes).max().unwrap_or(0);
        let hidden = formats.iter().flat_map(|format| format.hides.iter().cloned()).collect();
        Ok(Self { engine: PrefilteredEngine::new(&expressions)?, formats, longest, hidden })
    }

    /// Whether any format declares that it may hide this entity.
    pub fn may_hide(&self, entity: &EntityId) -> bool {
        self.hidden.contains(entity)
    }

    /// Every token of the view that is a reference, by start. Linear in the view.
    pub fn find(&self, view: &ByteView) -> Vec<Token> {
        let mut candidates: Vec<Candidate> = Vec::new();
        self.engine.candidates(view, &mut candidates);
        candidates
            .iter()
            .filter(|candidate| is_whole_token(view.bytes(), candidate.start, candidate.end))
            .map(|candidate| Token { start: candidate.start, end: candidate.end, reference: candidate.pattern })
            .collect()
    }

    /// Every token of a segment of the view that is a reference, by start. Linear in the segment.
    pub fn find_in(&self, view: &ByteView, segment: usize) -> Vec<Token> {
        let Range { start, .. } = view.range(segment);
        let in_view = |token: Token| Token { start: start + token.start, end: start + token.end, ..token };
        self.find(&view.part(segment)).into_iter().map(in_view).collect()
    }

    /// The tokens, of those found, that share a byte with these.
    pub fn overlapping<'t>(&self, tokens: &'t [Token], start: usize, end: usize) -> impl Iterator<Item = &'t Token> {
        let first = tokens.partition_point(|token| token.start + self.longest < start);
        tokens[first..].iter().take_while(move |token| token.start < end).filter(move |token| token.end > start)
    }

    /// The tokens, of those found, that hold all of these bytes.
    pub fn holding<'t>(&self, tokens: &'t [Token], start: usize, end: usize) -> impl Iterator<Item = &'t Token> {
        // A token that holds `start` starts at most the longest format's length before it.
        let first = tokens.partition_point(|token| token.start + self.longest < start);
        tokens[first..]
            .iter()
            .take_while(move |token| token.start <= start)
            .inspect(|_| crate::work::count(1))
            .filter(move |token| token.end >= end)
    }
}

impl Reference {
    /// Whether it is a list of exact values.
    pub fn is_own(&self) -> bool {
        !self.values.is_empty()
    }

    /// Whether it still hides on this date.
    pub fn in_force(&self, on: Option<Date>) -> bool {
        match (self.expires, on) {
            (Some(expires), Some(on)) => on <= expires,
            _ => true,
        }
    }

    /// Whether it declares that it may hide this entity.
    pub fn may_hide(&self, entity: &EntityId) -> bool {
        self.hides.contains(entity)
    }
}

/// Whether nothing joins these bytes to more of a token: no dash or dot with a letter or digit beyond it.
fn is_whole_token(bytes: &[u8], start: usize, end: usize) -> bool {
    let joins = |c: char| matches!(c, '-' | '_' | '.' | '+' | '@');
    let before = char_before(bytes, start)
        .filter(|c| joins(*c))
        .is_some_and(|c| char_before(bytes, start - c.len_utf8()).is_some_and(char::is_alphanumeric));
    let after = char_after(bytes, end)
        .filter(|c| joins(*c))
        .is_some_and(|c| char_after(bytes, end + c.len_utf8()).is_some_and(char::is_alphanumeric));
    !before && !after
}

/// The format in its folded variants: letters in either case.
fn folded(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Literal(literal) => Hir::concat(
            std::str::from_utf8(&literal.0)
                .map(|text| text.chars().map(|c| Hir::class(Class::Unicode(variants(c)))).collect())
                .unwrap_or_else(|_| vec![hir.clone()]),
        ),
        HirKind::Class(Class::Bytes(class)) => match class.to_unicode_class() {
            Some(class) => folded(&Hir::class(Class::Unicode(class))),
            None => hir.clone(),
        },
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.try_case_fold_simple().ok();
            Hir::class(Class::Unicode(class))
        }
        HirKind::Repetition(repetition) => {
            let mut repetition = repetition.clone();
            repetition.sub = Box::new(folded(&repetition.sub));
            Hir::repetition(repetition)
        }
        HirKind::Capture(capture) => folded(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(folded).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(folded).collect()),
        HirKind::Empty | HirKind::Look(_) => hir.clone(),
    }
}

fn variants(c: char) -> ClassUnicode {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.try_case_fold_simple().ok();
    class
}
