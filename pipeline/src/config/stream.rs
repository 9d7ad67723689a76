//! `[stream]`: batches, bounds, times.

use super::section::Section;
use crate::stream::machine::Limits;
use std::{collections::BTreeSet, time::Duration};

/// `[stream]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// When a batch is closed, and how much may be in flight.
    pub limits: Limits,
    /// How long what is in flight may take to end when partitions are revoked, or the process is to end.
    pub drain_timeout: Duration,
    /// How long a record may take to be acknowledged by the broker.
    pub message_timeout: Duration,
    /// How long a transaction may stay open.
    pub transaction_timeout: Duration,
    /// How long the group waits for a silent member.
    pub session_timeout: Duration,
    /// How long a topic that is followed may not answer before what is known of it counts as stale.
    pub stale_after: Duration,
    /// Whether every destination is enforced, whatever the policy says of shadow mode.
    pub enforce: bool,
    /// Dead letters a minute beyond which the stream stops: the producer upstream is broken.
    pub max_dead_letters_per_minute: u32,
    /// Records of `erasures`, by partition and offset, that cannot be read and that somebody has written again.
    pub erasures_passed_over: BTreeSet<(i32, i64)>,
}

pub(super) fn read(mut section: Section<'_>) -> Option<Stream> {
    let limits = limits(&mut section);
    let drain_timeout = section.milliseconds(
        "drain_timeout_ms",
        20_000,
        "How long what is in flight may take to end when partitions are revoked, or the process is to end. \
         What has not ended by then is read again.",
    );
    let message_timeout = section.milliseconds(
        "message_timeout_ms",
        15_000,
        "How long a record may take to be acknowledged by the broker.",
    );
    let transaction_timeout = section.milliseconds(
        "transaction_timeout_ms",
        30_000,
        "How long a transaction may stay open. At most the broker's `transaction.max.timeout.ms`.",
    );
    let session_timeout = section.milliseconds(
        "session_timeout_ms",
        45_000,
        "How long the group waits for a silent member before its partitions are given away.",
    );
    let stale_after = section.milliseconds(
        "stale_after_ms",
        60_000,
        "How long `erasures` and `contradictions` may not answer before the stream stops: nothing may be decided without \
         them.",
    );
    if message_timeout >= transaction_timeout {
        let right = "less than `transaction_timeout_ms`: a record must fail before its transaction does";
        section.mistake("message_timeout_ms", "too long", right);
    }
    if transaction_timeout >= session_timeout {
        let right = "less than `session_timeout_ms`: a transaction must end before its partitions are given away";
        section.mistake("transaction_timeout_ms", "too long", right);
    }
    if drain_timeout >= session_timeout {
        let right = "less than `session_timeout_ms`: the group gives partitions away after that";
        section.mistake("drain_timeout_ms", "too long", right);
    }
    let enforce = section.boolean(
        "enforce",
        false,
        "Whether every destination is enforced, whatever the policy says of shadow mode.",
    );
    let max_dead_letters_per_minute = section.integer(
        "max_dead_letters_per_minute",
        1000,
        1..=1_000_000,
        "Dead letters a minute beyond which the stream stops: the producer upstream is broken, or the wrong topic is read.",
    );
    let erasures_passed_over = passed_over(&mut section);
    section.finish();
    Some(Stream {
        limits: limits?,
        drain_timeout,
        message_timeout,
        transaction_timeout,
        session_timeout,
        stale_after,
        enforce,
        max_dead_letters_per_minute: max_dead_letters_per_minute?,
        erasures_passed_over,
    })
}

fn passed_over(section: &mut Section<'_>) -> BTreeSet<(i32, i64)> {
    let key = "erasures_passed_over";
    let text = section.string(
        key,
        "",
        "Records of `erasures` that cannot be read and that somebody has written again: PARTITION/OFFSET, separated by \
         commas, such as `0/17, 2/5`. Any other that cannot be read stops the process.",
    );
    let places = text.split(',').map(str::trim).filter(|place| !place.is_empty());
    let parse = |place: &str| {
        let (partition, offset) = place.split_once('/')?;
        Some((partition.parse().ok()?, offset.parse().ok()?))
    };
    places.map(parse).collect::<Option<_>>().unwrap_or_else(|| {
        section.mistake(key, "no places of records", "PARTITION/OFFSET, separated by commas, such as `0/17, 2/5`");
        BTreeSet::new()
    })
}

fn limits(section: &mut Section<'_>) -> Option<Limits> {
    let batch_bytes = section.integer(
        "batch_bytes",
        8 << 20,
        1..=1 << 30,
        "A batch is closed when its records have this many bytes.",
    );
    let batch_records =
        section.integer("batch_records", 500, 1..=100_000, "A batch is closed when it has this many records.");
    let batch_age_ms = section.integer(
        "batch_age_ms",
        200,
        1..=60_000,
        "A batch is closed this many milliseconds after its first record came in.",
    );
    let in_flight_bytes = section.integer(
        "in_flight_bytes",
        64 << 20,
        1..=16 << 30,
        "Bytes of records in memory over which intake pauses. At least `batch_bytes`; several times as much is better.",
    );
    let limits = Limits {
        batch_bytes: batch_bytes?,
        batch_records: batch_records?,
        batch_age_ms: batch_age_ms?,
        in_flight_bytes: in_flight_bytes?,
    };
    if limits.in_flight_bytes < limits.batch_bytes {
        let right = "at least `batch_bytes`; several times as much is better";
        section.mistake("in_flight_bytes", "less than one batch", right);
    }
    Some(limits)
}
