//! Identifiers that hold a date of birth: the date must be one of the calendar, beside the check.

pub(super) mod europe;
pub(super) mod world;
