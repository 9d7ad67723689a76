//! Tenants and destinations. Their terms and the evidence for them are compared in [`terms`].

use super::{Changes, Class, list, terms};
use crate::ruleset::{
    destinations::{Destination, Destinations, FILE as DESTINATIONS, Terms},
    region::Region,
    tenants::{FILE as TENANTS, Tenant, Tenants},
};
use std::collections::BTreeSet;

pub(super) fn tenants(old: &Tenants, new: &Tenants, changes: &mut Changes) {
    let Tenants { by_id } = old;
    let summary = |Tenant { id: _, region, packs }: &Tenant| format!("region {region}, packs {}", list(packs));
    for (id, known) in by_id {
        let Tenant { id: _, region, packs } = known;
        let Some(kept) = new.by_id.get(id) else {
            let why = "its transcripts are refused: a tenant without a region";
            changes.push(Class::DecidesMore, TENANTS, format!("tenant[{id}]"), Some(summary(known)), None, why);
            continue;
        };
        let why = "another law governs the export: what was held may be sent";
        let key = format!("tenant[{id}].region");
        changes.value(Class::MayDecideLess, (TENANTS, &key), region, &kept.region, Region::to_string, why);
        let why = "packs raise the evidence for identifiers of other countries";
        let key = format!("tenant[{id}].packs");
        changes.value(Class::DetectsDifferently, (TENANTS, &key), packs, &kept.packs, |packs| list(packs), why);
    }
    for (id, added) in new.by_id.iter().filter(|(id, _)| !by_id.contains_key(*id)) {
        let why = "its transcripts may be sent";
        changes.push(Class::MayDecideLess, TENANTS, format!("tenant[{id}]"), None, Some(summary(added)), why);
    }
}

pub(super) fn destinations(old: &Destinations, new: &Destinations, changes: &mut Changes) {
    let Destinations { by_id } = old;
    for (id, known) in by_id {
        match new.by_id.get(id) {
            Some(kept) => destination(known, kept, changes),
            None => {
                let why = "nothing is sent there. Reservations point to its terms: `maysend check --against` refuses \
                           to lose them; suspend it instead";
                let key = format!("destination[{id}]");
                changes.push(Class::DecidesMore, DESTINATIONS, key, Some(summary(known)), None, why);
            }
        }
    }
    for (id, added) in new.by_id.iter().filter(|(id, _)| !by_id.contains_key(*id)) {
        let (key, why) = (format!("destination[{id}]"), "one more place that transcripts may go to");
        changes.push(Class::MayDecideLess, DESTINATIONS, key, None, Some(summary(added)), why);
    }
    terms::evidence(old, new, changes);
}

fn summary(destination: &Destination) -> String {
    let Destination { id: _, provider, account, suspended, terms } = destination;
    let suspended = if *suspended { ", suspended" } else { "" };
    format!("{provider}, account {account}{suspended}, terms of {}", list(terms.iter().map(|terms| terms.effective)))
}

fn destination(old: &Destination, new: &Destination, changes: &mut Changes) {
    let Destination { id, provider, account, suspended, terms } = old;
    let at = |key: &str| format!("destination[{id}].{key}");
    let why = "another place, for which nothing that was answered need hold";
    let class = Class::MayDecideLess;
    changes.value(class, (DESTINATIONS, &at("provider")), provider, &new.provider, String::clone, why);
    changes.value(class, (DESTINATIONS, &at("account")), account, &new.account, String::clone, why);
    if suspended != &new.suspended {
        let (class, why) = match new.suspended {
            true => (Class::DecidesMore, "nothing is sent there"),
            false => (Class::MayDecideLess, "transcripts may go there again"),
        };
        changes.value(class, (DESTINATIONS, &at("suspended")), suspended, &new.suspended, bool::to_string, why);
    }
    let days: BTreeSet<_> = terms.iter().chain(&new.terms).map(|terms| terms.effective).collect();
    for day in days {
        let of = |all: &'_ [Terms]| all.iter().position(|terms| terms.effective == day);
        // What a version replaces, or leaves in force again, is the one before it in the other register.
        let before = |all: &'_ [Terms]| all.iter().rposition(|terms| terms.effective < day);
        let key = format!("destination[{id}].terms[{day}]");
        match (of(terms), of(&new.terms)) {
            (Some(old), Some(kept)) => {
                let (old, kept) = (&terms[old], &new.terms[kept]);
                terms::terms(&key, Some(old), Some(kept), changes);
                if old.terms_id() != kept.terms_id() {
                    let why = "changed in place: reservations that point to the old terms lose them, and `maysend \
                               check --against` refuses that; add a version instead";
                    let (old, kept) = (old.terms_id().to_owned(), kept.terms_id().to_owned());
                    changes.push(Class::NoDecision, DESTINATIONS, key, Some(old), Some(kept), why);
                }
            }
            (None, Some(added)) => {
                let added = &new.terms[added];
                let replaced = before(terms).map(|at| &terms[at]);
                terms::terms(&key, replaced, Some(added), changes);
                let why = "a new version of the terms; what it changes is listed by itself";
                let id = Some(added.terms_id().to_owned());
                changes.push(Class::NoDecision, DESTINATIONS, key, None, id, why);
            }
            (Some(gone), None) => {
                let gone = &terms[gone];
                let instead = before(&new.terms).map(|at| &new.terms[at]);
                terms::terms(&key, Some(gone), instead, changes);
                let why = "reservations point to these terms, and the answer to what was sent under them is lost";
                let id = Some(gone.terms_id().to_owned());
                changes.push(Class::MayDecideLess, DESTINATIONS, key, id, None, why);
            }
            (None, None) => {}
        }
    }
}
