//! Terms of a destination, and the evidence for them.
//!
//! A claim and its proof are told apart: what is claimed is compared by how mild it is, proven or not; how long it is
//! proven is compared by the days of its evidence. Each is a change of its own.

use super::{Changes, Class, Why, list, shown};
use crate::ruleset::{
    destinations::{Destinations, Evidence, FILE, Mechanism, Proven, RetentionTerms, Terms},
    region::Region,
};
use jiff::civil::Date;
use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
    fmt::Display,
};

/// Compares two versions of terms. `None` is none at all, of which everything is at its worst.
pub(super) fn terms(key: &str, old: Option<&Terms>, new: Option<&Terms>, changes: &mut Changes) {
    let nothing = nothing();
    let (old, new) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
    // The day and the id are what versions are told apart by.
    let Terms {
        effective: _,
        plan,
        endpoint,
        zero_retention,
        training_eligible,
        region,
        mechanisms,
        retention,
        processing_agreement,
        subprocessors,
        id: _,
    } = old;
    let at = |name: &str| format!("{key}.{name}");
    let why = "another contract, for which nothing that was answered need hold";
    changes.value(Class::MayDecideLess, (FILE, &at("plan")), plan, &new.plan, String::clone, why);
    let why = "transcripts go to another address";
    changes.value(Class::MayDecideLess, (FILE, &at("endpoint")), endpoint, &new.endpoint, String::clone, why);

    let why = Why { milder: "it is claimed that nothing is kept", stricter: "it is no longer claimed" };
    let rank = |claimed: Option<&bool>| claimed == Some(&true);
    attribute(&at("zero_retention"), zero_retention, &new.zero_retention, rank, why, changes);
    let why = Why { milder: "it is claimed that inputs train nothing", stricter: "inputs may train: it refuses all" };
    let rank = |claimed: Option<&bool>| claimed == Some(&false);
    attribute(&at("training_eligible"), training_eligible, &new.training_eligible, rank, why, changes);
    self::retention(&at("retention"), retention, &new.retention, changes);
    self::region(&at("region"), region, &new.region, changes);
    self::mechanisms(&at("mechanisms"), mechanisms, &new.mechanisms, changes);

    // The gate looks at neither, so whatever became of them nothing but a person would notice.
    contract(&at("processing_agreement"), processing_agreement, &new.processing_agreement, String::clone, changes);
    contract(&at("subprocessors"), subprocessors, &new.subprocessors, |names| list(names), changes);
}

/// What is known where there are no terms.
fn nothing() -> Terms {
    Terms {
        effective: Date::ZERO,
        plan: String::new(),
        endpoint: String::new(),
        zero_retention: None,
        training_eligible: None,
        region: None,
        mechanisms: Vec::new(),
        retention: RetentionTerms::default(),
        processing_agreement: None,
        subprocessors: None,
        id: String::new(),
    }
}

fn retention(key: &str, old: &RetentionTerms, new: &RetentionTerms, changes: &mut Changes) {
    let RetentionTerms {
        standard_days,
        abuse_monitoring_days,
        human_review_days,
        deletion_covers_abuse_monitoring,
        deletion_covers_human_review,
    } = old;
    let days = [
        ("standard_days", standard_days, &new.standard_days),
        ("abuse_monitoring_days", abuse_monitoring_days, &new.abuse_monitoring_days),
        ("human_review_days", human_review_days, &new.human_review_days),
    ];
    for (name, old, new) in days {
        let why = Why { milder: "copies are claimed to be kept for less", stricter: "copies are kept for longer" };
        let rank = |claimed: Option<&u32>| Reverse(claimed.map_or(u64::MAX, |days| u64::from(*days)));
        attribute(&format!("{key}.{name}"), old, new, rank, why, changes);
    }
    let covers = [
        ("deletion_covers_abuse_monitoring", deletion_covers_abuse_monitoring, &new.deletion_covers_abuse_monitoring),
        ("deletion_covers_human_review", deletion_covers_human_review, &new.deletion_covers_human_review),
    ];
    for (name, old, new) in covers {
        let why = Why { milder: "a deletion is claimed to reach more", stricter: "a deletion reaches less" };
        attribute(&format!("{key}.{name}"), old, new, |claimed| claimed == Some(&true), why, changes);
    }
}

