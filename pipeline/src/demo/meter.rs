//! What happens in a second, by counts that are looked at now and then.

use std::{collections::VecDeque, time::Duration};

/// Rates are over this time.
const WINDOW: Duration = Duration::from_secs(3);

/// What one bar of the history stands for.
const BAR: Duration = Duration::from_millis(500);

/// Bars that are kept: as many as a wide terminal shows.
const MOST_BARS: usize = 300;

/// Counts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Transcripts published.
    pub published: u64,
    /// Transcripts read.
    pub read: u64,
    /// Transcripts decided.
    pub decided: u64,
}

/// Counts a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Transcripts published.
    pub published: f64,
    /// Transcripts read.
    pub read: f64,
    /// Transcripts decided.
    pub decided: f64,
}

/// Makes rates of counts.
#[derive(Debug, Default)]
pub struct Meter {
    samples: VecDeque<(Duration, Counts)>,
    bars: VecDeque<u64>,
    bar_began: (Duration, u64),
}

impl Meter {
    /// Takes in the counts at a time, which is never before the last.
    pub fn sample(&mut self, at: Duration, counts: Counts) {
        self.samples.push_back((at, counts));
        while self.samples.len() > 2 && self.samples.get(1).is_some_and(|(next, _)| at - *next >= WINDOW) {
            self.samples.pop_front();
        }
        let (began, before) = self.bar_began;
        if at >= began + BAR {
            // Looked at late, the bar is an average of those that were missed.
            let bars = ((at - began).as_secs_f64() / BAR.as_secs_f64()).floor().max(1.0);
            let each = counts.decided.saturating_sub(before) as f64 / bars;
            for _ in 0..(bars as usize).min(MOST_BARS) {
                self.bars.push_back(each.round() as u64);
            }
            while self.bars.len() > MOST_BARS {
                self.bars.pop_front();
            }
            self.bar_began = (began + BAR.mul_f64(bars), counts.decided);
        }
    }

    /// Rates over the last seconds.
    pub fn rates(&self) -> Rates {
        let (Some((from, first)), Some((to, last))) = (self.samples.front(), self.samples.back()) else {
            return Rates::default();
        };
        let seconds = (*to - *from).as_secs_f64();
        let rate = |first: u64, last: u64| match seconds > 0.0 {
            true => last.saturating_sub(first) as f64 / seconds,
            false => 0.0,
        };
        Rates {
            published: rate(first.published, last.published),
            read: rate(first.read, last.read),
            decided: rate(first.decided, last.decided),
        }
    }

    /// What was decided in each half second, the oldest first.
    pub fn history(&self) -> Vec<u64> {
        self.bars.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, decided: u64) -> (Duration, Counts) {
        (Duration::from_millis(ms), Counts { published: 2 * decided, read: decided, decided })
    }

    fn meter(samples: impl IntoIterator<Item = (Duration, Counts)>) -> Meter {
        let mut meter = Meter::default();
        samples.into_iter().for_each(|(at, counts)| meter.sample(at, counts));
        meter
    }

    #[test]
    fn rates_are_of_the_last_seconds() {
        assert_eq!(meter([]).rates(), Rates::default());
        assert_eq!(meter([at(0, 5)]).rates(), Rates::default());
        let fast_then_slow = (0..=20).map(|tenth| at(tenth * 500, tenth.min(10) * 100));
        let rates = meter(fast_then_slow).rates();
        assert!(rates.decided < 1e-9 && rates.published < 1e-9, "{rates:?}");
        let steady = meter((0..=20).map(|step| at(step * 500, step * 50)));
        assert!((steady.rates().decided - 100.0).abs() < 1e-9 && (steady.rates().published - 200.0).abs() < 1e-9);
    }

    #[test]
    fn a_bar_is_half_a_second_also_where_it_is_looked_at_late() {
        let regular = meter((1..=10).map(|step| at(step * 100, step * 10)));
        assert_eq!(regular.history(), [50, 50]);
        assert_eq!(meter([at(0, 0), at(2000, 80)]).history(), [20, 20, 20, 20]);
    }
}
