//! Partitions that nobody has, after a restart in the middle of a rebalance.
//!
//! A process that starts again under its name is given what its predecessor had, without a rebalance. Had that one just
//! given partitions away, and ended before the next one had them, they would stay with nobody until some rebalance. So a
//! process looks once, when it has joined, and causes one if it has to: by a member that comes and goes. That member
//! wants another topic, so no partition moves for its sake.

use crate::{
    stages::Output,
    stream::{
        client::{Clients, SetupError, connection::ready},
        topics::Topics,
    },
};
use rdkafka::{consumer::Consumer, error::KafkaError};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// Why it is not known whether every partition is with somebody.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// A client cannot be set up.
    #[error("{0}")]
    Setup(#[from] SetupError),
    /// The broker does not say.
    #[error("{0}")]
    Client(#[from] KafkaError),
}

/// Causes a rebalance if the group is settled and a partition of the input is with nobody.
///
/// # Errors
/// The broker does not say, or not in time. Nothing is worse than before, then.
pub fn adopt(clients: &Clients, topics: &Topics, timeout: Duration) -> Result<(), AdoptError> {
    let outside = clients.offsets()?;
    let all: BTreeSet<i32> = ready(&outside)
        .fetch_metadata(Some(&topics.input), timeout)?
        .topics()
        .iter()
        .flat_map(|topic| topic.partitions().iter().map(|partition| partition.id()))
        .collect();
    let groups = outside.fetch_group_list(Some(clients.group()), timeout)?;
    // If it is not settled, a rebalance is under way.
    let Some(group) = groups.groups().iter().find(|group| group.state() == "Stable") else { return Ok(()) };
    let assigned: Option<Vec<i32>> = group
        .members()
        .iter()
        .map(|member| assigned(member.assignment().unwrap_or_default(), &topics.input))
        .collect::<Option<Vec<_>>>()
        .map(|each| each.concat());
    let has_all = assigned.is_none_or(|assigned| all.iter().all(|partition| assigned.contains(partition)));
    if has_all {
        return Ok(());
    }
    let passing = clients.passing_member()?;
    passing.subscribe(&[topics.of(Output::DeadLetter)])?;
    let deadline = Instant::now() + timeout;
    while passing.assignment()?.count() == 0 && Instant::now() < deadline {
        passing.poll(Duration::from_millis(100));
    }
    Ok(())
}

/// The partitions of a topic in a member's assignment, as the protocol of consumers writes it; `None` if it cannot be
/// read.
fn assigned(mut bytes: &[u8], topic: &str) -> Option<Vec<i32>> {
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    let bytes = &mut bytes;
    let _version: [u8; 2] = take(bytes)?;
    let mut found = Vec::new();
    for _ in 0..u32::from_be_bytes(take(bytes)?) {
        let length = usize::from(u16::from_be_bytes(take(bytes)?));
        let (name, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        for _ in 0..u32::from_be_bytes(take(bytes)?) {
            let partition = i32::from_be_bytes(take(bytes)?);
            if name == topic.as_bytes() {
                found.push(partition);
            }
        }
    }
    Some(found)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::assigned;

    const TWO_TOPICS: &[u8] =
        b"\0\x01\0\0\0\x02\0\x01a\0\0\0\x02\0\0\0\x03\0\0\0\x05\0\x01b\0\0\0\x01\0\0\0\x07\0\0\0\0";

    #[test]
    fn an_assignment_is_read() {
        assert_eq!(assigned(TWO_TOPICS, "a"), Some(vec![3, 5]));
        assert_eq!(assigned(TWO_TOPICS, "b"), Some(vec![7]));
        assert_eq!(assigned(TWO_TOPICS, "c"), Some(vec![]));
        assert_eq!(assigned(b"", "a"), Some(vec![]), "a member that has nothing yet");
    }

    #[test]
    fn what_is_cut_off_is_not_taken_for_an_assignment() {
        for length in 1..TWO_TOPICS.len() - 4 {
            assert_eq!(assigned(&TWO_TOPICS[..length], "a"), None, "{length} bytes");
        }
    }
}
