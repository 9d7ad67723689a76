//! Time from a record's own timestamp to its decision at a reader of committed records, at a multiple of today's rate.

use crate::cluster::{Detection, Run};
use hdrhistogram::Histogram;
use maysend_benches::MIB;
use maysend_tests::kafka::{Broker, Follower, Isolation};
use rdkafka::{
    ClientConfig,
    producer::{BaseRecord, DefaultProducerContext, Producer, ThreadedProducer},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Transcripts in a second today: 41,200 a day.
const TODAY: f64 = 41_200.0 / 86_400.0;

/// How long each rate is held.
const HELD: Duration = Duration::from_secs(30);

/// Records at the beginning that are not counted: the process starts and joins meanwhile.
const WARM_UP: Duration = Duration::from_secs(5);

/// Prints quantiles at 100 and 1,000 times today's rate.
pub fn measure(broker: &Broker, records: &[Vec<u8>]) {
    println!(
        "{:12}{:>12}{:>10}{:>10}{:>10}{:>10}{:>12}",
        "times today", "records/s", "p50 ms", "p99", "p99.9", "max", "peak MiB"
    );
    for times in [100, 1000] {
        let rate = TODAY * f64::from(times);
        let run = Run::new(broker, &format!("latency-{times}"), Detection::On);
        let process = run.start();
        let histogram = paced(&run, records, rate);
        let ms = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1000.0;
        println!(
            "{times:<12}{rate:>12.0}{:>10.0}{:>10.0}{:>10.0}{:>10.0}{:>12.0}",
            ms(0.5),
            ms(0.99),
            ms(0.999),
            histogram.max() as f64 / 1000.0,
            process.peak_memory() as f64 / MIB
        );
        process.stop();
    }
    println!();
}

/// Writes at a steady rate and reads the decisions beside it. Microseconds.
fn paced(run: &Run<'_>, records: &[Vec<u8>], rate: f64) -> Histogram<u64> {
    let count = ((WARM_UP + HELD).as_secs_f64() * rate) as usize;
    let (sender, written) = mpsc::channel::<((i32, i64), Instant)>();
    let (bootstrap, topic) = (run.bootstrap(), run.topic.clone());
    let mut follower = Follower::new(&bootstrap, &format!("{topic}.decisions"), Isolation::Committed);
    thread::scope(|scope| {
        scope.spawn(move || {
            let writer: ThreadedProducer<DefaultProducerContext> = ClientConfig::new()
                .set("bootstrap.servers", &bootstrap)
                .set("enable.idempotence", "true")
                .set("linger.ms", "1")
                .create()
                .expect("a producer");
            let mut next = BTreeMap::new();
            let begun = Instant::now();
            for n in 0..count {
                let due = begun + Duration::from_secs_f64(n as f64 / rate);
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let partition = Run::partition_of(n);
                let offset = next.entry(partition).or_insert(0);
                // What is late counts from when it was due, so that a stall of the writer is not left out.
                let _ = sender.send(((partition, *offset), due));
                *offset += 1;
                let payload = records[n % records.len()].as_slice();
                let record = BaseRecord::<'_, [u8], [u8]>::to(&topic).payload(payload).partition(partition);
                writer.send(record).map_err(|(error, _)| error).expect("its queue has room");
            }
            writer.flush(Duration::from_secs(60)).expect("all is acknowledged");
        });
        let mut due = BTreeMap::new();
        let mut histogram = Histogram::new_with_bounds(1, 600_000_000, 3).expect("up to ten minutes, to three digits");
        let warm = Instant::now() + WARM_UP;
        for _ in 0..count {
            let record = loop {
                if let Some(record) = follower.poll(Duration::from_secs(1)) {
                    break record;
                }
            };
            let now = Instant::now();
            due.extend(written.try_iter());
            let place = place(&record.json());
            let since = due.remove(&place).expect("written before it is decided");
            if since >= warm {
                histogram.saturating_record(u64::try_from((now - since).as_micros()).unwrap_or(u64::MAX));
            }
        }
        histogram
    })
}

/// Where a decision's transcript was read.
fn place(decision: &Value) -> (i32, i64) {
    let source = &decision["source"];
    let number = |name: &str| source[name].as_i64().expect("a decision has a source");
    (i32::try_from(number("partition")).expect("a partition"), number("offset"))
}
