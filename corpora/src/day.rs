//! The transcripts of a day, one after the other or any of them by its position.

use crate::calendar::Date;
use crate::dialogue::{Style, compose};
use crate::rng::Rng;
use crate::wire::Labelled;

/// Names the streams of transcripts, apart from those of customers.
const STREAM: u64 = 0x7472_616e_7363;

/// Conversations begin between six in the morning and eleven at night, in the order of their positions.
const OPEN: (u64, u64) = (6 * 3_600, 23 * 3_600);

/// A day's transcripts. Each is a function of the seed, the date, its position and the style, and of nothing else; of
/// the count only its time depends. So a day can be cut in pieces, and `nth` costs as much as `next`.
#[derive(Clone, Debug)]
pub struct Day {
    seed: u64,
    date: Date,
    count: u64,
    style: Style,
    next: u64,
}

/// The day as four letters, counted from 1970: an id has no long run of digits that could be taken for a number of
/// something, and still says which line of which day it is.
fn letters(date: Date) -> String {
    let mut rest = date.days().rem_euclid(26 * 26 * 26 * 26);
    let mut letters = [b'a'; 4];
    for letter in letters.iter_mut().rev() {
        *letter += (rest % 26) as u8;
        rest /= 26;
    }
    letters.map(char::from).into_iter().collect()
}

impl Day {
    /// The transcripts of a date, so many of them.
    pub fn new(seed: u64, date: Date, count: u64, style: Style) -> Self {
        Self { seed, date, count, style, next: 0 }
    }

    /// The transcript at a position, counted from 0, or `None` past the end.
    pub fn get(&self, position: u64) -> Option<Labelled> {
        if position >= self.count {
            return None;
        }
        let span = u128::from(OPEN.1 - OPEN.0);
        let second = OPEN.0 + (u128::from(position) * span / u128::from(self.count)) as u64;
        let id = format!("t-{}-{position:06}", letters(self.date));
        let rng = Rng::new(self.seed, &[STREAM, self.date.days() as u64, position, self.style as u64]);
        Some(compose(self.seed, self.date, second, id, rng, self.style))
    }
}

impl Iterator for Day {
    type Item = Labelled;

    fn next(&mut self) -> Option<Labelled> {
        let made = self.get(self.next)?;
        self.next += 1;
        Some(made)
    }

    fn nth(&mut self, skipped: usize) -> Option<Labelled> {
        self.next = self.next.saturating_add(skipped as u64).min(self.count);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.count - self.next);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_day_and_position() {
        let date = Date::new(2026, 3, 2).unwrap();
        let ids: Vec<String> = Day::new(1, date, 3, Style::Normal).map(|made| made.transcript.id).collect();
        assert_eq!(ids, ["t-beja-000000", "t-beja-000001", "t-beja-000002"]);
        assert_ne!(letters(date), letters(date.plus(1)));
    }

    #[test]
    fn any_transcript_can_be_made_alone() {
        let mut day = Day::new(1, Date::new(2026, 3, 2).unwrap(), 50, Style::Normal);
        assert_eq!(day.size_hint(), (50, Some(50)));
        let all: Vec<Labelled> = day.clone().collect();
        assert_eq!(day.get(17).as_ref(), Some(&all[17]));
        assert_eq!(day.nth(17).as_ref(), Some(&all[17]));
        assert_eq!(day.next().as_ref(), Some(&all[18]));
        assert!(day.nth(1_000).is_none() && day.next().is_none());
    }
}
