//! Redaction: texts and what to redact in them, to texts that may be sent.
//!
//! [`redact`] is pure. What it puts in place of a value stands in brackets, or is a mask, so that nothing that stood
//! on both sides of a value can join. The policy chooses a form for each entity; [`keyed`] makes the hashes that
//! stand in place of values and identifiers, and [`carried`] lets carried members be searched and redacted like turns.

pub mod carried;
pub mod keyed;
mod spans;

pub use carried::{CarriedMismatch, carried_texts, carried_turns, with_texts};
pub use keyed::{Key, KeyError, keyed_hash};

use crate::{ruleset::policy::Form, strip::fold::skeleton};
use maysend_detector::{document::Span, finding::EntityId};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// One value to redact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redaction<'a> {
    /// Where it stands; `turn` is the position in the list of texts.
    pub span: Span,
    /// What it is.
    pub entity: &'a EntityId,
    /// What to put in its place.
    pub form: Form,
    /// What a placeholder or a hash is called by: capital letters, digits and `_`.
    pub label: &'a str,
    /// The whole value, where only a piece of it stands here. Every piece gets the form of the whole.
    pub whole: Option<&'a str>,
}

/// The key and the tenant for [`Form::KeyedHash`].
#[derive(Clone, Copy, Debug)]
pub struct Hashing<'a> {
    /// The key.
    pub key: &'a Key,
    /// The tenant, mixed into every hash.
    pub tenant: &'a str,
}

/// Why texts cannot be redacted. What cannot be redacted is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    /// A span is empty, backwards, outside its text, or not on character boundaries.
    #[error("a span to redact does not fit its text (turn {}, bytes {} to {})", span.turn, span.start, span.end)]
    BadSpan {
        /// The span.
        span: Span,
    },
    /// A keyed hash is asked for and there is no key.
    #[error("the policy asks for keyed hashes and there is no key; set {}", keyed::VARIABLE)]
    NoKey,
}

/// Puts the forms in place of the values. Texts without a value are borrowed.
///
/// | form | in place of the value |
/// |---|---|
/// | [`Form::Drop`] | a break, `[…]` |
/// | [`Form::Placeholder`] | a name that the same value keeps throughout the document, `[EMAIL_1]` |
/// | [`Form::Mask`] | `****`, whatever the length |
/// | [`Form::KeyedHash`] | a name that the same value keeps throughout the tenant, `[EMAIL:bkdomhfpaplcjgen]` |
/// | [`Form::KeepLastFour`] | a mask and the last four letters or digits, `[****1111]`; the mask alone for fewer than eight |
///
/// Overlapping spans are one value, from the first byte to the last, under the strictest form of them; spans that only
/// touch stay apart. Placeholders are numbered in reading order for each label, from above
/// every number that a text already has in the same form, so that a text's own `[EMAIL_1]` names nobody else. Values
/// are the same if their entities are and their letters and digits, without case, are.
///
/// Cost: linear in the texts, and `n log n` in the number of redactions.
///
/// # Errors
/// A span does not fit its text, or there is no key for a keyed hash. Nothing is redacted then.
pub fn redact<'t, T: AsRef<str>>(
    texts: &'t [T],
    redactions: &[Redaction<'_>],
    hashing: Option<Hashing<'_>>,
) -> Result<Vec<Cow<'t, str>>, RedactError> {
    let merged = spans::merge(texts, redactions)?;
    let mut redacted: Vec<Cow<'t, str>> = texts.iter().map(|text| Cow::Borrowed(text.as_ref())).collect();
    let mut names = Names::after(texts, &merged);
    for of_turn in merged.chunk_by(|a, b| a.span.turn == b.span.turn) {
        let Some(text) = of_turn.first().and_then(|first| texts.get(first.span.turn)).map(AsRef::as_ref) else {
            continue;
        };
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for redaction in of_turn {
            let bad = RedactError::BadSpan { span: redaction.span };
            out.push_str(text.get(copied..redaction.span.start).ok_or(bad)?);
            let value = text.get(redaction.span.start..redaction.span.end).ok_or(bad)?;
            replace(&mut out, redaction.whole.unwrap_or(value), redaction, &mut names, hashing)?;
            copied = redaction.span.end;
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        if let Some(slot) = of_turn.first().and_then(|first| redacted.get_mut(first.span.turn)) {
            *slot = Cow::Owned(out);
        }
    }
    Ok(redacted)
}

