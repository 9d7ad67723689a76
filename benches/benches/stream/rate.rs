//! A backlog, decided as fast as it goes.

use crate::cluster::{Detection, Run};
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
    peak_memory: u64,
}

/// Prints the rate with detection and without.
pub fn compare(broker: &Broker, records: &[Vec<u8>]) {
    println!("{:12}{:>12}{:>14}{:>16}{:>12}", "detection", "documents/s", "day's 41,200", "processor ms", "peak MiB");
    let mut rates = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (at, detection) in [Detection::Off, Detection::On].into_iter().enumerate() {
            let run = Run::new(broker, &format!("rate-{}-{round}", detection.as_str()), detection);
            run.write(records);
            let measured = drain(&run, records.len());
            println!(
                "{:12}{:>12.0}{:>12.1} s{:>16.3}{:>12.0}",
                detection.as_str(),
                measured.documents_per_second,
                crate::DAY as f64 / measured.documents_per_second,
                measured.processor_ms_per_document,
                measured.peak_memory as f64 / MIB,
            );
            rates[at].push(measured.documents_per_second);
        }
    }
    let [off, on] = rates.map(median);
    println!("on / off, medians of {ROUNDS}: {:.0} %\n", 100.0 * on / off);
}

/// From the first commit that is seen to the last: what it takes to start is left out.
fn drain(run: &Run<'_>, count: usize) -> Measured {
    let committed = Committed::new(&run.bootstrap(), &run.topic, &run.topic);
    let mut process = run.start();
    let mut first = None;
    loop {
        let now = usize::try_from(committed.now().values().sum::<i64>()).expect("offsets are counts here");
        let (begun, done, used) = *first.get_or_insert((Instant::now(), now, process.processor_time()));
        if now == 0 {
            first = None;
        }
        if now >= count {
            let documents = (now - done).max(1) as f64;
            let processor = (process.processor_time() - used).as_secs_f64();
            let measured = Measured {
                documents_per_second: documents / begun.elapsed().as_secs_f64(),
                processor_ms_per_document: 1000.0 * processor / documents,
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
