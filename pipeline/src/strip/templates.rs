//! The templates file: which lines a platform renders, which fields are personal data, and what is too little to be
//! looked up.

use super::fold::skeleton;
use maysend_detector::{
    document::Role,
    finding::{EntityId, PatternId},
    source::{Mistake, Mistakes, SourceFile, Table, nearest},
};
use std::collections::{BTreeMap, BTreeSet};

/// The file's name in a ruleset.
pub const FILE: &str = "templates.toml";

/// What the last part of a pattern id begins with where a finding comes from a field:
/// `contact.email/fields.account_email`.
pub const FIELDS: &str = "fields.";

/// Whether a pattern id is that of a field's value that was looked up.
pub fn is_field(pattern: &PatternId) -> bool {
    pattern.as_str().rsplit_once('/').is_some_and(|(_, name)| name.starts_with(FIELDS))
}

/// What the templates file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Templates {
    pub(crate) templates: Vec<Template>,
    pub(crate) min_chars: usize,
    pub(crate) min_digits: usize,
    pub(crate) fields: BTreeMap<String, Mapped>,
    /// Skeletons.
    pub(crate) too_common: BTreeSet<String>,
}

/// Lines that a platform renders at the start of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) turns: Turns,
    /// `None` for anyone.
    pub(crate) speaker: Option<Role>,
    pub(crate) lines: Vec<Line>,
    pub(crate) max_value_bytes: usize,
}

/// In which turns a template renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    First,
    Any,
}

/// A rendered line: the label, then the field's value to the end of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) field: String,
}

/// A field that holds an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapped {
    pub(crate) entity: EntityId,
    pub(crate) pattern: PatternId,
}

/// The default and the largest size of a rendered value, in bytes.
const VALUE_BYTES: (usize, usize) = (200, 4096);

const SPEAKERS: [(&str, Option<Role>); 4] =
    [("any", None), ("bot", Some(Role::Bot)), ("agent", Some(Role::Agent)), ("customer", Some(Role::Customer))];

const TURNS: [(&str, Turns); 2] = [("first", Turns::First), ("any", Turns::Any)];

impl Templates {
    /// Reads the templates file among a ruleset's files; others are passed over. `entities` are the ids that fields may
    /// map to. Every mistake, a missing file included, is reported; `None` when there was one.
    pub fn load(files: &[SourceFile], entities: &BTreeSet<String>, mistakes: &Mistakes) -> Option<Self> {
        let before = mistakes.count();
        let Some(file) = files.iter().find(|file| file.name == FILE) else {
            mistakes.report(Mistake {
                file: FILE.into(),
                line: 1,
                key: String::new(),
                wrong: "the file is missing".into(),
                right: "a ruleset has templates.toml; it may be empty".into(),
            });
            return None;
        };
        Self::read(file, entities, mistakes).filter(|_| mistakes.count() == before)
    }

    fn read(file: &SourceFile, entities: &BTreeSet<String>, mistakes: &Mistakes) -> Option<Self> {
        let mut root = file.read(mistakes)?;
        let mut names = BTreeSet::new();
        let mut templates = Vec::new();
        for table in root.tables("template") {
            templates.extend(template(table, &mut names));
        }
        let fields = root.opt_table("fields").map(|table| fields(table, entities)).unwrap_or_default();
        let mut read =
            Self { templates, min_chars: MIN_CHARS, min_digits: MIN_DIGITS, fields, too_common: BTreeSet::new() };
        if let Some(table) = root.opt_table("lookup") {
            read.lookup(table);
        }
        root.finish();
        Some(read)
    }

    fn lookup(&mut self, mut table: Table<'_>) {
        self.min_chars = size(&mut table, "min_chars", MIN_CHARS, 3, 64);
        self.min_digits = size(&mut table, "min_digits", MIN_DIGITS, 4, 64);
        for item in table.strings("too_common") {
            match skeleton(&item.value) {
                empty if empty.is_empty() => {
                    table.mistake_at(&item, "no letter or digit", "a value that says nothing of a person");
                }
                folded => drop(self.too_common.insert(folded)),
            }
        }
        table.finish();
    }

    /// The entity that a field holds. A nested field (`billing_address.street`) holds what the field around it does.
    pub(super) fn mapped(&self, field: &str) -> Option<&Mapped> {
        ancestors(field).find_map(|name| self.fields.get(name))
    }

    /// The name under which a field is counted: its own or that of a field around it, if the file has it.
    pub(super) fn known_field(&self, field: &str) -> Option<&str> {
        let lines = || self.templates.iter().flat_map(|template| &template.lines).map(|line| line.field.as_str());
        ancestors(field).find_map(|name| {
            let mapped = self.fields.get_key_value(name).map(|(known, _)| known.as_str());
            mapped.or_else(|| lines().find(|known| *known == name))
        })
    }

