//! Names of attempts and reservations: hashes of where a record was read and of its bytes.
//!
//! A retry of the same record makes the same names; a recreated topic, a changed record or a later attempt makes
//! others. Every part is preceded by its length, so no two lists of parts share a hash.

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Where a record was read, for its names, and when it was published. A file is a cluster of one partition whose offsets are lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinates<'c> {
    /// Id of the cluster; `file` for a file.
    pub cluster: &'c str,
    /// Id of the topic, which a recreated topic does not keep; for a file its name as it was given.
    pub topic: Cow<'c, str>,
    /// The partition; 0 for a file.
    pub partition: i32,
    /// The offset; for a file the line, from 1.
    pub offset: u64,
    /// When it was published, where that is known; no part of the names.
    pub published: Option<Timestamp>,
}

impl<'c> Coordinates<'c> {
    /// A line of a file.
    pub fn of_line(file: &'c str, line: u64) -> Self {
        Self { cluster: "file", topic: file.into(), partition: 0, offset: line, published: None }
    }

    fn hash(&self, kind: &str, more: &[&[u8]]) -> String {
        let (partition, offset) = (self.partition.to_be_bytes(), self.offset.to_be_bytes());
        let own: [&[u8]; 5] = [kind.as_bytes(), self.cluster.as_bytes(), self.topic.as_bytes(), &partition, &offset];
        hash(own.into_iter().chain(more.iter().copied()))
    }

    /// The name of attempt 0 of a record, `0-` and 16 hexadecimal digits: unique among all records, so that no output
    /// can overwrite another.
    pub fn first_attempt(&self, record: &[u8]) -> String {
        format!("0-{}", short(&self.hash("attempt", &[record])))
    }

    /// The id of a reservation, 64 hexadecimal digits.
    pub fn reservation(&self, record: &[u8], destination: &str, attempt: &str) -> String {
        self.hash("reservation", &[record, destination.as_bytes(), attempt.as_bytes()])
    }
}

/// The name of a later attempt at what an earlier one withheld: decided again under the same ruleset for the same time
/// it is the same attempt, otherwise another.
pub fn next_attempt(earlier: &str, ruleset: &str, as_of: &str) -> String {
    let number = earlier.split_once('-').and_then(|(number, _)| number.parse::<u64>().ok()).unwrap_or(0);
    let parts: [&[u8]; 4] = [b"attempt after", earlier.as_bytes(), ruleset.as_bytes(), as_of.as_bytes()];
    format!("{}-{}", number.saturating_add(1), short(&hash(parts.into_iter())))
}

fn hash<'p>(parts: impl Iterator<Item = &'p [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    crate::hex(&hash.finalize())
}

fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_has_the_same_names_and_anything_else_has_others() {
        let here = Coordinates { cluster: "c", topic: "t".into(), partition: 1, offset: 7, published: None };
        let names = |at: &Coordinates<'_>, record: &[u8]| {
            let attempt = at.first_attempt(record);
            (at.reservation(record, "d", &attempt), attempt)
        };
        assert_eq!(names(&here, b"r"), names(&here.clone(), b"r"));
        for other in [
            Coordinates { cluster: "d", ..here.clone() },
            Coordinates { topic: "recreated".into(), ..here.clone() },
            Coordinates { partition: 2, ..here.clone() },
            Coordinates { offset: 8, ..here.clone() },
        ] {
            assert_ne!(names(&here, b"r"), names(&other, b"r"), "{other:?}");
        }
        assert_ne!(names(&here, b"r"), names(&here, b"s"));
        assert_ne!(here.reservation(b"r", "d", "0-a"), here.reservation(b"r", "e", "0-a"));
        assert_ne!(here.reservation(b"r", "d", "0-a"), here.reservation(b"r", "d", "1-a"));
    }

    #[test]
    fn parts_do_not_run_together() {
        let of = |cluster, topic: &str| {
            Coordinates { cluster, topic: topic.into(), partition: 0, offset: 0, published: None }.first_attempt(b"")
        };
        assert_ne!(of("ab", "c"), of("a", "bc"));
    }

    #[test]
    fn later_attempts_count_on() {
        let second = next_attempt("0-0011223344556677", "sha256:a", "2026-03-02T00:00:00Z");
        assert!(second.starts_with("1-") && second.len() == 18);
        assert!(next_attempt(&second, "sha256:a", "2026-03-02T00:00:00Z").starts_with("2-"));
        assert_ne!(second, next_attempt("0-0011223344556677", "sha256:b", "2026-03-02T00:00:00Z"));
    }
}