/// An attribute whose claims have an order: `rank` grows as they grow milder, and has its least where nothing is claimed.
fn attribute<T: PartialEq + Display, R: Ord>(
    key: &str,
    old: &Option<Proven<T>>,
    new: &Option<Proven<T>>,
    rank: impl Fn(Option<&T>) -> R,
    why: Why,
    changes: &mut Changes,
) {
    let (before, after) = (claim(old), claim(new));
    let (class, why) = match rank(after).cmp(&rank(before)) {
        Ordering::Greater => (Class::MayDecideLess, why.milder),
        Ordering::Less => (Class::DecidesMore, why.stricter),
        Ordering::Equal => (Class::NoDecision, "what is claimed is what counts where nothing is"),
    };
    if before != after {
        let (before, after) = (before.map(T::to_string), after.map(T::to_string));
        changes.push(class, FILE, key, before, after, why);
    }
    proof(key, old.as_ref(), new.as_ref(), changes);
}

fn claim<T>(attribute: &Option<Proven<T>>) -> Option<&T> {
    attribute.as_ref().map(|proven| proven.parts().0)
}

/// Where another piece of evidence is named for an attribute: the days on which it counts. That a piece itself was
/// changed is told once, for the piece.
fn proof<T>(key: &str, old: Option<&Proven<T>>, new: Option<&Proven<T>>, changes: &mut Changes) {
    let (Some(old), Some(new)) = (old, new) else { return };
    let (before, after) = (old.parts().1, new.parts().1);
    if before.map(|evidence| &evidence.id) == after.map(|evidence| &evidence.id) {
        return;
    }
    let days = |evidence: Option<&Evidence>| evidence.map(window);
    let (class, why) = match (days(before), days(after)) {
        (old, new) if old == new => (Class::NoDecision, "other evidence for the same days"),
        (Some(_), None) => (Class::DecidesMore, "unproven: its worst value counts"),
        (Some((from, until)), Some((new_from, new_until))) if new_from >= from && new_until <= until => {
            (Class::DecidesMore, "proven for fewer days")
        }
        _ => (Class::MayDecideLess, "proven for days on which it was not"),
    };
    let show = |evidence: Option<&Evidence>| {
        evidence.map(|evidence| {
            let (from, until) = window(evidence);
            format!("{} ({from} to {until})", evidence.id)
        })
    };
    changes.push(class, FILE, format!("{key}.evidence"), show(before), show(after), why);
}

/// The first and the last day on which a piece of evidence counts.
fn window(evidence: &Evidence) -> (Date, Date) {
    let Evidence { id: _, document: _, date, answered_by: _, role: _, valid_from, valid_until } = evidence;
    (valid_from.map_or(*date, |from| from.max(*date)), *valid_until)
}

fn region(key: &str, old: &Option<Proven<Region>>, new: &Option<Proven<Region>>, changes: &mut Changes) {
    let (before, after) = (claim(old).copied(), claim(new).copied());
    if before != after {
        let (class, why) = match after {
            Some(_) => (Class::MayDecideLess, "data may go there from other regions"),
            None => (Class::DecidesMore, "unknown: no mechanism reaches it"),
        };
        changes.push(class, FILE, key, before.map(|r| r.to_string()), after.map(|r| r.to_string()), why);
    }
    proof(key, old.as_ref(), new.as_ref(), changes);
}

