//! Takes records in from a file: what topics no longer have, and work that never went through them.

use super::{
    LedgerError,
    events::read_line,
    rows::Batch,
    store::{Store, StoreError},
};
use crate::scan::lines::{Line, Lines};
use std::{io::BufRead, path::Path};

/// The longest line, in bytes: rulesets are records too.
pub const MOST_BYTES: usize = 64 << 20;

/// So many records, or bytes, are taken in at once.
const AT_ONCE: (usize, usize) = (20_000, 32 << 20);

/// Takes in every line of a file, several thousand in a transaction. A file that was taken in before changes nothing.
/// Returns how many records there were.
///
/// # Errors
/// The file cannot be read, a line is no record, or the store does not go along. What was taken in until then stays.
pub fn import(store: &mut Store, path: &Path, reader: impl BufRead) -> Result<u64, LedgerError> {
    let unreadable = |error| LedgerError::File { path: path.into(), error };
    let mut lines = Lines::new(reader, MOST_BYTES);
    let (mut batch, mut bytes, mut records) = (Batch::default(), 0, 0);
    let wrong = loop {
        let Some((number, line)) = lines.next().map_err(unreadable)? else { break None };
        let record = match line {
            Line::Record(record) if record.iter().all(u8::is_ascii_whitespace) => continue,
            Line::Record(record) => record,
            Line::TooLong { bytes, .. } => {
                break Some(LedgerError::LongLine { path: path.into(), line: number, bytes });
            }
        };
        match read_line(&record) {
            Ok(event) => batch.push(event),
            Err(wrong) => break Some(LedgerError::Line { path: path.into(), line: number, wrong }),
        }
        (bytes, records) = (bytes + record.len(), records + 1);
        if batch.records >= AT_ONCE.0 || bytes >= AT_ONCE.1 {
            let full = std::mem::take(&mut batch);
            store.write(|transaction| transaction.take_in(full))?;
            bytes = 0;
        }
    };
    store.write::<_, StoreError>(|transaction| transaction.take_in(batch))?;
    wrong.map_or(Ok(records), Err)
}
