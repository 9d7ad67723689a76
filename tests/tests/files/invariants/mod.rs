//! What must always be true, where files can show it. The numbers are those of the design.

mod owner;
mod places;
mod privacy;
mod reservations;
mod same_bytes;
mod spans;

use maysend_corpora::{Day, Labelled, Style};
use maysend_tests::{
    AS_OF, Outputs, Patterns, Program, Running, Transcript, lines, maysend, names_in, outputs, transcript,
};
use rustix::fs::inotify;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    mem::MaybeUninit,
    os::unix::fs::PermissionsExt,
    path::Path,
};

const DESTINATIONS: [&str; 5] = ["summaries-eu", "summaries-eu-zdr", "summaries-us", "labs-free", "nowhere"];

const UNREADABLE: [&str; 6] = ["no JSON", "", "{\"schema\":1}", "[1]", "{\"schema\":9,\"id\":\"t\"}", "\"\\ud800\""];

const SHADOW: &str =
    "[mode.destination.ID]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"privacy officer\"\n";

fn scan(out: &Path) -> Program {
    maysend(["scan", "--as-of", AS_OF, "--out"]).args([out]).with_key()
}

fn date() -> maysend_corpora::Date {
    "2026-03-02".parse().unwrap()
}

/// Transcripts full of personal data, for every destination in turn; some with an identifier that is personal data.
fn dense(count: u64) -> Vec<(Labelled, String)> {
    let made = Day::new(7, date(), count, Style::Dense).enumerate();
    made.map(|(n, made)| {
        let mut record: Value = serde_json::from_str(&made.to_json()).unwrap();
        record["destination"] = json!(DESTINATIONS[n % DESTINATIONS.len()]);
        if n % 17 == 0 {
            record["customer_key"] = json!("jan.jansen@example.nl");
        }
        (made, record.to_string())
    })
    .collect()
}

/// The same, with ordinary transcripts and lines that cannot be read in between.
fn mixture() -> Vec<String> {
    let ordinary = Day::new(7, date(), 150, Style::Normal).map(|mut made| {
        made.transcript.id.push_str("-ordinary");
        made.to_json()
    });
    let mut all: Vec<String> = dense(150).into_iter().map(|(_, line)| line).chain(ordinary).collect();
    for (n, line) in UNREADABLE.iter().enumerate() {
        all.insert(n * 40 + 3, (*line).into());
    }
    all
}

fn text_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn lines_by_source(records: &[Value]) -> Vec<u64> {
    records.iter().map(|record| record["source"]["line"].as_u64().unwrap()).collect()
}
