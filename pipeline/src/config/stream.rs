//! `[stream]`: batches, bounds, times.

use super::{milliseconds, number};
use crate::stream::machine::Limits;
use maysend_detector::source::Table;
use std::time::Duration;

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
    /// Whether every destination is enforced, whatever the policy says of shadow mode.
    pub enforce: bool,
    /// Dead letters a minute beyond which the stream stops: the producer upstream is broken.
    pub max_dead_letters_per_minute: u32,
}

pub(super) fn read(table: Option<Table<'_>>) -> Option<Stream> {
    let mut defaults = Stream {
        limits: Limits { batch_bytes: 8 << 20, batch_records: 500, batch_age_ms: 200, in_flight_bytes: 64 << 20 },
        drain_timeout: Duration::from_secs(20),
        message_timeout: Duration::from_secs(15),
        transaction_timeout: Duration::from_secs(30),
        session_timeout: Duration::from_secs(45),
        enforce: false,
        max_dead_letters_per_minute: 1000,
    };
    let Some(mut table) = table else { return Some(defaults) };
    let limits = &mut defaults.limits;
    number(&mut table, "batch_bytes", 1..=1 << 30, &mut limits.batch_bytes);
    number(&mut table, "batch_records", 1..=100_000, &mut limits.batch_records);
    number(&mut table, "batch_age_ms", 1..=60_000, &mut limits.batch_age_ms);
    number(&mut table, "in_flight_bytes", 1..=16 << 30, &mut limits.in_flight_bytes);
    if limits.in_flight_bytes < limits.batch_bytes {
        table.mistake(
            "in_flight_bytes",
            "less than one batch",
            "at least `batch_bytes`; several times as much is better",
        );
    }
    milliseconds(&mut table, "drain_timeout_ms", &mut defaults.drain_timeout);
    milliseconds(&mut table, "message_timeout_ms", &mut defaults.message_timeout);
    milliseconds(&mut table, "transaction_timeout_ms", &mut defaults.transaction_timeout);
    milliseconds(&mut table, "session_timeout_ms", &mut defaults.session_timeout);
    if defaults.message_timeout >= defaults.transaction_timeout {
        let right = "less than `transaction_timeout_ms`: a record must fail before its transaction does";
        table.mistake("message_timeout_ms", "too long", right);
    }
    if defaults.transaction_timeout >= defaults.session_timeout {
        let right = "less than `session_timeout_ms`: a transaction must end before its partitions are given away";
        table.mistake("transaction_timeout_ms", "too long", right);
    }
    if defaults.drain_timeout >= defaults.session_timeout {
        let right = "less than `session_timeout_ms`: the group gives partitions away after that";
        table.mistake("drain_timeout_ms", "too long", right);
    }
    defaults.enforce = table.opt_boolean("enforce").unwrap_or(false);
    number(&mut table, "max_dead_letters_per_minute", 1..=1_000_000, &mut defaults.max_dead_letters_per_minute);
    table.finish();
    Some(defaults)
}
