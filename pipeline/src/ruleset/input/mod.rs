//! `input.toml`: where a platform's own records have what a transcript is made of.
//!
//! A ruleset without this file reads the wire form of the design. With it, records are read by JSON Pointers, and what is
//! cleared has their shape. It belongs to the ruleset because a decision depends on what is read: its digest names it.
//! What goes on beside what was said is not here but in the policy's `carry`, since it is a permission.

mod claims;
mod reader;

pub use claims::{Claim, OWN};

use super::{destinations::Destinations, tenants::Tenants};
use crate::wire::{
    pointer::Pointer,
    time::TimeForm,
    transcript::{role_name, role_of},
};
use maysend_detector::{
    document::Role,
    source::{Mistakes, SourceFile},
};
use std::collections::BTreeMap;

/// The file's name in a ruleset.
pub const FILE: &str = "input.toml";

/// Where the members of a transcript stand in a record of another shape. No two pointers overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The platform's id for the transcript.
    pub id: Pointer,
    /// Whose transcript it is.
    pub tenant: Given,
    /// The region that the record claims for its tenant.
    pub tenant_region: Option<Given>,
    /// The opaque key of the customer. Without one no erasure can find a transcript.
    pub customer_key: Option<Pointer>,
    /// Where it is to be sent.
    pub destination: Given,
    /// Structured fields by the names that the templates have for them. What is inside of one is named after it:
    /// `custom.plan`.
    pub fields: Vec<(String, Pointer)>,
    /// What was said.
    pub said: Said,
    /// The roles of speakers beside those that are called by their role.
    pub roles: BTreeMap<String, Role>,
    /// Names that an error may repeat.
    pub(crate) names: Vec<String>,
}

/// A member that a record has, or that is the same for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Where it stands.
    At(Pointer),
    /// What it is, and it stands nowhere.
    Constant(String),
}

/// Where a record has what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// One text.
    Text(Pointer),
    /// Turns: those of each table after those of the one before. Never empty.
    Turns(Vec<Turns>),
}

/// Turns that stand in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Where they stand.
    pub place: Place,
    /// What is said, from the turn.
    pub text: Pointer,
    /// Who speaks, from the turn.
    pub speaker: Option<Pointer>,
    /// When, from the turn.
    pub at: Option<Pointer>,
    /// How times are written.
    pub time: TimeForm,
    /// Whether what has no text is passed over, rather than a mistake of the record: an event among the turns.
    pub skip_without_text: bool,
}

/// Where turns stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An array of turns.
    Each(Pointer),
    /// One turn.
    One(Pointer),
}

impl Given {
    /// Where it stands, if it does.
    pub fn pointer(&self) -> Option<&Pointer> {
        match self {
            Self::At(pointer) => Some(pointer),
            Self::Constant(_) => None,
        }
    }
}

impl Place {
    /// Where that is.
    pub fn pointer(&self) -> &Pointer {
        match self {
            Self::Each(pointer) | Self::One(pointer) => pointer,
        }
    }
}

impl Mapping {
    /// Reads the file. Every mistake is reported; `None` when there was one. Constants must be of the registers, where
    /// those could be read.
    pub fn read(
        file: &SourceFile,
        tenants: Option<&Tenants>,
        destinations: Option<&Destinations>,
        mistakes: &Mistakes,
    ) -> Option<Self> {
        reader::read(file, tenants, destinations, mistakes)
    }

    /// The role of a speaker.
    pub fn role(&self, speaker: &str) -> Role {
        self.roles.get(speaker).copied().unwrap_or_else(|| role_of(speaker))
    }

    /// What is read where, one line for each member.
    pub fn describe(&self) -> Vec<String> {
        let constants = [("tenant", Some(&self.tenant)), ("tenant_region", self.tenant_region.as_ref())];
        let constants = constants.into_iter().chain([("destination", Some(&self.destination))]);
        let constants = constants.filter_map(|(name, given)| match given? {
            Given::Constant(constant) => Some(format!("transcript.{name}: always {constant}")),
            Given::At(_) => None,
        });
        let claims = self.claims();
        let read = claims.iter().skip(1).map(|Claim { key, pointer }| format!("{key}: {pointer}"));
        let of_turns = self.turns().iter().enumerate().filter(|(_, turns)| matches!(turns.place, Place::Each(_)));
        let of_turns = of_turns.flat_map(|(i, turns)| {
            turns.members().map(move |(key, pointer)| format!("turns[{i}].{key}: {pointer} of each"))
        });
        let roles = self.roles.iter().map(|(speaker, role)| format!("roles: {speaker} is {}", role_name(*role)));
        constants.chain(read).chain(of_turns).chain(roles).collect()
    }

    /// The tables of turns; none for a single text.
    pub fn turns(&self) -> &[Turns] {
        match &self.said {
            Said::Text(_) => &[],
            Said::Turns(turns) => turns,
        }
    }
}

#[cfg(test)]
mod tests;
