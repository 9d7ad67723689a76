//! What changes of patterns, weights, references and templates are classed as, and their opposites.

use super::{Row, changes, check, find};
use crate::rulesets::{base, cut, edit, files, ruleset};
use maysend::diff::{
    Class::{DetectsDifferently, FewerDecisions, MayDecideLess, NoDecision},
    count,
};

#[test]
fn what_is_found_or_weighed_otherwise_detects_differently() {
    let d = DetectsDifferently;
    let points = "points = { shape = 16, valid = 10, invalid = -10 }";
    let entity = "\n[[entity]]\nid = \"zz.thing\"\nname = \"thing\"\nreference = \"none\"\n[[entity.pattern]]\nid = \"plain\"\nregex = 'THING-\\d{4}'\npoints = { shape = 30 }\nexamples = [\"THING-1234\"]\n";
    let pattern = "\n[[entity.pattern]]\nid = \"third\"\nregex = 'BSN\\d{9}'\npoints = { shape = 30 }\nexamples = [\"BSN123456782\"]\n";
    let rows: [Row; 15] = [
        (
            "nl.toml",
            "regex = '\\d{4}[ .-]?\\d{4}'",
            "regex = '\\d{4}[ .:-]?\\d{4}'",
            "pattern[nl.bsn/eight].regex",
            d,
            d,
        ),
        (
            "nl.toml",
            "regex = '\\d{4}[ .-]?\\d{4}'",
            "regex = '\\d{4}[ .-]?\\d{4}'\nunicode = true",
            "pattern[nl.bsn/eight].regex flags",
            d,
            d,
        ),
        (
            "fi.toml",
            "validator = \"fi.hetu\"",
            "boundary = \"unicode\"\nvalidator = \"fi.hetu\"",
            "pattern[fi.hetu/plain].boundary",
            d,
            d,
        ),
        ("fi.toml", "groupings = [\"11\", \"6-4\"]", "groupings = [\"11\"]", "pattern[fi.hetu/plain].groupings", d, d),
        (
            "fi.toml",
            "validator = \"fi.hetu\"",
            "context = \"required\"\nvalidator = \"fi.hetu\"",
            "pattern[fi.hetu/plain].context",
            d,
            d,
        ),
        ("fi.toml", "within = 8", "within = 9", "entity[fi.hetu].context.within", d, d),
        ("fi.toml", "\"hetu\", ", "", "entity[fi.hetu].context.fi", d, d),
        ("fi.toml", "country = \"FI\"\n", "", "entity[fi.hetu].country", d, d),
        (
            "nl.toml",
            points,
            "points = { shape = 17, valid = 10, invalid = -10 }",
            "pattern[nl.bsn/plain].points.shape",
            d,
            d,
        ),
        ("nl.toml", "", pattern, "pattern[nl.bsn/third]", d, d),
        ("zz.toml", "", entity, "entity[zz.thing]", d, MayDecideLess),
        ("evidence.toml", "floor = 10", "floor = 11", "floor", d, d),
        ("evidence.toml", "home = 4", "home = 5", "pack.home", d, d),
        ("evidence.toml", "within = 8", "within = 7", "label.within", d, d),
        (
            "fi.toml",
            "name = \"Finnish personal identity code\"",
            "name = \"hetu\"",
            "entity[fi.hetu].name",
            NoDecision,
            NoDecision,
        ),
    ];
    check(&base(), &rows);
}

#[test]
fn a_validator_that_is_another_one_detects_differently() {
    // The second pattern has examples that fit the change; the examples of the first would be refused.
    let mut edited = files();
    cut(&mut edited, "fi.toml", "validator = \"fi.hetu\"\n", "groupings");
    edit(&mut edited, "fi.toml", "points = { shape = 20, valid = 31, invalid = -13 }", "points = { shape = 20 }");
    cut(&mut edited, "fi.toml", "counterexamples", "[[entity]]");
    let found = changes(&base(), &ruleset(edited));
    let change = find(&found, "fi.toml", "pattern[fi.hetu/plain].validator");
    assert_eq!(
        (change.class, change.old.as_deref(), change.new.as_deref()),
        (DetectsDifferently, Some("fi.hetu"), Some("none"))
    );
}

