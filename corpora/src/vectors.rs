//! Checksum vectors: numbers with the answer whether they are right.
//!
//! A quarter each are right ones; right ones with one digit changed; right ones with two neighbours swapped; and random
//! ones. The answer is always the rule's and never assumed: Luhn does not see 09 swapped with 90, and one random number
//! in ten or eleven passes.

use crate::checks::{RULES, Rule};
use crate::rng::Rng;

/// Names the stream of vectors, apart from the others.
const STREAM: u64 = 0x7665_6374_6f72;

/// A number with the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The entity.
    pub entity: &'static str,
    /// The number in its compact form; `fi.hetu` keeps the sign of its century.
    pub number: String,
    /// Whether it is right.
    pub valid: bool,
}

/// A digit of the number changed into another one.
fn changed(rng: &mut Rng, number: &str) -> String {
    let mut bytes = number.as_bytes().to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
    let at = *rng.pick(&digits);
    bytes[at] = b'0' + (bytes[at] - b'0' + rng.between(1, 9) as u8) % 10;
    bytes.into_iter().map(char::from).collect()
}

/// Two different neighbouring digits swapped, where there are any.
fn swapped(rng: &mut Rng, number: &str) -> String {
    let mut bytes = number.as_bytes().to_vec();
    let places: Vec<usize> = (1..bytes.len())
        .filter(|at| bytes[*at] != bytes[at - 1] && bytes[*at].is_ascii_digit() && bytes[at - 1].is_ascii_digit())
        .collect();
    if !places.is_empty() {
        let at = *rng.pick(&places);
        bytes.swap(at, at - 1);
    }
    bytes.into_iter().map(char::from).collect()
}

fn draw(rng: &mut Rng, rule: &Rule, kind: u64) -> Vector {
    loop {
        let made = (rule.make)(rng);
        let number = match kind {
            0 => made,
            1 => changed(rng, &made),
            2 => swapped(rng, &made),
            _ => rule.random(rng),
        };
        if !rule.is_contested(&number) {
            return Vector { entity: rule.entity, valid: rule.is_valid(&number), number };
        }
    }
}

/// So many vectors, the entities in turn.
pub fn vectors(seed: u64, count: u64) -> impl Iterator<Item = Vector> {
    let entities = RULES.len() as u64;
    (0..count).map(move |index| {
        let mut rng = Rng::new(seed, &[STREAM, index]);
        draw(&mut rng, &RULES[(index % entities) as usize], index / entities % 4)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_differ_in_one_place() {
        let mut rng = Rng::new(1, &[]);
        for _ in 0..200 {
            let other = changed(&mut rng, "AB123456C");
            assert_eq!(other.bytes().zip("AB123456C".bytes()).filter(|(a, b)| a != b).count(), 1);
            let other = swapped(&mut rng, "AB123456C");
            assert_eq!(other.bytes().zip("AB123456C".bytes()).filter(|(a, b)| a != b).count(), 2);
        }
        assert_eq!(swapped(&mut rng, "11"), "11");
    }

    #[test]
    fn every_line_is_right_and_both_answers_occur() {
        let all: Vec<Vector> = vectors(1, 16_000).collect();
        for rule in &RULES {
            let own = || all.iter().filter(|vector| vector.entity == rule.entity);
            assert!(own().all(|vector| rule.is_valid(&vector.number) == vector.valid), "{}", rule.entity);
            let right = own().filter(|vector| vector.valid).count();
            assert!((250..=920).contains(&right) && own().count() == 1_000, "{} {right}", rule.entity);
        }
    }
}
