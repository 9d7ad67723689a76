//! The records. Strings, integers and lists only, so that their canonical form needs no care for numbers.

use crate::wire::{
    kept::{Kept, KeptError, Schema, not_empty, read, time},
    schema::{Sha256, Time},
};
use jiff::{Timestamp, civil::Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A signed record: a record of `erasure-records`, and a line of a file that it was exported to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedRecord {
    /// Version of the wire form.
    pub schema: Schema,
    /// Its place in the chain, from 1.
    pub number: u64,
    /// Digest of the record before, whole; null in the first.
    #[schemars(with = "Option<Sha256>")]
    pub previous: Option<String>,
    /// Id of the key that signed it.
    pub key: String,
    /// Name and version of the program.
    pub program: String,
    /// When it was signed.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub signed_at: Timestamp,
    /// What is stated.
    pub statement: Statement,
    /// The signature in base64, over the canonical form of the record without this member.
    pub signature: String,
}

/// What a record states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Statement {
    /// A customer was closed at the gate, and these are the handoffs that are owed.
    Erasure(ErasureStatement),
    /// More is owed than an earlier record says.
    Supplement(Supplement),
    /// Our own copies were deleted.
    Deletion(Deletion),
    /// Everything was read again.
    Confirmation(Confirmation),
    /// Copies that a law or a claim forbids to delete.
    Hold(Hold),
    /// A hold has ended.
    Release(Release),
}

/// A customer was closed at the gate, and these are the handoffs that are owed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureStatement {
    /// The request that it answers.
    #[serde(deserialize_with = "not_empty")]
    pub request_id: String,
    /// The day on which the request was received.
    #[schemars(with = "String")]
    pub received: Date,
    /// Whose request it is.
    pub customer: Customer,
    /// Since when nothing older is sent.
    pub closed: Closed,
    /// What was read before the handoffs were taken.
    pub read: Vec<ReadUpTo>,
    /// Who owes a cleanup.
    pub handoffs: Vec<Owed>,
}

/// A customer, by names that only who has the key of hashes can make.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Customer {
    /// The tenant.
    #[serde(deserialize_with = "not_empty")]
    pub tenant: String,
    /// A keyed hash of each of the customer's keys, sorted. It includes the tenant.
    pub keys: Vec<String>,
    /// The same of each sender from whom messages of the customer came, as rows name them.
    pub senders: Vec<String>,
}

/// The gate's own record of the erasure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// Transcripts up to this time are not sent.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub erased_at: Timestamp,
}

/// The end of a partition that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadUpTo {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset that the next record would have had.
    pub end: i64,
}

/// Work that a provider possibly received: one line for each destination, source and terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Owed {
    /// The provider.
    pub provider: String,
    /// The destination.
    pub destination: String,
    /// What kind of work it was, such as `transcript`.
    pub source: String,
    /// The terms that it was sent under; null where no record names them.
    pub terms: Option<String>,
    /// Requests that were reserved.
    pub reserved_requests: u64,
    /// Requests that were reported as used.
    pub requests_used: u64,
    /// When the first of them was written; null where that is not known.
    pub first: Option<String>,
    /// When the last of them was written.
    pub last: Option<String>,
    /// The last day on which a copy may exist by contract, as the terms of that time say; null where none is known, which
    /// counts as without end.
    #[schemars(with = "Option<String>")]
    pub until_by_contract: Option<Date>,
    /// The reservations, sorted: what comes later can be told from what is stated here.
    pub reservations: Vec<String>,
    /// The provider's own ids of requests, sorted, as far as they were reported: by these it finds its copies.
    pub provider_request_ids: Vec<String>,
}

/// More is owed than an earlier record says. That record stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Supplement {
    /// Number of the erasure's record.
    pub of: u64,
    /// How it came to be known.
    pub why: Why,
    /// Keyed hashes of keys of the customer that the earlier records lack.
    pub keys: Vec<String>,
    /// The same of senders.
    pub senders: Vec<String>,
    /// What was read before the handoffs were taken.
    pub read: Vec<ReadUpTo>,
    /// What the earlier records lack.
    pub handoffs: Vec<Owed>,
}

/// How it came to be known that more is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A reservation or usage came later.
    CameLater,
    /// The erasure was run again after a restore.
    Replay,
}

/// Our own copies were deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deletion {
    /// Number of the erasure's record.
    pub of: u64,
    /// Ids of the transactions of the store that deleted its rows, as the table `deletions` has them, sorted; none for
    /// topics, where the tombstones and this record are one transaction.
    pub transactions: Vec<String>,
    /// What was deleted, by where.
    pub deleted: Vec<Deleted>,
}

/// Copies that were deleted in one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deleted {
    /// The topic, table or file.
    pub place: String,
    /// How many records or rows.
    pub count: u64,
    /// How many were left, since they are under a legal hold.
    pub on_hold: u64,
}

/// Everything was read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// Number of the erasure's record.
    pub of: u64,
    /// Up to where the topics were read.
    pub read: Vec<ReadUpTo>,
    /// What was found.
    pub checks: Vec<Check>,
}

/// What was found in one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The topic, table or file.
    pub place: String,
    /// What was asked of it.
    pub statement: String,
    /// How many records or rows of the customer are still there, those on hold left out.
    pub found: u64,
    /// How many are there under a legal hold.
    pub on_hold: u64,
    /// How many that were deleted can still be read before their tombstones: the leader of the partition has not compacted
    /// them away yet.
    pub readable: u64,
    /// The day by which the bytes of what was deleted are gone from every replica; null where nothing says it.
    #[schemars(with = "Option<String>")]
    pub gone_by: Option<Date>,
}

/// Copies that a law or a claim forbids to delete (GDPR Art. 17(3)). An erasure leaves just these, and says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// Whose copies.
    pub customer: Customer,
    /// The transcripts, by their ids; all of the customer's where none is named.
    pub transcripts: Vec<String>,
    /// Why.
    #[serde(deserialize_with = "not_empty")]
    pub ground: String,
    /// The day from which it holds.
    #[schemars(with = "String")]
    pub on: Date,
}

/// A hold has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Number of the hold's record.
    pub of: u64,
    /// Why.
    #[serde(deserialize_with = "not_empty")]
    pub ground: String,
    /// The day from which it holds no longer.
    #[schemars(with = "String")]
    pub on: Date,
}

impl Kept for SignedRecord {
    const FORM: &'static str = "a signed record, as `maysend schema erasure-record` says";
}

/// Why bytes are no signed record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// They cannot be read.
    #[error("{0}")]
    Form(#[from] KeptError),
    /// They are not the canonical form of what they say.
    #[error("its bytes are not in canonical form (RFC 8785): they were changed")]
    NotCanonical,
}

impl SignedRecord {
    /// Reads a record. Its bytes must be exactly its canonical form.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        let record: Self = read(Some(bytes))?;
        if record.canonical() == bytes { Ok(record) } else { Err(RecordError::NotCanonical) }
    }

    /// The whole record, canonical.
    pub(super) fn canonical(&self) -> Vec<u8> {
        canonical(self)
    }

    /// What is signed: the canonical form without the signature.
    pub(super) fn signed_bytes(&self) -> Vec<u8> {
        let mut value = serde_json::to_value(self).expect("strings, integers and lists");
        if let Some(members) = value.as_object_mut() {
            members.shift_remove("signature");
        }
        canonical(&value)
    }
}

fn canonical(value: &impl Serialize) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).expect("strings, integers and lists")
}
