//! What the clients and the broker can do at most: reading alone, by librdkafka's own performance tool, and reading with
//! a plain copy of every record.

use crate::cluster::{Detection, Run};
use maysend_benches::MIB;
use maysend_tests::kafka::Broker;
use rdkafka::{
    ClientConfig, Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::{KafkaError, RDKafkaErrorCode},
    producer::{BaseProducer, BaseRecord, Producer},
};
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// librdkafka's sources and what was built of them.
const LIBRDKAFKA: &str = env!("LIBRDKAFKA");

/// Prints both.
pub fn measure(broker: &Broker, records: &[Vec<u8>]) {
    let run = Run::new(broker, "limit", Detection::Off);
    run.write(records);
    println!("{:24}{:>12}", "outer limit", "documents/s");
    let copied = copy(&run, records.len());
    println!("{:24}{:>12.0}", "consume and copy", records.len() as f64 / copied.as_secs_f64());
    let bytes: usize = records.iter().map(Vec::len).sum();
    match performance_tool(&run, records.len()) {
        Ok(says) => println!("rdkafka_performance, reading {:.1} MiB:\n  {says}\n", bytes as f64 / MIB),
        Err(why) => println!("rdkafka_performance cannot be had: {why}\n"),
    }
}

/// Reads everything and writes it to another topic as it is, outside transactions.
fn copy(run: &Run<'_>, count: usize) -> Duration {
    let client = || {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", run.bootstrap());
        client
    };
    let consumer: BaseConsumer = client().set("group.id", "copy").create().expect("a consumer");
    let producer: BaseProducer = client()
        .set("enable.idempotence", "true")
        .set("linger.ms", "5")
        .set("queue.buffering.max.messages", "1000000")
        .create()
        .expect("a producer");
    let metadata = consumer.fetch_metadata(Some(&run.topic), Duration::from_secs(10)).expect("the topic is there");
    let mut all = TopicPartitionList::new();
    for partition in metadata.topics()[0].partitions() {
        all.add_partition_offset(&run.topic, partition.id(), Offset::Beginning).expect("an offset");
    }
    let to = format!("{}.cleared", run.topic);
    let begun = Instant::now();
    consumer.assign(&all).expect("assigned");
    let mut copied = 0;
    while copied < count {
        let Some(message) = consumer.poll(Duration::from_secs(10)) else { panic!("nothing comes") };
        let message = message.expect("a record");
        let payload = message.payload().unwrap_or_default();
        let mut record = BaseRecord::<'_, [u8], [u8]>::to(&to).payload(payload).partition(message.partition());
        while let Err((error, back)) = producer.send(record) {
            assert_eq!(error, KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull));
            producer.poll(Duration::from_millis(10));
            record = back;
        }
        copied += 1;
        producer.poll(Duration::ZERO);
    }
    producer.flush(Duration::from_secs(60)).expect("all is acknowledged");
    begun.elapsed()
}

/// Builds the tool from the sources that the client was built from, and lets it read the topic.
fn performance_tool(run: &Run<'_>, count: usize) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sources = folder.path().join("librdkafka");
    let done = |what: &str, command: &mut Command| {
        let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{what}: {error}"))?;
        let says = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.success() { Ok(says) } else { Err(format!("{what}: {says}")) }
    };
    done("copying", Command::new("cp").arg("-r").arg(LIBRDKAFKA).arg(&sources))?;
    let examples = sources.join("examples");
    done("make", Command::new("make").arg("-C").arg(&examples).arg("rdkafka_performance"))?;
    let mut read = Command::new(examples.join("rdkafka_performance"));
    read.args(["-G", "performance", "-t", &run.topic, "-b", &run.bootstrap(), "-c"]).arg(count.to_string());
    read.args(["-q", "-X", "auto.offset.reset=earliest"]);
    let says = done("rdkafka_performance", &mut read)?;
    let figures = says.lines().rfind(|line| line.contains("msgs/s"));
    figures.map(|line| line.trim().to_owned()).ok_or_else(|| format!("it says no figures: {says}"))
}
