//! Dated evidence: why an attribute of a provider's terms is believed, from when and until when.

use jiff::civil::Date;
use std::sync::Arc;

/// What somebody at a provider answered, in which document, and how long it may be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Its id in the register.
    pub id: String,
    /// The document: a contract, an annex, a letter.
    pub document: String,
    /// The day of the document.
    pub date: Date,
    /// Who answered.
    pub answered_by: String,
    /// In which role.
    pub role: String,
    /// The day from which it counts, where that is later than [`date`](Self::date).
    pub valid_from: Option<Date>,
    /// The last day, in UTC, on which it counts.
    pub valid_until: Date,
}

/// Whether something is proven on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no evidence.
    Missing,
    /// There is, but only from this day.
    NotYet(Date),
    /// It counts, up to and including this day.
    InForce(Date),
    /// It counted until this day.
    Expired(Date),
}

impl Evidence {
    /// Whether it counts on this day. Nothing counts before the day of its document: at that time nobody knew it.
    pub fn standing(&self, on: Date) -> Standing {
        let from = self.valid_from.map_or(self.date, |from| from.max(self.date));
        if on < from {
            Standing::NotYet(from)
        } else if on <= self.valid_until {
            Standing::InForce(self.valid_until)
        } else {
            Standing::Expired(self.valid_until)
        }
    }
}

/// A value with its evidence. The value can only be had for a day, and only if it is proven on that day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven<T> {
    pub(super) value: T,
    pub(super) evidence: Option<Arc<Evidence>>,
}

impl<T> Proven<T> {
    /// The value, if its evidence counts on this day.
    pub fn on(&self, on: Date) -> Option<&T> {
        matches!(self.standing(on), Standing::InForce(_)).then_some(&self.value)
    }

    /// What is claimed, proven or not: for reports and for comparing rulesets, never for a decision.
    pub fn claimed(&self) -> &T {
        &self.value
    }

    /// The evidence that is named.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_deref()
    }

    /// Everything there is of it, for comparing rulesets: a member that is added here must be compared too.
    pub(crate) fn parts(&self) -> (&T, Option<&Evidence>) {
        let Self { value, evidence } = self;
        (value, evidence.as_deref())
    }

    /// Whether it is proven on this day.
    pub fn standing(&self, on: Date) -> Standing {
        self.evidence.as_ref().map_or(Standing::Missing, |evidence| evidence.standing(on))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn evidence(valid_from: Option<Date>) -> Evidence {
        Evidence {
            id: "e".into(),
            document: "contract".into(),
            date: date(2026, 2, 11),
            answered_by: "privacy desk".into(),
            role: "data protection".into(),
            valid_from,
            valid_until: date(2026, 12, 31),
        }
    }

    #[test]
    fn evidence_counts_from_its_day_to_its_last_day_both_included() {
        let proven = Proven { value: 7, evidence: Some(Arc::new(evidence(None))) };
        assert_eq!(proven.on(date(2026, 2, 10)), None);
        assert_eq!(proven.on(date(2026, 2, 11)), Some(&7));
        assert_eq!(proven.on(date(2026, 12, 31)), Some(&7));
        assert_eq!(proven.on(date(2027, 1, 1)), None);
        assert_eq!(proven.standing(date(2027, 1, 1)), Standing::Expired(date(2026, 12, 31)));
        assert_eq!(Proven { value: 7, evidence: None }.on(date(2026, 3, 1)), None);
    }

    #[test]
    fn a_document_proves_nothing_before_its_own_day() {
        let early = evidence(Some(date(2026, 1, 1)));
        assert_eq!(early.standing(date(2026, 2, 1)), Standing::NotYet(date(2026, 2, 11)));
        let late = evidence(Some(date(2026, 3, 1)));
        assert_eq!(late.standing(date(2026, 2, 20)), Standing::NotYet(date(2026, 3, 1)));
        assert_eq!(late.standing(date(2026, 3, 1)), Standing::InForce(date(2026, 12, 31)));
    }
}
