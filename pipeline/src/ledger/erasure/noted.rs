//! What was deleted from the store, noted in the transaction that deletes it. So whoever dies before it was stated loses no
//! count: what is noted and not stated yet is stated by the next one.

use super::Known;
use crate::{
    hex,
    ledger::{
        identity::{LENGTH, digest},
        rows::microseconds,
        store::{StoreError, Transaction, Value},
    },
};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// What was deleted for one request and is stated by no record.
#[derive(Debug, Default)]
pub(super) struct Unstated {
    /// Ids of the transactions that deleted it.
    pub(super) ids: BTreeSet<String>,
    /// How many rows, by place.
    pub(super) counts: BTreeMap<String, u64>,
}

/// A request, as the table names one: by a digest, which an index takes whatever the length of an id is.
fn request(known: &Known) -> [u8; LENGTH] {
    digest("request", [Some(known.tenant.as_str()), Some(&known.request_id)])
}

/// Notes how many rows this transaction has deleted in each place. `rows` names them: of two transactions in one microsecond
/// at most one deletes the same.
pub(super) fn note(
    transaction: &mut Transaction<'_>,
    known: &Known,
    rows: &[u8],
    counts: &BTreeMap<String, u64>,
) -> Result<(), StoreError> {
    let (request, now) = (request(known), microseconds(Timestamp::now()));
    let id = hex(&digest("deletion", [&hex(&request), &hex(rows), &now.to_string()].map(|part| Some(part.as_str()))));
    for (place, count) in counts.iter().filter(|(_, count)| **count > 0) {
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        let values: [Value; 7] = [
            request.as_slice().into(),
            id.as_str().into(),
            place.as_str().into(),
            known.tenant.as_str().into(),
            known.request_id.as_str().into(),
            count.into(),
            now.into(),
        ];
        let insert = "INSERT INTO deletions (request, id, place, tenant, request_id, row_count, deleted_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        transaction.execute(insert, &values)?;
    }
    Ok(())
}

/// What was deleted for a request and is not stated.
pub(super) fn unstated(transaction: &mut Transaction<'_>, known: &Known) -> Result<Unstated, StoreError> {
    let mut unstated = Unstated::default();
    let of = "SELECT id, place, row_count FROM deletions WHERE request = $1";
    transaction.each(of, &[request(known).as_slice().into()], |row| {
        let (id, place) = (row.text(0)?, row.text(1)?);
        if !known.transactions.contains(id) {
            unstated.ids.insert(id.into());
            *unstated.counts.entry(place.into()).or_default() += u64::try_from(row.integer(2)?).unwrap_or(0);
        }
        Ok::<_, StoreError>(())
    })?;
    Ok(unstated)
}

/// Which of these requests have something that is not stated.
pub(super) fn with_unstated(transaction: &mut Transaction<'_>, all: &[Known]) -> Result<BTreeSet<usize>, StoreError> {
    let places: BTreeMap<[u8; LENGTH], usize> =
        all.iter().enumerate().map(|(at, known)| (request(known), at)).collect();
    let mut found = BTreeSet::new();
    transaction.each("SELECT request, id FROM deletions", &[], |row| {
        let at = <[u8; LENGTH]>::try_from(row.bytes(0)?).ok().and_then(|request| places.get(&request));
        let id = row.text(1)?;
        found.extend(at.filter(|at| !all[**at].transactions.contains(id)));
        Ok::<_, StoreError>(())
    })?;
    Ok(found)
}
