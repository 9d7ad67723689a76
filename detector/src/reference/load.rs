//! From TOML to reference formats.

use super::Reference;
use crate::{
    boundary::Boundary,
    pattern::{Catalogue, Example, parse_regex},
    source::{Item, Mistakes, SourceFile, Table, nearest},
};

/// Reads the formats. Mistakes are reported; what could be read is returned.
pub fn load(file: &SourceFile, catalogue: &Catalogue, mistakes: &Mistakes) -> Vec<Reference> {
    let Some(mut root) = file.read(mistakes) else { return Vec::new() };
    let mut formats: Vec<Reference> = Vec::new();
    for mut table in root.tables("reference") {
        let read = reference(&mut table, catalogue);
        if let Some(reference) = read {
            if formats.iter().any(|other| other.id == reference.id) {
                table.mistake("id", format!("`{}` is already a reference", reference.id), "another id");
            }
            formats.push(reference);
        }
        table.finish();
    }
    root.finish();
    formats
}

fn reference(table: &mut Table<'_>, catalogue: &Catalogue) -> Option<Reference> {
    let id = table.string("id");
    let name = table.string("name");
    let format = table.string("format");
    let hides = table.strings("hides");
    let owner = table.string("owner");
    let dated = table.date("dated");
    let expires = table.opt_date("expires");
    let examples = examples(table.strings("examples"));
    let neighbours = examples_with_advice(table);
    if hides.is_empty() {
        table.mistake("hides", "it hides nothing", "the entities whose findings it may hide");
    }
    if examples.is_empty() {
        table.mistake("examples", "no example", "at least one string that is such a reference");
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
    let format = format?;
    let token = Boundary::named("token").expect("a ready-made rule");
    let hir = match parse_regex(&format, false, false, false, &token) {
        Ok((hir, _)) => hir,
        Err((wrong, right)) => {
            table.mistake("format", wrong, right);
            return None;
        }
    };
    Some(Reference {
        id: id?,
        name: name?,
        format,
        hir,
        hides,
        owner: owner?,
        dated: dated?,
        expires,
        examples,
        neighbours,
    })
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
