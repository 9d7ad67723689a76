//! Regions of data protection law: where a tenant is, and where a destination processes.
//!
//! A region is a place with one law on the export of personal data, not a place on a map. The European Economic Area
//! is one region, `EU`; within a region no transfer mechanism is needed. The list is closed, so that a slip of the pen
//! cannot make a region that matches itself.

use maysend_detector::source::Table;
use std::fmt;

/// A region of the closed list [`REGIONS`]. Two are the same region exactly when their codes are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(&'static str);

/// Every region: code and name, by code. Codes are ISO 3166-1 alpha-2, except `EU`.
pub const REGIONS: &[(&str, &str)] = &[
    ("AE", "United Arab Emirates"),
    ("AR", "Argentina"),
    ("AU", "Australia"),
    ("BR", "Brazil"),
    ("CA", "Canada"),
    ("CH", "Switzerland"),
    ("CL", "Chile"),
    ("CN", "China (mainland)"),
    ("CO", "Colombia"),
    ("EG", "Egypt"),
    ("EU", "European Economic Area: the European Union, Iceland, Liechtenstein and Norway"),
    ("GB", "United Kingdom"),
    ("HK", "Hong Kong"),
    ("ID", "Indonesia"),
    ("IL", "Israel"),
    ("IN", "India"),
    ("JP", "Japan"),
    ("KE", "Kenya"),
    ("KR", "South Korea"),
    ("MX", "Mexico"),
    ("MY", "Malaysia"),
    ("NG", "Nigeria"),
    ("NZ", "New Zealand"),
    ("PE", "Peru"),
    ("PH", "Philippines"),
    ("RS", "Serbia"),
    ("SA", "Saudi Arabia"),
    ("SG", "Singapore"),
    ("TH", "Thailand"),
    ("TR", "Türkiye"),
    ("TW", "Taiwan"),
    ("UA", "Ukraine"),
    ("US", "United States"),
    ("UY", "Uruguay"),
    ("VN", "Vietnam"),
    ("ZA", "South Africa"),
];

/// Countries of the European Economic Area, which are written `EU`.
const EEA: &[&str] = &[
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS", "IT", "LI", "LT",
    "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
];

impl Region {
    /// The European Economic Area.
    pub const EU: Self = Self("EU");

    /// The region of this code, written exactly so.
    pub fn parse(code: &str) -> Option<Self> {
        REGIONS.binary_search_by_key(&code, |(known, _)| known).ok().map(|i| Self(REGIONS[i].0))
    }

    /// The code, as files and records write it.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// The name in English.
    pub fn name(self) -> &'static str {
        REGIONS.iter().find(|(code, _)| *code == self.0).map_or(self.0, |(_, name)| name)
    }

    /// Takes a required region from a table; reports an unknown one under `path`, a key of that table.
    pub(super) fn read(table: &mut Table<'_>, key: &str) -> Option<Self> {
        let code = table.string(key)?;
        let region = Self::parse(&code);
        if region.is_none() {
            table.mistake(key, format!("unknown region `{}`", code.escape_debug()), Self::advice(&code));
        }
        region
    }

    /// What would be right in place of a code that is no region.
    fn advice(code: &str) -> String {
        let upper = code.to_ascii_uppercase();
        if EEA.contains(&upper.as_str()) {
            return format!("{upper} is in the European Economic Area, which is one region: write EU");
        }
        if upper == "UK" {
            return "the United Kingdom is GB".into();
        }
        if Self::parse(&upper).is_some() {
            return format!("write {upper}");
        }
        let codes: Vec<&str> = REGIONS.iter().map(|(code, _)| *code).collect();
        format!("one of {}", codes.join(", "))
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_sorted_distinct_and_none_lies_in_another() {
        assert!(REGIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (code, _) in REGIONS {
            assert_eq!(Region::parse(code).map(Region::code), Some(*code));
            assert!(!EEA.contains(code), "{code} is part of EU");
        }
        assert_eq!(Region::parse("EU"), Some(Region::EU));
    }

    #[test]
    fn a_near_miss_is_no_region_and_is_told_what_to_write() {
        for wrong in ["eu", "NL", "UK", "", "EU ", "EUR", "XX"] {
            assert_eq!(Region::parse(wrong), None, "{wrong:?}");
        }
        assert!(Region::advice("NL").ends_with("write EU"));
        assert_eq!(Region::advice("us"), "write US");
        assert_eq!(Region::advice("UK"), "the United Kingdom is GB");
        assert!(Region::advice("XX").starts_with("one of AE, AR"));
    }
}
