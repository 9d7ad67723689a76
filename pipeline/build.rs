//! Builds the reviewed files of `patterns/` into the program, so that it decides with nothing else installed.

use std::{env, fmt::Write as _, fs, path::Path};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../patterns");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()))
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let mut list = String::from("&[\n");
    for name in names {
        let path = folder.join(&name);
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(list, "    ({name:?}, include_str!({:?})),", path.display().to_string()).expect("a string takes all");
    }
    list.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("builtin.rs");
    fs::write(&out, list).unwrap_or_else(|error| panic!("cannot write {}: {error}", out.display()));
}
