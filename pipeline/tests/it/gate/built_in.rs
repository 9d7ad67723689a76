//! The rules that are built in: they load, and each example destination does what its comment says.

use super::{finding, noon, rules};
use maysend::{
    gate::{Decision, Distinct, Identifiers, Reason, Request, Route, may_send},
    ruleset::{
        Rules, Ruleset,
        policy::{Action, Mode, Tier},
        region::Region,
    },
};
use maysend_detector::finding::Finding;

/// The only ones that stay in what is sent.
const ALLOWED: [&str; 2] = ["date.other", "network.url"];

fn built_in() -> Rules {
    let ruleset = Ruleset::builtin().unwrap();
    let known: Vec<&str> = ruleset.detector.catalogue().entities.iter().map(|entity| entity.id.as_str()).collect();
    rules(
        include_str!("../../../../patterns/policy.toml"),
        include_str!("../../../../patterns/tenants.toml"),
        include_str!("../../../../patterns/destinations.toml"),
        &known,
    )
    .unwrap()
}

fn decide(rules: &Rules, destination: &str, day: &str, findings: &[Finding]) -> Decision {
    may_send(&Request {
        findings,
        distinct: &Distinct::new(),
        identifiers: &Identifiers::default(),
        tenant: rules.tenants.get("acme"),
        claimed_region: Some("EU"),
        destination: rules.destinations.get(destination),
        contradicted: false,
        policy: &rules.policy,
        as_of: noon(day),
    })
}

#[test]
fn each_example_destination_decides_as_its_comment_says() {
    let rules = built_in();
    let reasons = |destination: &str, findings: &[Finding]| decide(&rules, destination, "2026-03-02", findings).reasons;
    use Reason::*;
    assert_eq!(reasons("summaries-eu", &[]), []);
    assert_eq!(reasons("summaries-eu-zdr", &[]), []);
    assert_eq!(reasons("summaries-us", &[]), [NoTransferMechanism]);
    assert_eq!(reasons("labs-free", &[]), [TrainingEligible]);
    assert_eq!(reasons("elsewhere", &[]), [TrainingEligible, NoTransferMechanism, DestinationUnknown]);

    let bsn = [finding("nl.bsn", 40, 0)];
    assert_eq!(reasons("summaries-eu", &bsn), [Tier1Retained]);
    assert_eq!(reasons("summaries-eu-zdr", &bsn), []);
    assert_eq!(reasons("summaries-eu", &[finding("nl.bsn", 39, 0)]), []);
    assert_eq!(reasons("summaries-eu-zdr", &[finding("payment.cvv", 40, 0)]), [EntityBlocked]);
    assert_eq!(reasons("summaries-eu", &[finding("contact.email", 90, 0)]), []);
    assert_eq!(reasons("summaries-eu", &[finding("never.heard_of", 40, 0)]), [Tier1Retained]);
}

#[test]
fn all_evidence_ends_and_then_nothing_is_sent() {
    let rules = built_in();
    assert_eq!(decide(&rules, "summaries-eu-zdr", "2027-06-30", &[]).route(), Route::Send);
    assert_eq!(rules.destinations.expiring(noon("2027-05-30"), 30), []);
    assert!(!rules.destinations.expiring(noon("2027-05-31"), 30).is_empty());
    for destination in rules.destinations.iter() {
        for day in ["2026-02-10", "2027-07-01"] {
            assert_eq!(decide(&rules, &destination.id, day, &[]).route(), Route::Held, "{} {day}", destination.id);
        }
    }
}

#[test]
fn a_send_always_has_terms_to_point_to() {
    let rules = built_in();
    for destination in rules.destinations.iter() {
        for day in ["2020-01-01", "2026-02-10", "2026-02-11", "2026-12-31", "2027-07-01"] {
            let sent = decide(&rules, &destination.id, day, &[]).route() == Route::Send;
            assert!(!sent || destination.terms_at(noon(day)).is_some(), "{} {day}", destination.id);
        }
    }
}

#[test]
fn the_built_in_policy_is_strict_where_it_must_be() {
    let rules = built_in();
    let policy = &rules.policy;
    for entity in ["be.nn", "br.cpf", "ca.sin", "de.idnr", "es.dni", "fi.hetu", "fr.nir", "gb.nino", "nl.bsn", "us.ssn"]
    {
        assert_eq!(policy.rule(entity).tier, Tier::One, "{entity}");
    }
    for (entity, rule) in policy.rules() {
        assert!(rule.action != Action::Allow || ALLOWED.contains(&entity.as_str()), "{entity}");
        assert_eq!((rule.redact_at, rule.block_at), (20, 40), "{entity}");
    }
    assert_eq!(policy.rule("secret.password_prose").label.as_ref(), "PASSWORD");
    assert_eq!(policy.mode("summaries-eu", noon("2026-03-02")), Mode::Enforce);
    let acme = rules.tenants.get("acme").unwrap();
    assert_eq!(acme.region, Region::EU);
    assert_eq!(acme.packs, ["NL", "DE", "FR", "GB", "BE", "ES", "IT", "PL"]);
    let providers: Vec<&str> = rules.destinations.iter().map(|destination| destination.provider.as_str()).collect();
    assert_eq!(providers, ["sample-labs", "example-models", "example-models", "example-models"]);
}
