//! What stops an erasure.

use crate::{
    ledger::{
        LedgerError,
        passed::Behind,
        records::{KeyFileError, NotInChain},
        requests::Misfit,
        store::StoreError,
    },
    stream::StreamError,
};

/// Why an erasure does not go on. What was done until then stays, and is not done again.
#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
    /// The ledger does not go along.
    #[error("{0}")]
    Ledger(Box<LedgerError>),
    /// The store's user is another than one who erases.
    #[error("{0}: this user may delete no rows, so nothing was done; log in as one with the role maysend_eraser")]
    NoEraser(String),
    /// Kafka does not go along.
    #[error("{0}")]
    Stream(#[from] StreamError),
    /// Nothing can be signed.
    #[error("{0}")]
    Key(#[from] KeyFileError),
    /// The request's life does not allow it.
    #[error("{0}")]
    Misfit(#[from] Misfit),
    /// The ledger has not taken in all that there is.
    #[error(
        "the ledger is behind, so who owes a cleanup is not known; {done}. See that `maysend ledger run` runs, and give the command again:\n{}",
        .behind.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    )]
    Behind {
        /// What was done until then.
        done: &'static str,
        /// How far behind it is.
        behind: Vec<Behind>,
    },
    /// The request is that of somebody else.
    #[error("request {request} is that of another customer (record {number}); another request has another id")]
    OtherCustomer {
        /// The request.
        request: String,
        /// The number of its record.
        number: u64,
    },
    /// Nothing was erased for this request.
    #[error("no record says that request {0} was begun; give the command without --confirm first")]
    NotErased(String),
    /// Not all names of the person were given.
    #[error(
        "the person has {0} more names in the records than were given; give every key and sender that the erasure has printed"
    )]
    MissingNames(usize),
    /// What was exported is another chain than that of the topic.
    #[error("the exported records and the topic are not one chain: {0}")]
    OtherChain(Box<NotInChain>),
    /// No such hold is open.
    #[error("record {0} is no hold that is open")]
    NoHold(u64),
}

impl From<LedgerError> for ErasureError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(Box::new(error))
    }
}

impl From<StoreError> for ErasureError {
    fn from(error: StoreError) -> Self {
        LedgerError::from(error).into()
    }
}
