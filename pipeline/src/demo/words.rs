//! Numbers as people read them.

use std::time::Duration;

/// `41,200`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `0.35 %`; of nothing, `0.00 %`.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.2} %", part as f64 * 100.0 / whole.max(1) as f64)
}

/// `687 /s`.
pub fn rate(rate: f64) -> String {
    format!("{} /s", count(rate.round() as u64))
}

/// `1.4 h`.
pub fn hours(hours: f64) -> String {
    format!("{hours:.1} h")
}

/// `0:23`, minutes and seconds.
pub fn clock(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}

/// `8.4 ms`, `112 ms`, `1.3 s`.
pub fn latency(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    match ms {
        ms if ms < 9.95 => format!("{ms:.1} ms"),
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1000.0),
    }
}

/// `142 KiB`, `1.5 MiB`.
pub fn bytes(bytes: usize) -> String {
    let kibibytes = bytes as f64 / 1024.0;
    match kibibytes {
        small if small < 999.5 => format!("{small:.0} KiB"),
        large => format!("{:.1} MiB", large / 1024.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_people_read_them() {
        assert_eq!([0, 999, 1000, 41_200, 1_000_000].map(count), ["0", "999", "1,000", "41,200", "1,000,000"]);
        assert_eq!(percent(144, 41_200), "0.35 %");
        assert_eq!(percent(0, 0), "0.00 %");
        assert_eq!(rate(686.6), "687 /s");
        assert_eq!(hours(1.44), "1.4 h");
        assert_eq!(clock(Duration::from_secs(83)), "1:23");
        let latencies = [8_430, 9_960, 112_400, 999_600, 1_310_000];
        assert_eq!(latencies.map(Duration::from_micros).map(latency), ["8.4 ms", "10 ms", "112 ms", "1.0 s", "1.3 s"]);
        assert_eq!([0, 145_408, 1_572_864].map(bytes), ["0 KiB", "142 KiB", "1.5 MiB"]);
    }
}
