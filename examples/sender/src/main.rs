//! An example of the program that takes cleared transcripts and calls a provider. docs/sender.md is the contract that it
//! keeps, and says why.
//!
//! One process works on one transcript at a time, so start as many as calls are to be made at once. On any error that it
//! does not know how to go on after it ends with exit code 1; whoever starts it again loses nothing by that.

mod erased;
mod records;
mod sender;

use clap::Parser;
use rdkafka::ClientConfig;
use sender::Sender;
use signal_hook::{consts::TERM_SIGNALS, flag};
use std::{
    error::Error,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Takes cleared transcripts of one destination and calls its provider.
#[derive(Parser)]
pub struct Options {
    /// Kafka's bootstrap servers.
    #[arg(long)]
    brokers: String,
    /// What the topics' names start with.
    #[arg(long, default_value = "transcripts")]
    topic_prefix: String,
    /// The destination that this process serves, as the register names it; cleared transcripts for others are passed
    /// over.
    #[arg(long)]
    destination: String,
    /// The destination's provider, as the register names it.
    #[arg(long)]
    provider: String,
    /// Where the provider is called.
    #[arg(long)]
    endpoint: String,
    /// The consumer group, also the start of the transactional id: one for all processes of a destination, and no other
    /// program's [default: sender-DESTINATION].
    #[arg(long)]
    group: Option<String>,
    /// The number of this process among those of the same destination, stable over restarts.
    #[arg(long, default_value_t = 0)]
    ordinal: u32,
    /// Calls for one transcript, at most, failed ones and such of unknown end included.
    #[arg(long, default_value_t = 3)]
    max_calls: u32,
    /// How long one call may take, in seconds.
    #[arg(long, default_value_t = 60)]
    call_timeout_seconds: u64,
    /// Where the conversation stands in records of another shape, as a JSON Pointer; may be given several times. Without it
    /// records have the wire form, and it is their `turns` or `text`.
    #[arg(long, value_name = "POINTER")]
    conversation: Vec<String>,
    /// An option for librdkafka, as `security.protocol=ssl`; may be given several times.
    #[arg(short = 'X', value_name = "KEY=VALUE", value_parser = key_value)]
    options: Vec<(String, String)>,
}

impl Options {
    fn topic(&self, name: &str) -> String {
        format!("{}.{name}", self.topic_prefix)
    }

    fn group(&self) -> String {
        self.group.clone().unwrap_or_else(|| format!("sender-{}", self.destination))
    }

    fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        for (key, value) in &self.options {
            client.set(key, value);
        }
        // A topic that is not there must not be made by asking for it.
        client.set("bootstrap.servers", &self.brokers).set("allow.auto.create.topics", "false");
        client
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.into(), value.into()))
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sender: {error}");
            ExitCode::from(1)
        }
    }
}

/// What `max.poll.interval.ms` leaves for one transcript, in seconds. After it the group gives its partition away.
const LONGEST: u64 = 290;

fn run(options: Options) -> Result<(), Box<dyn Error>> {
    if u64::from(options.max_calls) * options.call_timeout_seconds > LONGEST {
        return Err(
            format!("--max-calls times --call-timeout-seconds is more than {LONGEST}; lower one of them").into()
        );
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in TERM_SIGNALS {
        flag::register(*signal, stop.clone())?;
    }
    let mut sender = Sender::new(options)?;
    while !stop.load(Ordering::SeqCst) {
        sender.next()?;
    }
    Ok(())
}
