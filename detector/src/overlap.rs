//! Overlaps: one reading for each stretch of text, chosen by weight over the whole document.

use std::cmp::Reverse;

/// A reading with its place and weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// First byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Evidence, in tenths of a ban; positive.
    pub points: i32,
}

impl Weighed {
    /// What counts in a sum of several readings: the odds themselves, with length to break ties. Points are
    /// logarithms, so the sum of the points of a few weak fragments would outweigh one strong whole.
    pub(crate) fn weight(&self) -> u128 {
        /// 1024 times the cube roots of 1, 2 and 4: three points are a factor of 10^0.3, which is 2 to within 1 %.
        const THIRDS: [u128; 3] = [1024, 1290, 1625];
        let points = self.points.clamp(0, MOST_POINTS) as usize;
        let odds = THIRDS[points % 3] << (points / 3);
        odds * 1024 + (self.end - self.start).min(1023) as u128
    }
}

/// Beyond this more evidence makes no difference to a choice. It keeps sums of a billion readings in range.
const MOST_POINTS: i32 = 180;

/// Chooses the readings that do not overlap and weigh most together; returns their indexes, by start.
///
/// This is weighted interval scheduling: the choice depends on the whole set, never on which reading starts first.
/// Of two sets of equal weight the one whose last reading comes first in the given order wins, so the result is
/// fixed by the input. Cost: O(n log n).
pub fn heaviest(readings: &[Weighed]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..readings.len()).collect();
    order.sort_by_key(|i| (readings[*i].end, Reverse(readings[*i].start), *i));
    let ends: Vec<usize> = order.iter().map(|i| readings[*i].end).collect();

    // best[k]: the most that the first k readings (by end) can weigh; and how.
    let mut best: Vec<u128> = vec![0; order.len() + 1];
    let mut before: Vec<Option<usize>> = vec![None; order.len()];
    for (k, i) in order.iter().enumerate() {
        let compatible = ends[..k].partition_point(|end| *end <= readings[*i].start);
        let with = best[compatible] + readings[*i].weight();
        if with > best[k] {
            best[k + 1] = with;
            before[k] = Some(compatible);
        } else {
            best[k + 1] = best[k];
        }
    }
    let mut chosen = Vec::new();
    let mut k = order.len();
    while k > 0 {
        match before[k - 1] {
            Some(compatible) => {
                chosen.push(order[k - 1]);
                k = compatible;
            }
            None => k -= 1,
        }
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(start: usize, end: usize, points: i32) -> Weighed {
        Weighed { start, end, points }
    }

    #[test]
    fn the_heavier_wins_whoever_starts_first() {
        assert_eq!(heaviest(&[reading(0, 10, 20), reading(5, 15, 50), reading(14, 20, 20)]), [1]);
        assert_eq!(heaviest(&[reading(0, 5, 30), reading(5, 9, 30), reading(2, 8, 32)]), [0, 1]);
        assert_eq!(heaviest(&[reading(0, 5, 25), reading(5, 9, 25), reading(0, 9, 45)]), [2]);
    }

    #[test]
    fn many_weak_fragments_do_not_outweigh_one_strong_whole() {
        let card_and_codes = [(0, 4), (5, 9), (10, 14), (15, 19)].map(|(start, end)| reading(start, end, 38));
        assert_eq!(heaviest(&[&card_and_codes[..], &[reading(0, 19, 56)]].concat()), [4]);
    }

    #[test]
    fn of_equals_the_longer_wins() {
        assert_eq!(heaviest(&[reading(0, 8, 40), reading(0, 12, 40)]), [1]);
    }

    proptest! {
        #[test]
        fn chosen_readings_never_overlap_and_no_set_weighs_more(
            raw in prop::collection::vec((0usize..30, 1usize..10, 1i32..60), 0..10)
        ) {
            let readings: Vec<Weighed> = raw.iter().map(|(s, l, p)| reading(*s, s + l, *p)).collect();
            let chosen = heaviest(&readings);
            let apart = |set: &[usize]| set.iter().enumerate().all(|(n, i)| set[n + 1..].iter().all(|j| {
                readings[*i].end <= readings[*j].start || readings[*j].end <= readings[*i].start
            }));
            let weight = |set: &[usize]| set.iter().map(|i| readings[*i].weight()).sum::<u128>();
            prop_assert!(apart(&chosen));
            for subset in 0u32..1 << readings.len() {
                let set: Vec<usize> = (0..readings.len()).filter(|i| subset & (1 << i) != 0).collect();
                prop_assert!(!apart(&set) || weight(&set) <= weight(&chosen));
            }
        }
    }
}
