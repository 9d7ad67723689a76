//! What must be true of the catalogue as a whole, whoever adds to it.

mod common;

use common::{DETECTOR, cases};
use maysend_detector::{pattern::Pattern, validators};
use std::collections::BTreeSet;

/// The ids of entities for which something is not as it must be.
fn entities_where(wrong: impl Fn(&str, &[&Pattern]) -> bool) -> Vec<String> {
    let catalogue = DETECTOR.catalogue();
    let of = |i: usize| -> Vec<&Pattern> { catalogue.patterns.iter().filter(|pattern| pattern.entity == i).collect() };
    let entities = catalogue.entities.iter().enumerate().filter(|(_, entity)| !entity.found_by_fields);
    entities
        .filter(|(i, entity)| wrong(entity.id.as_str(), &of(*i)))
        .map(|(_, entity)| entity.id.as_str().to_owned())
        .collect()
}

#[test]
fn the_catalogue_is_as_broad_as_it_says() {
    let entities = DETECTOR.catalogue().entities.len();
    assert!(entities >= 230, "{entities} entities");
}

#[test]
fn every_pattern_shows_what_it_finds_and_what_not() {
    let silent = entities_where(|_, patterns| {
        patterns.is_empty()
            || patterns.iter().any(|pattern| pattern.examples.is_empty() || pattern.counterexamples.is_empty())
    });
    assert_eq!(silent, [] as [String; 0]);
}

#[test]
fn every_entity_names_its_source() {
    let unnamed: Vec<&str> = DETECTOR
        .catalogue()
        .entities
        .iter()
        .filter(|entity| entity.reference.len() < 8 || entity.name.is_empty())
        .map(|entity| entity.id.as_str())
        .collect();
    assert_eq!(unnamed, [] as [&str; 0]);
}

/// A number of a country is named in a language of the country and in English, at least.
#[test]
fn every_country_s_entity_has_words_in_two_languages_or_english_alone() {
    let catalogue = DETECTOR.catalogue();
    let wordless: Vec<&str> = catalogue
        .entities
        .iter()
        .filter(|entity| entity.country.is_some())
        .filter(|entity| !entity.labels.iter().any(|label| label.language == "en"))
        .map(|entity| entity.id.as_str())
        .collect();
    assert_eq!(wordless, [] as [&str; 0]);
}

#[test]
fn an_entity_of_a_country_is_raised_by_its_pack() {
    let catalogue = DETECTOR.catalogue();
    let others: Vec<&str> = catalogue
        .entities
        .iter()
        .filter(|entity| {
            let family = entity.id.as_str().split('.').next().unwrap_or_default();
            let is_country = family.len() == 2 && family != "eu";
            entity.country.map(str::to_lowercase) != is_country.then(|| family.to_owned())
        })
        .map(|entity| entity.id.as_str())
        .collect();
    assert_eq!(others, [] as [&str; 0]);
}

/// `luhn` is there for whoever adds a number that has nothing else.
#[test]
fn every_check_is_used() {
    let used: BTreeSet<&str> = DETECTOR
        .catalogue()
        .patterns
        .iter()
        .filter_map(|pattern| pattern.validator.as_ref().map(|validator| validator.rule.name))
        .collect();
    let idle: Vec<&str> = validators::all()
        .map(|validator| validator.name)
        .filter(|name| !used.contains(name) && *name != "luhn")
        .collect();
    assert_eq!(idle, [] as [&str; 0]);
}

#[test]
fn every_entity_has_a_case() {
    let cases = cases();
    let shown: BTreeSet<&str> =
        cases.iter().flat_map(|(_, case)| case.find.iter().map(|expected| expected.entity.as_str())).collect();
    assert_eq!(entities_where(|entity, _| !shown.contains(entity)), [] as [String; 0]);
}
