//! How long things take: exact quantiles for people, buckets for Prometheus.

use hdrhistogram::Histogram;
use prometheus_client::metrics::histogram;
use std::time::Duration;

/// Upper bounds of the buckets in seconds: from a quick scan to a record that waited for an hour.
const BUCKETS: [f64; 16] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 3600.0];

/// The longest time that quantiles tell apart, in microseconds: a week.
const LONGEST: u64 = 7 * 24 * 60 * 60 * 1_000_000;

/// Times of one kind, over the life of the process. About 200 KiB, however many there are.
#[derive(Debug)]
pub struct Latency {
    micros: Histogram<u64>,
    buckets: histogram::Histogram,
}

impl Default for Latency {
    fn default() -> Self {
        Self {
            micros: Histogram::new_with_bounds(1, LONGEST, 3).expect("bounds within what a histogram takes"),
            buckets: histogram::Histogram::new(BUCKETS),
        }
    }
}

impl Latency {
    /// Counts a time; one over the longest is counted as that.
    pub fn observe(&mut self, time: Duration) {
        self.micros.saturating_record(u64::try_from(time.as_micros()).unwrap_or(LONGEST).max(1));
        self.buckets.observe(time.as_secs_f64());
    }

    /// The times in microseconds.
    pub fn micros(&self) -> &Histogram<u64> {
        &self.micros
    }

    pub(super) fn buckets(&self) -> &histogram::Histogram {
        &self.buckets
    }
}

/// Quantiles of times in microseconds, as text in milliseconds: `p50 1.20, p99 3.40, p99.9 5.60, most 7.80`.
pub fn quantiles_in_ms(micros: &Histogram<u64>) -> String {
    let at = |quantile| micros.value_at_quantile(quantile) as f64 / 1000.0;
    let most = micros.max() as f64 / 1000.0;
    format!("p50 {:.2}, p99 {:.2}, p99.9 {:.2}, most {most:.2}", at(0.5), at(0.99), at(0.999))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_all_times_and_the_longest_is_kept() {
        let mut latency = Latency::default();
        (1..=1000).for_each(|ms| latency.observe(Duration::from_millis(ms)));
        assert_eq!(quantiles_in_ms(latency.micros()), "p50 500.22, p99 990.21, p99.9 999.42, most 1000.45");
        latency.observe(Duration::MAX);
        assert!(latency.micros().max() >= LONGEST);
    }
}
