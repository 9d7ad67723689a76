//! What senders report of their calls, against what the register says.

use super::Observer;
use std::collections::BTreeMap;

/// What came of a record of usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsageRead {
    /// It contradicts nothing.
    Agrees,
    /// It names another plan or endpoint than the terms, and a contradiction is written.
    Contradicts,
    /// It cannot be read, and decides nothing.
    Unreadable,
}

impl UsageRead {
    pub(super) const ALL: [Self; 3] = [Self::Agrees, Self::Contradicts, Self::Unreadable];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Contradicts => "contradicts",
            Self::Unreadable => "unreadable",
        }
    }
}

/// What is known of usage.
#[derive(Debug, Default)]
pub(super) struct Usage {
    read: BTreeMap<UsageRead, u64>,
    /// Every registered destination, and what is wrong with its terms if usage has contradicted them.
    pub(super) contradicted: BTreeMap<String, Option<String>>,
}

impl Usage {
    /// How many records came to this.
    pub(super) fn read(&self, what: UsageRead) -> u64 {
        self.read.get(&what).copied().unwrap_or(0)
    }

    /// What somebody has to look at, by destination.
    pub(super) fn alerts(&self) -> BTreeMap<String, &str> {
        let wrong = self.contradicted.iter().filter_map(|(destination, words)| Some((destination, words.as_deref()?)));
        wrong.map(|(destination, words)| (format!("terms of {destination}"), words)).collect()
    }
}

impl Observer {
    /// A record of usage was read, and what it comes to is acknowledged.
    pub fn usage_read(&self, what: UsageRead) {
        *self.state().usage.read.entry(what).or_default() += 1;
    }

    /// Every registered destination, with what is wrong with its terms if usage has contradicted them. The words are a
    /// detail of `/readyz` and hold no text of a transcript.
    pub fn contradicted(&self, destinations: BTreeMap<String, Option<String>>) {
        self.state().usage.contradicted = destinations;
    }
}
