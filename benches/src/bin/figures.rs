//! Prints `docs/figures.md`: precision and recall by entity on the project's own corpora, and what loading the ruleset
//! costs.
//!
//! ```sh
//! cargo run -p maysend-benches --bin figures > docs/figures.md
//! ```

use maysend::ruleset::Ruleset;
use maysend_benches::{
    MIB,
    figures::{self, interval},
};
use maysend_corpora::{Date, Day, Style};
use maysend_detector::{Options, Role, Turn};
use std::{env, error::Error, fs, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let transcripts = env::args().nth(1).map_or(Ok(1_000), |argument| argument.parse::<u64>())?;
    let before = resident();
    let started = Instant::now();
    let ruleset = Ruleset::builtin()?;
    let loading = started.elapsed().as_secs_f64();
    let loaded = resident();
    let sources: usize = ruleset.files.iter().map(|file| file.text.len()).sum();
    let counts = figures::count(&ruleset, transcripts);
    let reading = seconds_a_mebibyte(&ruleset)?;

    println!("# Figures\n");
    println!("Made by `cargo run -p maysend-benches --bin figures > docs/figures.md`.\n");
    println!("## Precision and recall by entity\n");
    println!(
        "On {transcripts} transcripts of each style of `corpora` (normal, dense, digits), which say what stands where; text only,"
    );
    println!(
        "without the look-up of fields, and so without names and addresses. A label is found if a finding of its entity has exactly its span and at least `redact_at`"
    );
    println!(
        "points; it is covered if every byte of it is redacted, as whatever. A finding is right if it shares a byte with a label of"
    );
    println!(
        "its entity. Intervals are Wilson's at 95 %. The corpora are made by this project: the figures say what a change does, and"
    );
    println!("less of anybody's text. What they do not label, such as dates and links, has no precision here.\n");
    println!("| entity | labels | found, % | covered, % | findings | right, % |\n|---|--:|--:|--:|--:|--:|");
    let by_fields =
        |entity: &str| ruleset.detector.catalogue().entity(entity).is_some_and(|known| known.found_by_fields);
    for (entity, counts) in counts.iter().filter(|(entity, counts)| counts.labels > 0 && !by_fields(entity)) {
        println!(
            "| {entity} | {} | {} | {} | {} | {} |",
            counts.labels,
            share(counts.exact, counts.labels),
            share(counts.covered, counts.labels),
            counts.findings,
            share(counts.right, counts.findings),
        );
    }
    println!("\n| what is found and is no label | findings |\n|---|--:|");
    for (entity, counts) in counts.iter().filter(|(_, counts)| counts.labels == 0) {
        println!("| {entity} | {} |", counts.findings);
    }
    println!("\n## Loading\n");
    println!(
        "The built-in ruleset, {} KiB of TOML, is read, compiled and its examples are run in the time in which one core",
        sources >> 10
    );
    println!(
        "searches {:.1} MiB of normal transcripts, in memory of {:.0} times its text. The automata are made while text is read:",
        loading / reading,
        (loaded - before) as f64 / sources as f64
    );
    println!("after the run above the process has {:.0} times the ruleset's text.", resident() as f64 / sources as f64);
    Ok(())
}

fn share(of: u64, among: u64) -> String {
    if among == 0 {
        return "".into();
    }
    let (low, high) = interval(of, among);
    format!("{:.1} ({low:.1} to {high:.1})", of as f64 * 100.0 / among as f64)
}

/// Bytes of this process in memory.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// How long one core takes to search a mebibyte of normal transcripts.
fn seconds_a_mebibyte(ruleset: &Ruleset) -> Result<f64, Box<dyn Error>> {
    let date = Date::new(2026, 3, 2).expect("a date");
    let (mut bytes, started) = (0, Instant::now());
    for labelled in Day::new(2, date, 500, Style::Normal) {
        let turns: Vec<Turn<'_>> =
            labelled.transcript.turns.iter().map(|turn| Turn { role: Role::Customer, text: &turn.text }).collect();
        bytes += turns.iter().map(|turn| turn.text.len()).sum::<usize>();
        ruleset.detector.detect(&turns, &Options::default());
    }
    Ok(started.elapsed().as_secs_f64() / (bytes as f64 / MIB))
}
