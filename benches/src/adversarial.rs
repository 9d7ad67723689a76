//! Texts made to be slow. Each is a piece, repeated, or a shape of record; none is anybody's.

use crate::record;

/// A kind of text, at any size.
#[derive(Clone, Copy)]
pub struct Adversarial {
    /// Its name in reports.
    pub name: &'static str,
    make: Make,
}

#[derive(Clone, Copy)]
enum Make {
    /// A start, then a piece again and again, in one turn.
    Text(&'static str, &'static str),
    /// Turns of this text.
    Turns(&'static str),
    /// Arrays in arrays, as deep as JSON is read, again and again.
    Nested,
    /// Fields whose values are looked up in a text that nearly holds them.
    Fields,
}

impl Adversarial {
    /// A record of about so many bytes.
    pub fn record(&self, bytes: usize) -> Vec<u8> {
        match self.make {
            Make::Text(start, piece) => {
                let text = format!("{start}{}", piece.repeat(bytes / piece.len()));
                record(&format!(r#""text":{}"#, quoted(&text)))
            }
            Make::Turns(text) => {
                let turn = format!(r#"{{"speaker":"customer","text":{}}}"#, quoted(text));
                let mut turns = vec![turn.as_str(); bytes / (turn.len() + 1)];
                // A transcript without any text is a dead letter before it is searched.
                turns.push(r#"{"speaker":"agent","text":"Hello"}"#);
                record(&format!(r#""turns":[{}]"#, turns.join(",")))
            }
            Make::Nested => {
                let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
                let many = vec![deep.as_str(); bytes / (deep.len() + 1)];
                record(&format!(r#""text":"Hello","fields":{{"a":[{}]}}"#, many.join(",")))
            }
            Make::Fields => {
                let values: Vec<String> = (0..200).map(|i| format!(r#""{}{i}""#, "ab".repeat(60))).collect();
                let text = "ab".repeat(bytes / 2);
                record(&format!(r#""text":"{text}","fields":{{"customer_name":[{}]}}"#, values.join(",")))
            }
        }
    }
}

/// As a JSON string.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    format!("\"{escaped}\"")
}

/// Every kind.
pub fn adversarial() -> Vec<Adversarial> {
    use Make::{Fields, Nested, Text, Turns};
    let kinds: &[(&'static str, Make)] = &[
        ("prose", Text("", "I would like to know where my parcel is. ")),
        ("digits, a space between", Text("", "1 ")),
        ("digits, a dash between", Text("", "4-")),
        ("digits, a point between", Text("", "7.")),
        ("digits in threes", Text("", "612 345 678 ")),
        ("telephone numbers", Text("", "020 794 6095 ")),
        ("zeros", Text("", "0")),
        ("zeros in a row of groups", Text("", "00 ")),
        ("account numbers", Text("", "GB82 WEST 1234 5698 7654 32 ")),
        ("dates", Text("", "12-05-1980 ")),
        ("a.a.a.a@", Text("", "a.a.a.a@")),
        ("a@a.a.a.a", Text("a@", "aa.")),
        ("1@1.a.1.a", Text("11111111@", "1.aa.")),
        ("a long local part", Text("aaaaaaaaaa", "a")),
        ("apostrophes", Text("", "a'")),
        ("accents", Text("", "é.")),
        ("key headers", Text("", "-----BEGIN ")),
        ("keys without an end", Text("", "-----BEGIN PRIVATE KEY-----\n")),
        ("a key of line breaks", Text("-----BEGIN PRIVATE KEY-----\n", "\n")),
        (
            "keys of line breaks",
            Text("", "-----BEGIN PRIVATE KEY-----\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"),
        ),
        ("eyJ-eyJ-", Text("", "eyJ-eyJ-")),
        ("eyJa.eyJa.", Text("", "eyJa.eyJa.")),
        ("base64", Text("", "AAAA")),
        ("base64 with breaks", Text("", "A/+")),
        ("spaces", Text("Hello", " ")),
        ("password is", Text("", "password is ")),
        ("pw:pw:", Text("", "pw:")),
        ("pw: and signs", Text("", "pw:a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a!a! ")),
        ("a label again and again", Text("", "bsn ")),
        ("labels and numbers", Text("", "bsn 111222333 ")),
        ("a label far away", Text("bsn ", "NL-8842-1993 ")),
        ("references", Text("", "NL-8842-1993 ")),
        ("uuids", Text("", "12345678-1234-4321-8765-123456789012 ")),
        ("uuids joined", Text("", "12345678-1234-4321-8765-")),
        ("links", Text("https://", "111222333/")),
        ("machine-readable zones", Text("", "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\n")),
        ("fillers", Text("", "<")),
        ("combining marks", Text("e", "\u{301}")),
        ("zero width", Text("1", "\u{200b}1")),
        ("full-width digits", Text("", "４")),
        ("percent-encoding", Text("", "%41")),
        ("character references", Text("", "&#65;")),
        ("emphasis that is not closed", Text("", "**a")),
        ("quoted mail", Text("", "1\n> ")),
        ("letters for digits", Text("", "1O ")),
        ("base64 of numbers", Text("", "NDI0MjQyNDI0MjQyNDI0Mg ")),
        ("a table", Text("a,bsn\n", "1112223331,1112223332\n")),
        ("turns that are joined", Turns("my bsn is 1112 22")),
        ("turns that correct", Turns("sorry, ends in 333 22")),
        ("placeholders", Text("", "[EMAIL_1")),
        ("template labels", Text("", "Account email: x\n")),
        ("quotes and escapes", Text("", "\\\"")),
        ("empty turns", Turns("")),
        ("turns of one digit", Turns("1")),
        ("turns with a question", Turns("bsn 111222333")),
        ("nested arrays", Nested),
        ("fields nearly found", Fields),
    ];
    kinds.iter().map(|(name, make)| Adversarial { name, make: *make }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages;
    use maysend::{stages::Coordinates, wire::Source};

    /// A text that is refused before it is searched would measure nothing.
    #[test]
    fn every_record_is_read() {
        let stages = stages();
        for kind in adversarial() {
            let source = Source::File { file: "bench".into(), line: 1 };
            let attempt = stages.process(&kind.record(4096), &source, &Coordinates::of_line("bench", 1));
            let dead: Vec<&str> = attempt.tally.dead_letters.keys().copied().collect();
            assert_eq!(dead, [""; 0], "{}", kind.name);
        }
    }
}
