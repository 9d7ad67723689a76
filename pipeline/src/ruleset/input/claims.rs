//! Which part of a record each pointer claims, and that no two claim the same.
//!
//! A value that two pointers reach could be redacted for one and copied for the other. So there is never more than one.

use super::{Given, Mapping, Place, Said, Turns};
use crate::{ruleset::policy::is_reserved, wire::Pointer};
use std::cmp::Ordering;

/// The member of a cleared record of another shape that holds the gate's own members.
pub const OWN: &str = "maysend";

/// Part of a record, and the key that claims it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The key, such as `transcript.id`.
    pub key: String,
    /// Where that part stands.
    pub pointer: Pointer,
}

impl Claim {
    pub(super) fn new(key: impl Into<String>, pointer: Pointer) -> Self {
        Self { key: key.into(), pointer }
    }

    /// What is wrong with a further pointer beside these claims, and what would be right; `None` if nothing is.
    pub(crate) fn refusal(claims: &[Self], pointer: &Pointer) -> Option<(String, String)> {
        if pointer.names().is_empty() {
            return Some(("the empty pointer is the whole record".into(), "the pointer of one member of it".into()));
        }
        let right = "name the members that are meant one by one, each once: no pointer may lead to or through another";
        let other = claims.iter().find(|claim| claim.pointer.overlaps(pointer))?;
        let Claim { key, pointer: known } = other;
        let wrong = match pointer.names().len().cmp(&known.names().len()) {
            Ordering::Equal => format!("`{pointer}` is {key} already"),
            Ordering::Less => format!("`{pointer}` holds `{known}`, which is {key}"),
            Ordering::Greater => format!("`{pointer}` is part of `{known}`, which is {key}"),
        };
        Some((wrong, right.into()))
    }

    /// What is wrong with carrying a pointer, and what would be right. Without a mapping, the members of the wire form
    /// and of the records are claimed.
    pub(crate) fn refusal_to_carry(
        mapping: Option<&Mapping>,
        carried: &[Self],
        pointer: &Pointer,
    ) -> Option<(String, String)> {
        match (mapping, pointer.names().first()) {
            (None, Some(name)) if is_reserved(name) => {
                return Some((format!("`{name}` is a member of the gate's own records"), "leave it out".into()));
            }
            (Some(mapping), Some(_)) => {
                let refused = Self::refusal(&mapping.claims(), pointer);
                if refused.is_some() {
                    return refused;
                }
            }
            _ => {}
        }
        Self::refusal(carried, pointer)
    }
}

impl Mapping {
    /// Everything that it claims.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let mut claims = vec![own(), Claim::new("transcript.id", self.id.clone())];
        let mut add = |key: &str, pointer: Option<&Pointer>| {
            claims.extend(pointer.map(|pointer| Claim::new(format!("transcript.{key}"), pointer.clone())));
        };
        add("tenant", self.tenant.pointer());
        add("tenant_region", self.tenant_region.as_ref().and_then(Given::pointer));
        add("customer_key", self.customer_key.as_ref());
        add("destination", self.destination.pointer());
        self.fields.iter().for_each(|(name, pointer)| add(&format!("fields.{name}"), Some(pointer)));
        match &self.said {
            Said::Text(pointer) => add("text", Some(pointer)),
            Said::Turns(turns) => {
                claims.extend(turns.iter().enumerate().flat_map(|(i, turns)| turns.claims(&format!("turns[{i}]"))));
            }
        }
        claims
    }
}

/// The member that the gate keeps for itself.
pub(super) fn own() -> Claim {
    Claim::new("the place of the gate's own members", Pointer::to_member(OWN))
}

impl Turns {
    /// What its members are, from the turn.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'static str, &Pointer)> {
        let optional = [("speaker", self.speaker.as_ref()), ("at", self.at.as_ref())];
        let optional = optional.into_iter().filter_map(|(key, pointer)| Some((key, pointer?)));
        std::iter::once(("text", &self.text)).chain(optional)
    }

    /// An array is claimed whole, of one turn only what is read of it.
    pub(super) fn claims(&self, table: &str) -> Vec<Claim> {
        match &self.place {
            Place::Each(pointer) => vec![Claim::new(format!("{table}.each"), pointer.clone())],
            Place::One(pointer) => {
                let of_turn =
                    self.members().map(|(key, member)| Claim::new(format!("{table}.{key}"), pointer.then(member)));
                of_turn.collect()
            }
        }
    }
}
