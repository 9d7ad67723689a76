//! Dates and times of the proleptic Gregorian calendar, with no clock and no time zones.
//!
//! Conversion follows Howard Hinnant's "chrono-compatible low-level date algorithms" (2013).

use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::rng::Rng;

/// A day of the calendar, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    days: i64,
}

/// Why a date could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateError {
    text: String,
}

impl fmt::Display for DateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is not a date such as 2026-03-02", self.text)
    }
}

impl std::error::Error for DateError {}

/// The number of days in a month, 1 to 12.
pub const fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether the calendar has this day.
pub const fn exists(year: i64, month: u32, day: u32) -> bool {
    month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month)
}

impl Date {
    /// The date of a year, month and day, or `None` where the calendar has none.
    pub const fn new(year: i64, month: u32, day: u32) -> Option<Self> {
        if !exists(year, month, day) {
            return None;
        }
        let shifted = if month <= 2 { year - 1 } else { year };
        let era = shifted.div_euclid(400);
        let year_of_era = shifted.rem_euclid(400);
        let month_from_march = (month as i64 + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day as i64 - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Some(Self { days: era * 146_097 + day_of_era - 719_468 })
    }

    /// Days since 1970-01-01.
    pub const fn days(self) -> i64 {
        self.days
    }

    /// The date so many days later (or earlier).
    pub const fn plus(self, days: i64) -> Self {
        Self { days: self.days + days }
    }

    /// Year, month and day.
    pub const fn parts(self) -> (i64, u32, u32) {
        let shifted = self.days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
        (year, month as u32, day)
    }

    /// A moment of this day in RFC 3339, in UTC; seconds past midnight run on into the next day.
    pub fn at(self, second: u64) -> String {
        let day = self.plus((second / 86_400) as i64);
        let second = second % 86_400;
        let mut text = String::with_capacity(20);
        // Writing to a String cannot fail.
        let _ = write!(text, "{day}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60);
        text
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let error = || DateError { text: text.chars().take(40).collect() };
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return Err(error());
        }
        let number = |from: usize, to: usize| text[from..to].parse::<u32>().map_err(|_| error());
        Self::new(i64::from(number(0, 4)?), number(5, 7)?, number(8, 10)?).ok_or_else(error)
    }
}

/// A birth date between the two years, both included.
pub fn birth(rng: &mut Rng, from: i64, to: i64) -> (i64, u32, u32) {
    let year = from + rng.below((to - from + 1) as u64) as i64;
    let month = rng.between(1, 12) as u32;
    (year, month, rng.between(1, u64::from(days_in_month(year, month))) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_convert_both_ways() {
        assert_eq!(Date::new(1970, 1, 1).unwrap().days(), 0);
        assert_eq!(Date::new(2000, 3, 1).unwrap().days(), 11_017);
        for days in (-200_000..200_000).step_by(97) {
            let date = Date { days };
            let (year, month, day) = date.parts();
            assert_eq!(Date::new(year, month, day), Some(date));
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in ["2026-02-29", "2026-13-01", "2026-00-10", "2026-3-02", "2026-03-02x", "", "26-03-02", "é026-03-0"]
        {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        assert_eq!("2024-02-29".parse::<Date>().unwrap().to_string(), "2024-02-29");
    }

    #[test]
    fn moments_run_on_into_the_next_day() {
        let date = Date::new(2026, 12, 31).unwrap();
        assert_eq!(date.at(0), "2026-12-31T00:00:00Z");
        assert_eq!(date.at(33_243), "2026-12-31T09:14:03Z");
        assert_eq!(date.at(86_400), "2027-01-01T00:00:00Z");
    }
}
