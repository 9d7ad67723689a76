//! The figures of [`maysend_corpora::rates`], counted from the text and the labels alone.
//!
//! Counts are binomial with a small chance, so their standard deviation is nearly the root of the expectation. The
//! bound is four of them: a sound generator leaves it for one seed in 16,000, and the seed is fixed. A chance that is
//! wrong by a tenth leaves it here for the references, whose expectation over the days is 1,135.

use maysend_corpora::rates::{DAY, FALSE_BSN_PER_DAY, REFERENCE_SHARE, TIER1_PER_DAY, reference_passes_eleven_test};
use maysend_corpora::{Date, Day, Labelled, Speaker, Style};

const DAYS: u64 = 5;

/// The ticket references in prose: everywhere but in the header line that the platform renders.
fn references(made: &Labelled) -> Vec<String> {
    let mut found = Vec::new();
    for (number, turn) in made.transcript.turns.iter().enumerate() {
        let header = if number == 0 && turn.speaker == Speaker::Bot { turn.text.find("\n\n").unwrap_or(0) } else { 0 };
        for (at, _) in turn.text[header..].match_indices("NL-") {
            let reference = turn.text[header..][at..].get(..12).unwrap_or_default();
            let shaped = reference.bytes().enumerate().skip(3).all(|(at, byte)| match at {
                7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
            if shaped && !reference.is_empty() {
                found.push(reference.to_owned());
            }
        }
    }
    found
}

#[derive(Default)]
struct Counts {
    tier1: u64,
    references: u64,
    repeated: u64,
    false_bsns: u64,
    anonymous: u64,
    headers: u64,
}

fn count(style: Style, days: u64) -> Counts {
    let start = Date::new(2026, 3, 2).unwrap();
    let mut counts = Counts::default();
    for made in (0..days).flat_map(|day| Day::new(1, start.plus(day as i64), DAY, style)) {
        let found = references(&made);
        assert!(found.iter().all(|reference| *reference == found[0]), "two references in {}", made.transcript.id);
        let tier1 = made.labels.iter().any(|label| label.tier1);
        counts.tier1 += u64::from(tier1);
        counts.references += u64::from(!found.is_empty());
        counts.repeated += u64::from(found.len() > 1);
        counts.false_bsns +=
            u64::from(!tier1 && found.first().is_some_and(|found| reference_passes_eleven_test(found)));
        counts.anonymous += u64::from(made.transcript.customer_key.is_none());
        counts.headers += u64::from(made.transcript.turns[0].speaker == Speaker::Bot);
    }
    counts
}

/// Whether a count lies within four standard deviations of `chance` times `trials`.
fn assert_near(what: &str, count: u64, trials: u64, chance: f64) {
    let expected = trials as f64 * chance;
    let bound = 4.0 * (expected * (1.0 - chance)).sqrt();
    assert!((count as f64 - expected).abs() <= bound, "{what}: {count}, expected {expected:.0} ± {bound:.0}");
}

#[test]
fn a_day_blocks_as_often_as_the_arithmetic_says() {
    let counts = count(Style::Normal, DAYS);
    let trials = DAYS * DAY;
    let tier1 = TIER1_PER_DAY as f64 / DAY as f64;
    let false_bsn = FALSE_BSN_PER_DAY as f64 / DAY as f64;
    assert_near("with tier-1 data", counts.tier1, trials, tier1);
    assert_near("taken for BSNs", counts.false_bsns, trials, false_bsn);
    assert_near("blocked by the faulty pattern", counts.tier1 + counts.false_bsns, trials, tier1 + false_bsn);
    assert_near("with a reference", counts.references, trials, REFERENCE_SHARE.0 as f64 / REFERENCE_SHARE.1 as f64);
    assert_near("without a key", counts.anonymous, trials, 0.01);
    assert_near("with a header", counts.headers, trials, 0.88);
    assert!(counts.repeated * 4 > counts.references, "some references are repeated");
}

#[test]
fn digit_heavy_days_have_the_same_rates() {
    let counts = count(Style::Digits, 1);
    assert_near("with tier-1 data", counts.tier1, DAY, TIER1_PER_DAY as f64 / DAY as f64);
    assert_near("taken for BSNs", counts.false_bsns, DAY, FALSE_BSN_PER_DAY as f64 / DAY as f64);
}
