//! The schema of the configuration file, from what its readers say of each key.

use crate::config::{Kind, Setting, keys, variable};
use serde_json::{Map, Value, json};

/// The key below which options of librdkafka stand. They are any, so readers name none.
const OPTIONS: [&str; 2] = ["kafka", "options"];

pub(super) fn schema() -> Value {
    let mut root = table();
    for setting in keys() {
        let mut sections: Vec<&str> = setting.section.split('.').collect();
        sections.push(&setting.key);
        *place(&mut root, &sections) = of(&setting);
    }
    *place(&mut root, &OPTIONS) = json!({
        "description": "Options of librdkafka, except those that the guarantees depend on.",
        "type": "object",
        "additionalProperties": { "type": "string" },
    });
    root
}

fn table() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// Where the schema of a key stands, with the tables above it.
fn place<'s>(table_of: &'s mut Value, path: &[&str]) -> &'s mut Value {
    let Some((first, rest)) = path.split_first() else { return table_of };
    let member = &mut table_of["properties"][first];
    if member.is_null() && !rest.is_empty() {
        *member = table();
    }
    place(member, rest)
}

fn of(setting: &Setting) -> Value {
    let mut schema = Map::new();
    let variable = variable(&setting.section, &setting.key);
    schema.insert("description".into(), format!("{} {variable} overrides it.", setting.description).into());
    let mut add = |keyword: &str, value: Value| drop(schema.insert(keyword.into(), value));
    match &setting.kind {
        Kind::Integer(range) => {
            add("type", "integer".into());
            add("minimum", (*range.start()).into());
            add("maximum", (*range.end()).into());
        }
        Kind::Boolean => add("type", "boolean".into()),
        Kind::OneOf(names) => add("enum", names.clone().into()),
        Kind::RequiredText => {
            add("type", "string".into());
            add("minLength", 1.into());
        }
        Kind::Text | Kind::Option => add("type", "string".into()),
    }
    if let Some(default) = &setting.default {
        add("default", default.clone());
    }
    Value::Object(schema)
}
