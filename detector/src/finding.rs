//! What comes out: findings, each with its span and the evidence that was counted for it.

use crate::document::Span;
use std::{fmt, sync::Arc};

/// Declares a cheaply cloned name.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name! {
    /// A kind of personal data: `nl.bsn`, `payment.card`.
    EntityId
}
name! {
    /// How it was found: the entity and the pattern's own name, `nl.bsn/plain`.
    PatternId
}

/// What a pattern's validator said of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The pattern has no validator.
    Unchecked,
    /// The check passed.
    Valid,
    /// The check failed: at most a mistyped one.
    Invalid,
}

/// A piece of personal data, with where it stands and how much speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub entity: EntityId,
    /// The pattern that found it.
    pub pattern: PatternId,
    /// Where it stands, in bytes of the turn's original text. Of one that is split over turns, its first piece.
    pub span: Span,
    /// The other pieces of one that is split over turns, in order; else empty.
    pub more: Vec<Span>,
    /// The sum of the evidence, in tenths of a ban (ten points are a factor of ten in the odds).
    pub points: i32,
    /// What the validator said.
    pub verdict: Verdict,
    /// What else the same characters may be. A policy must look at these too: what wins by weight need not be
    /// what matters most.
    pub rivals: Vec<Rival>,
}

/// Another reading of a finding's characters, outweighed by the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    /// What it would be.
    pub entity: EntityId,
    /// The pattern that read it so.
    pub pattern: PatternId,
    /// Where that reading stands. It overlaps the finding.
    pub span: Span,
    /// The other pieces of one that is split over turns.
    pub more: Vec<Span>,
    /// The sum of its evidence, in tenths of a ban.
    pub points: i32,
}

impl Rival {
    /// Where each of its pieces stands.
    pub fn pieces(&self) -> impl Iterator<Item = Span> + '_ {
        std::iter::once(self.span).chain(self.more.iter().copied())
    }
}

impl Finding {
    /// Where each of its pieces stands: nearly always one.
    pub fn pieces(&self) -> impl Iterator<Item = Span> + '_ {
        std::iter::once(self.span).chain(self.more.iter().copied())
    }

    /// Confidence in hundredths, by the fixed table of [`confidence`].
    pub fn confidence(&self) -> u8 {
        confidence(self.points)
    }
}

/// Confidence, in hundredths, for a sum of evidence. A table, so that no floating point decides anything.
pub fn confidence(points: i32) -> u8 {
    match points {
        ..=-1 => 1,
        0..=9 => 10,
        10..=19 => 30,
        20..=29 => 50,
        30..=39 => 70,
        40..=49 => 85,
        50..=59 => 90,
        60..=69 => 95,
        70..=79 => 98,
        80.. => 99,
    }
}
