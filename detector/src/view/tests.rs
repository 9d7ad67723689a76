use super::*;
use crate::document::Role;
use proptest::prelude::*;

pub(super) fn turn(text: &str) -> Turn<'_> {
    Turn { role: Role::Customer, text }
}

fn folded(text: &str) -> (ByteView, String) {
    let mut view = ByteView::default();
    view.fill(&[turn(text)]);
    let bytes = String::from_utf8(view.bytes().to_vec()).unwrap();
    (view, bytes)
}

/// The texts of the readings beside the turns.
pub(super) fn readings(turns: &[Turn<'_>]) -> Vec<String> {
    let mut view = ByteView::default();
    view.fill(turns);
    view.add_readings(turns, &Corrections::new(["ends in"]).unwrap());
    (turns.len()..view.segments.len())
        .map(|segment| String::from_utf8_lossy(&view.bytes()[view.range(segment)]).into_owned())
        .collect()
}

#[test]
fn spans_are_in_the_bytes_of_their_turn() {
    let turns = ["ab", "", "cde"].map(turn);
    let mut view = ByteView::default();
    view.fill(&turns);
    assert_eq!(view.bytes(), b"ab\xFF\xFFcde");
    assert_eq!(view.range(1), 3..3);
    assert_eq!(view.span(5, 7), Span { turn: 2, start: 1, end: 3 });
    assert_eq!(view.segment_at(1), 0);
}

#[test]
fn spans_hold_what_was_left_out_inside_and_nothing_beside() {
    let text = "a \u{200b}４\u{200b}1\u{200b} b";
    let (view, bytes) = folded(text);
    assert_eq!(bytes, "a 41 b");
    let span = view.span(2, 4);
    assert_eq!(&text[span.start..span.end], "４\u{200b}1");
    let span = view.span(4, 6);
    assert_eq!(&text[span.start..span.end], " b");
}

#[test]
fn marks_belong_to_what_they_stand_on() {
    let text = "u\u{308}x 4\u{FE0F}\u{20E3}1\u{336}";
    let (view, bytes) = folded(text);
    assert_eq!(bytes, "üx 41");
    let span = view.span(4, 6);
    assert_eq!(&text[span.start..span.end], "4\u{FE0F}\u{20E3}1\u{336}");
    let span = view.span(0, 3);
    assert_eq!(&text[span.start..span.end], "u\u{308}x");
}

#[test]
fn joiners_between_emoji_and_letters_beyond_ascii_stay() {
    for text in ["👩\u{200d}👧", "می\u{200c}خواهم", "กิน"] {
        assert_eq!(folded(text).1, text);
    }
    assert_eq!(folded("x\u{200d}y").1, "xy");
}

#[test]
fn ascii_is_copied_without_an_edit() {
    let (view, bytes) = folded("bsn 111222333, **x** \u{7f}");
    assert_eq!(bytes, "bsn 111222333, **x** \u{7f}");
    assert_eq!(view.edits.len(), 1);
}

proptest! {
    /// Whatever is found in the view is exact in the text, and folds to what was found.
    #[test]
    fn spans_are_exact_under_folding(
        text in "([a4 .@-]|[４٧９é＠–。\u{a0}\u{200b}\u{200d}\u{301}\u{336}\u{fe0f}👩号]){0,24}",
        start in 0usize..40,
        length in 1usize..20,
    ) {
        let (view, bytes) = folded(&text);
        if let Some(found) = bytes.get(start..start + length) {
            let Span { start, end, .. } = view.span(start, start + length);
            let original = text.get(start..end).expect("character boundaries");
            let again = folded(original).1;
            // A mark or joiner at an end can need its neighbour to be read.
            let bare = |text: &str| -> String { text.chars().filter(|c| !matches!(fold(*c), Folded::Ignorable | Folded::Mark)).collect() };
            prop_assert_eq!(bare(&again), bare(found));
        }
    }

    #[test]
    fn every_range_of_every_reading_has_spans_in_its_turns(
        texts in prop::collection::vec("([a4 .@*>_-]|%40|&#64;|O1|\\\\-|[４é\u{200b}\u{301}]|\n> ){0,12}", 1..4),
    ) {
        let turns: Vec<Turn<'_>> = texts.iter().map(|text| turn(text)).collect();
        let mut view = ByteView::default();
        view.fill(&turns);
        view.add_readings(&turns, &Corrections::new(["sorry"]).unwrap());
        for segment in 0..view.segments.len() {
            let range = view.range(segment);
            let text = std::str::from_utf8(&view.bytes()[range.clone()]).unwrap();
            for (start, end) in (0..text.len()).flat_map(|start| (start + 1..=text.len()).map(move |end| (start, end))) {
                if text.get(start..end).is_some() {
                    for span in view.spans(range.start + start, range.start + end) {
                        prop_assert!(span.start <= span.end);
                        prop_assert!(texts[span.turn].get(span.start..span.end).is_some());
                    }
                }
            }
        }
    }
}
