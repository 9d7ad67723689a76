//! What changes of the policy and of the text are classed as, and their opposites.

use super::{Row, changes, check, find};
use crate::rulesets::{base, cut, edit, files, ruleset};
use maysend::{
    diff::{
        Class,
        Class::{DecidesMore, DetectsDifferently, MayDecideLess, NoDecision},
        EvidenceFile, Given, count,
    },
    ruleset::Ruleset,
};

#[test]
fn a_ruleset_does_not_differ_from_itself() {
    let base = base();
    assert_eq!(changes(&base, &base), []);
    assert_eq!(changes(&base, &ruleset(files())), []);
    assert_eq!(changes(&Ruleset::builtin().unwrap(), &base), []);
}

#[test]
fn the_policy_is_milder_or_stricter() {
    let rule = "family = \"nl\"\ntier = 1\naction = \"redact\"\n";
    let email = "entity = \"contact.email\"\ntier = 2\naction = \"redact\"\n";
    const FORM: &str = "[[rule]]\nentity = \"contact.email\"\ntier = 2\naction = \"redact\"\n";
    let rows: [Row; 16] = [
        (
            "policy.toml",
            rule,
            "family = \"nl\"\ntier = 2\naction = \"redact\"\n",
            "rule[nl.bsn].tier",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            email,
            "entity = \"contact.email\"\ntier = 2\naction = \"block\"\n",
            "rule[contact.email].action",
            DecidesMore,
            MayDecideLess,
        ),
        (
            "policy.toml",
            "entity = \"network.ipv4\"\ntier = 3\naction = \"redact\"",
            "entity = \"network.ipv4\"\ntier = 3\naction = \"allow\"",
            "rule[network.ipv4].action",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            email,
            "entity = \"contact.email\"\ntier = 2\naction = \"redact\"\nredact_at = 21\n",
            "rule[contact.email].redact_at",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            rule,
            "family = \"nl\"\ntier = 1\naction = \"redact\"\nblock_at = 41\n",
            "rule[nl.bsn].block_at",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            FORM,
            "[[rule]]\nentity = \"contact.email\"\ntier = 2\naction = \"redact\"\nform = { kind = \"keyed_hash\" }\n",
            "rule[contact.email].form",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            FORM,
            "[[rule]]\nentity = \"contact.email\"\ntier = 2\naction = \"redact\"\nform = { kind = \"drop\" }\n",
            "rule[contact.email].form",
            DecidesMore,
            MayDecideLess,
        ),
        (
            "policy.toml",
            FORM,
            "[[rule]]\nentity = \"contact.email\"\ntier = 2\naction = \"redact\"\nplaceholder = \"MAIL\"\n",
            "rule[contact.email].placeholder",
            NoDecision,
            NoDecision,
        ),
        (
            "policy.toml",
            "redact_at = 20\nblock_at = 40",
            "redact_at = 20\nblock_at = 45",
            "defaults.block_at",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            "more_than_distinct = 5",
            "more_than_distinct = 6",
            "combination[many e-mail addresses].more_than_distinct",
            MayDecideLess,
            DecidesMore,
        ),
        (
            "policy.toml",
            "all_of = [\"person.name\", \"date.birth\", \"location.address\"]",
            "all_of = [\"person.name\", \"date.birth\"]",
            "combination[name with birth date and address].when",
            DecidesMore,
            MayDecideLess,
        ),
        (
            "policy.toml",
            "tier = 1\nentity = \"contact.email\"\nmore",
            "tier = 2\nentity = \"contact.email\"\nmore",
            "combination[many e-mail addresses].tier",
            MayDecideLess,
            DecidesMore,
        ),
        ("policy.toml", "carry = []", "carry = [\"subject\"]", "intake.carry[subject]", MayDecideLess, DecidesMore),
        ("policy.toml", "1_048_576", "1_048_577", "intake.max_record_bytes", MayDecideLess, DecidesMore),
        (
            "policy.toml",
            "",
            "\n[mode.destination.summaries-us]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"officer\"\n",
            "mode.destination.summaries-us",
            MayDecideLess,
            DecidesMore,
        ),
        ("policy.toml", "version = 1\n", "version = 2\n", "version", NoDecision, NoDecision),
    ];
    check(&base(), &rows);
}

