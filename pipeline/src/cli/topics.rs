//! `maysend topics`: create the topics, or check them.

use super::{Error, terminal};
use crate::{
    config::Config,
    stream::{
        StreamError,
        client::Clients,
        connection::Context,
        topics::{Topics, new_topic},
    },
};
use clap::Args;
use rdkafka::{
    admin::{AdminClient, AdminOptions, ConfigResource, ResourceSpecifier},
    error::{KafkaError, RDKafkaErrorCode},
};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    thread,
    time::{Duration, Instant},
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
    #[arg(long, value_name = "N", default_value_t = 12)]
    partitions: i32,
}

type Administrator = AdminClient<Context<()>>;

const TIMEOUT: Duration = Duration::from_secs(20);

/// Runs the command: says what is not as it must be. Exit code 1 if anything is not.
pub(super) fn run(options: &Options) -> Result<ExitCode, Error> {
    let config = Arc::new(Config::from_file(&options.config)?);
    let clients = Clients::new(config.clone()).map_err(StreamError::from)?;
    let topics = Topics::new(&config.kafka.topic_prefix);
    clients.connect(&clients.reservations().map_err(StreamError::from)?, TIMEOUT)?;
    let admin = clients.admin().map_err(StreamError::from)?;
    if options.create {
        create(&admin, &topics, options)?;
        wait_until_described(&admin, &topics)?;
    }
    let wrong = check(&admin, &topics, options)?;
    for line in &wrong {
        terminal::note(line);
    }
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn create(admin: &Administrator, topics: &Topics, options: &Options) -> Result<(), Error> {
    let (replication, min_in_sync) = if options.dev { (1, "1") } else { (3, "2") };
    let all: Vec<_> = topics.all().collect();
    let new: Vec<_> = all
        .iter()
        .map(|(name, settings)| new_topic(name, settings, options.partitions, replication, min_in_sync))
        .collect();
    let timeouts = AdminOptions::new().operation_timeout(Some(TIMEOUT)).request_timeout(Some(TIMEOUT));
    let results = pollster::block_on(admin.create_topics(new.iter(), &timeouts)).map_err(StreamError::Client)?;
    for result in results {
        match result {
            Ok(name) => println!("created {name}"),
            Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
            Err((name, code)) => {
                terminal::error(&format!("cannot create {name}"));
                return Err(StreamError::Client(KafkaError::AdminOp(code)).into());
            }
        }
    }
    Ok(())
}

/// What a broker has for each topic; `None` for one that it does not know. The client has no error of a single topic: it
/// gives one without entries instead.
fn described(admin: &Administrator, topics: &Topics) -> Result<Vec<Option<ConfigResource>>, Error> {
    let wanted: Vec<ResourceSpecifier<'_>> = topics.all().map(|(name, _)| ResourceSpecifier::Topic(name)).collect();
    let timeouts = AdminOptions::new().request_timeout(Some(TIMEOUT));
    let described =
        pollster::block_on(admin.describe_configs(wanted.iter(), &timeouts)).map_err(StreamError::Client)?;
    Ok(described.into_iter().map(|topic| topic.ok().filter(|topic| !topic.entries.is_empty())).collect())
}

/// A created topic is known to the controller at once, to other brokers a little later.
fn wait_until_described(admin: &Administrator, topics: &Topics) -> Result<(), Error> {
    let deadline = Instant::now() + TIMEOUT;
    while described(admin, topics)?.iter().any(Option::is_none) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// What is not as it must be, a line each.
fn check(admin: &Administrator, topics: &Topics, options: &Options) -> Result<Vec<String>, Error> {
    let all: Vec<_> = topics.all().collect();
    let mut wrong = Vec::new();
    for ((name, settings), described) in all.iter().zip(described(admin, topics)?) {
        let Some(described) = described else {
            wrong.push(format!("{name}: it is not there, or may not be seen; `maysend topics --create` makes it"));
            continue;
        };
        let value_of = |key: &str| described.get(key).and_then(|entry| entry.value.clone()).unwrap_or_default();
        for (key, right) in settings {
            let value = value_of(key);
            if !same(&value, right) {
                wrong.push(format!("{name}: {key} is `{value}`; it must be `{right}`"));
            }
        }
        if !options.dev && value_of("min.insync.replicas").parse::<u32>().is_ok_and(|replicas| replicas < 2) {
            wrong.push(format!("{name}: min.insync.replicas is below 2; give `--dev` if this is no production"));
        }
    }
    Ok(wrong)
}

/// Whether two settings say the same; lists have no order.
fn same(value: &str, right: &str) -> bool {
    let parts = |text: &str| {
        let mut parts: Vec<String> = text.split(',').map(|part| part.trim().to_owned()).collect();
        parts.sort();
        parts
    };
    parts(value) == parts(right)
}
