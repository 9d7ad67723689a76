//! From TOML to entities and patterns.

use super::{BoundValidator, Catalogue, Entity, EntityLabel, Example, Grouping, Pattern, Points, parse_regex};
use crate::{
    boundary::{Boundary, byte_class},
    countries,
    source::{Item, Mistakes, SourceFile, Table, nearest},
    validators::{self, Check},
};
use std::collections::BTreeMap;

/// Points beyond this in one item of evidence would outweigh everything else together.
const MOST_POINTS: i64 = 100;

/// Reads the entities of all files. Mistakes are reported; what could be read is returned all the same, so that
/// later checks can report theirs too.
pub fn load(files: &[SourceFile], mistakes: &Mistakes) -> Catalogue {
    let mut catalogue = Catalogue::default();
    let mut first_at: BTreeMap<String, String> = BTreeMap::new();
    for file in files {
        let Some(mut root) = file.read(mistakes) else { continue };
        for mut table in root.tables("entity") {
            entity(&mut table, &file.name, &mut catalogue, &mut first_at);
            table.finish();
        }
        root.finish();
    }
    catalogue
}

fn entity(table: &mut Table<'_>, file: &str, catalogue: &mut Catalogue, first_at: &mut BTreeMap<String, String>) {
    let id = table.string("id").unwrap_or_default();
    if !id.is_empty() {
        check_id(table, &id);
        let at = format!("{file}:{}", table.line());
        if let Some(first) = first_at.insert(id.clone(), at) {
            table.mistake("id", format!("`{id}` is already an entity at {first}"), "one table for each entity");
        }
    }
    let name = table.string("name").unwrap_or_default();
    let reference = table.string("reference").unwrap_or_default();
    let country = table.opt_string("country").and_then(|code| {
        let known = countries::country(&code);
        if known.is_none() {
            table.mistake("country", format!("unknown country `{code}`"), countries::advice(&code));
        }
        known
    });
    let found_by_fields = table.opt_one_of("found_by", &[("fields", true), ("patterns", false)]).unwrap_or(false);
    let (within, labels) = match table.opt_table("context") {
        Some(mut context) => {
            let read = labels(&mut context);
            context.finish();
            read
        }
        None => (None, Vec::new()),
    };
    let has_labels = !labels.is_empty();
    let index = catalogue.entities.len();
    catalogue.entities.push(Entity {
        id: id.as_str().into(),
        name,
        country,
        reference,
        found_by_fields,
        within,
        labels,
    });

    let tables = table.tables("pattern");
    match (found_by_fields, tables.is_empty()) {
        (true, false) => table.mistake("found_by", "it has patterns", "leave `found_by` out, or the patterns"),
        (false, true) => table.mistake("", "it has no pattern", "a [[entity.pattern]], or `found_by = \"fields\"`"),
        _ => {}
    }
    let mut names: Vec<String> = Vec::new();
    for mut table in tables {
        if let Some(pattern) = pattern(&mut table, &id, index, has_labels, &mut names) {
            catalogue.patterns.push(pattern);
        }
        table.finish();
    }
}

fn check_id(table: &Table<'_>, id: &str) {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    if !id.split('.').all(part) || id.split('.').count() > 2 {
        table.mistake("id", format!("`{id}` is no entity id"), "`family.name` in lower case, such as `nl.bsn`");
    }
}

/// Reads words by language, and the distance they hold for.
pub(crate) fn labels(table: &mut Table<'_>) -> (Option<usize>, Vec<EntityLabel>) {
    let within = table.opt_integer("within").and_then(|words| match usize::try_from(words) {
        Ok(words) if (1..=40).contains(&words) => Some(words),
        _ => {
            table.mistake("within", format!("{words} words"), "1 to 40 words");
            None
        }
    });
    let mut labels = Vec::new();
    for language in table.keys() {
        if language == "within" {
            continue;
        }
        let words = table.strings(&language);
        if language.len() != 2 || !language.bytes().all(|byte| byte.is_ascii_lowercase()) {
            table.mistake(&language, "no language", "an ISO 639-1 code such as `nl`, or `within`");
        }
        for item in words {
            if item.value.trim() != item.value || item.value.is_empty() || item.value != item.value.to_lowercase() {
                table.mistake_at(&item, "a label that can never match", "lower case, no space at either end");
            } else {
                labels.push(EntityLabel { language: language.clone(), words: item.value });
            }
        }
    }
    (within, labels)
}

