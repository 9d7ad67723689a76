//! Takes records in from a file: what topics no longer have, and work that never went through them.

use super::{
    LedgerError,
    events::read_line,
    rows::Batch,
    store::{Store, StoreError},
};
use crate::scan::lines::{Line, Lines};
use std::{
    io::BufRead,
    panic::resume_unwind,
    path::Path,
    sync::mpsc::{SyncSender, sync_channel},
    thread,
};

/// The longest line, in bytes: rulesets are records too.
pub const MOST_BYTES: usize = 64 << 20;

/// So many records, or bytes, are taken in at once.
const AT_ONCE: (usize, usize) = (20_000, 32 << 20);

/// Takes in every line of a file, several thousand in a transaction. A file that was taken in before changes nothing.
/// Returns how many records there were. One batch is read while another is taken in; no more are held in memory.
///
/// # Errors
/// The file cannot be read, a line is no record, or the store does not go along. What was taken in until then stays.
pub fn import(store: &mut Store, path: &Path, reader: impl BufRead + Send) -> Result<u64, LedgerError> {
    thread::scope(|scope| {
        let (ready, batches) = sync_channel(1);
        let reading = scope.spawn(move || read(path, reader, &ready));
        let mut records = 0;
        for batch in batches {
            let batch: Batch = batch;
            records += batch.records as u64;
            store.write::<_, StoreError>(|transaction| transaction.take_in(batch))?;
        }
        reading.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(records)
    })
}

/// Reads batches until the end, or until nobody takes them. What stands before a line that is no record is taken in.
fn read(path: &Path, reader: impl BufRead, ready: &SyncSender<Batch>) -> Result<(), LedgerError> {
    let unreadable = |error| LedgerError::File { path: path.into(), error };
    let mut lines = Lines::new(reader, MOST_BYTES);
    let (mut batch, mut bytes) = (Batch::default(), 0);
    let wrong = loop {
        let Some((line, content)) = lines.next().map_err(unreadable)? else { break Ok(()) };
        let record = match content {
            Line::Record(record) if record.iter().all(u8::is_ascii_whitespace) => continue,
            Line::Record(record) => record,
            Line::TooLong { bytes, .. } => break Err(LedgerError::LongLine { path: path.into(), line, bytes }),
        };
        match read_line(&record) {
            Ok(event) => batch.push(event),
            Err(wrong) => break Err(LedgerError::Line { path: path.into(), line, wrong }),
        }
        bytes += record.len();
        if batch.records >= AT_ONCE.0 || bytes >= AT_ONCE.1 {
            if ready.send(std::mem::take(&mut batch)).is_err() {
                return Ok(());
            }
            bytes = 0;
        }
    };
    // Nobody takes it where the store did not go along, which is said there.
    let _ = ready.send(batch);
    wrong
}
