//! Rendered lines that are stripped, fields that are looked up, and what is too little to be.

use super::{Changes, Class, list, shown};
use crate::strip::{
    FILE,
    templates::{Line, Mapped, Template, Templates, Turns},
};
use maysend_detector::Role;

const DIFFERENTLY: Class = Class::DetectsDifferently;

pub(super) fn diff(old: &Templates, new: &Templates, changes: &mut Changes) {
    let Templates { templates, min_chars, min_digits, fields, too_common } = old;
    for known in templates {
        match new.templates.iter().find(|kept| kept.name == known.name) {
            Some(kept) => template(known, kept, changes),
            None => {
                let why = "its lines stay in the text and are searched";
                let key = format!("template[{}]", known.name);
                changes.push(DIFFERENTLY, FILE, key, Some(lines(known)), None, why);
            }
        }
    }
    for added in new.templates.iter().filter(|added| templates.iter().all(|known| known.name != added.name)) {
        let why = "stripped where the template puts them: lines that say what columns say already";
        let key = format!("template[{}]", added.name);
        changes.push(Class::FewerDecisions, FILE, key, None, Some(lines(added)), why);
    }
    let common = |own: &[Template], other: &[Template]| -> Vec<String> {
        own.iter().filter(|t| other.iter().any(|o| o.name == t.name)).map(|t| t.name.clone()).collect()
    };
    let (before, after) = (common(templates, &new.templates), common(&new.templates, templates));
    let why = "another order: the first template that fits a turn is taken";
    changes.value(DIFFERENTLY, (FILE, "template order"), &before, &after, |names| list(names), why);

    let why = "shorter values are looked up, or only longer ones";
    changes.value(DIFFERENTLY, (FILE, "lookup.min_chars"), min_chars, &new.min_chars, usize::to_string, why);
    changes.value(DIFFERENTLY, (FILE, "lookup.min_digits"), min_digits, &new.min_digits, usize::to_string, why);
    for value in too_common.difference(&new.too_common) {
        let key = format!("lookup.too_common[{value}]");
        changes.push(DIFFERENTLY, FILE, key, Some("skipped".into()), None, "fields with this value are looked up");
    }
    for value in new.too_common.difference(too_common) {
        let key = format!("lookup.too_common[{value}]");
        let why = "fields with this value are looked up no more";
        changes.push(DIFFERENTLY, FILE, key, None, Some("skipped".into()), why);
    }
    for (name, mapped) in fields {
        let (old, new) = (Some(entity(mapped)), new.fields.get(name).map(entity));
        if old != new {
            let why =
                if new.is_some() { "its values are findings of another entity" } else { "it is looked up no more" };
            changes.push(DIFFERENTLY, FILE, format!("fields.{name}"), old, new, why);
        }
    }
    for (name, mapped) in new.fields.iter().filter(|(name, _)| !fields.contains_key(*name)) {
        let why = "its values are looked up in what was said";
        changes.push(DIFFERENTLY, FILE, format!("fields.{name}"), None, Some(entity(mapped)), why);
    }
}

fn entity(mapped: &Mapped) -> String {
    // The pattern's id follows from the entity and the name of the field.
    let Mapped { entity, pattern: _ } = mapped;
    entity.to_string()
}

fn lines(template: &Template) -> String {
    list(template.lines.iter().map(|Line { label, field }| format!("`{label}{{{field}}}`")))
}

fn template(old: &Template, new: &Template, changes: &mut Changes) {
    let Template { name, turns, speaker, lines, max_value_bytes } = old;
    let at = |key: &str| format!("template[{name}].{key}");
    // What strips in more places leaves less to decide; what strips in fewer, or elsewhere, leaves other text.
    let class = |wider: bool| if wider { Class::FewerDecisions } else { DIFFERENTLY };
    let why = |wider: bool| if wider { "it strips in more places" } else { "lines stay that were stripped" };
    if turns != &new.turns {
        let wider = new.turns == Turns::Any;
        changes.value(class(wider), (FILE, &at("turn")), turns, &new.turns, |t| turn(*t).into(), why(wider));
    }
    if speaker != &new.speaker {
        let wider = new.speaker.is_none();
        let show = |role: &Option<Role>| role.map_or("any", speaker_name).into();
        changes.value(class(wider), (FILE, &at("speaker")), speaker, &new.speaker, show, why(wider));
    }
    if max_value_bytes != &new.max_value_bytes {
        let wider = new.max_value_bytes > *max_value_bytes;
        let (key, new) = (at("max_value_bytes"), &new.max_value_bytes);
        changes.value(class(wider), (FILE, &key), max_value_bytes, new, usize::to_string, why(wider));
    }
    for Line { label, field } in lines {
        let kept = new.lines.iter().find(|line| line.label == *label).map(|line| line.field.clone());
        if kept.as_ref() != Some(field) {
            let why = match kept {
                Some(_) => "it is counted as another field",
                None => "the line stays in the text and is searched",
            };
            changes.push(DIFFERENTLY, FILE, at(&format!("lines[{label}]")), Some(field.clone()), kept, why);
        }
    }
    for Line { label, field } in &new.lines {
        if lines.iter().all(|line| line.label != *label) {
            let why = "stripped where the template puts it: a line that says what a column says already";
            let key = at(&format!("lines[{label}]"));
            changes.push(Class::FewerDecisions, FILE, key, None, Some(field.clone()), why);
        }
    }
    let common = |own: &[Line], other: &[Line]| -> Vec<String> {
        own.iter().filter(|l| other.iter().any(|o| o.label == l.label)).map(|l| l.label.clone()).collect()
    };
    let (before, after) = (common(lines, &new.lines), common(&new.lines, lines));
    let why = "lines are taken in their order only";
    changes.value(DIFFERENTLY, (FILE, &at("line order")), &before, &after, |labels| shown(&Some(list(labels))), why);
}

fn turn(turns: Turns) -> &'static str {
    match turns {
        Turns::First => "first",
        Turns::Any => "any",
    }
}

fn speaker_name(role: Role) -> &'static str {
    match role {
        Role::Customer => "customer",
        Role::Agent => "agent",
        Role::Bot => "bot",
        Role::Other => "other",
    }
}
