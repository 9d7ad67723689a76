//! Looks values of structured fields up in what was said.
//!
//! A platform knows its customer's name and address; no pattern does. Where such a value stands in a turn, exact but
//! for case, spacing and separators, and as whole tokens, it becomes a finding. The text is folded once for all values,
//! and each is searched by a substring search: no automaton is built for a document.

use super::{
    fold::{Folded, is_unspaced, skeleton},
    templates::Templates,
};
use maysend_detector::{
    document::Span,
    finding::{EntityId, Finding, PatternId, Verdict},
};
use memchr::memmem::Finder;
use std::{collections::HashSet, fmt};

/// The evidence of a value that is looked up, in tenths of a ban: it is the customer's own, letter for letter.
pub const POINTS: i32 = 90;

/// The most different values that are looked up in one record. It bounds the time of a record.
pub const MAX_VALUES: usize = 256;

/// The longest skeleton of a value, in bytes.
pub const MAX_VALUE_BYTES: usize = 256;

/// Values that were not looked up, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// With fewer letters and digits than the templates file asks for.
    pub too_short: u64,
    /// In its list of common ones.
    pub too_common: u64,
    /// With more than [`MAX_VALUE_BYTES`] in the skeleton.
    pub too_long: u64,
}

/// A record has more values to look up than [`MAX_VALUES`]. What cannot be looked up is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {MAX_VALUES} values to look up in one record")]
pub struct TooManyValues;

/// The values of one record, ready to be looked up. They live for that record.
pub struct Lookup {
    values: Vec<Value>,
    skipped: Skipped,
}

struct Value {
    finder: Finder<'static>,
    entity: EntityId,
    pattern: PatternId,
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lookup({} values, {:?})", self.values.len(), self.skipped)
    }
}

impl Lookup {
    /// Takes the values whose field the templates map to an entity. Linear in the fields.
    ///
    /// # Errors
    /// There are more than [`MAX_VALUES`] different ones.
    pub fn new<'f>(
        templates: &Templates,
        fields: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<Self, TooManyValues> {
        let mut lookup = Self { values: Vec::new(), skipped: Skipped::default() };
        let mut seen = HashSet::new();
        for (field, value) in fields {
            let Some(mapped) = templates.mapped(field) else { continue };
            let skeleton = skeleton(value);
            if skeleton.is_empty() || !seen.insert((mapped.entity.clone(), skeleton.clone())) {
                continue;
            }
            if is_short(&skeleton, templates) {
                lookup.skipped.too_short += 1;
            } else if skeleton.len() > MAX_VALUE_BYTES {
                lookup.skipped.too_long += 1;
            } else if templates.is_common(&skeleton) {
                lookup.skipped.too_common += 1;
            } else if lookup.values.len() == MAX_VALUES {
                return Err(TooManyValues);
            } else {
                let finder = Finder::new(skeleton.as_bytes()).into_owned();
                let (entity, pattern) = (mapped.entity.clone(), mapped.pattern.clone());
                lookup.values.push(Value { finder, entity, pattern });
            }
        }
        Ok(lookup)
    }

    /// What was not taken.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// Every occurrence of every value in the texts, in order of place; `turn` is the position in the list.
    ///
    /// Cost: each text is folded once, in time and memory linear in it, and only if there is a value; then it is
    /// searched once for each value. Both the number of values and their length are bounded.
    pub fn find<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.values.is_empty() {
            return findings;
        }
        let mut folded = Folded::default();
        for (turn, text) in texts.iter().map(AsRef::as_ref).enumerate() {
            folded.fold(text);
            for value in &self.values {
                value.find(text, &folded, |start, end| {
                    findings.push(Finding {
                        entity: value.entity.clone(),
                        pattern: value.pattern.clone(),
                        span: Span { turn, start, end },
                        more: Vec::new(),
                        points: POINTS,
                        verdict: Verdict::Unchecked,
                        rivals: Vec::new(),
                    });
                });
            }
        }
        findings.sort_by(|a, b| (a.span, &a.pattern).cmp(&(b.span, &b.pattern)));
        findings
    }
}

impl Value {
    /// Calls `found` with each occurrence. One that is no whole token does not hide a later one that overlaps it.
    fn find(&self, text: &str, folded: &Folded, mut found: impl FnMut(usize, usize)) {
        let mut at = 0;
        while let Some(ahead) = self.finder.find(folded.from(at)) {
            let start = at + ahead;
            let end = start + self.finder.needle().len();
            match folded.token_span(text, start, end) {
                Some((first, last)) => {
                    found(first, last);
                    at = end;
                }
                None => at = start + 1,
            }
        }
    }
}

