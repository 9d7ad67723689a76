//! Times on the wire.

use super::json::Json;
use jiff::Timestamp;
use std::fmt;

/// A time, with its text. The text has the form of RFC 3339 and nothing else, so it can be written again unread.
#[derive(Clone, PartialEq, Eq)]
pub struct At {
    /// As it stands in the record; of a number the same time in UTC.
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

/// How a platform's own records write times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeForm {
    /// A string of RFC 3339.
    #[default]
    Rfc3339,
    /// A number of seconds since 1970 in UTC, perhaps with decimals.
    EpochSeconds,
    /// A number of milliseconds since 1970 in UTC, perhaps with decimals.
    EpochMilliseconds,
}

/// The first second of ten digits, 2001-09-09T01:46:40Z, and the first of the year 2100. A number outside is no time but
/// something else, such as a citizen number.
const EPOCH_SECONDS: std::ops::Range<i128> = 1_000_000_000..4_102_444_800;

impl TimeForm {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Rfc3339, Self::EpochSeconds, Self::EpochMilliseconds];

    /// The name that `input.toml` uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rfc3339 => "rfc3339",
            Self::EpochSeconds => "epoch_seconds",
            Self::EpochMilliseconds => "epoch_milliseconds",
        }
    }

    /// What a member of this form takes.
    pub(super) fn takes(self) -> &'static str {
        match self {
            Self::Rfc3339 => "a time of RFC 3339, such as 2026-03-02T09:14:03Z",
            Self::EpochSeconds => "a number of seconds since 1970, in the years 2001 to 2099",
            Self::EpochMilliseconds => "a number of milliseconds since 1970, in the years 2001 to 2099",
        }
    }

    /// Reads a member of this form.
    pub(super) fn read(self, json: &Json) -> Option<At> {
        match (self, json) {
            (Self::Rfc3339, Json::String(text)) => At::parse(text),
            (Self::EpochSeconds | Self::EpochMilliseconds, Json::Number(text)) => {
                let nanoseconds = decimal(text, self.digits())?;
                EPOCH_SECONDS.contains(&nanoseconds.div_euclid(1_000_000_000)).then_some(())?;
                let time = Timestamp::from_nanosecond(nanoseconds).ok()?;
                Some(At { text: time.to_string(), time })
            }
            _ => None,
        }
    }

    /// A member of this form: what was read, made anew from the time where it is a number.
    pub(super) fn write(self, at: &At) -> Json {
        if self == Self::Rfc3339 {
            return Json::String(at.text.clone());
        }
        let unit = 10_i128.pow(self.digits());
        let nanoseconds = at.time.as_nanosecond();
        let (whole, rest) = (nanoseconds.div_euclid(unit), nanoseconds.rem_euclid(unit));
        let decimals = format!("{rest:0width$}", width = self.digits() as usize);
        Json::Number(match decimals.trim_end_matches('0') {
            "" => whole.to_string(),
            decimals => format!("{whole}.{decimals}"),
        })
    }

    /// Decimals from the unit to the nanosecond.
    fn digits(self) -> u32 {
        if self == Self::EpochMilliseconds { 6 } else { 9 }
    }
}

/// A plain decimal without sign and exponent, in units of its last possible digit.
fn decimal(text: &str, digits: u32) -> Option<i128> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let missing = digits.checked_sub(u32::try_from(decimals.len()).ok()?)?;
    if whole.len() > 15 || !plain(whole) || !plain(decimals) {
        return None;
    }
    format!("{whole}{decimals}").parse::<i128>().ok()?.checked_mul(10_i128.pow(missing))
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

    #[test]
    fn numbers_are_times_of_this_century_in_the_declared_unit_and_come_back_as_they_were() {
        let number = |text: &str| Json::Number(text.into());
        for (form, text, time) in [
            (TimeForm::EpochSeconds, "1772442843", "2026-03-02T09:14:03Z"),
            (TimeForm::EpochSeconds, "1772442843.0002", "2026-03-02T09:14:03.0002Z"),
            (TimeForm::EpochMilliseconds, "1772442843123", "2026-03-02T09:14:03.123Z"),
            (TimeForm::EpochMilliseconds, "1772442843123.5", "2026-03-02T09:14:03.1235Z"),
        ] {
            let at = form.read(&number(text)).unwrap();
            assert_eq!((at.text.as_str(), at.time.to_string().as_str()), (time, time));
            assert_eq!(form.write(&at), number(text));
        }
        for (form, wrong) in [
            (TimeForm::EpochSeconds, "1772442843123"),
            (TimeForm::EpochMilliseconds, "1772442843"),
            (TimeForm::EpochSeconds, "111222333"),
            (TimeForm::EpochSeconds, "-1772442843"),
            (TimeForm::EpochSeconds, "1.772442843e9"),
            (TimeForm::EpochSeconds, "1772442843.0000000001"),
            (TimeForm::EpochSeconds, "4111111111111111"),
            (TimeForm::EpochMilliseconds, "99999999999999999999999999999999999999999"),
            (TimeForm::Rfc3339, "1772442843"),
        ] {
            assert!(form.read(&number(wrong)).is_none(), "{wrong} {form:?}");
        }
        assert!(TimeForm::EpochSeconds.read(&Json::String("1772442843".into())).is_none());
    }
}
