//! A backlog, decided as fast as it goes.

use crate::{
    cluster::{Detection, Run},
    cores::Cores,
};
use maysend_benches::MIB;
use maysend_tests::kafka::{Broker, client::Committed};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Runs of each, in turn.
const ROUNDS: usize = 3;

/// How often the committed offsets are asked for.
const LOOK: Duration = Duration::from_millis(50);

struct Measured {
    documents_per_second: f64,
    processor_ms_per_document: f64,
    cores: Cores,
    busy_ms_per_document: f64,
    peak_memory: u64,
}

/// Prints the rate with detection and without, and what it would be where the cores had no rest: on a machine where they
/// have, detection takes less.
pub fn compare(broker: &Broker, records: &[Vec<u8>]) {
    println!(
        "{:12}{:>12}{:>14}{:>16}{:>14}{:>12}",
        "detection", "documents/s", "day's 41,200", "processor ms", "cores busy", "peak MiB"
    );
    let mut rates = [Vec::new(), Vec::new()];
    let mut busy = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (at, detection) in [Detection::Off, Detection::On].into_iter().enumerate() {
            let run = Run::new(broker, &format!("rate-{}-{round}", detection.as_str()), detection);
            run.write(records);
            let measured = drain(&run, records.len());
            println!(
                "{:12}{:>12.0}{:>12.1} s{:>16.3}{:>12.0} %{:>12.0}",
                detection.as_str(),
                measured.documents_per_second,
                crate::DAY as f64 / measured.documents_per_second,
                measured.processor_ms_per_document,
                100.0 * measured.cores.share_busy(),
                measured.peak_memory as f64 / MIB,
            );
            rates[at].push(measured.documents_per_second);
            busy[at].push(measured.busy_ms_per_document);
        }
    }
    let [off, on] = rates.map(median);
    let [busy_off, busy_on] = busy.map(median);
    println!(
        "on / off, medians of {ROUNDS}: {:.0} %; by what all cores do for a document, broker and all: {:.0} %\n",
        100.0 * on / off,
        100.0 * busy_off / busy_on
    );
}

/// From the first commit that is seen to the last: what it takes to start is left out.
fn drain(run: &Run<'_>, count: usize) -> Measured {
    let committed = Committed::new(&run.bootstrap(), &run.topic, &run.topic);
    let mut process = run.start();
    let mut first = None;
    loop {
        let now = usize::try_from(committed.now().values().sum::<i64>()).expect("offsets are counts here");
        let (begun, done, used, cores) =
            *first.get_or_insert_with(|| (Instant::now(), now, process.processor_time(), Cores::now()));
        if now == 0 {
            first = None;
        }
        if now >= count {
            let documents = (now - done).max(1) as f64;
            let processor = (process.processor_time() - used).as_secs_f64();
            let cores = Cores::now().since(cores);
            let measured = Measured {
                documents_per_second: documents / begun.elapsed().as_secs_f64(),
                processor_ms_per_document: 1000.0 * processor / documents,
                cores,
                busy_ms_per_document: 1000.0 * cores.busy().as_secs_f64() / documents,
                peak_memory: process.peak_memory(),
            };
            process.stop();
            return measured;
        }
        process.must_run();
        thread::sleep(LOOK);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
