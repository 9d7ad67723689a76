//! What the patterns find in text without personal data, and in numbers that nothing names: two sides of one coin.
//!
//! A false alarm costs a reviewer's time; silence cannot be taken back. Both are counted by entity, with every country
//! pack on, since packs only ever raise.

use maysend::ruleset::{Ruleset, policy::Tier};
use maysend_corpora::rng::Rng;
use maysend_detector::{
    Detection, Options, Role, Turn, Verdict,
    pattern::{Entity, Grouped, Pattern, grouped},
};
use regex_syntax::hir::{Class, Hir, HirKind};
use std::collections::BTreeMap;

/// Names the streams of random numbers of this module, apart from others.
const STREAM: u64 = 0x72_6174_6573;

/// Text without personal data, by what it holds.
pub const CLEAN: [&str; 14] = [
    "order number",
    "tracking number",
    "timestamp",
    "price",
    "version",
    "coordinates",
    "UUID",
    "hash",
    "digits, 9",
    "digits, 10",
    "digits, 11 to 12",
    "digits, 13 to 15",
    "digits, 16",
    "groups of digits",
];

fn hexadecimal(rng: &mut Rng, length: usize) -> String {
    (0..length).map(|_| char::from(*rng.pick(b"0123456789abcdef"))).collect()
}

