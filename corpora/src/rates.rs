//! How often things happen in a corpus, and the arithmetic behind the numbers.
//!
//! A day has [`DAY`] = 41,200 transcripts. Two figures are meant to come out of a day, whatever else is in it:
//!
//! | a gate that … | blocks | of 41,200 |
//! |---|---|---|
//! | finds tier-1 data and nothing else | [`TIER1_PER_DAY`] = 144 | 0.35 % |
//! | also takes ticket references for Dutch BSNs | 144 + [`FALSE_BSN_PER_DAY`] = 144 + 227 = 371 | 0.90 % |
//!
//! # The share of transcripts that mention their reference
//!
//! A ticket reference is `NL-dddd-dddd` with eight uniformly random digits. A BSN has nine, but is also written with
//! eight where its first is zero; so a pattern that reads the eight digits of a reference as a BSN applies the
//! "11-test" with a leading zero. The test accepts `d1…d8` where
//!
//! ```text
//! 8·d1 + 7·d2 + 6·d3 + 5·d4 + 4·d5 + 3·d6 + 2·d7 − d8 ≡ 0 (mod 11),   not all zero
//! ```
//!
//! For each of the 10^7 choices of `d1…d7` there is one digit `d8` that fits, except where the sum leaves 10, which
//! is one case in eleven. [`ELEVEN_TEST_PASSES`] counts them exactly: 9,090,909 strings less the one that is all
//! zeros, 9,090,908 of 10^8, so the chance is 0.09090908, one in eleven.
//!
//! Of 41,200 transcripts 144 hold tier-1 data and 41,056 do not. For 227 of those to mention a reference that passes,
//! a share *p* must mention one, with
//!
//! ```text
//! 41,056 · p · 0.09090908 = 227        p = 0.060819 (6.1 %)
//! ```
//!
//! that is about 2,497 of the others a day. A transcript mentions one reference, once or several times, and never two
//! different ones: with two, its chance of being blocked wrongly would nearly double and the arithmetic would fail.
//!
//! Both events are drawn for each transcript by itself, and one with tier-1 data mentions its reference as often as
//! others. So the counts are binomial: a day's tier-1 count has the standard deviation √(144 · 0.9965) ≈ 12.0, the
//! count of passing references √(227 · 0.9945) ≈ 15.0.

use crate::rng::Rng;

/// Transcripts in a day.
pub const DAY: u64 = 41_200;

/// Transcripts of a day that hold tier-1 data, on average.
pub const TIER1_PER_DAY: u64 = 144;

/// Transcripts of a day without tier-1 data whose reference, mentioned in prose, passes the 11-test, on average.
pub const FALSE_BSN_PER_DAY: u64 = 227;

/// How many of the 10^8 references pass the 11-test with a leading zero.
pub const ELEVEN_TEST_PASSES: u64 = eleven_test_passes();

/// All references there can be.
pub const REFERENCES: u64 = 100_000_000;

/// The share of transcripts that mention their reference in prose, as a fraction: `.0` of `.1`.
pub const REFERENCE_SHARE: (u64, u64) = (FALSE_BSN_PER_DAY * REFERENCES, (DAY - TIER1_PER_DAY) * ELEVEN_TEST_PASSES);

/// Transcripts without a customer key, of a hundred.
pub const ANONYMOUS_PERCENT: u64 = 1;

/// Transcripts whose first turn is the bot's, with the platform's header lines, of a hundred.
pub const HEADER_PERCENT: u64 = 88;

/// Headers that name the ticket, of a hundred.
pub const HEADER_TICKET_PERCENT: u64 = 95;

/// Transcripts in which the customer repeats the account e-mail in prose, of a thousand.
pub const EMAIL_PER_MILLE: u64 = 70;

/// Transcripts in which the customer repeats the billing address in prose, of a thousand.
pub const ADDRESS_PER_MILLE: u64 = 50;

/// Transcripts in which the customer gives a telephone number, of a thousand.
pub const PHONE_PER_MILLE: u64 = 60;

/// Transcripts in which the customer gives an IBAN, of a thousand.
pub const IBAN_PER_MILLE: u64 = 15;

/// Transcripts in which the agent calls the customer by name, of a thousand.
pub const NAME_PER_MILLE: u64 = 150;

/// Counts the references that pass by following how many prefixes leave each remainder.
const fn eleven_test_passes() -> u64 {
    let mut counts = [0_u64; 11];
    counts[0] = 1;
    let mut position = 0;
    while position < 8 {
        // The weights 8, 7, … 2, and −1 for the last digit.
        let weight = if position == 7 { 10 } else { 8 - position };
        let mut next = [0_u64; 11];
        let mut remainder = 0;
        while remainder < 11 {
            let mut digit = 0;
            while digit < 10 {
                next[(remainder + weight * digit) % 11] += counts[remainder];
                digit += 1;
            }
            remainder += 1;
        }
        counts = next;
        position += 1;
    }
    // Eight zeros pass the sum and are no number.
    counts[0] - 1
}

/// Whether the eight digits of a reference pass the Dutch 11-test when they are read with a leading zero.
///
/// Characters other than digits are skipped, so that `NL-8842-1993` can be given as it stands.
pub fn reference_passes_eleven_test(reference: &str) -> bool {
    let digits: Vec<u64> = reference.bytes().filter(u8::is_ascii_digit).map(|digit| u64::from(digit - b'0')).collect();
    let weights = [8, 7, 6, 5, 4, 3, 2, 10];
    digits.len() == 8
        && digits.iter().any(|digit| *digit != 0)
        && digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum::<u64>() % 11 == 0
}

/// Draws whether a transcript holds tier-1 data.
pub fn holds_tier1(rng: &mut Rng) -> bool {
    rng.chance(TIER1_PER_DAY, DAY)
}

/// Draws whether a transcript mentions its ticket reference in prose.
pub fn mentions_reference(rng: &mut Rng) -> bool {
    rng.chance(REFERENCE_SHARE.0, REFERENCE_SHARE.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passing_references_are_one_in_eleven() {
        assert_eq!(ELEVEN_TEST_PASSES, 9_090_908);
    }

    #[test]
    fn the_share_gives_the_figure_it_was_made_for() {
        let (of, among) = REFERENCE_SHARE;
        let share = of as f64 / among as f64;
        let blocked = (DAY - TIER1_PER_DAY) as f64 * share * ELEVEN_TEST_PASSES as f64 / REFERENCES as f64;
        assert!((blocked - 227.0).abs() < 1e-6);
        assert!((share - 0.060_819).abs() < 5e-7, "{share}");
    }

    #[test]
    fn the_test_is_the_one_of_the_documentation() {
        // 8·8 + 7·8 + 6·4 + 5·2 + 4·1 + 3·9 + 2·9 = 203, which leaves 5.
        assert!(reference_passes_eleven_test("NL-8842-1995"));
        assert!(!reference_passes_eleven_test("NL-8842-1993"));
        assert!(!reference_passes_eleven_test("NL-0000-0000"));
        assert!(!reference_passes_eleven_test("NL-8842-199"));
    }
}
