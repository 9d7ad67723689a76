//! The places that a ruleset reads or carries, in the wire form or by a mapping.

use crate::{
    ruleset::{
        Rules,
        input::{Given, Mapping, Place, Said},
    },
    wire::Pointer,
};

/// A step on the way to a value: into a member, or into any position of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Member(String),
    Position,
}

/// What becomes of what stands in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It is read as this member.
    Read(&'static str),
    /// It goes on, searched and redacted.
    Carried,
}

/// A place and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) steps: Vec<Step>,
    pub(super) used: Use,
}

/// Every place that is not dropped.
pub(super) struct Places(pub(super) Vec<Known>);

impl Places {
    pub(super) fn of(rules: &Rules) -> Self {
        let mut known = match &rules.mapping {
            Some(mapping) => of_mapping(mapping),
            None => of_wire_form(),
        };
        let carried = rules.policy.intake.carry.iter().map(|carry| at(Use::Carried, steps(&carry.pointer)));
        known.extend(carried);
        Self(known)
    }

    /// What is in this place, if it is known.
    pub(super) fn find(&self, path: &[Step]) -> Option<usize> {
        self.0.iter().position(|known| known.steps == path)
    }

    /// Whether a known place lies below.
    pub(super) fn leads_on(&self, path: &[Step]) -> bool {
        self.0.iter().any(|known| known.steps.starts_with(path))
    }
}

fn at(used: Use, steps: Vec<Step>) -> Known {
    Known { steps, used }
}

fn steps(pointer: &Pointer) -> Vec<Step> {
    pointer.names().iter().cloned().map(Step::Member).collect()
}

fn of_wire_form() -> Vec<Known> {
    let own = ["schema", "id", "tenant", "tenant_region", "customer_key", "destination", "fields", "text"];
    let of_turn = ["text", "speaker", "at"];
    let member = |name: &str| Step::Member(name.into());
    let own = own.map(|name| at(Use::Read(name), vec![member(name)]));
    let of_turn = of_turn.map(|name| at(Use::Read(name), vec![member("turns"), Step::Position, member(name)]));
    own.into_iter().chain(of_turn).collect()
}

fn of_mapping(mapping: &Mapping) -> Vec<Known> {
    let Mapping { id, tenant, tenant_region, customer_key, destination, fields, said, roles: _, names: _ } = mapping;
    let own = [
        ("id", Some(id)),
        ("tenant", tenant.pointer()),
        ("tenant_region", tenant_region.as_ref().and_then(Given::pointer)),
        ("customer_key", customer_key.as_ref()),
        ("destination", destination.pointer()),
    ];
    let own = own.into_iter().filter_map(|(name, pointer)| Some((name, pointer?)));
    let own = own.chain(fields.iter().map(|(_, pointer)| ("fields", pointer)));
    let mut known: Vec<Known> = own.map(|(name, pointer)| at(Use::Read(name), steps(pointer))).collect();
    match said {
        Said::Text(pointer) => known.push(at(Use::Read("text"), steps(pointer))),
        Said::Turns(tables) => {
            for table in tables {
                let mut place = steps(table.place.pointer());
                if matches!(table.place, Place::Each(_)) {
                    place.push(Step::Position);
                }
                let of_turn = table
                    .members()
                    .map(|(name, pointer)| at(Use::Read(name), place.iter().cloned().chain(steps(pointer)).collect()));
                known.extend(of_turn);
            }
        }
    }
    known
}
