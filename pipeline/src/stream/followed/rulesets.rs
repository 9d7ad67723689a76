//! Every ruleset that is used stands in the topic `rulesets` under its digest, before anything is reserved under it: a
//! reservation names its ruleset by the digest alone, and what that said must be known years later.

use super::reader::Reader;
use crate::{
    ruleset::{Ruleset, digest_of, files_of},
    stages::PROGRAM,
    stream::{
        StreamError,
        client::{Clients, delivery::Producer, publish::publish},
        scanner::now,
        topics::Topics,
    },
    wire::{
        RulesetRecord,
        kept::{self, Schema},
    },
};
use rdkafka::Message as _;
use std::{collections::BTreeSet, time::Duration};

/// Publishes rulesets.
pub struct Rulesets {
    clients: Clients,
    producer: Producer,
    topic: String,
    timeout: Duration,
    published: BTreeSet<String>,
}

impl Rulesets {
    /// Into this topic. `timeout` bounds one call to the broker.
    ///
    /// # Errors
    /// librdkafka refuses an option.
    pub fn new(clients: &Clients, topics: &Topics, timeout: Duration) -> Result<Self, StreamError> {
        let (producer, topic) = (clients.kept()?, topics.rulesets.clone());
        Ok(Self { clients: clients.clone(), producer, topic, timeout, published: BTreeSet::new() })
    }

    /// Returns once the ruleset is in the topic, by whomever it was written. The topic is read whole, since it holds one
    /// record for each change of the ruleset.
    ///
    /// # Errors
    /// The topic cannot be read, or the ruleset cannot be written.
    pub fn ensure(&mut self, ruleset: &Ruleset) -> Result<(), StreamError> {
        if self.published.contains(&ruleset.digest) {
            return Ok(());
        }
        let mut reader = Reader::open(&self.clients, &self.topic, self.timeout)?;
        reader.to_the_end(|record| {
            // One that cannot be read, or is not what it says, is not the one that is looked for.
            if let Ok(record) = kept::read::<RulesetRecord>(record.payload()) {
                let digest = record.digest.clone();
                if digest_of(&files_of(record)) == digest {
                    self.published.insert(digest);
                }
            }
            Ok(())
        })?;
        if !self.published.contains(&ruleset.digest) {
            publish(&self.producer, &self.topic, &ruleset.digest, &record(ruleset), self.timeout)?;
            self.published.insert(ruleset.digest.clone());
        }
        Ok(())
    }
}

fn record(ruleset: &Ruleset) -> RulesetRecord {
    RulesetRecord {
        schema: Schema,
        digest: ruleset.digest.clone(),
        program: PROGRAM.into(),
        files: ruleset.files.iter().map(|file| (file.name.clone(), file.text.clone())).collect(),
        published_at: now(),
    }
}
