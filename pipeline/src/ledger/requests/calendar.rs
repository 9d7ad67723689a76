//! When something is due.
//!
//! The GDPR says "one month of receipt" (Art. 12(3)). Regulation (EEC, Euratom) 1182/71, Art. 3, says what that is: the day of
//! the event is not counted; the period ends with the day of the last month that has the same date, or with the last day
//! of that month where it has no such day; and if that is a Saturday, a Sunday or a public holiday, with the end of the
//! following working day.

use jiff::{
    ToSpan as _,
    civil::{Date, Weekday},
};
use maysend_detector::source::{InvalidSources, Mistakes, SourceFile};
use std::collections::BTreeSet;

/// Which days are worked on, and how long others may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// Whether a period that would end on a day off ends on the next working day.
    pub ends_on_working_days: bool,
    /// Public holidays where the controller is.
    pub holidays: BTreeSet<Date>,
    /// Days after which a handoff that nobody was asked for is overdue.
    pub ask_within_days: u16,
    /// Days after which a provider that was asked has not answered in time.
    pub answer_within_days: u16,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { ends_on_working_days: true, holidays: BTreeSet::new(), ask_within_days: 7, answer_within_days: 30 }
    }
}

impl Calendar {
    /// Reads a calendar in TOML. Keys that are not there have their defaults.
    ///
    /// # Errors
    /// All its mistakes.
    pub fn parse(name: &str, text: &str) -> Result<Self, InvalidSources> {
        let (mistakes, file) = (Mistakes::default(), SourceFile::new(name, text));
        let mut calendar = Self::default();
        if let Some(mut root) = file.read(&mistakes) {
            calendar.ends_on_working_days =
                root.opt_boolean("ends_on_working_days").unwrap_or(calendar.ends_on_working_days);
            for day in root.strings("holidays") {
                match day.value.parse() {
                    Ok(date) => drop(calendar.holidays.insert(date)),
                    Err(_) => {
                        let wrong = format!("`{}` is no day", day.value.escape_debug());
                        root.mistake_at(&day, wrong, "a date such as \"2026-12-25\"");
                    }
                }
            }
            for (key, days) in [
                ("ask_within_days", &mut calendar.ask_within_days),
                ("answer_within_days", &mut calendar.answer_within_days),
            ] {
                let Some(given) = root.opt_integer(key) else { continue };
                match u16::try_from(given) {
                    Ok(given @ 1..=366) => *days = given,
                    _ => root.mistake(key, format!("{given} days"), "from 1 to 366"),
                }
            }
            root.finish();
        }
        let mistakes = mistakes.into_sorted();
        if mistakes.is_empty() { Ok(calendar) } else { Err(InvalidSources(mistakes)) }
    }

    /// Whether a period may end on this day.
    pub fn is_an_end(&self, day: Date) -> bool {
        let is_off = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) || self.holidays.contains(&day);
        !(self.ends_on_working_days && is_off)
    }

    /// The last day of a period of months from a day, with days added for which its clock stood still.
    pub fn end(&self, from: Date, months: i8, still_days: i32) -> Date {
        let mut end = months_after(from, months).saturating_add(still_days.days());
        while !self.is_an_end(end) && end < Date::MAX {
            end = end.saturating_add(1.day());
        }
        end
    }
}

/// The same date so many months later, or the last day of that month where it has no such day.
pub fn months_after(from: Date, months: i8) -> Date {
    from.saturating_add(i32::from(months).months())
}
