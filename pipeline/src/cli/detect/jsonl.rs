//! Findings as JSON lines: one object for each input line, in order.

use super::{Error, Search, input::each, offsets::Offsets};
use maysend_detector::{Detection, Explanation, Finding, Outcome, Role, Span, Turn, Verdict};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    io::{self, BufRead, BufWriter, Write},
    path::Path,
};

/// Lines that are searched at once, on all cores.
const BATCH: usize = 1024;

/// A line of input. Other members are passed over.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    id: &'l RawValue,
    #[serde(borrow)]
    text: Cow<'l, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a RawValue,
    findings: Vec<FindingAnswer<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanations: Vec<ExplanationAnswer<'a>>,
}

#[derive(Serialize)]
struct FindingAnswer<'a> {
    entity: &'a str,
    start: usize,
    end: usize,
    points: i32,
    confidence: f64,
    pattern: &'a str,
    validated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct ExplanationAnswer<'a> {
    entity: &'a str,
    pattern: &'a str,
    start: usize,
    end: usize,
    points: i32,
    validated: Option<bool>,
    outcome: String,
    evidence: Vec<(String, i32)>,
}

/// Searches every line of every input.
pub(super) fn run(search: &Search<'_>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    each(&search.options.files, |mut input| {
        let mut number = 0;
        loop {
            let mut lines: Vec<(u64, Vec<u8>)> = Vec::new();
            while lines.len() < BATCH {
                let mut line = Vec::new();
                let read = input.reader.read_until(b'\n', &mut line);
                let fail = |error| Error::Input { path: Path::new(&input.name).into(), error };
                if read.map_err(fail)? == 0 {
                    break;
                }
                number += 1;
                while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                    line.pop();
                }
                if search.options.plain || !line.iter().all(u8::is_ascii_whitespace) {
                    lines.push((number, line));
                }
            }
            if lines.is_empty() {
                return Ok(());
            }
            let answers: Vec<Result<Vec<u8>, Error>> =
                lines.par_iter().map(|(number, line)| answer(search, &input.name, *number, line)).collect();
            for answer in answers {
                let mut answer = answer?;
                answer.push(b'\n');
                out.write_all(&answer).map_err(Error::output)?;
            }
        }
    })?;
    out.flush().map_err(Error::output)
}

fn answer(search: &Search<'_>, file: &str, number: u64, line: &[u8]) -> Result<Vec<u8>, Error> {
    let wrong = |wrong, right| Error::Line { file: file.into(), line: number, wrong, right };
    let utf8 = std::str::from_utf8(line).map_err(|_| wrong("not UTF-8", "each line is a JSON object in UTF-8"))?;
    if search.options.plain {
        let id = RawValue::from_string(number.to_string()).map_err(|_| wrong("no id", "a number"))?;
        return write(search, &id, utf8);
    }
    let read: Line<'_> = serde_json::from_str(utf8)
        .map_err(|_| wrong("no `{\"id\": …, \"text\": …}`", "write such an object a line, or give `--plain`"))?;
    write(search, read.id, &read.text)
}

fn write(search: &Search<'_>, id: &RawValue, text: &str) -> Result<Vec<u8>, Error> {
    let detection = search.detect(&[Turn { role: Role::Customer, text }]);
    let Detection { findings, explanations, .. } = &detection;
    let show = search.options.show_text;
    let offsets = Offsets::new(text, search.options.offsets);
    let answer = Answer {
        id,
        findings: findings.iter().map(|finding| finding_answer(finding, text, show, &offsets)).collect(),
        explanations: explanations.iter().map(|explanation| explanation_answer(explanation, &offsets)).collect(),
    };
    serde_json::to_vec(&answer).map_err(|error| Error::StandardOutput(error.into()))
}

fn finding_answer<'a>(finding: &'a Finding, text: &'a str, show: bool, offsets: &Offsets<'_>) -> FindingAnswer<'a> {
    let Span { start, end, .. } = finding.span;
    FindingAnswer {
        entity: finding.entity.as_str(),
        start: offsets.of(start),
        end: offsets.of(end),
        points: finding.points,
        confidence: f64::from(finding.confidence()) / 100.0,
        pattern: finding.pattern.as_str(),
        validated: validated(finding.verdict),
        text: if show { text.get(start..end) } else { None },
    }
}

fn explanation_answer<'a>(explanation: &'a Explanation, offsets: &Offsets<'_>) -> ExplanationAnswer<'a> {
    let outcome = match &explanation.outcome {
        Outcome::Found => "found".into(),
        Outcome::NoLabel => "no_label".into(),
        Outcome::CheckFailed => "check_failed".into(),
        Outcome::NotCertain => "not_certain".into(),
        Outcome::BelowFloor => "below_floor".into(),
        Outcome::Suppressed(reference) => format!("suppressed by {reference}"),
        Outcome::Outweighed(pattern) => format!("outweighed by {pattern}"),
    };
    ExplanationAnswer {
        entity: explanation.entity.as_str(),
        pattern: explanation.pattern.as_str(),
        start: offsets.of(explanation.span.start),
        end: offsets.of(explanation.span.end),
        points: explanation.points,
        validated: validated(explanation.verdict),
        outcome,
        evidence: explanation.evidence.iter().map(|item| (item.kind.to_string(), item.points)).collect(),
    }
}

fn validated(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Unchecked => None,
        Verdict::Valid => Some(true),
        Verdict::Invalid => Some(false),
    }
}