    /// Whether a value of this skeleton says nothing of a person.
    pub(super) fn is_common(&self, skeleton: &str) -> bool {
        self.too_common.contains(skeleton)
    }

    /// What is stripped and looked up, in lines for people.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for template in &self.templates {
            let turns = if template.turns == Turns::First { "the first turn" } else { "any turn" };
            let speaker = SPEAKERS.iter().find(|(_, role)| *role == template.speaker).map_or("any", |(name, _)| *name);
            lines.push(format!("template {}: at the start of {turns}, speaker {speaker}; removes", template.name));
            for line in &template.lines {
                let (label, field, most) = (&line.label, &line.field, template.max_value_bytes);
                lines.push(format!("  the whole line `{label}{{{field}}}`, value of up to {most} bytes"));
            }
        }
        for (field, mapped) in &self.fields {
            lines.push(format!("field {field}: looked up as {}", mapped.entity));
        }
        let (chars, digits, common) = (self.min_chars, self.min_digits, self.too_common.len());
        lines.push(format!(
            "not looked up: values of fewer than {chars} letters and digits, or {digits} digits alone; {common} common ones"
        ));
        lines
    }
}

/// Fewest letters and digits of a value that is looked up.
const MIN_CHARS: usize = 5;
/// Fewest digits of a value of digits alone: shorter numbers stand in many texts by chance.
const MIN_DIGITS: usize = 6;

/// A name, then those of the fields around it.
fn ancestors(field: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(field), |name| name.rsplit_once('.').map(|(around, _)| around))
}

fn template(mut table: Table<'_>, names: &mut BTreeSet<String>) -> Option<Template> {
    let name = table.string("name");
    if let Some(name) = name.as_ref().filter(|name| !names.insert((*name).clone())) {
        table.mistake("name", format!("a second template `{name}`"), "a name of its own");
    }
    let turns = table.one_of("turn", &TURNS);
    let speaker = table.one_of("speaker", &SPEAKERS);
    let max_value_bytes = size(&mut table, "max_value_bytes", VALUE_BYTES.0, 1, VALUE_BYTES.1);
    let items = table.strings("lines");
    if items.is_empty() {
        table.mistake("lines", "no lines", "the lines in their order, such as `Account email: {account_email}`");
    }
    let mut lines: Vec<Line> = Vec::new();
    for item in &items {
        match line(&item.value) {
            Err((wrong, right)) => table.mistake_at(item, wrong, right),
            Ok(line) if lines.iter().any(|other| other.label == line.label) => {
                table.mistake_at(item, format!("a second line `{}`", line.label), "one line for each label");
            }
            Ok(line) => lines.push(line),
        }
    }
    table.finish();
    Some(Template { name: name?, turns: turns?, speaker: speaker?, lines, max_value_bytes })
}

/// A number of bytes or characters within limits.
fn size(table: &mut Table<'_>, key: &str, default: usize, least: usize, most: usize) -> usize {
    let Some(value) = table.opt_integer(key) else { return default };
    match usize::try_from(value) {
        Ok(size) if (least..=most).contains(&size) => size,
        _ => {
            table.mistake(key, format!("{value}"), format!("from {least} to {most}"));
            default
        }
    }
}

/// Splits `Label: {field}`.
fn line(text: &str) -> Result<Line, (String, String)> {
    let right = || "a label, then one placeholder to the end, such as `Ticket: {ticket}`".to_owned();
    let Some((label, rest)) = text.split_once('{') else { return Err(("no placeholder".into(), right())) };
    let Some((field, after)) = rest.split_once('}') else { return Err(("`{` without `}`".into(), right())) };
    if !after.is_empty() {
        return Err(("the placeholder is not last".into(), right()));
    }
    if !is_field_name(field) {
        return Err((format!("placeholder `{field}`"), FIELD_NAME.into()));
    }
    if label.chars().filter(|char| char.is_alphanumeric()).count() < 2 || label.contains(['\n', '\r', '}']) {
        return Err((
            format!("label `{}`", label.escape_debug()),
            "a label of one line with two letters or more: anything less would take lines that people typed".into(),
        ));
    }
    Ok(Line { label: label.into(), field: field.into() })
}

const FIELD_NAME: &str = "a field's name: letters, digits, `_`, `-`, and `.` between nested names, at most 64";

fn is_field_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    name.len() <= 64 && name.split('.').all(part)
}

