//! `maysend topics`: create the topics, check them, or print what creates them.

mod broker;
mod print;
mod rules;

use super::{Error, Say, terminal};
use crate::{
    config::{Config, Kafka, Security},
    ruleset::Ruleset,
    stages::Output,
    stream::{
        sizes::{DEFAULT, SETTING, needed},
        topics::Topics,
    },
};
use broker::Broker;
pub(super) use broker::BrokerError;
use clap::{Args, ValueEnum};
use print::Tools;
use rules::{Production, Wanted, Wrong};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

/// Options of `topics`.
#[derive(Args)]
pub(super) struct Options {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Create the topics that are not there.
    #[arg(long)]
    create: bool,
    /// For trying it out: one replica will do.
    #[arg(long)]
    dev: bool,
    /// Partitions of a topic that is created.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    partitions: i32,
    /// Replicas of a topic that is created [default: 3, or 1 with --dev].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=100))]
    replicas: Option<i32>,
    /// Print what creates the topics, and ask no broker.
    #[arg(long, value_enum, conflicts_with = "create")]
    print: Option<Form>,
    /// The name of the `Kafka` resource that Strimzi runs, for `--print strimzi`.
    #[arg(long, value_name = "NAME", default_value = "my-cluster")]
    strimzi_cluster: String,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Commands of Kafka's own tools.
    KafkaTopics,
    /// Resources for the Strimzi operator.
    Strimzi,
}

/// Runs the command: says what is not as it must be, and what puts it right. Exit code 1 if anything is not.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let config = Arc::new(Config::from_file(&options.config)?);
    let production = if options.dev { Production::No } else { Production::Yes };
    let replicas = options.replicas.unwrap_or_else(|| production.replicas());
    if replicas < production.replicas() {
        return Err(Error::Usage(format!(
            "{replicas} replicas lose what is acknowledged when one broker is lost; take at least {}, or give --dev if \
             this is no production",
            production.replicas()
        )));
    }
    let topics = Topics::new(&config.kafka.topic_prefix);
    let sizes = sizes(&config, &topics)?;
    let wanted: Vec<Wanted> = topics
        .all()
        .map(|(name, mut settings)| {
            settings.extend(sizes.get(name).map(|bytes| (SETTING, bytes.as_str())));
            Wanted::new(name, &settings, options.partitions, replicas, production)
        })
        .collect();
    let tools = Tools { brokers: &config.kafka.brokers, is_secured: is_secured(&config.kafka) };
    if let Some(form) = options.print {
        let text = match form {
            Form::KafkaTopics => tools.script(&wanted),
            Form::Strimzi => print::strimzi(&wanted, &options.strimzi_cluster),
        };
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let broker = Broker::connect(&config)?;
    if options.create {
        for name in broker.create(&wanted)? {
            print(&format!("created  {name}\n"))?;
        }
    }
    let cluster = broker.cluster(&wanted)?;
    let mut not_right = 0;
    for wanted in &wanted {
        let live = cluster.topics.get(&wanted.name);
        let wrong = rules::check(wanted, live, production, &cluster.brokers);
        not_right += usize::from(!wrong.is_empty());
        match live {
            Some(live) if wrong.is_empty() && say > Say::Little => print(&format!("right    {}\n", live.text(wanted)))?,
            _ if wrong.is_empty() => {}
            _ => print(&complaint(wanted, &wrong, &tools))?,
        }
    }
    let internal = rules::check_internal(&cluster, production);
    for line in &internal {
        print(&format!("wrong    {line}\n"))?;
    }
    let complete = not_right == 0 && internal.is_empty();
    if not_right > 0 {
        terminal::error(&format!("{not_right} of {} topics are not as they must be", wanted.len()));
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The live settings of our topics, defaults included; of those that are there and may be seen.
pub(super) fn live_settings(config: &Arc<Config>) -> Result<BTreeMap<String, BTreeMap<String, String>>, BrokerError> {
    let topics = Topics::new(&config.kafka.topic_prefix);
    let wanted: Vec<Wanted> = topics.all().map(|(name, _)| Wanted::new(name, &[], 1, 1, Production::No)).collect();
    let cluster = Broker::connect(config)?.cluster(&wanted)?;
    Ok(cluster.topics.into_iter().map(|(name, live)| (name, live.settings)).collect())
}

/// What `max.message.bytes` must be, by topic: only where it is more than Kafka's default.
fn sizes(config: &Arc<Config>, topics: &Topics) -> Result<BTreeMap<String, String>, Error> {
    let ruleset = match &config.ruleset.folder {
        Some(folder) => Ruleset::from_folder(folder)?,
        None => Ruleset::builtin()?,
    };
    let batch = config.kafka.batch_bytes();
    let needed = |output| needed(output, ruleset.rules.policy.intake.max_record_bytes, batch);
    let all = Output::ALL.map(|output| (topics.of(output).to_owned(), needed(output)));
    Ok(all.into_iter().filter(|(_, bytes)| *bytes > DEFAULT).map(|(name, bytes)| (name, bytes.to_string())).collect())
}

/// What is wrong with one topic, what is right, and what puts it right.
fn complaint(wanted: &Wanted, wrong: &[Wrong], tools: &Tools<'_>) -> String {
    let mut out = format!("wrong    {}\n", wanted.name);
    for one in wrong {
        let _ = writeln!(out, "         {one}");
    }
    for command in tools.remedies(wanted, wrong) {
        let _ = writeln!(out, "         put it right: {command}");
    }
    out
}

/// Whether Kafka's tools need a file with how to connect.
fn is_secured(kafka: &Kafka) -> bool {
    kafka.security != Security::default()
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::output)
}
