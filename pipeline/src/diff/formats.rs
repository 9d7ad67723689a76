//! Formats of references compared by how they are written, and looked at as what a detector would read them.

use maysend_detector::{Detector, EntityId, Role, Turn, engine::Engine, view::ByteView};
use regex_syntax::hir::{Class as CharClass, Hir, HirKind};
use std::collections::BTreeSet;

/// Whether `wide` surely matches whatever `narrow` does. `false` where that does not show in how they are written.
pub(super) fn covers(wide: &Hir, narrow: &Hir) -> bool {
    if wide == narrow {
        return true;
    }
    match (wide.kind(), narrow.kind()) {
        (HirKind::Capture(wide), _) => covers(&wide.sub, narrow),
        (_, HirKind::Capture(narrow)) => covers(wide, &narrow.sub),
        (_, HirKind::Alternation(narrow)) => narrow.iter().all(|part| covers(wide, part)),
        (HirKind::Alternation(wide), _) => wide.iter().any(|part| covers(part, narrow)),
        (HirKind::Class(wide), HirKind::Class(narrow)) => class_covers(wide, narrow),
        (HirKind::Repetition(wide), HirKind::Repetition(narrow)) => {
            let longer = match (wide.max, narrow.max) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(wide), Some(narrow)) => wide >= narrow,
            };
            wide.min <= narrow.min && longer && covers(&wide.sub, &narrow.sub)
        }
        (HirKind::Concat(wide), HirKind::Concat(narrow)) if wide.len() == narrow.len() => {
            wide.iter().zip(narrow).all(|(wide, narrow)| covers(wide, narrow))
        }
        _ => false,
    }
}

fn class_covers(wide: &CharClass, narrow: &CharClass) -> bool {
    match (wide, narrow) {
        (CharClass::Unicode(wide), CharClass::Unicode(narrow)) => {
            let mut outside = narrow.clone();
            outside.difference(wide);
            outside.ranges().is_empty()
        }
        (CharClass::Bytes(wide), CharClass::Bytes(narrow)) => {
            let mut outside = narrow.clone();
            outside.difference(wide);
            outside.ranges().is_empty()
        }
        _ => false,
    }
}

/// Entities as which some string of a format is read from its first byte to its last, whatever their checks say.
///
/// Strings are drawn at random but always the same ones, so a reading that few strings have can be missed.
pub(super) fn whole(format: &Hir, detector: &Detector) -> BTreeSet<EntityId> {
    let catalogue = detector.catalogue();
    let (mut view, mut candidates) = (ByteView::default(), Vec::new());
    let mut random = Random(0);
    let mut entities = BTreeSet::new();
    for _ in 0..DRAWN {
        let mut text = String::new();
        draw(format, &mut random, &mut text);
        view.fill(&[Turn { role: Role::Other, text: &text }]);
        detector.engine().candidates(&view, &mut candidates);
        let all = candidates.iter().filter(|candidate| (candidate.start, candidate.end) == (0, text.len()));
        entities.extend(all.map(|found| catalogue.entity_of(&catalogue.patterns[found.pattern]).id.clone()));
    }
    entities
}

/// Strings of a format that are looked at.
const DRAWN: usize = 512;

fn draw(hir: &Hir, random: &mut Random, text: &mut String) {
    match hir.kind() {
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(CharClass::Bytes(class)) => {
            let bytes: Vec<u8> = class.iter().flat_map(|range| range.start()..=range.end()).collect();
            text.extend(bytes.get(random.below(bytes.len())).map(|byte| char::from(*byte)));
        }
        HirKind::Class(CharClass::Unicode(class)) => {
            let range = class.ranges().get(random.below(class.ranges().len()));
            text.extend(range.map(|range| range.start()));
        }
        HirKind::Repetition(repetition) => {
            // Loading has refused a format without a bound.
            let most = repetition.max.unwrap_or(repetition.min);
            let spread = most.saturating_sub(repetition.min) as usize;
            let times = repetition.min as usize + random.below(spread + 1);
            (0..times).for_each(|_| draw(&repetition.sub, random, text));
        }
        HirKind::Capture(capture) => draw(&capture.sub, random, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| draw(part, random, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = parts.get(random.below(parts.len())) {
                draw(part, random, text);
            }
        }
        HirKind::Empty | HirKind::Look(_) => {}
    }
}

/// SplitMix64 from a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hir(regex: &str) -> Hir {
        regex_syntax::ParserBuilder::new().unicode(false).utf8(true).build().parse(regex).unwrap()
    }

    #[test]
    fn what_is_surely_wider_is_seen_and_nothing_else() {
        let wider = [
            (r"NL-\d{4}-\d{4}", r"NL-\d{4}-\d{4,5}"),
            (r"NL-[1-8]\d{3}", r"NL-\d{4}"),
            (r"INV-20\d{2}-\d{5}", r"INV-20\d{2}-[0-9A-F]{5}"),
            (r"A\d{4}", r"(?:A\d{4}|B\d{5})"),
        ];
        for (narrow, wide) in wider {
            let is_wider = covers(&hir(wide), &hir(narrow));
            // Two of these are written too differently once parsed; not to see it is safe, to see it the other way is not.
            assert!(is_wider || narrow.contains("[1-8]"), "{narrow} {wide}");
            assert!(!covers(&hir(narrow), &hir(wide)), "{narrow} {wide}");
        }
        assert!(!covers(&hir(r"NL-\d{4}-\d{4}"), &hir(r"BE-\d{4}-\d{4}")));
        assert!(!covers(&hir(r"NL-\d{3}-\d{5}"), &hir(r"NL-\d{4}-\d{4}")));
    }

    #[test]
    fn a_format_that_is_the_entity_itself_is_seen_in_every_branch() {
        let ruleset = crate::ruleset::Ruleset::builtin().unwrap();
        let reads = |format: &str, entity: &str| whole(&hir(format), &ruleset.detector).contains(entity);
        assert!(reads(r"4\d{8}", "nl.bsn"));
        assert!(reads(r"(?:CASE-\d{4}|4\d{8})", "nl.bsn"));
        assert!(!reads(r"NL-\d{4}-\d{4}", "nl.bsn"));
        assert!(!reads(r"CASE-\d{9}", "nl.bsn"));
    }
}