/// The break that [`Form::Drop`] leaves.
pub const BREAK: &str = "[…]";

/// The mask.
pub const MASK: &str = "****";

fn replace(
    out: &mut String,
    value: &str,
    redaction: &Redaction<'_>,
    names: &mut Names,
    hashing: Option<Hashing<'_>>,
) -> Result<(), RedactError> {
    match redaction.form {
        Form::Mask => out.push_str(MASK),
        Form::Drop => out.push_str(BREAK),
        Form::KeepLastFour => match last_four(value) {
            Some(last) => out.extend(["[", MASK, &last, "]"]),
            None => out.push_str(MASK),
        },
        Form::Placeholder => {
            let number = names.number(redaction, value).to_string();
            out.extend(["[", redaction.label, "_", &number, "]"]);
        }
        Form::KeyedHash => {
            let hashing = hashing.ok_or(RedactError::NoKey)?;
            let hash = keyed_hash(hashing.key, hashing.tenant, redaction.entity.as_str(), &identity(value));
            out.extend(["[", redaction.label, ":", &hash, "]"]);
        }
    }
    Ok(())
}

/// The last four letters or digits, of a value that has at least eight: four of fewer would say too much of it.
fn last_four(value: &str) -> Option<String> {
    let kept: Vec<char> = value.chars().filter(|char| char.is_alphanumeric()).collect();
    if kept.len() < 8 { None } else { kept.last_chunk::<4>().map(|last| last.iter().collect()) }
}

/// What makes two values the same: their letters and digits without case, or all of them if they have neither.
fn identity(value: &str) -> String {
    match skeleton(value) {
        empty if empty.is_empty() => value.into(),
        folded => folded,
    }
}

/// The numbers of placeholders.
struct Names {
    /// Last number used, by label.
    last: BTreeMap<String, u64>,
    /// Numbers given, by label, entity and identity.
    given: HashMap<(String, EntityId, String), u64>,
}

impl Names {
    /// Starts above every number that stands in the texts in the form of a placeholder with one of the labels in use.
    fn after<T: AsRef<str>>(texts: &[T], redactions: &[Redaction<'_>]) -> Self {
        let mut last: BTreeMap<String, u64> = BTreeMap::new();
        for redaction in redactions {
            if redaction.form == Form::Placeholder && !last.contains_key(redaction.label) {
                last.insert(redaction.label.into(), 0);
            }
        }
        if !last.is_empty() {
            for text in texts {
                for (label, number) in placeholders(text.as_ref()) {
                    if let Some(last) = last.get_mut(label) {
                        *last = number.max(*last);
                    }
                }
            }
        }
        Self { last, given: HashMap::new() }
    }

    fn number(&mut self, redaction: &Redaction<'_>, value: &str) -> u64 {
        let last = self.last.entry(redaction.label.into()).or_default();
        *self.given.entry((redaction.label.into(), redaction.entity.clone(), identity(value))).or_insert_with(|| {
            *last += 1;
            *last
        })
    }
}

/// What has the form of a placeholder in a text: label and number. Numbers of more than 18 digits are passed over; no
/// document has that many values. Linear: no bracket is looked at from an earlier one.
fn placeholders(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.split('[').skip(1).filter_map(|after| {
        let (label, number) = after.get(..after.find(']')?)?.rsplit_once('_')?;
        let plain = (1..=18).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        Some((label, number.parse().ok().filter(|_| plain)?))
    })
}

#[cfg(test)]
mod tests;
