//! Combinations that raise the tier.

use super::{Register, TENANTS, finding, noon, rules, with_rival};
use maysend::{
    gate::{Decision, Distinct, Identifiers, Reason, Request, Route, may_send},
    ruleset::Rules,
};
use maysend_detector::finding::Finding;

const KNOWN: [&str; 4] = ["person.name", "date.birth", "location.address", "contact.email"];

const POLICY: &str = r#"
version = 1
dated = 2026-02-11
[[rule]]
family = "person"
tier = 2
action = "redact"
[[rule]]
family = "date"
tier = 2
action = "redact"
[[rule]]
family = "location"
tier = 3
action = "redact"
[[rule]]
family = "contact"
tier = 2
action = "redact"
[[combination]]
name = "who, when and where"
tier = 1
all_of = ["person.name", "date.birth", "location.address"]
[[combination]]
name = "address book"
tier = 1
entity = "contact.email"
more_than_distinct = 2
[[combination]]
name = "name and address"
tier = 2
all_of = ["person.name", "location.address"]
"#;

fn load(retains: bool) -> Rules {
    let register = Register { zero_retention: !retains, ..Register::best() };
    rules(POLICY, TENANTS, &register.text(), &KNOWN).unwrap()
}

fn decide(findings: &[Finding], distinct: &Distinct, retains: bool) -> Decision {
    let rules = load(retains);
    may_send(&Request {
        findings,
        distinct,
        identifiers: &Identifiers::default(),
        tenant: rules.tenants.get("acme"),
        claimed_region: None,
        destination: rules.destinations.get("d"),
        contradicted: false,
        policy: &rules.policy,
        as_of: noon("2026-06-01"),
    })
}

/// Redacted, and too weak to refuse by itself.
const SOME: i32 = 20;

#[test]
fn all_of_holds_with_each_at_or_over_its_redact_at_and_not_with_fewer() {
    let entities = ["person.name", "date.birth", "location.address"];
    for which in 0..8_usize {
        for points in [SOME - 1, SOME, 60] {
            let found: Vec<Finding> = (0..3)
                .map(|i| finding(entities[i], if which & (1 << i) != 0 { points } else { SOME - 1 }, i))
                .collect();
            let decision = decide(&found, &Distinct::new(), true);
            let holds = which == 7 && points >= SOME;
            assert_eq!(decision.reasons == [Reason::Tier1Retained], holds, "{which:03b} {points}");
            assert_eq!(decision.route(), if holds { Route::Review } else { Route::Send });
            assert_eq!(decision.combinations.contains(&"who, when and where".to_owned()), holds);
            let pair = which & 0b101 == 0b101 && points >= SOME;
            assert_eq!(decision.combinations.contains(&"name and address".to_owned()), pair);
        }
    }
}

#[test]
fn a_combination_names_its_entities_and_does_not_matter_where_nothing_is_kept() {
    let found = [finding("person.name", SOME, 0), finding("date.birth", SOME, 1), finding("location.address", SOME, 2)];
    let kept = decide(&found, &Distinct::new(), true);
    let names: Vec<String> = kept.tier1_entities.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["date.birth", "location.address", "person.name"]);
    let zero = decide(&found, &Distinct::new(), false);
    assert_eq!((zero.route(), zero.redactions.len(), zero.combinations.len()), (Route::Send, 3, 2));
    assert!(zero.tier1_entities.is_empty());
}

#[test]
fn rivals_count_in_a_combination() {
    let found = [with_rival(finding("person.name", SOME, 0), "location.address", SOME), finding("date.birth", SOME, 1)];
    assert_eq!(decide(&found, &Distinct::new(), true).route(), Route::Review);
}

#[test]
fn distinct_values_are_counted_and_findings_stand_in_where_nobody_counted() {
    let found: Vec<Finding> = (0..9).map(|n| finding("contact.email", 50, n)).collect();
    let count = |n: usize| Distinct::from([("contact.email".into(), n)]);
    assert_eq!(decide(&found, &count(2), true).route(), Route::Send);
    assert_eq!(decide(&found, &count(3), true).route(), Route::Review);
    assert_eq!(decide(&found, &Distinct::new(), true).route(), Route::Review);
    assert_eq!(decide(&found[..2], &Distinct::new(), true).route(), Route::Send);
    let weak: Vec<Finding> = (0..9).map(|n| finding("contact.email", SOME - 1, n)).collect();
    assert_eq!(decide(&weak, &Distinct::new(), true).route(), Route::Send);
}
