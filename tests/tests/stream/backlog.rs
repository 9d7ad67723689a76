//! A backlog: what is in memory does not grow with it.

use maysend_tests::kafka::{Broker, Prefix, is_long, load};

/// Records in one part of the backlog, of about half a kilobyte each.
const PART: usize = 20_000;

/// The most memory that a process has taken when it has decided so many parts, which were there before it began.
fn peak(parts: usize) -> u64 {
    let bounds = "batch_bytes = 1000000\nin_flight_bytes = 8000000\nmax_dead_letters_per_minute = 1000000";
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "backlog").stream(bounds).create();
    let writer = prefix.writer();
    for part in 0..parts {
        writer.write((part * PART..(part + 1) * PART).map(load::record));
    }
    let mut decided = prefix.decided();
    let mut gate = prefix.gate(0);
    for part in 1..=parts {
        decided.wait_for(part * PART, &mut [&mut gate]);
    }
    let peak = gate.peak_memory();
    gate.stop().exits(0);
    assert_eq!(prefix.committed("decisions").len(), parts * PART);
    peak
}

#[test]
fn memory_does_not_grow_with_the_backlog() {
    let parts = if is_long() { 50 } else { 5 };
    let (one, all) = (peak(1), peak(parts));
    // What came in addition is four times as much, and what it became is more.
    let grown = all.saturating_sub(one);
    assert!(grown < 32 << 20, "{one} bytes after one part, {all} after {parts}");
}
