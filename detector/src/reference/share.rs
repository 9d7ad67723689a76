//! What share of a reference's strings pass an entity's check: how much a reference could hide.
//!
//! Of the strings `NL-dddd-dddd`, one in eleven passes the check of a Dutch citizen service number that lost its
//! leading zero. Where the check is a sum of terms and each string reads in just one way, the share is counted
//! exactly; otherwise it is sampled, with an interval.

use super::Reference;
use crate::{
    document::{Role, Turn},
    engine::{Candidate, Engine, PrefilteredEngine},
    finding::{EntityId, Verdict},
    pattern::{Catalogue, Pattern},
    validators::Additive,
    view::ByteView,
};
use regex_syntax::hir::{Class, Hir, HirKind};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Strings drawn where the share cannot be counted.
const SAMPLE: u64 = 20_000;

/// How one string was read: (pattern, start, end) of each reading.
type Readings = BTreeSet<(usize, usize, usize)>;

/// What share of a reference's strings holds something that an entity's check passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The entity.
    pub entity: EntityId,
    /// How many strings pass.
    pub passing: u64,
    /// Of how many.
    pub of: u64,
    /// Whether all strings were counted; otherwise they are a sample.
    pub exact: bool,
}

impl Share {
    /// The share, as a fraction.
    pub fn fraction(&self) -> f64 {
        self.passing as f64 / self.of.max(1) as f64
    }

    /// Wilson's interval at 95 %: where the share lies when it was sampled.
    pub fn interval(&self) -> (f64, f64) {
        if self.exact {
            return (self.fraction(), self.fraction());
        }
        let (n, p, z) = (self.of.max(1) as f64, self.fraction(), 1.96_f64);
        let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
        ((centre - reach).max(0.0), (centre + reach).min(1.0))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |fraction: f64| fraction * 100.0;
        write!(f, "{} {:.2} %", self.entity, percent(self.fraction()))?;
        match self.exact {
            true => write!(f, " (exactly {} of {})", self.passing, self.of),
            false => {
                let (low, high) = self.interval();
                write!(f, " ({:.2} to {:.2} %, {} strings sampled)", percent(low), percent(high), self.of)
            }
        }
    }
}

/// The share for each entity that the reference declares and that has a check.
///
/// Cost: 20,000 strings through the engine; meant for `check`, not for loading.
pub fn shares(reference: &Reference, catalogue: &Catalogue, engine: &PrefilteredEngine) -> Vec<Share> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut passing: BTreeMap<&EntityId, u64> = BTreeMap::new();
    let mut readings: BTreeMap<&EntityId, Vec<Readings>> = BTreeMap::new();
    let mut reader = Reader::default();
    for drawn in 0..SAMPLE {
        let text = draw(&reference.hir, &mut random);
        let candidates = reader.read(engine, &text);
        for entity in &reference.hides {
            let own = candidates.iter().filter(|candidate| {
                let pattern = &catalogue.patterns[candidate.pattern];
                catalogue.entity_of(pattern).id == *entity && candidate.verdict != Verdict::Unchecked
            });
            let read: Readings = own.clone().map(|c| (c.pattern, c.start, c.end)).collect();
            *passing.entry(entity).or_default() += u64::from(own.clone().any(|c| c.verdict == Verdict::Valid));
            let seen = readings.entry(entity).or_default();
            if drawn < 64 && !seen.contains(&read) {
                seen.push(read);
            }
        }
    }
    let has_check = |entity: &EntityId| {
        catalogue.patterns.iter().any(|p| catalogue.entity_of(p).id == *entity && p.validator.is_some())
    };
    reference
        .hides
        .iter()
        .filter(|entity| has_check(entity))
        .map(|entity| {
            let sampled = Share { entity: entity.clone(), passing: passing[entity], of: SAMPLE, exact: false };
            exact(reference, catalogue, entity, &readings[entity]).unwrap_or(sampled)
        })
        .collect()
}

/// The exact share, where every string reads the same one way and the check is a sum.
fn exact(reference: &Reference, catalogue: &Catalogue, entity: &EntityId, readings: &[Readings]) -> Option<Share> {
    let [only] = readings else { return None };
    if only.is_empty() {
        // None of a few strings reads as the entity; that says nothing of all of them.
        return None;
    }
    let [(pattern, start, end)] = only.iter().copied().collect::<Vec<_>>()[..] else { return None };
    let places = places(&reference.hir)?;
    let additive = catalogue.patterns[pattern].validator.as_ref()?.rule.additive?;
    let (passing, of) = count(places.get(start..end)?, &additive);
    uniform(&catalogue.patterns[pattern]).then(|| Share { entity: entity.clone(), passing, of, exact: true })
}

/// Whether a pattern treats all digits alike, so that what a few strings show holds for all.
fn uniform(pattern: &Pattern) -> bool {
    fn alike(hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Literal(literal) => !literal.0.iter().any(u8::is_ascii_digit),
            HirKind::Class(Class::Bytes(class)) => {
                let held = (b'0'..=b'9').filter(|d| class.iter().any(|r| r.start() <= *d && *d <= r.end())).count();
                held == 0 || held == 10
            }
            HirKind::Class(Class::Unicode(class)) => {
                let held = ('0'..='9').filter(|d| class.iter().any(|r| r.start() <= *d && *d <= r.end())).count();
                held == 0 || held == 10
            }
            HirKind::Repetition(repetition) => alike(&repetition.sub),
            HirKind::Capture(capture) => alike(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(alike),
            HirKind::Empty | HirKind::Look(_) => true,
        }
    }
    alike(&pattern.hir)
}

