//! Work stays linear in the text, whatever the text: counted, not timed.

use crate::{Detector, EVIDENCE, Options, REFERENCES, Role, Turn, detector, load, source::SourceFile, work};
use std::{fs, path::Path, sync::LazyLock};

/// The built-in detector.
static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../patterns");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        let is_own = [EVIDENCE, REFERENCES].contains(&name.as_str()) || text.contains("[[entity]]");
        is_own.then(|| SourceFile::new(name, text))
    };
    let files: Vec<SourceFile> = fs::read_dir(folder).unwrap().filter_map(read).collect();
    load(&files).unwrap_or_else(|error| panic!("{error}"))
});

/// A start, and a piece that is repeated after it.
const TEXTS: [(&str, &str); 34] = [
    ("", "1 "),
    ("", "4-"),
    ("", "00 "),
    ("", "612 345 678 "),
    ("", "a.a.a.a@"),
    ("e-mail a@", "aa."),
    ("e-mail 11111111@", "1.aa."),
    ("e-mail ", "1"),
    ("", "-----BEGIN "),
    ("", "-----BEGIN PRIVATE KEY-----\n"),
    ("-----BEGIN PRIVATE KEY-----", "\n"),
    ("", "eyJ-eyJ-"),
    ("", "eyJa.eyJa."),
    ("", "A/+"),
    ("", "password is "),
    ("", "pw:"),
    ("", "bsn 111222333 "),
    ("bsn ", "NL-8842-1993 "),
    ("", "12345678-1234-4321-8765-"),
    ("https://", "111222333/"),
    ("", "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\n"),
    ("", "é."),
    ("", "４"),
    ("1", "\u{200b}1"),
    ("4", "\u{301}"),
    ("", "%41"),
    ("", "&#65;"),
    ("", "**a"),
    ("", "*a* "),
    ("", "_a "),
    ("", "1\n> "),
    ("", "1O "),
    ("a,bsn\n", "1112223331,1112223332\n"),
    ("", "NDI0MjQyNDI0MjQyNDI0Mg "),
];

/// A turn that is repeated.
const TURNS: [&str; 4] = ["1112", "my bsn is 1112 22", "sorry, ends in 333", "bsn 111222333"];

fn steps(start: &str, piece: &str, bytes: usize) -> usize {
    let text = format!("{start}{}", piece.repeat(bytes / piece.len()));
    let turns = [Turn { role: Role::Customer, text: &text }];
    work::of(|| drop(DETECTOR.detect(&turns, &Options::default())))
}

fn steps_of_turns(text: &str, count: usize) -> usize {
    let turns = vec![Turn { role: Role::Customer, text }; count];
    work::of(|| drop(DETECTOR.detect(&turns, &Options::default())))
}

#[test]
fn four_times_the_turns_are_four_times_the_work() {
    for text in TURNS {
        let (once, four) = (steps_of_turns(text, 256), steps_of_turns(text, 1024));
        assert!(four <= 5 * once, "{text}: {once} steps, then {four}");
    }
}

#[test]
fn four_times_the_text_is_four_times_the_work() {
    for (start, piece) in TEXTS {
        let (once, four) = (steps(start, piece, 4 << 10), steps(start, piece, 16 << 10));
        assert!(four <= 5 * once, "{start}{piece}…: {once} steps, then {four}");
    }
}

/// What a byte costs at worst. A pattern that raises it makes a document that is slow to read.
#[test]
fn no_byte_takes_more_than_so_many_steps() {
    for (start, piece) in TEXTS {
        let each = steps(start, piece, 16 << 10) / (16 << 10);
        assert!(each <= MOST_STEPS, "{start}{piece}…: {each} steps a byte");
    }
}

/// Most of these take some 20 steps. The one that comes near is `pw:pw:`, where a password may start in every third
/// byte and end in as many others, and each is looked for by itself.
const MOST_STEPS: usize = 500;

#[test]
fn a_large_document_does_not_stay_in_memory() {
    let text = "x ".repeat(4 << 20);
    DETECTOR.detect(&[Turn { role: Role::Customer, text: &text }], &Options::default());
    assert!(detector::kept_bytes() <= 1 << 20);
    DETECTOR.detect(&[Turn { role: Role::Customer, text: "x" }], &Options::default());
    assert!(detector::kept_bytes() > 0);
}