#[test]
fn references_leave_fewer_decisions_and_never_pass_for_more() {
    let d = DetectsDifferently;
    let added = "\n[[reference]]\nid = \"case\"\nname = \"Case\"\nformat = 'CASE-\\d{9}'\nhides = [\"nl.bsn\"]\nowner = \"desk\"\ndated = 2026-03-01\nexamples = [\"CASE-123456789\"]\nneighbours = [\"CASE-1234567890\"]\n";
    let rows: [Row; 6] = [
        ("references.toml", "", added, "reference[case]", FewerDecisions, d),
        (
            "references.toml",
            "hides = [\"nl.bsn\"]",
            "hides = [\"nl.bsn\", \"gb.nhs\"]",
            "reference[ticket].hides[gb.nhs]",
            FewerDecisions,
            d,
        ),
        (
            "references.toml",
            "format = '3S[A-Z]{4}\\d{7,9}'",
            "format = '3S[A-Z]{4}\\d{7,10}'",
            "reference[parcel.postnl].format",
            FewerDecisions,
            d,
        ),
        ("references.toml", "format = 'JVGL\\d{20}'", "format = 'JVGL0\\d{19}'", "reference[parcel.dhl].format", d, d),
        (
            "references.toml",
            "owner = \"web shop\"\ndated = 2026-02-11",
            "owner = \"web shop\"\ndated = 2026-02-11\nexpires = 2027-01-01",
            "reference[order].expires",
            d,
            d,
        ),
        (
            "references.toml",
            "owner = \"finance\"",
            "owner = \"books\"",
            "reference[invoice].owner",
            NoDecision,
            NoDecision,
        ),
    ];
    check(&base(), &rows);
    // The same under a format that is a number of its own: it would hide the number itself.
    let bare = added.replace("CASE-", "4").replace("4123456789", "423456789").replace("\\d{9}", "\\d{8}");
    let bare = bare.replace("[\"41234567890\"]", "[\"4234567890\"]");
    let mut edited = files();
    edit(&mut edited, "references.toml", "", &bare);
    let found = changes(&base(), &ruleset(edited));
    assert_eq!(find(&found, "references.toml", "reference[case]").class, MayDecideLess);

    let mut edited = files();
    edit(&mut edited, "references.toml", "", added);
    let found = changes(&base(), &ruleset(edited));
    let why = &find(&found, "references.toml", "reference[case]").why;
    assert!(why.contains("only nl.bsn 9") || why.contains("only nl.bsn 0"), "{why}");
}

#[test]
fn stripped_lines_leave_fewer_decisions_and_look_up_detects_differently() {
    let d = DetectsDifferently;
    let template = "\n[[template]]\nname = \"footer\"\nturn = \"any\"\nspeaker = \"bot\"\nlines = [\"Case: {case}\"]\n";
    let rows: [Row; 8] = [
        ("templates.toml", "", template, "template[footer]", FewerDecisions, d),
        (
            "templates.toml",
            "  \"Ticket: {ticket}\",",
            "  \"Ticket: {ticket}\",\n  \"Phone: {phone}\",",
            "template[account-header].lines[Phone: ]",
            FewerDecisions,
            d,
        ),
        (
            "templates.toml",
            "max_value_bytes = 200",
            "max_value_bytes = 300",
            "template[account-header].max_value_bytes",
            FewerDecisions,
            d,
        ),
        ("templates.toml", "turn = \"first\"", "turn = \"any\"", "template[account-header].turn", FewerDecisions, d),
        (
            "templates.toml",
            "speaker = \"any\"",
            "speaker = \"bot\"",
            "template[account-header].speaker",
            d,
            FewerDecisions,
        ),
        ("templates.toml", "min_chars = 5", "min_chars = 6", "lookup.min_chars", d, d),
        ("templates.toml", "  \"anonymous\",\n", "", "lookup.too_common[anonymous]", d, d),
        ("templates.toml", "", "\n[fields.phone]\nentity = \"contact.phone\"\n", "fields.phone", d, d),
    ];
    check(&base(), &rows);
}

#[test]
fn an_entity_that_moves_to_another_file_is_told_for_both() {
    let mut moved = files();
    let at = moved.iter().position(|file| file.name == "fi.toml").unwrap();
    moved[at].name = "finland.toml".into();
    let found = changes(&base(), &ruleset(moved));
    for file in ["fi.toml", "finland.toml"] {
        assert_eq!(find(&found, file, "entity[fi.hetu].file").class, NoDecision);
    }
    assert_eq!(count(&found, MayDecideLess), 0, "{found:#?}");
}

#[test]
fn an_entity_that_is_new_detects_differently_with_its_rule_in_the_policy() {
    let base = base();
    let mut edited = base.files.clone();
    let entity = "[[entity]]\nid = \"order.coupon\"\nname = \"coupon\"\nreference = \"made up\"\n\
                  [[entity.pattern]]\nid = \"plain\"\nregex = 'CPN-\\d{6}'\nboundary = \"token\"\npoints = { shape = 30 }\n\
                  examples = [\"CPN-123456\"]\ncounterexamples = [\"CPN-12345\"]\n";
    edit(&mut edited, "order.toml", "", entity);
    edit(&mut edited, "policy.toml", "", "\n[[rule]]\nentity = \"order.coupon\"\ntier = 3\naction = \"redact\"\n");
    let changes = changes(&base, &ruleset(edited.clone()));
    assert_eq!(find(&changes, "order.toml", "entity[order.coupon]").class, DetectsDifferently);
    assert_eq!(find(&changes, "policy.toml", "").class, NoDecision);

    edit(&mut edited, "policy.toml", "max_record_bytes = 1_048_576", "max_record_bytes = 2_097_152");
    let changes = self::changes(&base, &ruleset(edited));
    assert_eq!(
        find(&changes, "policy.toml", "intake.max_record_bytes").class,
        MayDecideLess,
        "nothing hides behind it"
    );
}

#[test]
fn the_platforms_own_values_detect_differently() {
    let d = DetectsDifferently;
    let own = "\n[[own]]\nid = \"desk\"\nname = \"Desk\"\nvalues = [\"desk@shop.example\"]\nhides = [\"contact.email\"]\nowner = \"desk\"\ndated = 2026-03-01\n";
    check(&base(), &[("references.toml", "", own, "reference[desk]", d, d)]);
    let mut with = files();
    edit(&mut with, "references.toml", "", own);
    let more = "values = [\"help@shop.example\", \"desk@";
    check(&ruleset(with), &[("references.toml", "values = [\"desk@", more, "reference[desk].values", d, d)]);
}