fn mechanisms(key: &str, old: &[Proven<Mechanism>], new: &[Proven<Mechanism>], changes: &mut Changes) {
    let name = |mechanism: &Mechanism| {
        let Mechanism { from, kind } = mechanism;
        format!("{key}[{from}, {}]", kind.as_str())
    };
    let mut added: Vec<&Proven<Mechanism>> = new.iter().collect();
    for known in old {
        let mechanism = known.parts().0;
        match added.iter().position(|kept| kept.parts().0 == mechanism) {
            Some(at) => proof(&name(mechanism), Some(known), Some(added.remove(at)), changes),
            None => {
                let (why, claimed) = ("data of that region may go there no more", Some("claimed".into()));
                changes.push(Class::DecidesMore, FILE, name(mechanism), claimed, None, why);
            }
        }
    }
    for mechanism in added {
        let (why, claimed) = ("data of that region may go there", Some("claimed".into()));
        changes.push(Class::MayDecideLess, FILE, name(mechanism.parts().0), None, claimed, why);
    }
    let common = |own: &[Proven<Mechanism>], other: &[Proven<Mechanism>]| -> Vec<String> {
        let both = own.iter().map(|proven| proven.parts().0).filter(|m| other.iter().any(|o| o.parts().0 == *m));
        both.map(|m| format!("{} {}", m.from, m.kind.as_str())).collect()
    };
    changes.words((FILE, &format!("{key} order")), &common(old, new), &common(new, old), |all| list(all));
}

/// Part of the contract that no decision looks at.
fn contract<T: PartialEq>(
    key: &str,
    old: &Option<Proven<T>>,
    new: &Option<Proven<T>>,
    show: impl Fn(&T) -> String,
    changes: &mut Changes,
) {
    let (before, after) = (claim(old), claim(new));
    if before != after {
        let why = "the gate does not look at it, so a person must";
        changes.push(Class::MayDecideLess, FILE, key, before.map(&show), after.map(&show), why);
    }
    proof(key, old.as_ref(), new.as_ref(), changes);
}

/// Compares the pieces of evidence that both registers use.
pub(super) fn evidence(old: &Destinations, new: &Destinations, changes: &mut Changes) {
    let after = pieces(new);
    for (piece, old) in pieces(old) {
        let Some(new) = after.get(piece) else { continue };
        let Evidence { id, document, date, answered_by, role, valid_from, valid_until } = old;
        let at = |key: &str| format!("evidence.{id}.{key}");
        changes.words((FILE, &at("document")), document, &new.document, String::clone);
        changes.words((FILE, &at("answered_by")), answered_by, &new.answered_by, String::clone);
        changes.words((FILE, &at("role")), role, &new.role, String::clone);
        let why = Why { milder: "what it proves counts for longer", stricter: "what it proves counts for less long" };
        changes.ordered((FILE, &at("valid_until")), valid_until, &new.valid_until, Date::to_string, why);
        let (from, new_from) = (Reverse(window(old).0), Reverse(window(new).0));
        let why = Why { milder: "what it proves counts earlier", stricter: "what it proves counts later" };
        changes.ordered((FILE, &at("first day")), &from, &new_from, |day| day.0.to_string(), why);
        if from == new_from {
            changes.words((FILE, &at("date")), date, &new.date, Date::to_string);
            changes.words((FILE, &at("valid_from")), valid_from, &new.valid_from, shown);
        }
    }
}

/// The pieces of evidence that terms name, by id.
fn pieces(register: &Destinations) -> BTreeMap<&str, &Evidence> {
    let mut all = BTreeMap::new();
    for terms in register.by_id.values().flat_map(|destination| &destination.terms) {
        let Terms {
            effective: _,
            plan: _,
            endpoint: _,
            zero_retention,
            training_eligible,
            region,
            mechanisms,
            retention,
            processing_agreement,
            subprocessors,
            id: _,
        } = terms;
        let RetentionTerms {
            standard_days,
            abuse_monitoring_days,
            human_review_days,
            deletion_covers_abuse_monitoring,
            deletion_covers_human_review,
        } = retention;
        let named = [
            of(zero_retention),
            of(training_eligible),
            of(region),
            of(standard_days),
            of(abuse_monitoring_days),
            of(human_review_days),
            of(deletion_covers_abuse_monitoring),
            of(deletion_covers_human_review),
            of(processing_agreement),
            of(subprocessors),
        ];
        let named = named.into_iter().flatten().chain(mechanisms.iter().filter_map(Proven::evidence));
        all.extend(named.map(|evidence| (evidence.id.as_str(), evidence)));
    }
    all
}

fn of<T>(attribute: &Option<Proven<T>>) -> Option<&Evidence> {
    attribute.as_ref().and_then(Proven::evidence)
}
