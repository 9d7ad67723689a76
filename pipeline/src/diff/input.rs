//! Where records have what. What is read no more cannot block, what is read beside may be sent, and what is read in
//! place of another can do both: nearly every change of a mapping may decide less.

use super::{
    Changes,
    Class::{self, DecidesMore, DetectsDifferently, MayDecideLess},
    list, shown,
};
use crate::{
    ruleset::input::{FILE, Given, Mapping, Place, Said, Turns},
    wire::{Pointer, transcript::role_name},
};
use std::collections::BTreeMap;

pub(super) fn diff(old: Option<&Mapping>, new: Option<&Mapping>, changes: &mut Changes) {
    match (old, new) {
        (None, None) => {}
        (Some(old), Some(new)) => mapping(old, new, changes),
        (old, new) => {
            let shape = |mapping: Option<&Mapping>| mapping.map_or("the wire form", |_| "another shape").to_owned();
            let why = "records of another shape are read and may be sent";
            changes.push(MayDecideLess, FILE, "shape", Some(shape(old)), Some(shape(new)), why);
        }
    }
}

fn mapping(old: &Mapping, new: &Mapping, changes: &mut Changes) {
    // The names follow from the pointers.
    let Mapping { id, tenant, tenant_region, customer_key, destination, fields, said, roles, names: _ } = old;
    let at = |key: &str| format!("transcript.{key}");
    let why = "transcripts are known by another id, and earlier records by theirs";
    changes.value(MayDecideLess, (FILE, &at("id")), id, &new.id, Pointer::to_string, why);
    let why = "records count as another tenant's, with its region";
    changes.value(MayDecideLess, (FILE, &at("tenant")), tenant, &new.tenant, given, why);
    let why = "records go to another place";
    changes.value(MayDecideLess, (FILE, &at("destination")), destination, &new.destination, given, why);

    let class = class_of(tenant_region.is_some(), new.tenant_region.is_some());
    let why = "what a record claims of its region is compared with the tenant's";
    let show = |region: &Option<Given>| region.as_ref().map_or_else(|| "none".into(), given);
    changes.value(class, (FILE, &at("tenant_region")), tenant_region, &new.tenant_region, show, why);
    let class = class_of(customer_key.is_some(), new.customer_key.is_some());
    let why = "an erased customer is known by the key, and so is what was sent of one";
    changes.value(class, (FILE, &at("customer_key")), customer_key, &new.customer_key, shown, why);

    for (name, pointer) in fields {
        let kept = new.fields.iter().find(|(other, _)| other == name).map(|(_, pointer)| pointer);
        if kept != Some(pointer) {
            let why = "its values are looked up no more in what was said";
            let (key, old) = (format!("transcript.fields.{name}"), Some(pointer.to_string()));
            changes.push(MayDecideLess, FILE, key, old, kept.map(Pointer::to_string), why);
        }
    }
    for (name, pointer) in new.fields.iter().filter(|(name, _)| fields.iter().all(|(other, _)| other != name)) {
        let why = "its values are looked up in what was said";
        let key = format!("transcript.fields.{name}");
        changes.push(DetectsDifferently, FILE, key, None, Some(pointer.to_string()), why);
    }
    let order = |fields: &Vec<(String, Pointer)>| list(fields.iter().map(|(name, _)| name));
    if !changes.has_key(FILE, "transcript.fields") {
        changes.words((FILE, "transcript.fields order"), fields, &new.fields, order);
    }
    let why = "who speaks is context for what is found";
    let show = |roles: &BTreeMap<String, _>| {
        list(roles.iter().map(|(speaker, role)| format!("{speaker} = {}", role_name(*role))))
    };
    changes.value(DetectsDifferently, (FILE, "roles"), roles, &new.roles, show, why);
    self::said(said, &new.said, changes);
}

/// What it does that a member is read, or read elsewhere, which can only add reasons to block.
fn class_of(before: bool, after: bool) -> Class {
    if !before && after { DecidesMore } else { MayDecideLess }
}

fn said(old: &Said, new: &Said, changes: &mut Changes) {
    let (Said::Turns(before), Said::Turns(after)) = (old, new) else {
        let why = "other text is read and may be sent";
        return changes.value(MayDecideLess, (FILE, "transcript.text"), old, new, shown_said, why);
    };
    for (i, (old, new)) in before.iter().zip(after).enumerate() {
        turns(&format!("turns[{i}]"), old, new, changes);
    }
    for (i, gone) in before.iter().enumerate().skip(after.len()) {
        let why = "what was said there is read no more, and cannot block";
        changes.push(MayDecideLess, FILE, format!("turns[{i}]"), Some(place(&gone.place)), None, why);
    }
    for (i, added) in after.iter().enumerate().skip(before.len()) {
        let why = "what was said there goes on to the provider, redacted";
        changes.push(MayDecideLess, FILE, format!("turns[{i}]"), None, Some(place(&added.place)), why);
    }
}

fn turns(table: &str, old: &Turns, new: &Turns, changes: &mut Changes) {
    let Turns { place: old_place, text, speaker, at, time, skip_without_text } = old;
    let key = |key: &str| format!("{table}.{key}");
    let why = "other text is read and may be sent";
    changes.value(MayDecideLess, (FILE, &key("place")), old_place, &new.place, place, why);
    changes.value(MayDecideLess, (FILE, &key("text")), text, &new.text, Pointer::to_string, why);
    let why = "who speaks is context for what is found";
    changes.value(DetectsDifferently, (FILE, &key("speaker")), speaker, &new.speaker, shown, why);
    let why = "whether a transcript is older than an erasure is seen by its times";
    changes.value(MayDecideLess, (FILE, &key("at")), at, &new.at, shown, why);
    changes.value(MayDecideLess, (FILE, &key("time")), time, &new.time, |time| time.as_str().into(), why);
    let (class, why) = match new.skip_without_text {
        true => (MayDecideLess, "records with turns without text are read and may be sent"),
        false => (DecidesMore, "records with turns without text are not read"),
    };
    changes.value(
        class,
        (FILE, &key("skip_without_text")),
        skip_without_text,
        &new.skip_without_text,
        bool::to_string,
        why,
    );
}

fn given(given: &Given) -> String {
    match given {
        Given::At(pointer) => pointer.to_string(),
        Given::Constant(constant) => format!("always {constant}"),
    }
}

fn place(place: &Place) -> String {
    match place {
        Place::Each(pointer) => format!("each of {pointer}"),
        Place::One(pointer) => format!("one at {pointer}"),
    }
}

fn shown_said(said: &Said) -> String {
    match said {
        Said::Text(pointer) => format!("one text at {pointer}"),
        Said::Turns(turns) => list(turns.iter().map(|turns| place(&turns.place))),
    }
}
