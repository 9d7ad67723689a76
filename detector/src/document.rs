//! What is read: a document of turns. The types hold transcript text, so they print a length in its place.

use std::fmt;

/// Who speaks in a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The person who asks for help.
    Customer,
    /// A person who answers.
    Agent,
    /// A program of the platform.
    Bot,
    /// Anyone else, or unknown.
    #[default]
    Other,
}

/// One turn of a conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Turn<'t> {
    /// Who speaks.
    pub role: Role,
    /// What is said. Every span of a finding is in bytes of this text.
    pub text: &'t str,
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({:?}, {} bytes)", self.role, self.text.len())
    }
}

/// Where something stands: a turn, and bytes in that turn's text. Start and end lie on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Index of the turn.
    pub turn: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Whether the two share a byte.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.turn == other.turn && self.start < other.end && other.start < self.end
    }

    /// Whether every byte of `other` lies in this span.
    pub fn contains(&self, other: &Self) -> bool {
        self.turn == other.turn && self.start <= other.start && other.end <= self.end
    }
}