fn fields(mut table: Table<'_>, entities: &BTreeSet<String>) -> BTreeMap<String, Mapped> {
    let mut fields = BTreeMap::new();
    for name in table.keys() {
        if !is_field_name(&name) {
            table.mistake(&name, format!("field `{name}`"), FIELD_NAME);
        }
        let Some(mut field) = table.opt_table(&name) else { continue };
        match field.string("entity") {
            Some(entity) if entities.contains(&entity) => {
                let pattern = format!("{entity}/{FIELDS}{name}").as_str().into();
                fields.insert(name, Mapped { entity: entity.as_str().into(), pattern });
            }
            Some(entity) => {
                let right = match nearest(&entity, entities.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "an entity of the patterns, such as `contact.email`".into(),
                };
                field.mistake("entity", format!("unknown entity `{}`", entity.escape_debug()), right);
            }
            None => {}
        }
        field.finish();
    }
    table.finish();
    fields
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn entities() -> BTreeSet<String> {
        ["contact.email", "person.name", "location.address"].map(String::from).into()
    }

    fn load(text: &str, mistakes: &Mistakes) -> Option<Templates> {
        Templates::load(&[SourceFile::new(FILE, text)], &entities(), mistakes)
    }

    /// A templates file for tests.
    pub(in crate::strip) fn example() -> Templates {
        let text = r#"
            [lookup]
            too_common = ["unknown", "n/a"]
            [[template]]
            name = "header"
            turn = "first"
            speaker = "bot"
            lines = ["Account email: {account_email}", "Ticket: {ticket}"]
            [fields.account_email]
            entity = "contact.email"
            [fields.customer_name]
            entity = "person.name"
            [fields.billing_address]
            entity = "location.address"
        "#;
        let mistakes = Mistakes::default();
        load(text, &mistakes).unwrap()
    }

    fn mistakes(text: &str) -> Vec<String> {
        let mistakes = Mistakes::default();
        let _ = load(text, &mistakes);
        mistakes.into_sorted().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_file_of_the_ruleset_is_sound() {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../patterns/templates.toml"));
        assert_eq!(mistakes(text), [""; 0]);
    }

    #[test]
    fn every_mistake_at_once_with_its_line() {
        let text = r#"min_chars = 4
[lookup]
min_chars = 1
too_common = ["customer", "-"]
[[template]]
name = "a"
turn = "last"
speaker = "bot"
lines = [
  "Ticket",
  "Ticket: {ticket",
  "Ticket: {ticket} today",
  "Ticket: {}",
  ": {ticket}",
  "Ticket: {ticket}",
  "Ticket: {other}",
]
[[template]]
name = "a"
turn = "first"
speaker = "any"
[fields.account_email]
entity = "contact.emial"
[fields."jan@x.nl"]
entity = "person.name"
kind = 1
"#;
        let expected = [
            "1: min_chars: unknown key; known here: template, fields, lookup",
            "3: lookup.min_chars: 1; from 3 to 64",
            "4: lookup.too_common[1]: no letter or digit; a value that says nothing of a person",
            "7: template[0].turn: unknown value `last`; one of first, any",
            "10: template[0].lines[0]: no placeholder; a label, then one placeholder to the end, such as `Ticket: {ticket}`",
            "11: template[0].lines[1]: `{` without `}`; a label, then one placeholder to the end, such as `Ticket: {ticket}`",
            "12: template[0].lines[2]: the placeholder is not last; a label, then one placeholder to the end, such as `Ticket: {ticket}`",
            "13: template[0].lines[3]: placeholder ``; a field's name: letters, digits, `_`, `-`, and `.` between nested names, at most 64",
            "14: template[0].lines[4]: label `: `; a label of one line with two letters or more: anything less would take lines that people typed",
            "16: template[0].lines[6]: a second line `Ticket: `; one line for each label",
            "18: template[1].lines: no lines; the lines in their order, such as `Account email: {account_email}`",
            "19: template[1].name: a second template `a`; a name of its own",
            "23: fields.account_email.entity: unknown entity `contact.emial`; did you mean `contact.email`?",
            "24: fields.jan@x.nl: field `jan@x.nl`; a field's name: letters, digits, `_`, `-`, and `.` between nested names, at most 64",
            "26: fields.jan@x.nl.kind: unknown key; known here: entity",
        ];
        let expected: Vec<String> = expected.iter().map(|line| format!("templates.toml:{line}")).collect();
        assert_eq!(mistakes(text), expected);
    }

    #[test]
    fn a_missing_file_is_a_mistake_and_an_empty_one_is_not() {
        let mistakes = Mistakes::default();
        assert!(Templates::load(&[], &entities(), &mistakes).is_none());
        let line = "templates.toml:1: the file is missing; a ruleset has templates.toml; it may be empty";
        assert_eq!(mistakes.into_sorted()[0].to_string(), line);
        assert!(load("", &Mistakes::default()).is_some());
    }

    #[test]
    fn describe_says_what_is_removed_and_looked_up() {
        assert_eq!(
            example().describe(),
            [
                "template header: at the start of the first turn, speaker bot; removes",
                "  the whole line `Account email: {account_email}`, value of up to 200 bytes",
                "  the whole line `Ticket: {ticket}`, value of up to 200 bytes",
                "field account_email: looked up as contact.email",
                "field billing_address: looked up as location.address",
                "field customer_name: looked up as person.name",
                "not looked up: values of fewer than 5 letters and digits, or 6 digits alone; 2 common ones",
            ]
        );
    }
}
