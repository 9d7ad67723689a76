//! Look-alikes: what a row of digits is when it is not an identifier.
//!
//! Only candidates that are mostly digits are judged; an address or a key inside a URL is still an address or a key.

use super::{EvidenceKind, Weights};
use crate::view::BREAK;

/// How far to either side the enclosing token is read. No row of digits that identifies anything is longer.
const REACH: usize = 256;

/// What is known of a candidate that a time is told from it by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// It is a date: a date is no look-alike of a date.
    pub(super) is_date: bool,
    /// A word, the turn or the tenant's country says that it is a number of its kind: so it is no count of seconds.
    pub(super) is_claimed: bool,
}

/// Judges the surroundings of a candidate; calls back with what speaks against it. Bounded work.
pub(super) fn judge(
    bytes: &[u8],
    (start, end): (usize, usize),
    known: Known,
    weights: &Weights,
    mut against: impl FnMut(EvidenceKind, i32),
) {
    let own = &bytes[start..end];
    if own.len() > REACH {
        return;
    }
    crate::work::count(own.len());
    let digits = own.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = own.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    // A network address that ends in a digit goes on behind a dot, whatever letters it has.
    let is_address = own.contains(&b':') && !own.contains(&b'/');
    if own.contains(&b'@') || (!is_address && (digits < 4 || letters > 3)) {
        return;
    }
    // What ends in a letter ends there.
    let (before, after) = (
        neighbour(bytes, start, -1).filter(|_| !own[0].is_ascii_alphabetic()),
        neighbour(bytes, end, 1).filter(|_| !own[own.len() - 1].is_ascii_alphabetic()),
    );
    if [before, after].iter().any(|side| matches!(side, Some((b'.' | b',', true)))) {
        against(EvidenceKind::Decimal, weights.decimal);
    }
    if [before, after].iter().any(|side| matches!(side, Some((b' ' | b'-' | b'/' | b'_', true)))) {
        against(EvidenceKind::LongerRun, weights.longer_run);
    }
    let token = enclosing_token(bytes, start, end);
    if is_uuid_around(token, own) {
        against(EvidenceKind::Uuid, weights.uuid);
    } else if memchr::memmem::find(token, b"://").is_some() || starts_with_www(token) || ends_path(bytes, start) {
        against(EvidenceKind::Url, weights.url);
    }
    if is_hours(own) {
        against(EvidenceKind::Hours, weights.hours);
    } else if !known.is_date && (is_date_or_time(own) || (!known.is_claimed && is_epoch(own))) {
        against(EvidenceKind::Timestamp, weights.timestamp);
    }
}

/// The byte beside a position, and whether a digit follows it in the same direction.
fn neighbour(bytes: &[u8], position: usize, direction: isize) -> Option<(u8, bool)> {
    let at = if direction < 0 { position.checked_sub(1)? } else { position };
    let beyond = at.checked_add_signed(direction);
    let digit = beyond.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
    bytes.get(at).map(|byte| (*byte, digit))
}

/// The run without white space around a candidate, at most [`REACH`] bytes to either side.
fn enclosing_token(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    let outside = |byte: &u8| byte.is_ascii_whitespace() || *byte == BREAK;
    let low = start.saturating_sub(REACH);
    let high = (end + REACH).min(bytes.len());
    let from = bytes[low..start].iter().rposition(outside).map_or(low, |at| low + at + 1);
    let to = bytes[end..high].iter().position(outside).map_or(high, |at| end + at);
    &bytes[from..to]
}

fn starts_with_www(token: &[u8]) -> bool {
    token.len() > 4 && token[..4].eq_ignore_ascii_case(b"www.")
}

/// Whether a path of at least two segments, from the root, leads to what starts here: `/help/articles/`.
fn ends_path(bytes: &[u8], start: usize) -> bool {
    let low = start.saturating_sub(REACH);
    let is_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~%".contains(byte);
    let from = bytes[low..start].iter().rposition(|byte| !is_of_path(byte)).map_or(low, |at| low + at + 1);
    let path = &bytes[from..start];
    let names = path.split(|byte| *byte == b'/').filter(|name| name.iter().any(u8::is_ascii_alphabetic)).count();
    path.starts_with(b"/") && path.ends_with(b"/") && names >= 2
}

/// Whether the token holds a UUID (RFC 9562: 8-4-4-4-12 hexadecimal digits) that holds the candidate.
fn is_uuid_around(token: &[u8], own: &[u8]) -> bool {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    if token.len() < 36 || own.len() > 36 {
        return false;
    }
    token.windows(36).any(|window| {
        let mut groups = window.split(|byte| *byte == b'-');
        GROUPS.iter().all(|length| {
            groups.next().is_some_and(|group| group.len() == *length && group.iter().all(u8::is_ascii_hexdigit))
        }) && groups.next().is_none()
            && memchr::memmem::find(window, own).is_some()
    })
}

/// Whether digits read as a date (`02-03-2026`, `2026/3/2`), or as a date with time (`20260302091403`).
fn is_date_or_time(own: &[u8]) -> bool {
    if !own.iter().all(u8::is_ascii_digit) {
        return is_date(own);
    }
    matches!(own.len(), 12 | 14)
        && (1990..=2099).contains(&number(&own[..4]))
        && (1..=12).contains(&number(&own[4..6]))
        && (1..=31).contains(&number(&own[6..8]))
        && number(&own[8..10]) < 24
        && number(&own[10..12]) < 60
}

