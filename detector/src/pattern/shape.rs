//! What a regular expression may be, so that reading stays linear and the same for every engine.

use crate::boundary::{Boundary, ByteSet};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

/// The longest match, in bytes, that a bounded pattern may have.
pub const LONGEST: usize = 4096;

/// How long a pattern's match may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// At most so many bytes.
    Bounded(usize),
    /// A declared token run: without bound, but it can start only where its run starts.
    Run,
}

/// A mistake in a regular expression: what is wrong, what would be right.
pub type Refused = (String, String);

/// Parses and checks a regular expression.
///
/// Refused: a syntax error; look-around, since boundaries are rules of their own; one that matches the empty string
/// or bytes that are not UTF-8; one without a bound that is not declared a run; a run that may match a byte which may
/// stand before it, since its text would then be read again from each such byte.
pub fn parse(
    regex: &str,
    case_insensitive: bool,
    unicode: bool,
    run: bool,
    boundary: &Boundary,
) -> Result<(Hir, Length), Refused> {
    let hir = ParserBuilder::new()
        .unicode(unicode)
        .utf8(true)
        .case_insensitive(case_insensitive)
        .build()
        .parse(regex)
        .map_err(|error| (format!("not a regular expression: {}", plain(&error)), "Rust's regex syntax".into()))?;
    let properties = hir.properties();
    if !properties.look_set().is_empty() {
        return Err(("it looks around (`^`, `$`, `\\b`)".into(), "leave that to `boundary`".into()));
    }
    if properties.minimum_len().is_none_or(|length| length == 0) {
        return Err(("it matches the empty string".into(), "a pattern that takes at least one byte".into()));
    }
    let length = match (run, properties.maximum_len()) {
        (false, Some(longest)) if longest <= LONGEST => Length::Bounded(longest),
        (false, Some(longest)) => {
            return Err((format!("it matches up to {longest} bytes"), format!("at most {LONGEST} bytes")));
        }
        (false, None) => {
            return Err(("it has no bound".into(), "bound each repetition, or declare `length = \"run\"`".into()));
        }
        (true, _) => {
            let reach = bytes_of(&hir);
            if !boundary.before.is_superset(&reach) {
                return Err((
                    format!(
                        "a run that may match {:?}",
                        ByteSet::of(reach.iter().filter(|b| !boundary.before.contains(*b)))
                    ),
                    "a run's every byte must be in `boundary.before`, so that the run is read once".into(),
                ));
            }
            Length::Run
        }
    };
    Ok((hir, length))
}

/// The error without the drawing of the expression that regex-syntax adds.
fn plain(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string(),
    }
}

/// Every byte that a match may hold.
pub(crate) fn bytes_of(hir: &Hir) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    collect(hir, &mut set);
    set
}

fn collect(hir: &Hir, set: &mut ByteSet) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => literal.0.iter().for_each(|byte| set.insert(*byte)),
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().for_each(|range| (range.start()..=range.end()).for_each(|byte| set.insert(byte)));
        }
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.iter() {
                (range.start() as u32..=(range.end() as u32).min(0x7F)).for_each(|c| set.insert(c as u8));
                if range.end() > '\u{7F}' {
                    (0x80..=0xF4).for_each(|byte| set.insert(byte));
                }
            }
        }
        HirKind::Repetition(repetition) => collect(&repetition.sub, set),
        HirKind::Capture(capture) => collect(&capture.sub, set),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().for_each(|part| collect(part, set)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(regex: &str, run: bool) -> String {
        parse(regex, false, false, run, &Boundary::named("token").unwrap()).unwrap_err().0
    }

    #[test]
    fn what_would_break_linear_time_or_agreement_is_refused() {
        assert_eq!(refused(r"\d+", false), "it has no bound");
        assert_eq!(refused(r"\d{1,5000}", false), "it matches up to 5000 bytes");
        assert_eq!(refused(r"\d{0,3}", false), "it matches the empty string");
        assert_eq!(refused(r"\b\d{9}", false), "it looks around (`^`, `$`, `\\b`)");
        assert_eq!(refused(r"a-[a-z]+", true), "a run that may match [-]");
        assert!(refused(r"[^a]", false).contains("invalid UTF-8"));
        assert!(refused(r"(", false).contains("unclosed group"));
    }

    #[test]
    fn bounds_and_runs_are_told_apart() {
        let token = Boundary::named("token").unwrap();
        assert_eq!(parse(r"\d{9}", false, false, false, &token).unwrap().1, Length::Bounded(9));
        assert_eq!(parse(r"eyJ\w+", false, false, true, &token).unwrap().1, Length::Run);
    }
}
