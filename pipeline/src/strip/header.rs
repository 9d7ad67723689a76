//! Removes the lines that a template rendered, where the template put them.
//!
//! A template's lines stand at the start of a turn, one below the other, in the template's order, each of them once or
//! not at all, with at most one blank line after them. A line is the template's if it is the whole line: the label, then
//! a value. The same words in the middle of what someone says stay, and are searched like the rest.

use super::templates::{Template, Templates, Turns};
use crate::wire::Transcript;
use memchr::memchr;
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// A transcript's texts without template lines.
#[derive(Clone, PartialEq, Eq)]
pub struct Stripped<'t> {
    /// The text of each turn: the end of the original one, borrowed.
    pub texts: Vec<Cow<'t, str>>,
    /// What was stripped: columns dropped and template lines removed, by field. Fields that the templates do not name
    /// are counted together as `other`, since their names came with the record.
    pub counts: BTreeMap<String, u64>,
    /// Field and value of each line that was removed, to be looked up like those in `fields`.
    pub values: Vec<(&'t str, &'t str)>,
}

impl fmt::Debug for Stripped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.texts.iter().map(|text| text.len()).sum();
        write!(f, "Stripped({} turns, {bytes} bytes, {:?})", self.texts.len(), self.counts)
    }
}

/// Under which name fields are counted that the templates do not name.
pub const OTHER: &str = "other";

/// Strips a transcript. A single `text` has no speaker of its own, so it may be any template's first turn.
///
/// Cost: linear in the header lines, times the number of templates.
pub fn strip<'t>(templates: &'t Templates, transcript: &'t Transcript) -> Stripped<'t> {
    let mut stripped = Stripped { texts: Vec::new(), counts: BTreeMap::new(), values: Vec::new() };
    for (name, _) in &transcript.fields {
        count(&mut stripped.counts, templates.known_field(name).unwrap_or(OTHER));
    }
    for (i, turn) in transcript.turns.iter().enumerate() {
        let applies = |template: &&Template| {
            let spoken = template.speaker.is_none_or(|role| role == turn.role || transcript.single_text);
            spoken && (i == 0 || template.turns == Turns::Any)
        };
        let mut headers = templates.templates.iter().filter(applies).map(|template| header(template, &turn.text));
        let header = headers.find(|header| !header.values.is_empty());
        let (rest, values) = header.map_or((turn.text.as_str(), Vec::new()), |header| (header.rest, header.values));
        for (field, _) in &values {
            count(&mut stripped.counts, field);
        }
        stripped.values.extend(values);
        stripped.texts.push(Cow::Borrowed(rest));
    }
    stripped
}

fn count(counts: &mut BTreeMap<String, u64>, field: &str) {
    match counts.get_mut(field) {
        Some(count) => *count += 1,
        None => drop(counts.insert(field.into(), 1)),
    }
}

/// The lines of a template at the start of a text, and what comes after them.
struct Header<'t> {
    values: Vec<(&'t str, &'t str)>,
    rest: &'t str,
}

fn header<'t>(template: &'t Template, text: &'t str) -> Header<'t> {
    let mut header = Header { values: Vec::new(), rest: text };
    for line in &template.lines {
        let (content, rest) = split_line(header.rest);
        if let Some(value) = value_of(&line.label, content).filter(|value| value.len() <= template.max_value_bytes) {
            header.values.push((&line.field, value));
            header.rest = rest;
        }
    }
    if !header.values.is_empty() {
        let (content, rest) = split_line(header.rest);
        if content.trim().is_empty() {
            header.rest = rest;
        }
    }
    header
}

/// The value in a line that is the label and a value. A label whose value is missing may lack its last blanks.
fn value_of<'t>(label: &str, line: &'t str) -> Option<&'t str> {
    match line.strip_prefix(label) {
        Some(value) => Some(value.trim()),
        None => (line.trim_end() == label.trim_end()).then_some(""),
    }
}

/// The first line without its break, and what follows the break.
fn split_line(text: &str) -> (&str, &str) {
    let end = memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    let (line, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line), rest.strip_prefix('\n').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{strip::templates::tests::example, wire::decode};
    use proptest::prelude::*;

    fn transcript(turns: &[(&str, &str)]) -> Transcript {
        let turns: Vec<_> = turns.iter().map(|(s, t)| serde_json::json!({"speaker": s, "text": t})).collect();
        let fields = serde_json::json!({"account_email": "jan@x.nl", "jan@x.nl": 1});
        let record = serde_json::json!({"schema": 1, "id": "t", "tenant": "a", "destination": "d", "turns": turns,
            "fields": fields});
        decode(&serde_json::to_vec(&record).unwrap(), &Default::default(), None).unwrap()
    }

    fn stripped(turns: &[(&str, &str)]) -> (Vec<String>, BTreeMap<String, u64>) {
        let (templates, transcript) = (example(), transcript(turns));
        let stripped = strip(&templates, &transcript);
        (stripped.texts.into_iter().map(Cow::into_owned).collect(), stripped.counts)
    }

    #[test]
    fn lines_go_where_the_template_put_them() {
        let (texts, counts) =
            stripped(&[("bot", "Account email: jan@x.nl\r\nTicket: NL-8842-1993\n\nHello\n"), ("customer", "Hi")]);
        assert_eq!(texts, ["Hello\n", "Hi"]);
        let counts: Vec<(&str, u64)> = counts.iter().map(|(field, count)| (field.as_str(), *count)).collect();
        assert_eq!(counts, [("account_email", 2), ("other", 1), ("ticket", 1)]);
    }

    #[test]
    fn what_someone_typed_stays() {
        for text in [
            "Hello\nAccount email: jan@x.nl",
            "my Account email: jan@x.nl",
            " Account email: jan@x.nl",
            "account email: jan@x.nl",
            "Account email:jan@x.nl",
            &format!("Account email: {}", "x".repeat(201)),
        ] {
            assert_eq!(stripped(&[("bot", text)]).0, [text]);
        }
        let text = "Account email: jan@x.nl";
        assert_eq!(stripped(&[("customer", text)]).0, [text]);
        assert_eq!(stripped(&[("bot", "Hi"), ("bot", text)]).0, ["Hi", text]);
    }

    #[test]
    fn lines_out_of_order_or_twice_end_the_header() {
        let (texts, _) = stripped(&[("bot", "Ticket: 1\nAccount email: a\n")]);
        assert_eq!(texts, ["Account email: a\n"]);
        let (texts, _) = stripped(&[("bot", "Ticket: 1\nTicket: 2\n\n\nx")]);
        assert_eq!(texts, ["Ticket: 2\n\n\nx"]);
    }

    #[test]
    fn a_missing_value_is_a_line_too() {
        assert_eq!(stripped(&[("bot", "Account email:\nTicket: \nx")]).0, ["x"]);
        assert_eq!(stripped(&[("bot", "Account email: a")]).0, [""]);
    }

    proptest! {
        /// The stripped text is the end of the original, and what went is whole lines.
        #[test]
        fn a_suffix_stays_and_whole_lines_go(text in "((Account email: |Ticket: |é|x|\r)?(a|\n|\r\n)){0,8}z") {
            let (texts, _) = stripped(&[("bot", &text)]);
            let removed = text.strip_suffix(texts[0].as_str()).unwrap();
            prop_assert!(removed.is_empty() || removed.ends_with('\n') || texts[0].is_empty());
        }
    }
}