#[test]
fn a_combination_or_a_rule_that_goes_is_a_loosening_and_a_name_is_none() {
    let base = base();
    let mut without = base.files.clone();
    cut(&mut without, "policy.toml", "[[combination]]\nname = \"many", "# A new destination");
    let without = ruleset(without);
    let gone = changes(&base, &without);
    assert_eq!(find(&gone, "policy.toml", "combination[many e-mail addresses]").class, MayDecideLess);
    let back = changes(&without, &base);
    assert_eq!((back.len(), back[0].class), (1, DecidesMore));

    let mut renamed = base.files.clone();
    edit(&mut renamed, "policy.toml", "many e-mail addresses", "address book");
    let renamed = changes(&base, &ruleset(renamed));
    assert_eq!((renamed.len(), renamed[0].class), (1, NoDecision), "{renamed:#?}");

    // Without its rule a code is redacted by default, and not refused; a phone number is tier 1 by default.
    let mut rules = base.files.clone();
    cut(&mut rules, "policy.toml", "[[rule]]\nentity = \"payment.cvv\"", "[[rule]]\nentity = \"iban\"");
    let changes_of_cvv = changes(&base, &ruleset(rules.clone()));
    assert_eq!(find(&changes_of_cvv, "policy.toml", "rule[payment.cvv].action").class, MayDecideLess);
    let mut rules = base.files.clone();
    cut(&mut rules, "policy.toml", "[[rule]]\nentity = \"contact.phone\"", "[[rule]]\nentity = \"network.ipv4\"");
    let stricter = changes(&base, &ruleset(rules));
    assert_eq!(find(&stricter, "policy.toml", "rule[contact.phone].tier").class, DecidesMore);
    assert!(Given::default().refused(&stricter).is_empty());
}

#[test]
fn watching_for_longer_is_a_loosening() {
    let shadow =
        "\n[mode.destination.summaries-us]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"officer\"\n";
    let mut watched = files();
    edit(&mut watched, "policy.toml", "", shadow);
    let until = "mode.destination.summaries-us.shadow_until";
    let approver = "mode.destination.summaries-us.approver";
    let rows: [Row; 2] = [
        (
            "policy.toml",
            "2026-04-01\napprover = \"officer",
            "2026-04-02\napprover = \"officer",
            until,
            MayDecideLess,
            DecidesMore,
        ),
        ("policy.toml", "approver = \"officer\"", "approver = \"board\"", approver, NoDecision, NoDecision),
    ];
    check(&ruleset(watched), &rows);
}

#[test]
fn comments_are_text_only_and_what_is_not_explained_is_a_loosening() {
    let rows: [Row; 3] = [
        ("policy.toml", "[defaults]", "# A comment.\n[defaults]", "", NoDecision, NoDecision),
        // Evidence that no terms name changes nothing that is read.
        (
            "destinations.toml",
            "",
            "\n[evidence.spare]\ndocument = \"d\"\ndate = 2026-02-11\nanswered_by = \"a\"\nrole = \"r\"\nvalid_until = 2030-01-01\n",
            "",
            NoDecision,
            NoDecision,
        ),
        // The default written out. It is harmless; but it is not known to be, so somebody must look.
        (
            "fi.toml",
            "validator = \"fi.hetu\"",
            "boundary = \"token\"\nvalidator = \"fi.hetu\"",
            "",
            MayDecideLess,
            MayDecideLess,
        ),
    ];
    check(&base(), &rows);
}

/// Every loosening undone is a tightening, several at once too; permission for one class is none for the other.
#[test]
fn several_changes_are_all_shown_and_each_needs_its_own_permission() {
    let base = base();
    let mut edited = base.files.clone();
    edit(&mut edited, "policy.toml", "family = \"fi\"\ntier = 1", "family = \"fi\"\ntier = 2");
    edit(&mut edited, "policy.toml", "1_048_576", "2_097_152");
    edit(&mut edited, "evidence.toml", "floor = 10", "floor = 12");
    edit(&mut edited, "templates.toml", "max_value_bytes = 200", "max_value_bytes = 201");
    let edited = ruleset(edited);
    let found = changes(&base, &edited);
    let counts = Class::ALL.map(|class| count(&found, class));
    assert_eq!(counts, [2, 1, 1, 0, 0]);
    let back = changes(&edited, &base);
    assert_eq!(Class::ALL.map(|class| count(&back, class)), [0, 2, 0, 2, 0]);
    let loosening = Given { loosening: true, evidence: None };
    assert_eq!(loosening.refused(&found), [DetectsDifferently]);
    let evidence = Some(EvidenceFile { path: "report.md".into(), digest: "sha256:00".into() });
    assert_eq!(Given { loosening: false, evidence: evidence.clone() }.refused(&found), [MayDecideLess]);
    assert!(Given { loosening: true, evidence }.refused(&found).is_empty());
}
