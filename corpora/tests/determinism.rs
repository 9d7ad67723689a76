//! The same seed gives the same bytes, on this machine and on any other.

use maysend_corpora::{Date, Day, Style, vectors};
use sha2::{Digest as _, Sha256};

const LINES: u64 = 500;

fn date() -> Date {
    Date::new(2026, 3, 2).unwrap()
}

/// The digest of the first lines of a day, transcripts and labels.
fn digest(seed: u64, style: Style) -> String {
    let mut bytes = Vec::new();
    for position in 0..LINES {
        let made = Day::new(seed, date(), 41_200, style).get(position).unwrap();
        made.write_json(&mut bytes);
        made.write_labels(&mut bytes);
    }
    hex(&bytes)
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Who changes what a corpus says changes these too, and every figure that was measured on it is about another one.
#[test]
fn the_first_lines_of_a_day_are_these() {
    assert_eq!(digest(1, Style::Normal), "29ee20327947135effb0241e1bb2055a258239d23552de181fd1e470d652b3a8");
    assert_eq!(digest(1, Style::Dense), "4baa8080a991fc3d8df8f18e5b22d5374d4295afc412319b22db0941b75c737c");
    assert_eq!(digest(1, Style::Digits), "919c49caa77e6a003c746d53124b3f6d2d34de45d82ea587678f509a307f8912");
}

#[test]
fn the_first_vectors_are_these() {
    let lines: String =
        vectors(1, 1_600).map(|v| format!("{}\t{}\t{}\n", v.entity, v.number, u8::from(v.valid))).collect();
    assert_eq!(hex(lines.as_bytes()), "10a462a57a554b4453d1156a27e9dd16ad69be088c33f7a5a5681ecff132ad27");
}

#[test]
fn seeds_and_days_and_styles_differ() {
    let text =
        |seed, date: Date, style| Day::new(seed, date, 10, style).get(3).unwrap().transcript.turns[1].text.clone();
    let one = text(1, date(), Style::Normal);
    assert_eq!(one, text(1, date(), Style::Normal));
    assert_ne!(one, text(2, date(), Style::Normal));
    assert_ne!(one, text(1, date().plus(1), Style::Normal));
    assert_ne!(one, text(1, date(), Style::Digits));
}

#[test]
fn a_day_cut_in_pieces_is_the_same_day() {
    let whole: Vec<_> = Day::new(5, date(), 300, Style::Normal).collect();
    let tail: Vec<_> = Day::new(5, date(), 300, Style::Normal).skip(200).collect();
    assert_eq!(whole[200..], tail);
}
