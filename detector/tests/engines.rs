//! Every engine yields the set that the definition says. The definition is run here as it reads: try each pattern on
//! each stretch of text.

mod common;

use common::{DETECTOR, cases};
use maysend_detector::{
    Role, Turn, Verdict,
    engine::{Candidate, Engine, Expression, Places, PlainEngine},
    view::{ByteView, Corrections},
};
use proptest::prelude::*;
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::{Hir, Look};
use std::{collections::BTreeSet, sync::LazyLock};

/// Each pattern between a start and an end of text.
static WHOLE: LazyLock<Vec<meta::Regex>> = LazyLock::new(|| {
    DETECTOR
        .catalogue()
        .patterns
        .iter()
        .map(|pattern| {
            let whole = Hir::concat(vec![Hir::look(Look::Start), pattern.hir.clone(), Hir::look(Look::End)]);
            meta::Builder::new().build_from_hir(&whole).unwrap()
        })
        .collect()
});

/// The set by its definition. Cubic: for short texts.
fn by_definition(view: &ByteView) -> Vec<Candidate> {
    let bytes = view.bytes();
    let mut candidates = Vec::new();
    for (i, pattern) in DETECTOR.catalogue().patterns.iter().enumerate() {
        for start in (0..bytes.len()).filter(|start| pattern.boundary.starts(bytes, *start)) {
            for end in (start + 1..=bytes.len()).filter(|end| pattern.boundary.ends(bytes, *end)) {
                let input = Input::new(&bytes[start..end]).anchored(Anchored::Yes);
                let mut captures = WHOLE[i].create_captures();
                WHOLE[i].search_captures(&input, &mut captures);
                if !captures.is_match() {
                    continue;
                }
                let (from, to) = match captures.get_group_by_name("value") {
                    Some(value) => (start + value.start, start + value.end),
                    None => (start, end),
                };
                let verdict =
                    pattern.validator.as_ref().map_or(Verdict::Unchecked, |rule| rule.verdict(&bytes[from..to]));
                candidates.push(Candidate { start: from, end: to, pattern: i, verdict });
            }
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    candidates
}

fn view_of(turns: &[&str]) -> ByteView {
    let turns: Vec<Turn<'_>> = turns.iter().map(|text| Turn { role: Role::Other, text }).collect();
    let mut view = ByteView::default();
    view.fill(&turns);
    view.add_readings(&turns, &Corrections::new(["sorry"]).unwrap());
    view
}

/// The reference engine of the same patterns.
static PLAIN: LazyLock<PlainEngine> = LazyLock::new(|| {
    let expressions: Vec<Expression> = DETECTOR.catalogue().patterns.iter().map(Expression::from).collect();
    PlainEngine::new(&expressions).unwrap()
});

/// Every engine there is.
fn engines() -> [(&'static str, &'static dyn Engine); 2] {
    [("plain", &*PLAIN), ("prefiltered", DETECTOR.engine())]
}

fn assert_agree(turns: &[&str]) {
    let view = view_of(turns);
    let expected = by_definition(&view);
    for (name, engine) in engines() {
        let mut candidates = Vec::new();
        engine.candidates(&view, &mut candidates);
        let ids = |set: &[Candidate]| {
            let named =
                |c: &Candidate| (DETECTOR.catalogue().patterns[c.pattern].id.to_string(), c.start, c.end, c.verdict);
            set.iter().map(named).collect::<Vec<_>>()
        };
        assert_eq!(ids(&candidates), ids(&expected), "{name} on {turns:?}");
    }
}

#[test]
fn engines_agree_with_the_definition_on_every_case_and_example() {
    for (_, case) in cases() {
        let turns: Vec<&str> = case.document().iter().map(|turn| turn.text).collect();
        assert_agree(&turns);
    }
    for pattern in &DETECTOR.catalogue().patterns {
        for example in pattern.examples.iter().chain(&pattern.counterexamples) {
            assert_agree(&[&example.text]);
        }
    }
}

/// Pieces that make and break matches when they stand together.
const PIECES: [&str; 32] = [
    "4111 1111 1111 1111",
    "111222333",
    "1112.22.333",
    "NL-8842-1993",
    "anna@example.org",
    "+31 6 12345678",
    " ",
    "-",
    ".",
    "é",
    "١",
    "号",
    "_",
    "0",
    "12",
    "\n",
    "my password is ",
    "x1!",
    "GB82WEST12345698765432",
    "131052-308T",
    "@",
    "192.168.1.1",
    "eyJhbGciOiJIUzI1NiJ9.e30.x",
    "2026-03-02",
    "４２",
    "\u{200b}",
    "–",
    "%40",
    "&#64;",
    "**",
    "1O2",
    "sorry 34",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn engines_agree_with_the_definition_on_pieces_in_any_order(
        turns in prop::collection::vec(prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..6), 1..3)
    ) {
        let turns: Vec<String> = turns.iter().map(|pieces| pieces.concat()).collect();
        assert_agree(&turns.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn engines_agree_with_the_definition_on_any_text(text in "\\PC{0,40}") {
        assert_agree(&[&text]);
    }

    #[test]
    fn engines_agree_on_the_matches_that_start_in_some_places(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12),
        ranges in prop::collection::vec((0usize..300, 0usize..80, 0usize..20), 0..6),
    ) {
        let view = view_of(&[&pieces.concat()]);
        let mut places = Places::default();
        for group in 0..DETECTOR.catalogue().entities.len() {
            let own = ranges.iter().filter(|(of, _, _)| *of % 3 == group % 3);
            let within = |(_, start, length): &(usize, usize, usize)| {
                let end = view.bytes().len();
                (*start).min(end)..(start + length).min(end)
            };
            places.add(group, &mut own.map(within).collect::<Vec<_>>());
        }
        let mut expected = by_definition(&view);
        expected.retain(|candidate| {
            let pattern = &DETECTOR.catalogue().patterns[candidate.pattern];
            pattern.confined().is_none() || places.contains(pattern.entity, candidate.start)
        });
        for (name, engine) in engines() {
            let mut found = BTreeSet::new();
            engine.matches(&view, Some(&places), &mut |m| found.extend([(m.start, m.end, m.pattern)]));
            let expected: BTreeSet<_> = expected.iter().map(|c| (c.start, c.end, c.pattern)).collect();
            prop_assert_eq!(found, expected, "{}", name);
        }
    }

    #[test]
    fn spans_are_on_character_boundaries_of_the_turn(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12)
    ) {
        let text = pieces.concat();
        let turns = [Turn { role: Role::Other, text: "é" }, Turn { role: Role::Customer, text: &text }];
        let detection = DETECTOR.detect(&turns, &maysend_detector::Options::default());
        for span in detection.findings.iter().flat_map(|finding| finding.pieces()) {
            prop_assert!(turns[span.turn].text.get(span.start..span.end).is_some_and(|found| !found.is_empty()));
        }
        for pair in detection.findings.windows(2) {
            prop_assert!(!pair[0].span.overlaps(&pair[1].span));
        }
    }
}