fn capitals(rng: &mut Rng, length: usize) -> String {
    (0..length).map(|_| char::from(*rng.pick(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"))).collect()
}

/// A value of one of the kinds of [`CLEAN`].
fn clean_value(rng: &mut Rng, kind: usize) -> String {
    match kind {
        0 => match rng.between(0, 3) {
            0 => format!("{}-{}", capitals(rng, 3), rng.digits(6)),
            1 => format!("{}{}", capitals(rng, 2), rng.digits(7)),
            2 => format!("20{}-{}", rng.digits(2), rng.digits(6)),
            _ => format!("#{}", rng.digits(7)),
        },
        1 => match rng.between(0, 4) {
            0 => format!("1Z{}{}", capitals(rng, 3), rng.digits(13)),
            1 => format!("{}{}{}", capitals(rng, 2), rng.digits(9), rng.pick(&["NL", "DE", "GB", "CN"])),
            2 => format!("3S{}{}", capitals(rng, 4), rng.digits(9)),
            3 => format!("JJD{}", rng.digits(18)),
            _ => rng.digits(20),
        },
        2 => match rng.between(0, 3) {
            0 => format!("17{}", rng.digits(8)),
            1 => format!("17{}", rng.digits(11)),
            2 => format!(
                "2026{:02}{:02}{:02}{}",
                rng.between(1, 12),
                rng.between(1, 28),
                rng.between(0, 23),
                rng.digits(4)
            ),
            _ => format!(
                "2026-{:02}-{:02}T{:02}:17:{:02}Z",
                rng.between(1, 12),
                rng.between(1, 28),
                rng.between(0, 23),
                rng.between(10, 59)
            ),
        },
        3 => format!("{}.{},{}", rng.between(1, 999), rng.digits(3), rng.digits(2)),
        4 => format!("{}.{}.{}.{}", rng.between(1, 30), rng.between(0, 99), rng.between(0, 9999), rng.between(0, 99)),
        5 => format!("{}.{}, {}.{}", rng.between(1, 80), rng.digits(6), rng.between(1, 170), rng.digits(6)),
        6 => format!(
            "{}-{}-4{}-a{}-{}",
            hexadecimal(rng, 8),
            hexadecimal(rng, 4),
            hexadecimal(rng, 3),
            hexadecimal(rng, 3),
            hexadecimal(rng, 12)
        ),
        7 => {
            let length = *rng.pick(&[32, 40, 64]);
            hexadecimal(rng, length)
        }
        8 => format!("{}{}", rng.between(1, 9), rng.digits(8)),
        9 => format!("{}{}", rng.between(1, 9), rng.digits(9)),
        10 => {
            let more = rng.between(10, 11) as usize;
            format!("{}{}", rng.between(1, 9), rng.digits(more))
        }
        11 => {
            let more = rng.between(12, 14) as usize;
            format!("{}{}", rng.between(1, 9), rng.digits(more))
        }
        12 => format!("{}{}", rng.between(1, 9), rng.digits(15)),
        _ => {
            let groups = rng.between(2, 4);
            let each: Vec<String> = (0..groups)
                .map(|_| {
                    let length = rng.between(2, 5) as usize;
                    rng.digits(length)
                })
                .collect();
            each.join(*rng.pick(&[" ", "-", "."]))
        }
    }
}

/// Sentences of a customer, with a place for a value that nothing names.
const FRAMES: [&str; 6] = [
    "{}",
    "hi, it is {}",
    "Here you go: {}",
    "It says {} on my screen, what now?",
    "{} that is all I have",
    "The display shows {} and then nothing happens.",
];

fn framed(rng: &mut Rng, value: &str) -> String {
    rng.pick(&FRAMES).replacen("{}", value, 1)
}

/// What a ruleset does with one text.
struct Outcome {
    redacted: Vec<(usize, usize)>,
    /// Tier-1 entities over their block threshold.
    blocks: Vec<String>,
}

fn outcome(ruleset: &Ruleset, text: &str, packs: &[String]) -> Outcome {
    let turns = [Turn { role: Role::Customer, text }];
    let Detection { findings, .. } = ruleset.detector.detect(&turns, &Options { packs, ..Options::default() });
    let mut outcome = Outcome { redacted: Vec::new(), blocks: Vec::new() };
    for finding in &findings {
        let own = (finding.entity.as_str(), finding.points, finding.span);
        let rivals = finding.rivals.iter().map(|rival| (rival.entity.as_str(), rival.points, rival.span));
        for (entity, points, span) in std::iter::once(own).chain(rivals) {
            let rule = ruleset.rules.policy.rule(entity);
            if points >= rule.redact_at {
                outcome.redacted.push((span.start, span.end));
            }
            if rule.tier == Tier::One && points >= rule.block_at {
                outcome.blocks.push(entity.to_owned());
            }
        }
    }
    outcome
}

/// Blocks of documents without personal data.
#[derive(Default)]
pub struct Alarms {
    /// By kind of [`CLEAN`]: documents, and those that were blocked.
    pub by_kind: Vec<(u64, u64)>,
    /// By entity: documents that it blocked.
    pub by_entity: BTreeMap<String, u64>,
}

/// Counts the blocks of so many clean documents, of each kind as many.
pub fn alarms(ruleset: &Ruleset, packs: &[String], documents: u64) -> Alarms {
    let mut alarms = Alarms { by_kind: vec![(0, 0); CLEAN.len()], by_entity: BTreeMap::new() };
    for index in 0..documents {
        let mut rng = Rng::new(1, &[STREAM, 1, index]);
        let kind = (index % CLEAN.len() as u64) as usize;
        let value = clean_value(&mut rng, kind);
        let text = framed(&mut rng, &value);
        let mut blocks = outcome(ruleset, &text, packs).blocks;
        blocks.sort_unstable();
        blocks.dedup();
        alarms.by_kind[kind].0 += 1;
        alarms.by_kind[kind].1 += u64::from(!blocks.is_empty());
        for entity in blocks {
            *alarms.by_entity.entry(entity).or_default() += 1;
        }
    }
    alarms
}

/// What becomes of an entity's own valid forms when nothing names them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bare {
    /// Forms that were made.
    pub made: u64,
    /// Those of which every character was redacted.
    pub redacted: u64,
    /// Those that blocked.
    pub blocked: u64,
}

/// How often a random string of a pattern is tried against its check before the pattern is given up.
const TRIES: u64 = 200_000;

/// Makes valid forms of an entity and counts what becomes of them with the pack of its country on. Of its patterns those
/// count that need no label; where all do, all count. One that is found by the words around it has no bare form.
pub fn bare(ruleset: &Ruleset, entity: &Entity, forms: u64) -> Bare {
    let catalogue = ruleset.detector.catalogue();
    let is_own = |pattern: &&Pattern| catalogue.entity_of(pattern).id == entity.id && !pattern.has_value;
    let own: Vec<&Pattern> = catalogue.patterns.iter().filter(is_own).collect();
    let free: Vec<&Pattern> = own.iter().copied().filter(|pattern| !pattern.needs_label).collect();
    let patterns = if free.is_empty() { own } else { free };
    let packs: Vec<String> = entity.country.into_iter().map(str::to_owned).collect();
    let mut bare = Bare::default();
    for index in 0..forms {
        let Some(pattern) = patterns.get(index as usize % patterns.len().max(1)) else { break };
        let mut rng = Rng::new(1, &[STREAM, 2, index]);
        let Some(form) = valid_form(&mut rng, pattern) else { continue };
        let text = framed(&mut rng, &form);
        let Outcome { redacted, blocks } = outcome(ruleset, &text, &packs);
        let Some(start) = text.find(&form) else { continue };
        let end = start + form.len();
        bare.made += 1;
        bare.redacted += u64::from(redacted.iter().any(|span| span.0 < end && start < span.1));
        bare.blocked += u64::from(!blocks.is_empty());
    }
    bare
}

/// How many of the tries are written with separators, where they may be left out: few fall into groups that people use.
const SPACED: u64 = 2_000;

/// A form that passes the pattern's check, in groups that people use or in a row.
fn valid_form(rng: &mut Rng, pattern: &Pattern) -> Option<String> {
    let spaced = if rng.percent(50) { SPACED } else { 0 };
    (0..TRIES).find_map(|index| {
        let mut form = String::new();
        write(rng, &pattern.hir, index < spaced, &mut form);
        let passes = pattern.validator.as_ref().is_none_or(|check| check.verdict(form.as_bytes()) == Verdict::Valid);
        let is_usual = pattern.groupings.is_empty() || grouped(form.as_bytes(), &pattern.groupings) != Grouped::Odd;
        (passes && is_usual).then_some(form)
    })
}

/// Whether an expression matches signs between groups only.
fn is_separator(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => !literal.0.iter().any(u8::is_ascii_alphanumeric),
        HirKind::Class(Class::Bytes(class)) => {
            !class.iter().any(|range| (range.start()..=range.end()).any(|byte| byte.is_ascii_alphanumeric()))
        }
        _ => false,
    }
}

/// Writes a random match of an expression, with separators that may be left out or without.
fn write(rng: &mut Rng, hir: &Hir, spaced: bool, out: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Bytes(class)) => {
            let all: Vec<u8> = class.iter().flat_map(|range| range.start()..=range.end()).collect();
            out.push(char::from(*rng.pick(&all)));
        }
        HirKind::Class(Class::Unicode(class)) => {
            let all: Vec<char> = class.iter().flat_map(|range| range.start()..=range.end()).take(4096).collect();
            out.push(*rng.pick(&all));
        }
        HirKind::Repetition(repetition) if repetition.min == 0 && !spaced && is_separator(&repetition.sub) => {}
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min + 12).min(repetition.min + 24);
            for _ in 0..rng.between(u64::from(repetition.min), u64::from(most)) {
                write(rng, &repetition.sub, spaced, out);
            }
        }
        HirKind::Capture(capture) => write(rng, &capture.sub, spaced, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(rng, part, spaced, out)),
        HirKind::Alternation(parts) => {
            let part = rng.pick(parts);
            write(rng, part, spaced, out);
        }
    }
}
