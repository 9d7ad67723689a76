//! How large an output can be.
//!
//! A broker refuses a record that is larger than its topic allows, so the stream compares that with these bounds before
//! it reads anything. They hold because what would be larger is not written: it becomes a dead letter with its digest
//! only, as a record does that is too large to be read.

use super::{Output, Produced};

/// The most findings that a review or held record lists. Decisions are taken on all of them; how many are left out is
/// written beside the list. Nobody reads a thousand, and a page of numbers can hold a hundred thousand.
pub const MOST_FINDINGS: usize = 1000;

/// What an output has beside the transcript: findings, header, decision, key and headers.
const BESIDE: usize = 512 << 10;

/// The largest output of its kind, in bytes of key, value and headers, that a record of up to `max_record_bytes` can
/// become. Twice the record, and something beside it: a string that is read and written again is no longer than it was,
/// one in a dead letter may be twice as long, and what stands in the place of a value may be longer than it.
pub fn largest(output: Output, max_record_bytes: usize) -> usize {
    match output {
        // They hold no text.
        Output::Reservations | Output::Decisions => BESIDE,
        Output::Cleared | Output::Review | Output::Held | Output::DeadLetter => 2 * max_record_bytes + BESIDE,
    }
}

/// Whether an output is larger than it can be.
pub(super) fn is_too_large(produced: &Produced, max_record_bytes: usize) -> bool {
    produced.bytes() > largest(produced.output, max_record_bytes)
}
