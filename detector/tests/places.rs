//! What is left out where no label is near would have come to nothing.

mod common;

use common::{DETECTOR, cases};
use maysend_detector::{
    Options, Role, Turn,
    engine::{Engine, Match, Places},
    evidence::{Labels, Surroundings, labelled},
    view::ByteView,
};
use proptest::prelude::*;
use std::sync::LazyLock;

static LABELS: LazyLock<Labels> = LazyLock::new(|| Labels::new(DETECTOR.catalogue(), DETECTOR.weights()).unwrap());

/// Fails if a match that a label is near of stands outside the places. How many stand inside.
fn assert_labelled_are_in_places(turns: &[Turn<'_>]) -> usize {
    let (catalogue, weights) = (DETECTOR.catalogue(), DETECTOR.weights());
    let mut view = ByteView::default();
    view.fill(turns);
    view.add_readings(turns, DETECTOR.corrections());
    let labels = LABELS.find(&view);
    let places: Places = LABELS.places(&labels, &view, turns, weights);
    let around = Surroundings { view: &view, turns, labels: &labels, packs: &[], explain: false };
    let mut inside = 0;
    DETECTOR.engine().matches(&view, None, &mut |found: Match| {
        let pattern = &catalogue.patterns[found.pattern];
        if pattern.confined().is_none() {
            return;
        }
        let is_inside = places.contains(pattern.entity, found.start);
        inside += usize::from(is_inside);
        let is_labelled = labelled(&found, catalogue, weights, &around).any();
        assert!(is_inside || !is_labelled, "{} at {}..{} in {turns:?}", pattern.id, found.start, found.end);
    });
    inside
}

/// Fails if what is found depends on whether anybody will ask why.
fn assert_explained_alike(turns: &[Turn<'_>]) {
    let explain = |explain| DETECTOR.detect(turns, &Options { explain, ..Options::default() });
    let (explained, found) = (explain(true), explain(false));
    assert_eq!((explained.findings, explained.suppressed), (found.findings, found.suppressed), "{turns:?}");
}

#[test]
fn of_every_case_what_is_labelled_is_in_a_place() {
    let mut inside = 0;
    for (_, case) in cases() {
        let document = case.document();
        inside += assert_labelled_are_in_places(&document);
        assert_explained_alike(&document);
    }
    assert!(inside > 0);
}

#[test]
fn a_place_reaches_as_far_as_a_label_and_no_farther() {
    let inside = |text: &str| assert_labelled_are_in_places(&[Turn { role: Role::Customer, text }]);
    assert_eq!(inside("it was 1234 of 5678, and 12345678 too"), 0);
    assert!(inside("my PIN is 1234") > 0);
    assert!(inside("12 de marzo de 1980, one two three four, date of birth") > 0);
    let table = format!("pin;plan\n{}", "1234;one two three four\n".repeat(8));
    assert_eq!(inside(&table) % 8, 0, "each row stands under the header");
}

#[test]
fn an_answer_may_come_as_many_words_after_the_question_as_a_label_reaches() {
    let words = "one two three four five six seven eight";
    let inside = |asks: &str, answers: &str| {
        assert_labelled_are_in_places(&[
            Turn { role: Role::Agent, text: asks },
            Turn { role: Role::Customer, text: answers },
        ])
    };
    assert!(inside(&format!("your PIN, {words}"), &format!("{words} 1234")) > 0);
    assert_eq!(inside(&format!("your PIN, {words} nine"), "1234"), 0);
    assert_eq!(inside("your PIN", &format!("{words} nine 1234")), 0);
}

/// Labels, what stands between, and what they may name.
const PIECES: [&str; 25] = [
    "pin",
    "PIN is",
    "account number",
    "licence plate",
    "tax id",
    "date of birth",
    "postcode",
    "CVV",
    "passport",
    " ",
    " ",
    " ",
    ", ",
    "\n",
    ";",
    " one two three four ",
    "1234",
    "12 34 56 78",
    "AB-123-C",
    "01/02/1980",
    "12 de marzo de 1980",
    "12345",
    "123-",
    "1O2",
    "?",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn of_pieces_in_any_order_what_is_labelled_is_in_a_place(
        turns in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..14)), 1..4)
    ) {
        let texts: Vec<(Role, String)> = turns
            .into_iter()
            .map(|(asks, pieces)| (if asks { Role::Agent } else { Role::Customer }, pieces.concat()))
            .collect();
        let turns: Vec<Turn<'_>> = texts.iter().map(|(role, text)| Turn { role: *role, text }).collect();
        assert_labelled_are_in_places(&turns);
        assert_explained_alike(&turns);
    }
}