/// Whether digits read as seconds (10 digits) or milliseconds (13) since 1970 between 2001 and 2036.
fn is_epoch(own: &[u8]) -> bool {
    matches!(own.len(), 10 | 13) && own.iter().all(u8::is_ascii_digit) && (10..=20).contains(&number(&own[..2]))
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
}

/// Whether digits read as hours of opening (`9.00-17.30`): two times of the day with dots, to five minutes, the earlier
/// first. A phone number in such groups is hardly ever that.
fn is_hours(own: &[u8]) -> bool {
    let minutes = |time: &[u8]| {
        let ([hour @ .., b'.'], minute) = time.split_last_chunk::<2>()? else { return None };
        let is_number = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        let (hours, past) = (matches!(hour.len(), 1 | 2) && is_number(hour) && is_number(minute))
            .then(|| (number(hour), number(minute)))?;
        (hours <= 24 && past < 60 && past % 5 == 0).then_some(60 * hours + past)
    };
    let dash = own.iter().position(|byte| *byte == b'-').filter(|_| own.len() <= 11);
    dash.and_then(|dash| Some(minutes(&own[..dash])? < minutes(&own[dash + 1..])?)).unwrap_or(false)
}

/// Whether three numbers with the same sign between them read as a date, the year first or last.
fn is_date(own: &[u8]) -> bool {
    let Some(sign) = own.iter().find(|byte| !byte.is_ascii_digit()) else { return false };
    if !matches!(sign, b'-' | b'/' | b'.') || own.len() > 10 {
        return false;
    }
    let mut numbers = [0u32; 3];
    let mut count = 0;
    for part in own.split(|byte| byte == sign) {
        let Some(place) = numbers.get_mut(count).filter(|_| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        else {
            return false;
        };
        *place = number(part);
        count += 1;
    }
    let year = |number: u32| (1900..=2099).contains(&number);
    let day_and_month = |a: u32, b: u32| (1..=31).contains(&a) && (1..=31).contains(&b) && a.min(b) <= 12;
    count == 3
        && ((year(numbers[0]) && day_and_month(numbers[1], numbers[2]))
            || (year(numbers[2]) && day_and_month(numbers[0], numbers[1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::weights;

    fn kinds(text: &str, candidate: &str) -> Vec<EvidenceKind> {
        let start = text.find(candidate).unwrap();
        let mut found = Vec::new();
        let place = (start, start + candidate.len());
        judge(text.as_bytes(), place, Known::default(), &weights(), |kind, _| found.push(kind));
        found
    }

    #[test]
    fn each_look_alike_is_known() {
        assert_eq!(kinds("costs 12.345678901 a piece", "345678901"), [EvidenceKind::Decimal]);
        assert_eq!(kinds("2026 4111 1111 1111 1111", "4111 1111 1111 1111"), [EvidenceKind::LongerRun]);
        assert_eq!(kinds("see https://example.com/o/111222333?x", "111222333"), [EvidenceKind::Url]);
        assert_eq!(
            kinds("id 12345678-1234-4321-8765-123456789012", "123456789012"),
            [EvidenceKind::LongerRun, EvidenceKind::Uuid]
        );
        assert_eq!(kinds("at 1748503543012 ms", "1748503543012"), [EvidenceKind::Timestamp]);
        assert_eq!(kinds("at 20260302091403", "20260302091403"), [EvidenceKind::Timestamp]);
        assert_eq!(kinds("read /help/topics/4112223334/en now", "4112223334"), [EvidenceKind::Url]);
        assert_eq!(kinds("at fe80::1:102.3", "fe80::1:102"), [EvidenceKind::Decimal]);
        assert_eq!(kinds("on 12-02-2026 a bag", "12-02-2026"), [EvidenceKind::Timestamp]);
        assert_eq!(kinds("on 2026/2/12 a bag", "2026/2/12"), [EvidenceKind::Timestamp]);
        assert_eq!(kinds("open 9.00-17.30 daily", "9.00-17.30"), [EvidenceKind::Hours]);
        assert_eq!(kinds("open 10.15-24.00 daily", "10.15-24.00"), [EvidenceKind::Hours]);
    }

    #[test]
    fn a_number_that_something_claims_is_no_count_of_seconds() {
        let known = Known { is_claimed: true, ..Known::default() };
        let count = |text: &str| {
            let mut found = 0;
            judge(text.as_bytes(), (0, text.len()), known, &weights(), |_, _| found += 1);
            found
        };
        assert_eq!(["1748503543012", "1748503543", "20260302091403", "12-02-2026"].map(count), [0, 0, 1, 1]);
    }

    #[test]
    fn punctuation_of_a_sentence_is_no_look_alike() {
        assert!(kinds("It is 111222333. 3 days ago", "111222333").is_empty());
        assert!(kinds("It is 111222333, thanks", "111222333").is_empty());
        assert!(kinds("It is 53125226D 201434292D", "53125226D").is_empty());
        assert!(kinds("It is 31-02-8826, thanks", "31-02-8826").is_empty());
        assert!(kinds("It is 123-45-6789, thanks", "123-45-6789").is_empty());
        for no_hours in [
            "9.00-17.60",
            "25.00-17.30",
            "123.00-17.30",
            "9.00-17.3",
            "9.00-1730",
            "9.00-17.30-1",
            "17.30-9.00",
            "20.31-22.41",
        ] {
            assert!(kinds(no_hours, no_hours).is_empty(), "{no_hours}");
        }
        assert!(kinds("mail https://example.com?to=anna99999@example.org", "anna99999@example.org").is_empty());
    }
}