/// One place of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Always this byte.
    Fixed(u8),
    /// Any digit.
    Digit,
}

/// The places of a format all of whose strings are alike; `None` for any other.
fn places(hir: &Hir) -> Option<Vec<Place>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(literal.0.iter().map(|byte| Place::Fixed(*byte)).collect()),
        HirKind::Class(Class::Bytes(class)) => match class.ranges() {
            [range] if (range.start(), range.end()) == (b'0', b'9') => Some(vec![Place::Digit]),
            _ => None,
        },
        HirKind::Repetition(repetition) if Some(repetition.min) == repetition.max => {
            let once = places(&repetition.sub)?;
            Some(once.repeat(repetition.min as usize))
        }
        HirKind::Capture(capture) => places(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(places).collect::<Option<Vec<_>>>().map(|parts| parts.concat()),
        _ => None,
    }
}

/// How many fillings of the places pass a sum, of how many. Linear in places times modulus.
fn count(places: &[Place], additive: &Additive) -> (u64, u64) {
    let modulus = additive.modulus as usize;
    let mut ways = vec![0u64; modulus];
    ways[0] = 1;
    let digits = places.iter().rev().filter(|place| match place {
        Place::Digit => true,
        Place::Fixed(byte) => byte.is_ascii_digit(),
    });
    let mut all_zero_possible = true;
    for (position, place) in digits.enumerate() {
        let choices = match place {
            Place::Digit => 0..=9,
            Place::Fixed(byte) => byte - b'0'..=byte - b'0',
        };
        all_zero_possible &= choices.contains(&0);
        let mut next = vec![0u64; modulus];
        for digit in choices {
            let term = (additive.term)(position, digit) as usize;
            for (residue, ways) in ways.iter().enumerate() {
                next[(residue + term) % modulus] += ways;
            }
        }
        ways = next;
    }
    let zero_passes = all_zero_possible && additive.nonzero;
    (ways[additive.residue as usize] - u64::from(zero_passes), ways.iter().sum())
}

/// Runs the engine on one short text after another.
#[derive(Default)]
struct Reader {
    view: ByteView,
    candidates: Vec<Candidate>,
}

impl Reader {
    fn read(&mut self, engine: &PrefilteredEngine, text: &str) -> &[Candidate] {
        self.view.fill(&[Turn { role: Role::Other, text }]);
        engine.candidates(&self.view, &mut self.candidates);
        &self.candidates
    }
}

/// A string of the format, each choice equally likely.
fn draw(hir: &Hir, random: &mut Random) -> String {
    fn walk(hir: &Hir, random: &mut Random, text: &mut String) {
        match hir.kind() {
            HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(Class::Bytes(class)) => {
                let choices: Vec<u8> = class.iter().flat_map(|range| range.start()..=range.end()).collect();
                text.push(char::from(choices[random.below(choices.len() as u64) as usize]));
            }
            HirKind::Class(Class::Unicode(class)) => {
                let ranges = class.ranges();
                let range = &ranges[random.below(ranges.len() as u64) as usize];
                text.push(range.start());
            }
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(repetition.min);
                let times = u64::from(repetition.min) + random.below(u64::from(most - repetition.min) + 1);
                (0..times).for_each(|_| walk(&repetition.sub, random, text));
            }
            HirKind::Capture(capture) => walk(&capture.sub, random, text),
            HirKind::Concat(parts) => parts.iter().for_each(|part| walk(part, random, text)),
            HirKind::Alternation(parts) => walk(&parts[random.below(parts.len() as u64) as usize], random, text),
            HirKind::Empty | HirKind::Look(_) => {}
        }
    }
    let mut text = String::new();
    walk(hir, random, &mut text);
    text
}

/// SplitMix64: a fixed sequence, so that a check says the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_counted_over_all_strings() {
        // One digit and its double: d + 2d = 3d, divisible by 11 for 0 only among 00, 11 … 99.
        let additive = Additive { modulus: 10, residue: 0, term: |_, digit| u32::from(digit), nonzero: false };
        assert_eq!(count(&[Place::Digit, Place::Digit], &additive), (10, 100));
        let nonzero = Additive { nonzero: true, ..additive };
        assert_eq!(count(&[Place::Digit, Place::Fixed(b'-'), Place::Digit], &nonzero), (9, 100));
        assert_eq!(count(&[Place::Fixed(b'4'), Place::Digit], &additive), (1, 10));
    }

    #[test]
    fn an_interval_holds_its_share() {
        let share = Share { entity: "nl.bsn".into(), passing: 1_818, of: SAMPLE, exact: false };
        let (low, high) = share.interval();
        assert!(low < 0.0909 && 0.0909 < high && high - low < 0.01);
    }
}
