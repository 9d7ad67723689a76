//! Reading `policy.toml`: what it comes to, and every mistake in it.

use super::*;
use crate::ruleset::testing::{mistakes_in, read_clean};

const HEAD: &str = "version = 3\ndated = 2026-02-11\n";

fn known() -> BTreeSet<String> {
    ["contact.email", "contact.phone", "iban", "nl.bsn", "payment.card", "payment.cvv", "person.name", "secret.jwt"]
        .map(String::from)
        .into()
}

fn policy(body: &str) -> Policy {
    read_clean(FILE, &format!("{HEAD}{body}"), |file, mistakes| {
        Policy::read(file, &known(), Some(&ids()), None, mistakes)
    })
}

/// The mistakes in what stands from line 3 on.
fn mistakes(body: &str) -> Vec<String> {
    mistakes_in(FILE, &format!("{HEAD}{body}"), |file, mistakes| {
        Policy::read(file, &known(), Some(&ids()), None, mistakes)
    })
}

fn ids() -> BTreeSet<String> {
    ["summaries-eu", "summaries-us"].map(String::from).into()
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn families_and_labels_come_from_the_id() {
    assert_eq!((family("nl.bsn"), family("iban"), family("special.minor")), ("nl", "iban", "special"));
    let labels: Vec<String> =
        ["contact.email", "nl.bsn", "iban", "eu.at_02", "secret.aws_key"].map(default_label).into();
    assert_eq!(labels, ["EMAIL", "NL_BSN", "IBAN", "EU_AT_02", "AWS_KEY"]);
}

#[test]
fn what_the_policy_says_has_an_order_from_strict_to_mild() {
    assert!(Tier::One < Tier::Two && Tier::Two < Tier::Three);
    assert!(Action::Block < Action::Redact && Action::Redact < Action::Allow);
    for number in 1..=3_u8 {
        assert_eq!(Tier::of_number(number.into()).map(Tier::number), Some(number));
    }
    assert_eq!(Tier::of_number(0), None);
    assert_eq!((Mode::Enforce.as_str(), Mode::Shadow.as_str()), ("enforce", "shadow"));
}

#[test]
fn an_entity_without_a_rule_is_tier_one_and_redacted() {
    let policy = policy("[defaults]\nredact_at = 15\nblock_at = 35\n");
    for (entity, label) in [("nl.bsn", "NL_BSN"), ("never.heard_of", "PERSONAL_DATA")] {
        let rule = policy.rule(entity);
        assert_eq!((rule.tier, rule.action, rule.form), (Tier::One, Action::Redact, Form::Placeholder), "{entity}");
        assert_eq!((rule.redact_at, rule.block_at, &*rule.label), (15, 35, label), "{entity}");
    }
    assert_eq!((policy.version, policy.dated), (3, jiff::civil::date(2026, 2, 11)));
    assert_eq!(policy.intake, Intake::default());
    assert_eq!(policy.rules().count(), known().len());
}

#[test]
fn an_entity_rule_goes_before_its_family_in_any_order() {
    let email = "[[rule]]\nentity = \"contact.email\"\ntier = 3\naction = \"allow\"\n";
    let contact = "[[rule]]\nfamily = \"contact\"\ntier = 2\naction = \"redact\"\nredact_at = 10\n";
    for body in [format!("{email}{contact}"), format!("{contact}{email}")] {
        let policy = policy(&body);
        assert_eq!(policy.rule("contact.email").tier, Tier::Three);
        let phone = policy.rule("contact.phone");
        assert_eq!((phone.tier, phone.redact_at, phone.block_at), (Tier::Two, 10, 40));
    }
    let iban = policy("[[rule]]\nfamily = \"iban\"\ntier = 2\naction = \"redact\"\n");
    assert_eq!(iban.rule("iban").tier, Tier::Two);
}

#[test]
fn every_form_and_label_is_read() {
    for (name, form) in form::FORMS {
        let policy = policy(&format!(
            "[[rule]]\nentity = \"contact.email\"\ntier = 2\naction = \"redact\"\nplaceholder = \"MAIL\"\nform = {{ kind = \"{name}\" }}\n"
        ));
        let rule = policy.rule("contact.email");
        assert_eq!((rule.form, &*rule.label), (*form, "MAIL"));
    }
}

#[test]
fn intake_is_read_and_cannot_carry_what_the_gate_strips() {
    let policy = policy("[intake]\ncarry = [\"subject\"]\nmax_record_bytes = 2_048\n");
    assert_eq!(policy.intake, Intake { carry: vec![Carry::parse("subject").unwrap()], max_record_bytes: 2048 });
    let lines = mistakes("[intake]\ncarry = [\"fields\", \"a\", \"a\", \"\"]\nmax_record_bytes = 0\n");
    let expected = [
        "policy.toml:4: intake.carry[0]: `fields` is a member of the gate's own records; leave it out",
        "policy.toml:4: intake.carry[2]: `/a` is carried already; name the members that are meant one by one, each once: no pointer may lead to or through another",
        "policy.toml:4: intake.carry[3]: an empty name; the name of a member of the record",
        "policy.toml:5: intake.max_record_bytes: 0 bytes; from 1 to 67108864",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_rule_that_names_nothing_known_is_refused() {
    let rule = |target: &str| mistakes(&format!("[[rule]]\n{target}\ntier = 2\naction = \"redact\"\n"));
    assert_eq!(
        rule("entity = \"nl.bns\""),
        ["policy.toml:4: rule[0].entity: unknown entity `nl.bns`; did you mean `nl.bsn`?"]
    );
    assert_eq!(
        rule("entity = \"quite.something_else\""),
        [
            "policy.toml:4: rule[0].entity: unknown entity `quite.something_else`; an entity of the patterns or templates"
        ]
    );
    assert_eq!(
        rule("family = \"contacts\""),
        ["policy.toml:4: rule[0].family: no entity is of the family `contacts`; did you mean `contact`?"]
    );
    assert_eq!(
        rule("entity = \"nl.bsn\"\nfamily = \"nl\""),
        ["policy.toml:3: rule[0]: both entity and family; a rule names one of the two, such as entity = \"nl.bsn\""]
    );
    assert_eq!(
        rule(""),
        ["policy.toml:3: rule[0]: neither entity nor family; a rule names one of the two, such as entity = \"nl.bsn\""]
    );
}

#[test]
fn every_mistake_of_a_rule_is_reported_at_once() {
    let lines = mistakes(
        "[[rule]]\nentity = \"nl.bsn\"\ntier = 4\naction = \"permit\"\nredact_at = 50\nplaceholder = \"bsn\"\nform = { kind = \"rot13\", key = 1 }\n[[rule]]\nentity = \"nl.bsn\"\ntier = 1\naction = \"allow\"\nblock_at = 0\n",
    );
    let expected = [
        "policy.toml:5: rule[0].tier: there is no tier 4 here; one of 1, 2, 3",
        "policy.toml:6: rule[0].action: unknown value `permit`; one of block, redact, allow",
        "policy.toml:7: rule[0].redact_at: redact_at 50 is over block_at 40; redact_at is at most block_at, so that whatever can refuse a document is also redacted",
        "policy.toml:8: rule[0].placeholder: `bsn` is not a label; up to 40 of A-Z, 0-9 and `_`, beginning with a letter: EMAIL",
        "policy.toml:9: rule[0].form.key: unknown key; known here: kind",
        "policy.toml:9: rule[0].form.kind: unknown value `rot13`; one of placeholder, mask, keep_last_four, keyed_hash, drop",
        "policy.toml:11: rule[1].entity: a second rule for `nl.bsn`; one rule for each",
        "policy.toml:13: rule[1].action: tier 1 with action `allow`; `redact` or `block`, or another tier",
        "policy.toml:14: rule[1].block_at: 0 points; from 1 to 200, in tenths of a ban",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn thresholds_are_above_zero_and_in_order() {
    let with = |keys: &str| mistakes(&format!("[defaults]\n{keys}\n")).len();
    assert_eq!(with("redact_at = 1\nblock_at = 1"), 0);
    assert_eq!(with("redact_at = 200\nblock_at = 200"), 0);
    for wrong in ["redact_at = 0", "redact_at = -5", "block_at = 201", "redact_at = 30\nblock_at = 29", "block_at = 19"]
    {
        assert_eq!(with(wrong), 1, "{wrong}");
    }
    assert_eq!(with("redact_at = 2.5"), 1);
}

#[test]
fn forms_that_would_leak_are_refused_for_the_entity_and_through_its_family() {
    let rule = |target: &str, tier: u8, form: &str| {
        mistakes(&format!("[[rule]]\n{target}\ntier = {tier}\naction = \"redact\"\nform = {{ kind = \"{form}\" }}\n"))
    };
    assert_eq!(
        rule("entity = \"payment.cvv\"", 2, "keep_last_four"),
        [
            "policy.toml:7: rule[0].form: keep_last_four is refused for `payment.cvv`: four characters are most of such a value; placeholder, mask or drop"
        ]
    );
    assert_eq!(rule("family = \"payment\"", 2, "keep_last_four").len(), 1);
    assert_eq!(rule("entity = \"payment.card\"", 1, "keep_last_four"), [""; 0]);
    assert_eq!(rule("entity = \"contact.email\"", 2, "keyed_hash"), [""; 0]);
    assert_eq!(
        rule("entity = \"contact.email\"", 1, "keyed_hash"),
        [
            "policy.toml:7: rule[0].form: keyed_hash is refused for `contact.email`: tier 1 must not be recognisable from one document to another; placeholder, mask or drop"
        ]
    );
    assert_eq!(
        rule("family = \"contact\"", 2, "keyed_hash"),
        [
            "policy.toml:7: rule[0].form: keyed_hash is refused for `contact.phone`: it has so few possible values that its hashes can be turned back; placeholder, mask or drop"
        ]
    );
    let own = "[[rule]]\nentity = \"payment.cvv\"\ntier = 1\naction = \"block\"\n[[rule]]\nfamily = \"payment\"\ntier = 2\naction = \"redact\"\nform = { kind = \"keep_last_four\" }\n";
    assert_eq!(mistakes(own), [""; 0]);
}

#[test]
fn two_entities_cannot_have_one_name() {
    let label = "[[rule]]\nentity = \"contact.phone\"\ntier = 2\naction = \"redact\"\nplaceholder = \"EMAIL\"\n";
    assert_eq!(
        mistakes(label),
        [
            "policy.toml:7: rule[0].placeholder: `contact.email` and `contact.phone` would both be [EMAIL_1]; give one of them a rule with its own `placeholder`"
        ]
    );
    let family = "[[rule]]\nfamily = \"contact\"\ntier = 2\naction = \"redact\"\nplaceholder = \"CONTACT\"\n";
    assert_eq!(
        mistakes(family),
        [
            "policy.toml:7: rule[0].placeholder: a label for a whole family; entities have labels of their own: name the entity"
        ]
    );
    let known = ["a_long.thing", "b_long.thing"].map(String::from).into();
    let lines = mistakes_in(FILE, HEAD, |file, mistakes| Policy::read(file, &known, None, None, mistakes));
    assert_eq!(
        lines,
        [
            "policy.toml:1: rule: `a_long.thing` and `b_long.thing` would both be [THING_1]; give one of them a rule with its own `placeholder`"
        ]
    );
}

#[test]
fn combinations_are_of_one_kind_and_of_known_entities() {
    let policy = policy(
        "[[combination]]\nname = \"a\"\ntier = 1\nall_of = [\"person.name\", \"contact.email\"]\n[[combination]]\nname = \"b\"\ntier = 2\nentity = \"contact.email\"\nmore_than_distinct = 5\n",
    );
    assert_eq!(policy.combinations[0].when, When::AllOf(vec!["contact.email".into(), "person.name".into()]));
    assert_eq!(policy.combinations[1].when, When::MoreThanDistinct { entity: "contact.email".into(), limit: 5 });
    assert_eq!(policy.combinations[1].tier, Tier::Two);
    assert_eq!(policy.counted().map(EntityId::as_str).collect::<Vec<_>>(), ["contact.email"]);

    let wrong = |keys: &str| mistakes(&format!("[[combination]]\nname = \"a\"\ntier = 1\n{keys}\n"));
    let kinds = "not one of the two kinds of combination; either all_of, or entity and more_than_distinct";
    for keys in
        ["", "entity = \"iban\"", "more_than_distinct = 2", "all_of = [\"iban\", \"nl.bsn\"]\nentity = \"iban\""]
    {
        assert_eq!(wrong(keys), [format!("policy.toml:3: combination[0]: {kinds}")], "{keys}");
    }
    assert_eq!(
        wrong("all_of = [\"iban\"]"),
        ["policy.toml:6: combination[0].all_of: fewer than two entities; a combination is of two or more"]
    );
    assert_eq!(
        wrong("all_of = [\"iban\", \"ibann\"]"),
        ["policy.toml:6: combination[0].all_of[1]: unknown entity `ibann`; did you mean `iban`?"]
    );
    assert_eq!(
        wrong("entity = \"iban\"\nmore_than_distinct = 0"),
        ["policy.toml:7: combination[0].more_than_distinct: not a number of values; a whole number from 1"]
    );
    assert_eq!(
        mistakes("[[combination]]\nname = \" \"\ntier = 3\nall_of = [\"iban\", \"nl.bsn\"]\n"),
        [
            "policy.toml:4: combination[0].name: empty; it says something",
            "policy.toml:5: combination[0].tier: there is no tier 3 here; one of 1, 2"
        ]
    );
    let allowed = "[[rule]]\nentity = \"iban\"\ntier = 3\naction = \"allow\"\n[[combination]]\nname = \"a\"\ntier = 1\nall_of = [\"iban\", \"nl.bsn\"]\n";
    assert_eq!(
        mistakes(allowed),
        [
            "policy.toml:7: combination[0]: `iban` has action `allow`, and would be tier 1 with it; redact or block what a combination can raise"
        ]
    );
}

#[test]
fn shadow_ends_by_itself_and_is_for_one_destination() {
    let policy = policy(
        "[mode]\nmode = \"enforce\"\n[mode.destination.summaries-us]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"privacy officer\"\n[mode.destination.summaries-eu]\nmode = \"enforce\"\n",
    );
    assert_eq!(policy.mode("summaries-us", time("2026-03-31T23:59:59Z")), Mode::Shadow);
    assert_eq!(policy.mode("summaries-us", time("2026-04-01T00:00:00Z")), Mode::Enforce);
    assert_eq!(policy.mode("summaries-eu", time("2026-03-01T00:00:00Z")), Mode::Enforce);
    assert_eq!(policy.mode("unknown", time("2026-03-01T00:00:00Z")), Mode::Enforce);
    assert_eq!(policy.shadows().map(|(id, _)| id).collect::<Vec<_>>(), ["summaries-us"]);
}

#[test]
fn shadow_needs_an_end_an_approver_and_a_known_destination() {
    let lines = mistakes(
        "[mode]\nmode = \"shadow\"\n[mode.destination.summaries-us]\nmode = \"shadow\"\n[mode.destination.sumaries-us]\nmode = \"shadow\"\nshadow_until = 2026-02-28\napprover = \"\"\n",
    );
    let expected = [
        "policy.toml:4: mode.mode: shadow for all destinations; shadow is for one destination: [mode.destination.ID]",
        "policy.toml:5: mode.destination.summaries-us.approver: missing; it takes a string",
        "policy.toml:5: mode.destination.summaries-us.shadow_until: missing; it takes a date such as 2026-02-11, without quotes",
        "policy.toml:7: mode.destination.sumaries-us: unknown destination `sumaries-us`; did you mean `summaries-us`?",
        "policy.toml:10: mode.destination.sumaries-us.approver: empty; it says something",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn the_head_is_required() {
    let lines = mistakes_in(FILE, "version = 0\n", |file, mistakes| Policy::read(file, &known(), None, None, mistakes));
    let expected = [
        "policy.toml:1: dated: missing; it takes a date such as 2026-02-11, without quotes",
        "policy.toml:1: version: 0 is not a version; a whole number from 1",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_day_that_no_calendar_has_is_refused() {
    for day in ["2026-02-29", "2026-02-30", "2026-13-01", "2026-00-10", "2026-04-31"] {
        let text = format!("version = 1\ndated = {day}\n");
        let lines = mistakes_in(FILE, &text, |file, mistakes| Policy::read(file, &known(), None, None, mistakes));
        assert_eq!(lines.len(), 1, "{day}: {lines:?}");
        assert!(lines[0].starts_with("policy.toml:2: "), "{lines:?}");
    }
    let leap =
        read_clean(FILE, "version = 1\ndated = 2028-02-29\n", |file, m| Policy::read(file, &known(), None, None, m));
    assert_eq!(leap.dated.to_string(), "2028-02-29");
}
