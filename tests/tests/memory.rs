//! `scan` streams: what is in memory at once does not grow with the file.

use maysend_corpora::{Day, Style};
use maysend_tests::{AS_OF, Running, maysend};

/// Transcripts of 24 MB: more than can wait at once.
const PART: u64 = 10_000;

/// The most memory that a scan of some parts of a day has taken when it has read them.
fn peak(parts: u64) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(maysend(["scan", "--quiet", "--as-of", AS_OF, "--out"]).args([folder.path()]));
    let mut lines = Vec::new();
    for made in Day::new(1, "2026-03-02".parse().unwrap(), parts * PART, Style::Normal) {
        made.write_json(&mut lines);
        if lines.len() > 1 << 20 {
            running.write(&lines);
            lines.clear();
        }
    }
    let peak = running.write(&lines).peak_memory();
    running.finish().exits(0);
    peak
}

#[test]
fn memory_does_not_grow_with_the_input() {
    let (once, fourfold) = (peak(1), peak(4));
    let grown = fourfold.saturating_sub(once);
    // What came in addition is 72 MB, and as much went out.
    assert!(grown < 32 << 20, "{once} bytes for one part of a day, {fourfold} for four");
}
