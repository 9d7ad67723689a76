//! The calendar, and dates of birth as people write them.

use super::{
    Validator,
    digits::{number, number_of},
    rule,
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[rule("date.birth", "ISO 8601; everyday forms; Gregorian calendar", birth)];

/// Whether the day exists in the Gregorian calendar. Constant time.
pub(super) fn exists(year: u64, month: u64, day: u64) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The last year of the twenty-first century that is read as a year of birth. A fixed year keeps a check a pure
/// function of the match; people born later have numbers that pass as of another century, or not, until it is raised.
pub(super) const LATEST_YEAR: u64 = 2030;

/// Whether a day exists whose year has two digits, in one century or another: every leap day of 1900 to 1999 falls on one
/// of the next hundred years too.
pub(super) fn short(year: u64, month: u64, day: u64) -> bool {
    exists(2000 + year % 100, month, day)
}

/// The number that two digits write.
pub(super) fn pair(digits: &[u8], at: usize) -> u64 {
    number(&digits[at..at + 2])
}

/// The months' names and usual short forms in English, Dutch, German, French, Spanish and Italian, folded to ASCII.
const MONTHS: [&[&str]; 12] = [
    &["january", "januari", "januar", "janner", "janvier", "enero", "gennaio", "jan", "janv", "ene", "gen"],
    &["february", "februari", "februar", "fevrier", "febrero", "febbraio", "feb", "febr", "fevr", "fev"],
    &["march", "maart", "marz", "maerz", "mars", "marzo", "mar", "mrt", "mrz"],
    &["april", "avril", "abril", "aprile", "apr", "avr", "abr"],
    &["may", "mei", "mai", "mayo", "maggio", "mag"],
    &["june", "juni", "juin", "junio", "giugno", "jun", "giu"],
    &["july", "juli", "juillet", "julio", "luglio", "jul", "juil", "lug"],
    &["august", "augustus", "aout", "agosto", "aug", "ago"],
    &["september", "septembre", "septiembre", "setiembre", "settembre", "sept", "sep", "set"],
    &["october", "oktober", "octobre", "octubre", "ottobre", "oct", "okt", "ott"],
    &["november", "novembre", "noviembre", "nov"],
    &["december", "dezember", "decembre", "diciembre", "dicembre", "dec", "dez", "dic"],
];

/// The month that a word names, 1 to 12. Accents and case do not matter.
fn month_named(word: &[u8]) -> Option<u64> {
    let mut folded = [0u8; 12];
    let mut length = 0;
    for character in std::str::from_utf8(word).ok()?.chars() {
        *folded.get_mut(length)? = match character {
            'ä' | 'Ä' | 'à' | 'À' | 'â' | 'Â' => b'a',
            'é' | 'É' | 'è' | 'È' => b'e',
            'û' | 'Û' | 'ù' | 'Ù' => b'u',
            ascii if ascii.is_ascii() => ascii.to_ascii_lowercase() as u8,
            _ => return None,
        };
        length += 1;
    }
    let word = std::str::from_utf8(&folded[..length]).ok()?;
    (1..).zip(MONTHS).find(|(_, names)| names.contains(&word)).map(|(month, _)| month)
}

/// A date that may be a birth's: three numbers, or two and a month's name, that make a day of the calendar from 1900
/// to 2100 in an order that people use. Eight digits in a row are `YYYYMMDD`; a year of two digits may be of either
/// century. Linear in the match.
pub(super) fn birth(text: &[u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    let mut numbers = [(0, 0usize); 3];
    let mut count = 0;
    let mut month: Option<(u64, usize)> = None;
    for token in text.split(|byte| !is_word(*byte)).filter(|token| !token.is_empty()) {
        let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if let Some(named) = month_named(token) {
            if month.replace((named, count)).is_some() {
                return false;
            }
        } else if digits > 0 {
            // What follows the digits is an ordinal's ending, such as "2nd" or "1er".
            let (Some(value), Some(slot)) = (number_of(&token[..digits]), numbers.get_mut(count)) else { return false };
            *slot = (value, digits);
            count += 1;
        }
    }
    let years = |(value, digits): (u64, usize)| match digits {
        4 if (1900..=2100).contains(&value) => [Some(value), None],
        2 => [Some(1900 + value), Some(2000 + value)],
        _ => [None, None],
    };
    let day_and_month = |(_, digits): (u64, usize)| (1..=2).contains(&digits);
    let dated = |year: (u64, usize), month: (u64, usize), day: (u64, usize)| {
        day_and_month(month)
            && day_and_month(day)
            && years(year).into_iter().flatten().any(|year| exists(year, month.0, day.0))
    };
    let [first, second, third] = numbers;
    match (count, month) {
        (1, None) if first.1 == 8 => {
            let year = first.0 / 10_000;
            (1900..=2100).contains(&year) && exists(year, first.0 / 100 % 100, first.0 % 100)
        }
        (2, Some((month, _))) => dated(second, (month, 2), first) || dated(first, (month, 2), second),
        (3, None) if first.1 == 4 => dated(first, second, third),
        (3, None) => dated(third, second, first) || dated(third, first, second),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_has_leap_years() {
        for (date, there) in [
            ((2000, 2, 29), true),
            ((1900, 2, 29), false),
            ((2024, 2, 29), true),
            ((2023, 4, 31), false),
            ((2023, 13, 1), false),
            ((2023, 0, 1), false),
            ((2023, 1, 0), false),
        ] {
            assert_eq!(exists(date.0, date.1, date.2), there, "{date:?}");
        }
    }

    #[test]
    fn dates_as_people_write_them() {
        for (text, valid) in [
            ("12-05-1980", true),
            ("5/23/1980", true),
            ("1980-05-12", true),
            ("19800512", true),
            ("12.5.80", true),
            ("29/02/00", true),
            ("12 May 1980", true),
            ("1er février 1980", true),
            ("12. März 1980", true),
            ("May 12, 1980", true),
            ("2nd of June 1991", true),
            ("12 de mayo de 1980", true),
            ("30-02-1980", false),
            ("13/13/1980", false),
            ("12-05-1880", false),
            ("12-05-2101", false),
            ("1980", false),
            ("12 Foo 1980", false),
            ("May May 1 1980", false),
            ("1 2 3 4", false),
            ("", false),
        ] {
            assert_eq!(birth(text.as_bytes()), valid, "{text}");
        }
    }
}
