//! The chain: what verifies, what does not, and what comes next.

use super::{KeyFileError, PublicKeys, RecordError, SignedRecord, SigningKey, Statement};
use crate::wire::{digest, kept::Schema};
use jiff::Timestamp;
use std::{fmt, str::FromStr};

/// Records that hold: each signed by a known key, each following the one before.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    records: Vec<(SignedRecord, String)>,
}

/// The last record of a chain at some time: what is published elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub number: u64,
    /// Its digest.
    pub digest: String,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.number, self.digest)
    }
}

/// A text is no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it takes a head as `maysend ledger` prints it, such as 7@sha256:… with 64 hexadecimal digits")]
pub struct NoHead;

impl FromStr for Head {
    type Err = NoHead;

    fn from_str(text: &str) -> Result<Self, NoHead> {
        let (number, digest) = text.split_once('@').ok_or(NoHead)?;
        let hexadecimal = digest.strip_prefix("sha256:").ok_or(NoHead)?;
        let is_digest = hexadecimal.len() == 64 && hexadecimal.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match number.parse() {
            Ok(number) if is_digest => Ok(Self { number, digest: digest.into() }),
            _ => Err(NoHead),
        }
    }
}

/// What does not hold of one record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be read, or was changed.
    #[error("{place}: where record {number} should be: {error}")]
    Unreadable {
        /// Where it stands.
        place: String,
        /// The number that it should have.
        number: u64,
        /// Why.
        error: RecordError,
    },
    /// It is signed by a key that was not given.
    #[error(
        "{place}: record {number} is signed with {key}, which was not given; give its public key with --public-key"
    )]
    UnknownKey {
        /// Where it stands.
        place: String,
        /// Its number.
        number: u64,
        /// The key's id.
        key: String,
    },
    /// The signature is not that of its bytes.
    #[error("{place}: record {number} was changed: the signature of {key} does not hold")]
    Signature {
        /// Where it stands.
        place: String,
        /// Its number.
        number: u64,
        /// The key's id.
        key: String,
    },
    /// Records before it are missing.
    #[error("{place}: record {missing} is missing: record {number} stands in its place")]
    Missing {
        /// Where the next one stands.
        place: String,
        /// The first that is missing.
        missing: u64,
        /// The one that stands there.
        number: u64,
    },
    /// It stands where it does not belong.
    #[error("{place}: record {number} stands there, and record {expected} belongs there")]
    OutOfPlace {
        /// Where it stands.
        place: String,
        /// Its number.
        number: u64,
        /// The one that belongs there.
        expected: u64,
    },
    /// It does not follow the record before.
    #[error("{place}: record {number} does not follow the record before it: one of the two belongs to another chain")]
    Link {
        /// Where it stands.
        place: String,
        /// Its number.
        number: u64,
    },
}

/// Everything that does not hold of a chain. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Faults(pub Vec<Fault>);

/// A published head is not in the chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotInChain {
    /// The chain ends before it.
    #[error("record {} is missing, which was published as the head: the chain ends with record {last}; its end was cut off", .head.number)]
    Cut {
        /// The published head.
        head: Head,
        /// The last record that is there; 0 if there is none.
        last: u64,
    },
    /// Another record has its number.
    #[error("record {} is another one than was published as the head: {digest} and not {}", .head.number, .head.digest)]
    Other {
        /// The published head.
        head: Head,
        /// The digest of the record that is there.
        digest: String,
    },
}

impl Chain {
    /// Takes a chain from its records, in order, each with where it stands. Linear in their bytes.
    ///
    /// # Errors
    /// All that does not hold, each by the record. A record after a faulty one is not named for its link to that.
    pub fn verify<P: Into<String>, B: AsRef<[u8]>>(
        records: impl IntoIterator<Item = (P, B)>,
        keys: &PublicKeys,
    ) -> Result<Self, Faults> {
        let (mut chain, mut faults) = (Self::default(), Vec::new());
        let mut expected = 1;
        // The digest of the record before; `None` where that one is faulty.
        let mut before = Some(None);
        for (place, bytes) in records {
            let (place, bytes) = (place.into(), bytes.as_ref());
            let record = match SignedRecord::read(bytes) {
                Ok(record) => record,
                Err(error) => {
                    faults.push(Fault::Unreadable { place, number: expected, error });
                    (expected, before) = (expected + 1, None);
                    continue;
                }
            };
            let SignedRecord { number, ref key, ref signature, .. } = record;
            // Without its signature nothing that it says counts, so it is named by its place.
            match keys.verify(key, &record.signed_bytes(), signature) {
                Some(true) => {}
                bad => {
                    faults.push(match bad {
                        None => Fault::UnknownKey { place, number: expected, key: key.clone() },
                        Some(_) => Fault::Signature { place, number: expected, key: key.clone() },
                    });
                    (expected, before) = (expected + 1, None);
                    continue;
                }
            }
            if number < expected {
                faults.push(Fault::OutOfPlace { place, number, expected });
                continue;
            }
            if number > expected {
                faults.push(Fault::Missing { place, missing: expected, number });
            } else if before.as_ref().is_some_and(|before| *before != record.previous) {
                faults.push(Fault::Link { place, number });
            }
            let digest = digest(bytes);
            before = Some(Some(digest.clone()));
            expected = number.saturating_add(1);
            chain.records.push((record, digest));
        }
        if faults.is_empty() { Ok(chain) } else { Err(Faults(faults)) }
    }

    /// The records, in order.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &SignedRecord> {
        self.records.iter().map(|(record, _)| record)
    }

    /// The last record; `None` of an empty chain.
    pub fn head(&self) -> Option<Head> {
        self.records.last().map(|(record, digest)| Head { number: record.number, digest: digest.clone() })
    }

    /// The number of the record that comes next.
    pub fn next_number(&self) -> u64 {
        self.records.last().map_or(1, |(record, _)| record.number + 1)
    }

    /// How many records came after a head that was published earlier.
    ///
    /// # Errors
    /// That head is not in the chain, so what was published and what is here are not one chain.
    pub fn since(&self, head: &Head) -> Result<usize, NotInChain> {
        match self.records.iter().position(|(record, _)| record.number == head.number) {
            None => Err(NotInChain::Cut { head: head.clone(), last: self.head().map_or(0, |head| head.number) }),
            Some(at) if self.records[at].1 == head.digest => Ok(self.records.len() - 1 - at),
            Some(at) => Err(NotInChain::Other { head: head.clone(), digest: self.records[at].1.clone() }),
        }
    }

    /// Signs what comes next and takes it in. The bytes are to be kept as they are.
    ///
    /// # Errors
    /// OpenSSL cannot sign.
    pub fn sign(&mut self, statement: Statement, key: &SigningKey, at: Timestamp) -> Result<Vec<u8>, KeyFileError> {
        let head = self.head();
        let mut record = SignedRecord {
            schema: Schema,
            number: self.next_number(),
            previous: head.map(|head| head.digest),
            key: key.id().into(),
            program: crate::stages::PROGRAM.into(),
            signed_at: at,
            statement,
            signature: String::new(),
        };
        record.signature = key.sign(&record.signed_bytes())?;
        let bytes = record.canonical();
        self.records.push((record, digest(&bytes)));
        Ok(bytes)
    }
}