/// Whether a skeleton says too little. A character of a script that writes no spaces says as much as two.
fn is_short(skeleton: &str, templates: &Templates) -> bool {
    let chars: usize = skeleton.chars().map(|char| if is_unspaced(char) { 2 } else { 1 }).sum();
    let least = if skeleton.chars().all(char::is_numeric) { templates.min_digits } else { templates.min_chars };
    chars < least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::templates::tests::example;
    use proptest::prelude::*;

    fn found<'t>(fields: &[(&str, &str)], text: &'t str) -> Vec<(&'t str, String)> {
        let lookup = Lookup::new(&example(), fields.iter().copied()).unwrap();
        let slice = |finding: Finding| (&text[finding.span.start..finding.span.end], finding.pattern.to_string());
        lookup.find(&[text]).into_iter().map(slice).collect()
    }

    fn name<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
        found(&[("customer_name", name)], text).into_iter().map(|(slice, _)| slice).collect()
    }

    #[test]
    fn any_case_spacing_and_separators() {
        let text = "I am jan  de-Vries, JANDEVRIES, or J. an de Vries!";
        assert_eq!(name("Jan de Vries", text), ["jan  de-Vries", "JANDEVRIES", "J. an de Vries"]);
        let address = [("billing_address.street", "Kerkstraat 12"), ("ticket", "NL-8842-1993")];
        let pattern = "location.address/fields.billing_address".to_owned();
        assert_eq!(found(&address, "at kerkstraat 12, NL-8842-1993"), [("kerkstraat 12", pattern)]);
    }

    #[test]
    fn whole_tokens_only() {
        assert!(name("Jansen", "Jansens, Hjansen, 1jansen2, Jansené").is_empty());
        assert_eq!(name("Jansen", "_jansen_"), ["jansen"]);
        assert_eq!(name("a1a1a", "xa1 a1a 1a"), ["a1a 1a"]);
        assert_eq!(name("Jan Jansen", &format!("Jan{}Jansen", "-".repeat(9))), [""; 0]);
        assert_eq!(name("山田太郎", "私は山田太郎です"), ["山田太郎"]);
    }

    #[test]
    fn an_expanding_letter_is_matched_whole() {
        assert_eq!(name("İstanbul", "x İSTANBUL y"), ["İSTANBUL"]);
        assert_eq!(name("istanbul", "x İstanbul y"), ["İstanbul"]);
    }

    #[test]
    fn too_little_is_not_looked_up() {
        let fields = [
            ("customer_name", "Jan"),
            ("customer_name", "12 34-5"),
            ("customer_name", "N/A"),
            ("customer_name", "UNKNOWN"),
            ("customer_name", "unknown"),
            ("customer_name", &"x".repeat(257)),
            ("customer_name", " - "),
        ];
        let lookup = Lookup::new(&example(), fields).unwrap();
        assert_eq!(lookup.skipped(), Skipped { too_short: 3, too_common: 1, too_long: 1 });
        assert_eq!(format!("{lookup:?}"), "Lookup(0 values, Skipped { too_short: 3, too_common: 1, too_long: 1 })");
    }

    #[test]
    fn too_many_values_are_refused_not_skipped() {
        let names: Vec<String> = (0..=MAX_VALUES).map(|i| format!("name {i}")).collect();
        let fields = names.iter().map(|name| ("customer_name", name.as_str()));
        assert!(Lookup::new(&example(), fields.clone().take(MAX_VALUES)).is_ok());
        assert_eq!(Lookup::new(&example(), fields.chain([("customer_name", "x")])).unwrap_err(), TooManyValues);
    }

    /// Quadratic time would not end here: every position of the text begins an occurrence that is no whole token, and
    /// every value is as long as may be.
    #[test]
    fn time_is_linear_whatever_the_text() {
        let text = "a".repeat(1 << 20);
        assert!(name(&"a".repeat(MAX_VALUE_BYTES), &text).is_empty());
        let text = "a ".repeat(1 << 20);
        assert_eq!(name(&"a".repeat(MAX_VALUE_BYTES), &text).len(), (1 << 20) / MAX_VALUE_BYTES);
    }

    proptest! {
        /// Every span lies on character boundaries and folds to the value.
        #[test]
        fn spans_are_exact(value in "[a-bA-B1é İ.]{5,9}", text in "[a-bA-B1é İ.]{0,200}") {
            for slice in name(&value, &text) {
                prop_assert_eq!(skeleton(slice), skeleton(&value));
            }
        }

        /// A value between spaces is found, however it is spelled.
        #[test]
        fn a_value_is_found(words in proptest::collection::vec("[a-zA-Zé]{3,8}", 2..4), before: String, after: String) {
            let text = format!("{before} ,{},\n{after}", words.join(" - ").to_uppercase());
            prop_assert!(!name(&words.join(" "), &text).is_empty());
        }

        /// The search finds what trying every pair of token boundaries finds, where occurrences do not overlap.
        #[test]
        fn as_many_as_by_trying_all(text in "(anna1|anna1 |an na1[.]|x){0,8}") {
            let boundary = |at: usize| {
                let (left, right) = (text[..at].chars().next_back(), text[at..].chars().next());
                !(left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric))
            };
            let mut expected = Vec::new();
            let mut at = 0;
            while at < text.len() {
                let ends = (at + 1..=text.len()).filter(|end| boundary(*end) && text[*end - 1..*end] != *" ");
                let starts = boundary(at) && text.as_bytes()[at].is_ascii_alphanumeric();
                let whole = |end: &usize| skeleton(&text[at..*end]) == "anna1";
                match ends.into_iter().find(|end| starts && whole(end)) {
                    Some(end) => { expected.push(&text[at..end]); at = end; }
                    None => at += 1,
                }
            }
            prop_assert_eq!(name("anna1", &text), expected);
        }
    }
}