fn pattern(
    table: &mut Table<'_>,
    entity: &str,
    index: usize,
    has_labels: bool,
    names: &mut Vec<String>,
) -> Option<Pattern> {
    let id = table.string("id");
    if let Some(id) = &id {
        if names.contains(id) {
            table.mistake("id", format!("`{id}` is already a pattern of `{entity}`"), "another name");
        }
        names.push(id.clone());
    }
    let regex = table.string("regex");
    let case_insensitive = table.opt_boolean("case_insensitive").unwrap_or(false);
    let unicode = table.opt_boolean("unicode").unwrap_or(false);
    let run = table.opt_one_of("length", &[("bounded", false), ("run", true)]).unwrap_or(false);
    let boundary = boundary(table);
    let validator = validator(table);
    let groupings = groupings(table);
    let needs_label = table.opt_one_of("context", &[("optional", false), ("required", true)]).unwrap_or(false);
    if needs_label && !has_labels {
        table.mistake("context", "`required`, but the entity has no label", "words under [entity.context]");
    }
    let points = points(table, table.has("validator"));
    let mut examples = examples(table, "examples");
    let mut counterexamples = examples_of(table.strings("counterexamples"));
    if table.has("validator") && validator.is_none() {
        // Without its check a pattern is another one; its examples would only be wrong because of that.
        examples.clear();
        counterexamples.clear();
    }

    let (regex, boundary) = (regex?, boundary?);
    match parse_regex(&regex, case_insensitive, unicode, run, &boundary) {
        Ok((hir, length)) => Some(Pattern {
            id: format!("{entity}/{}", id?).as_str().into(),
            entity: index,
            has_value: regex.contains("(?<value>") || regex.contains("(?P<value>"),
            regex,
            hir,
            length,
            boundary,
            validator,
            groupings,
            needs_label,
            points: points?,
            examples,
            counterexamples,
        }),
        Err((wrong, right)) => {
            table.mistake("regex", wrong, right);
            None
        }
    }
}

fn boundary(table: &mut Table<'_>) -> Option<Boundary> {
    let is_table = table.is_table("boundary");
    if !is_table {
        let name = table.opt_string("boundary").unwrap_or_else(|| "token".into());
        let known = Boundary::named(&name);
        if known.is_none() {
            let right = format!("one of {}, or {{ before = \"[…]\", after = \"[…]\" }}", Boundary::NAMES.join(", "));
            table.mistake("boundary", format!("unknown rule `{name}`"), right);
        }
        return known;
    }
    let mut own = table.opt_table("boundary")?;
    let mut side = |key: &str| {
        let class = own.string(key)?;
        byte_class(&class).map_err(|wrong| own.mistake(key, wrong, "an ASCII class such as `[A-Za-z0-9_-]`")).ok()
    };
    let (before, after) = (side("before"), side("after"));
    own.finish();
    Some(Boundary { before: before?, after: after?, unicode: false })
}

fn validator(table: &mut Table<'_>) -> Option<BoundValidator> {
    let name = table.opt_string("validator");
    let regions: Vec<&'static str> = table
        .strings("regions")
        .into_iter()
        .filter_map(|item: Item<String>| {
            let known = countries::country(&item.value);
            if known.is_none() {
                table.mistake_at(&item, format!("unknown region `{}`", item.value), countries::advice(&item.value));
            }
            known
        })
        .collect();
    let name = name?;
    let Some(rule) = validators::by_name(&name) else {
        let right = match nearest(&name, validators::all().map(|validator| validator.name)) {
            Some(known) => format!("did you mean `{known}`?"),
            None => "a validator of the detector".into(),
        };
        table.mistake("validator", format!("unknown validator `{name}`"), right);
        return None;
    };
    match (rule.check, table.has("regions")) {
        (Check::Regions(_), false) => table.mistake("validator", "it needs regions", "`regions`, a list of countries"),
        (Check::Plain(_) | Check::Weighted(_) | Check::Form(_), true) => {
            table.mistake("regions", "the validator takes none", "leave `regions` out")
        }
        _ => {}
    }
    Some(BoundValidator { rule, regions })
}

fn groupings(table: &mut Table<'_>) -> Vec<Grouping> {
    let items = table.strings("groupings");
    items
        .iter()
        .filter_map(|item| match Grouping::parse(&item.value) {
            Ok(grouping) => Some(grouping),
            Err(wrong) => {
                table.mistake_at(item, wrong, "lengths such as `3-2-4`, or `4*`");
                None
            }
        })
        .collect()
}

fn points(table: &mut Table<'_>, has_validator: bool) -> Option<Points> {
    let mut own = table.table("points")?;
    let mut read = |key: &str, required: bool, low: i64, high: i64| {
        let value = if required { own.integer(key)? } else { own.opt_integer(key).unwrap_or(0) };
        if !(low..=high).contains(&value) {
            own.mistake(key, format!("{value} points"), format!("{low} to {high} (tenths of a ban)"));
        }
        i32::try_from(value).ok()
    };
    let shape = read("shape", true, 0, MOST_POINTS);
    let valid = read("valid", has_validator, 0, MOST_POINTS);
    let invalid = read("invalid", has_validator, -MOST_POINTS, 0);
    for key in ["valid", "invalid"] {
        if !has_validator && own.has(key) {
            own.mistake(key, "the pattern has no validator", "leave it out, or name the validator");
        }
    }
    own.finish();
    Some(Points { shape: shape?, valid: valid?, invalid: invalid? })
}

fn examples(table: &mut Table<'_>, key: &str) -> Vec<Example> {
    let examples = examples_of(table.strings(key));
    if examples.is_empty() {
        table.mistake(key, "no example", "at least one text in which the pattern must be found");
    }
    examples
}

fn examples_of(items: Vec<Item<String>>) -> Vec<Example> {
    items.into_iter().map(|item| Example { text: item.value, line: item.line, key: item.key }).collect()
}
