//! What `check` reports of the reviewed files and of edits of them.

use crate::rulesets::{edit, files, ruleset};
use jiff::Timestamp;
use maysend::check::{Detail, Report, lost_terms};
use maysend_detector::source::SourceFile;

fn time(day: &str) -> Timestamp {
    format!("{day}T12:00:00Z").parse().unwrap()
}

fn report(files: Vec<SourceFile>, day: &str) -> Report {
    Report::new(&ruleset(files), time(day))
}

#[test]
fn every_pattern_shows_how_it_is_anchored() {
    let report = report(files(), "2026-03-02");
    let bsn = report.entities.iter().find(|entity| entity.entity == "nl.bsn").unwrap();
    let plain = &bsn.patterns[0];
    assert_eq!(plain.pattern, "nl.bsn/plain");
    assert_eq!((plain.longest, plain.validator.as_deref()), (Some(17), Some("nl.bsn")));
    assert!(plain.standard.unwrap().contains("eleven test"));
    assert_eq!(plain.boundary, "not after [+0-9A-Z_a-z], not before [0-9A-Z_a-z]");
    let jwt = report.entities.iter().find(|entity| entity.entity == "secret.jwt").unwrap();
    assert_eq!(jwt.patterns[0].longest, None);
    assert_eq!(report.totals.entities, report.entities.len());
    let run: usize = report.entities.iter().flat_map(|entity| &entity.patterns).map(|p| p.examples_run).sum();
    assert_eq!(run, report.totals.examples + report.totals.counterexamples);
    let text = report.text(Detail::Everything);
    for part in ["nl.bsn/plain", "eleven test", "token run", "only beside a label", "fields of the platform"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!report.text(Detail::Summary).contains("nl.bsn/plain"));
}

#[test]
fn a_reference_shows_what_it_hides_and_whether_it_ended() {
    let mut edited = files();
    let ticket = "owner = \"support platform\"\ndated = 2026-02-11";
    edit(&mut edited, "references.toml", ticket, &format!("{ticket}\nexpires = 2026-03-02"));
    let on_its_day = report(edited.clone(), "2026-03-02");
    let ticket = &on_its_day.references[0];
    let bsn = ticket.hides.iter().find(|hidden| hidden.entity == "nl.bsn").unwrap().share.as_ref().unwrap();
    assert!(bsn.exact && (9.09..9.10).contains(&bsn.percent), "{bsn:?}");
    assert!(!ticket.expired && on_its_day.warnings.iter().all(|warning| !warning.contains("reference ticket")));
    let after = report(edited, "2026-03-03");
    assert!(after.references[0].expired);
    assert!(after.warnings.iter().any(|warning| warning.starts_with("reference ticket: ended on 2026-03-02")));
    assert!(after.text(Detail::Summary).contains("ended on 2026-03-02: hides nothing"));
}

#[test]
fn attributes_count_by_evidence_on_the_day() {
    let of = |day: &str| {
        let report = report(files(), day);
        let found = report.destinations.iter().find(|d| d.id == "summaries-eu-zdr").unwrap().clone();
        (found, report.warnings)
    };
    let (before, _) = of("2026-02-10");
    assert!(before.terms.is_none() && before.retains && before.training_eligible && before.attributes.is_empty());
    let (within, warnings) = of("2026-03-02");
    assert!(!within.retains && !within.training_eligible);
    assert_eq!((within.region, within.admits.as_slice()), (Some("EU"), &["GB"][..]));
    assert!(within.attributes.iter().all(|a| a.standing == "in_force" && !a.ends_soon));
    assert!(warnings.iter().all(|warning| warning.starts_with("labs-free:")), "{warnings:?}");
    let (soon, warnings) = of("2027-06-15");
    assert!(!soon.retains && soon.attributes.iter().all(|attribute| attribute.ends_soon));
    assert!(warnings.iter().any(|warning| warning.contains("ends on 2027-06-30")));
    let (after, _) = of("2027-07-01");
    assert!(after.retains && after.training_eligible && after.region.is_none() && after.admits.is_empty());
    let zero = &after.attributes[0];
    assert_eq!((zero.claimed.as_deref(), zero.counts.as_str(), zero.standing), (Some("true"), "false", "expired"));
}

#[test]
fn modes_are_shown_until_their_day_and_as_overdue_after() {
    let mut edited = files();
    let mode =
        "\n[mode.destination.summaries-us]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"officer\"\n";
    edit(&mut edited, "policy.toml", "", mode);
    let before = report(edited.clone(), "2026-03-31");
    assert_eq!((before.modes[0].mode, before.modes[0].overdue), ("shadow", false));
    let after = report(edited, "2026-04-01");
    assert_eq!((after.modes[0].mode, after.modes[0].overdue), ("enforce", true));
    assert!(after.warnings.iter().any(|warning| warning.contains("watching ended on 2026-04-01")));
}

#[test]
fn every_entity_of_the_catalogue_has_a_rule() {
    let report = report(files(), "2026-03-02");
    let forgotten: Vec<&str> = report
        .entities
        .iter()
        .filter(|entity| entity.rule.from == "default")
        .map(|entity| entity.entity.as_str())
        .collect();
    assert_eq!(forgotten, [] as [&str; 0]);
}

#[test]
fn an_entity_without_a_rule_is_named() {
    let mut edited = files();
    edit(&mut edited, "policy.toml", "[[rule]]\nfamily = \"fi\"\ntier = 1\naction = \"redact\"\n", "");
    let report = report(edited, "2026-03-02");
    let hetu = report.entities.iter().find(|entity| entity.entity == "fi.hetu").unwrap();
    assert_eq!((hetu.rule.from, hetu.rule.tier, hetu.rule.action), ("default", 1, "redact"));
    assert!(report.text(Detail::Summary).contains("without a rule, so tier 1 and redacted: fi.hetu"));
}

#[test]
fn values_that_are_not_looked_up_are_told() {
    let text = report(files(), "2026-03-02").text(Detail::Summary);
    assert!(text.contains("not looked up: values of fewer than 5 letters and digits"), "{text}");
}

#[test]
fn terms_that_are_gone_are_named() {
    let before = ruleset(files());
    let mut edited = files();
    edit(&mut edited, "destinations.toml", "plan = \"free\"", "plan = \"trial\"");
    let after = ruleset(edited);
    let lost = lost_terms(&after.rules.destinations, &before.rules.destinations);
    assert_eq!(lost.len(), 1);
    assert!(lost[0].contains("destination `labs-free`: the terms `2026-02-11 sha256:"), "{lost:?}");
    assert!(lost_terms(&before.rules.destinations, &before.rules.destinations).is_empty());
}
