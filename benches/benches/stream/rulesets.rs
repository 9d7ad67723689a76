//! The reviewed ruleset, and the same with no pattern in it.

use std::{fs, path::Path};
use toml::{Table, Value};

/// Copies the reviewed ruleset into a new folder. Its example evidence must not have run out by now.
pub fn reviewed(folder: &Path) {
    copy(folder, |_, text| text);
}

/// The same, but every entity is looked up in fields only, so no automaton finds anything.
pub fn without_detection(folder: &Path) {
    copy(folder, |name, text| {
        let mut file: Table = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let Some(Value::Array(entities)) = file.get_mut("entity") else { return text };
        for entity in entities {
            let entity = entity.as_table_mut().expect("an entity is a table");
            entity.retain(|key, _| ["id", "name", "reference"].contains(&key));
            entity.insert("found_by".into(), "fields".into());
        }
        toml::to_string(&file).expect("what was read can be written")
    });
}

fn copy(folder: &Path, edit: impl Fn(&str, String) -> String) {
    fs::create_dir(folder).expect("a new folder");
    let reviewed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../patterns");
    for entry in fs::read_dir(&reviewed).expect("the reviewed files") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
        if name.ends_with(".toml") {
            let text = fs::read_to_string(reviewed.join(&name)).expect("a file in UTF-8");
            let text = text.replace("valid_until = 2027-06-30", "valid_until = 2199-12-31");
            fs::write(folder.join(&name), edit(&name, text)).expect("a file is written");
        }
    }
}
