//! The cases in `tests/cases`: documents, and what must be found in them.

mod common;

use common::{Case, DETECTOR, Expected, cases};
use maysend_detector::{Finding, Options, Span, Verdict, countries};

#[test]
fn every_case_comes_out_as_written() {
    let failures: Vec<String> = cases()
        .iter()
        .filter_map(|(file, case)| run(case).err().map(|wrong| format!("{file}: {}: {wrong}", case.name)))
        .collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

fn run(case: &Case) -> Result<(), String> {
    assert!(case.packs.iter().all(|code| countries::is_country(code)));
    let turns = case.document();
    let detection = DETECTOR.detect(&turns, &Options { packs: &case.packs, ..Options::default() });
    let text_of = |finding: &Finding| turns[finding.span.turn].text.get(finding.span.start..finding.span.end).unwrap();
    let more_of = |finding: &Finding| {
        let text = |span: &Span| turns[span.turn].text.get(span.start..span.end).unwrap().to_owned();
        finding.more.iter().map(|span| (span.turn, text(span))).collect::<Vec<_>>()
    };
    let mut found: Vec<&Finding> = detection
        .findings
        .iter()
        .filter(|finding| case.of.is_empty() || case.of.iter().any(|entity| entity == finding.entity.as_str()))
        .collect();
    for expected in &case.find {
        let place = |finding: &&Finding| {
            finding.entity.as_str() == expected.entity
                && finding.span.turn == expected.turn
                && text_of(finding) == expected.text
                && more_of(finding) == expected.more
        };
        let Some(at) = found.iter().position(place) else {
            let got: Vec<String> =
                found.iter().map(|f| format!("{} `{}` {}", f.entity, text_of(f), f.points)).collect();
            return Err(format!("no {} `{}`; found {got:?}", expected.entity, expected.text));
        };
        check(found.remove(at), expected)?;
    }
    if let Some(more) = found.first() {
        return Err(format!("also found {} `{}` with {} points", more.pattern, text_of(more), more.points));
    }
    let hid: Vec<&str> = detection.suppressed.keys().map(|(reference, _)| reference.as_str()).collect();
    match case.suppressed.iter().find(|reference| !hid.contains(&reference.as_str())) {
        Some(missing) => Err(format!("`{missing}` hid nothing")),
        None => Ok(()),
    }
}

fn check(finding: &Finding, expected: &Expected) -> Result<(), String> {
    let (from, to) = (expected.from.unwrap_or(i32::MIN), expected.to.unwrap_or(i32::MAX));
    if !(from..=to).contains(&finding.points) {
        return Err(format!("{} has {} points, not {from} to {to}", finding.pattern, finding.points));
    }
    let mut rivals: Vec<&str> = finding.rivals.iter().map(|rival| rival.entity.as_str()).collect();
    rivals.sort_unstable();
    let as_written = |expected: &Vec<String>| match expected.is_empty() {
        true => rivals.is_empty(),
        false => expected.iter().all(|rival| rivals.contains(&rival.as_str())),
    };
    if !expected.rivals.as_ref().is_none_or(as_written) {
        return Err(format!("{} has the rivals {rivals:?}", finding.pattern));
    }
    let verdict = match finding.verdict {
        Verdict::Unchecked => "unchecked",
        Verdict::Valid => "valid",
        Verdict::Invalid => "invalid",
    };
    match &expected.verdict {
        Some(wanted) if wanted != verdict => Err(format!("{} is {verdict}, not {wanted}", finding.pattern)),
        _ => Ok(()),
    }
}
