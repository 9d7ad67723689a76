//! Time for each byte on texts made to be slow, at n, 4n and 16n bytes, through all stages. It must stay flat: a figure
//! that grows with the size is a way to stop the program with one document.
//!
//! Sizes grow past what the built-in policy takes in, so that a policy with a larger limit is covered too. Time is that of
//! the thread on a processor, so that other programs do not count, and each figure is the least of a few runs. What is
//! printed last is the number of texts whose figure grew by more than a few times.

use maysend::{
    ruleset::Ruleset,
    stages::{Coordinates, Erasures, Settings, Stages},
    wire::Source,
};
use maysend_benches::{Adversarial, adversarial, record, stages};
use rustix::time::{ClockId, clock_gettime};
use std::{hint::black_box, process::ExitCode, time::Duration};

/// The smallest size, in bytes. The largest is 16 times as large.
const LEAST: usize = 1 << 16;

/// Runs of one size take this long at most, but for the first.
const PATIENCE: Duration = Duration::from_millis(200);

/// Growth of more than this is reported. A square grows by 16; caches and the allocator account for up to four where a
/// record becomes a tree that is much larger than itself.
const GROWTH: f64 = 4.0;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|part| format!("linear/{name}").contains(part));
    let stages = unlimited();
    let kinds: Vec<Adversarial> = adversarial().into_iter().filter(|kind| chosen(kind.name)).collect();
    let mut grown = 0;
    if !kinds.is_empty() {
        println!("{:28}{:>10}{:>10}{:>10}   ns for each byte", "linear", "n", "4n", "16n");
    }
    for kind in kinds {
        let costs = [1, 4, 16].map(|factor| nanoseconds_a_byte(&stages, &kind.record(LEAST * factor)));
        let growth = costs[2] / costs[0].min(costs[1]);
        grown += usize::from(growth > GROWTH);
        let mark = if growth > GROWTH { format!("   grows by {growth:.1}") } else { String::new() };
        println!("{:28}{:>10.1}{:>10.1}{:>10.1}{mark}", kind.name, costs[0], costs[1], costs[2]);
    }
    if chosen("one turn of 16 MiB") {
        let text = "I would like to know where my parcel is, order 4711. ".repeat((16 << 20) / 52);
        let cost = nanoseconds_a_byte(&stages, &record(&format!(r#""text":"{text}""#)));
        println!("{:28}{cost:>30.1}", "one turn of 16 MiB");
    }
    match grown {
        0 => ExitCode::SUCCESS,
        _ => {
            println!("{grown} grew by a factor of more than {GROWTH}");
            ExitCode::FAILURE
        }
    }
}

/// The stages under the built-in ruleset, but for the largest record that is taken in.
fn unlimited() -> Stages {
    let limited = stages();
    let mut files = limited.ruleset().files.clone();
    for file in &mut files {
        if file.name == "policy.toml" {
            let raised = file.text.replace("max_record_bytes = 1_048_576", "max_record_bytes = 67_108_864");
            assert_ne!(raised, file.text, "the policy states its limit in another way now");
            file.text = raised;
        }
    }
    let ruleset = Ruleset::from_files(files).expect("a larger limit is no mistake");
    let settings = Settings::new(ruleset, None, Erasures::new(), true).expect("the built-in policy needs no key");
    Stages::at(settings, limited.as_of())
}

fn nanoseconds_a_byte(stages: &Stages, record: &[u8]) -> f64 {
    let source = Source::File { file: "bench".into(), line: 1 };
    let mut least = Duration::MAX;
    let begun = on_processor();
    loop {
        let started = on_processor();
        black_box(stages.process(black_box(record), &source, &Coordinates::of_line("bench", 1)));
        let ended = on_processor();
        least = least.min(ended - started);
        if ended - begun + least > PATIENCE {
            return least.as_nanos() as f64 / record.len() as f64;
        }
    }
}

/// How long this thread has run on a processor.
fn on_processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
