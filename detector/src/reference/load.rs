//! From TOML to reference formats.

use super::{Date, Reference};
use crate::{
    boundary::Boundary,
    finding::EntityId,
    pattern::{Catalogue, Example, parse_regex},
    source::{Item, Mistakes, SourceFile, Table, nearest},
};

/// Reads the formats. Mistakes are reported; what could be read is returned.
pub fn load(file: &SourceFile, catalogue: &Catalogue, mistakes: &Mistakes) -> Vec<Reference> {
    let Some(mut root) = file.read(mistakes) else { return Vec::new() };
    let mut formats: Vec<Reference> = Vec::new();
    for (key, is_own) in [("reference", false), ("own", true)] {
        for mut table in root.tables(key) {
            let read = if is_own { own(&mut table, catalogue) } else { reference(&mut table, catalogue) };
            if let Some(reference) = read {
                if formats.iter().any(|other| other.id == reference.id) {
                    table.mistake("id", format!("`{}` is already a reference", reference.id), "another id");
                }
                formats.push(reference);
            }
            table.finish();
        }
    }
    root.finish();
    formats
}

/// A value of fewer characters would hide what is somebody else's.
const SHORTEST: usize = 6;

/// Reads a list of the platform's own values.
fn own(table: &mut Table<'_>, catalogue: &Catalogue) -> Option<Reference> {
    let items = table.strings("values");
    if items.is_empty() {
        table.mistake("values", "no value", "the exact values, such as the support mail address");
    }
    for item in &items {
        if item.value.trim() != item.value || item.value.chars().filter(|c| c.is_alphanumeric()).count() < SHORTEST {
            let right = format!("at least {SHORTEST} letters or digits, and no space at either end");
            table.mistake_at(item, "a value that is too short, or has a space at an end", right);
        }
    }
    let values: Vec<String> = items.iter().map(|item| item.value.clone()).collect();
    let format = values.iter().map(|value| exactly(value)).collect::<Vec<_>>().join("|");
    let common = common(table, catalogue);
    if values.is_empty() {
        return None;
    }
    read(table, common?, ("values", format), values, examples(items), Vec::new())
}

/// The value as an expression. What has no letters may have other separators, as phone numbers do.
fn exactly(value: &str) -> String {
    if value.bytes().any(|byte| !byte.is_ascii_digit() && !b" +./()-".contains(&byte)) {
        return regex_syntax::escape(value);
    }
    let sign = if value.starts_with('+') { r"\+" } else { "" };
    let digits: Vec<String> = value.chars().filter(char::is_ascii_digit).map(String::from).collect();
    format!("{sign}{}", digits.join("[ ./()-]{0,3}"))
}

fn reference(table: &mut Table<'_>, catalogue: &Catalogue) -> Option<Reference> {
    let format = table.string("format");
    let examples = examples(table.strings("examples"));
    let neighbours = examples_with_advice(table);
    if examples.is_empty() {
        table.mistake("examples", "no example", "at least one string that is such a reference");
    }
    let common = common(table, catalogue);
    read(table, common?, ("format", format?), Vec::new(), examples, neighbours)
}

/// What every reference says.
struct Common {
    id: String,
    name: String,
    hides: Vec<EntityId>,
    owner: String,
    dated: Date,
    expires: Option<Date>,
}

fn common(table: &mut Table<'_>, catalogue: &Catalogue) -> Option<Common> {
    let id = table.string("id");
    let name = table.string("name");
    let hides = table.strings("hides");
    let owner = table.string("owner");
    let dated = table.date("dated");
    let expires = table.opt_date("expires");
    if hides.is_empty() {
        table.mistake("hides", "it hides nothing", "the entities whose findings it may hide");
    }
    if let (Some(dated), Some(expires)) = (dated, expires)
        && expires < dated
    {
        table.mistake("expires", "it ends before its date", "a date on or after `dated`");
    }
    let hides = hides
        .iter()
        .filter_map(|item| match catalogue.entity(&item.value) {
            Some(entity) => Some(entity.id.clone()),
            None => {
                let known = catalogue.entities.iter().map(|entity| entity.id.as_str());
                let right = match nearest(&item.value, known) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "an entity of the ruleset".into(),
                };
                table.mistake_at(item, format!("unknown entity `{}`", item.value), right);
                None
            }
        })
        .collect();
    Some(Common { id: id?, name: name?, hides, owner: owner?, dated: dated?, expires })
}

fn read(
    table: &Table<'_>,
    common: Common,
    (key, format): (&str, String),
    values: Vec<String>,
    examples: Vec<Example>,
    neighbours: Vec<Example>,
) -> Option<Reference> {
    let token = Boundary::named("token").expect("a ready-made rule");
    let hir = match parse_regex(&format, false, false, false, &token) {
        Ok((hir, _)) => hir,
        Err((wrong, right)) => {
            table.mistake(key, wrong, right);
            return None;
        }
    };
    let Common { id, name, hides, owner, dated, expires } = common;
    Some(Reference { id, name, format, values, hir, hides, owner, dated, expires, examples, neighbours })
}

fn examples_with_advice(table: &mut Table<'_>) -> Vec<Example> {
    let neighbours = examples(table.strings("neighbours"));
    if neighbours.is_empty() {
        let right = "at least one string that is near it and no such reference, such as one digit more";
        table.mistake("neighbours", "no neighbour", right);
    }
    neighbours
}

fn examples(items: Vec<Item<String>>) -> Vec<Example> {
    items.into_iter().map(|item| Example { text: item.value, line: item.line, key: item.key }).collect()
}
