//! Puts redactions in order and makes overlapping ones one.

use super::{RedactError, Redaction};
use std::cmp::Reverse;

/// The redactions in reading order, none overlapping another.
pub(super) fn merge<'a, T: AsRef<str>>(
    texts: &[T],
    redactions: &[Redaction<'a>],
) -> Result<Vec<Redaction<'a>>, RedactError> {
    let mut sorted = redactions.to_vec();
    sorted.sort_by_key(|redaction| (redaction.span.turn, redaction.span.start, Reverse(redaction.span.end)));
    let mut merged: Vec<(Redaction<'a>, usize)> = Vec::with_capacity(sorted.len());
    for redaction in sorted {
        let span = redaction.span;
        let text = texts.get(span.turn).map(AsRef::as_ref);
        if span.start >= span.end || text.and_then(|text| text.get(span.start..span.end)).is_none() {
            return Err(RedactError::BadSpan { span });
        }
        match merged.last_mut().filter(|(last, _)| last.span.overlaps(&span)) {
            Some((last, length)) => absorb(last, length, redaction),
            None => merged.push((redaction, span.end - span.start)),
        }
    }
    Ok(merged.into_iter().map(|(redaction, _)| redaction).collect())
}

/// Extends `into` over `other`. The stricter form wins, then the longer span, then the smaller entity and label: the
/// order in which findings come must not decide what is written.
fn absorb<'a>(into: &mut Redaction<'a>, length: &mut usize, other: Redaction<'a>) {
    let other_length = other.span.end - other.span.start;
    let rank = |it: &Redaction<'a>, length| (it.form, Reverse(length), it.entity, it.label);
    let end = into.span.end.max(other.span.end);
    if rank(&other, other_length) < rank(into, *length) {
        *length = other_length;
        *into = Redaction { span: into.span, ..other };
    }
    into.span.end = end;
}
