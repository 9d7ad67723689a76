//! Times on the wire.

use jiff::Timestamp;
use std::fmt;

/// A time, with its text as the record has it. The text has the form of RFC 3339 and nothing else, so it can be
/// written again unread.
#[derive(Clone, PartialEq, Eq)]
pub struct At {
    /// As it stands in the record.
    pub text: String,
    /// The time it means.
    pub time: Timestamp,
}

impl At {
    /// Reads a time of RFC 3339: full date, `T`, time with seconds and at most nine decimals, `Z` or an offset.
    /// `None` for anything else, also for forms of ISO 8601 beyond it: annotations in brackets hold free text.
    pub fn parse(text: &str) -> Option<Self> {
        has_shape(text.as_bytes()).then_some(())?;
        Some(Self { time: text.parse().ok()?, text: text.into() })
    }
}

fn has_shape(bytes: &[u8]) -> bool {
    let shape = |bytes: &[u8], shape: &[u8]| {
        bytes.len() == shape.len()
            && bytes.iter().zip(shape).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                b'T' => byte.eq_ignore_ascii_case(&b'T'),
                _ => byte == wanted,
            })
    };
    let Some((time, mut rest)) = bytes.split_at_checked(19) else { return false };
    if let Some(decimals) = rest.strip_prefix(b".") {
        let count = decimals.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&count) {
            return false;
        }
        rest = &decimals[count..];
    }
    shape(time, b"0000-00-00T00:00:00")
        && (rest.eq_ignore_ascii_case(b"Z") || shape(rest, b"+00:00") || shape(rest, b"-00:00"))
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "At({})", self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_rfc_3339_and_nothing_else() {
        for good in [
            "2026-03-02T09:14:03Z",
            "2026-03-02t09:14:03z",
            "2026-03-02T09:14:03.123456789+01:00",
            "2026-03-02T09:14:03-00:00",
            "2016-12-31T23:59:60Z",
        ] {
            assert!(At::parse(good).is_some(), "{good}");
        }
        for bad in [
            "2026-03-02",
            "2026-03-02 09:14:03Z",
            "2026-03-02T09:14:03",
            "2026-03-02T09:14Z",
            "20260302T091403Z",
            "2026-02-30T09:14:03Z",
            "2026-03-02T09:14:03.1234567890Z",
            "2026-03-02T09:14:03.Z",
            "2026-03-02T09:14:03Z[u-ca=canary]",
            "2026-03-02T09:14:03+01:00[Europe/Amsterdam]",
            "1772442843",
        ] {
            assert!(At::parse(bad).is_none(), "{bad}");
        }
    }
}
