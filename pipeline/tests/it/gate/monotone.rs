//! More evidence of personal data, and less evidence about a provider, never turn a refusal into a send.

use super::{ATTRIBUTES, Register, TENANTS, finding, noon, rules};
use maysend::gate::{Decision, Distinct, Identifiers, Request, Verdict, may_send};
use maysend_detector::{
    document::Span,
    finding::{Finding, Rival},
};
use proptest::{prelude::*, sample::Index};
use std::collections::BTreeSet;

const KNOWN: [&str; 6] = ["nl.bsn", "contact.email", "contact.phone", "network.ipv4", "person.name", "secret.jwt"];

const POLICY: &str = r#"
version = 1
dated = 2026-02-11
[[rule]]
entity = "contact.email"
tier = 2
action = "redact"
[[rule]]
entity = "contact.phone"
tier = 2
action = "block"
redact_at = 30
block_at = 50
[[rule]]
entity = "network.ipv4"
tier = 3
action = "allow"
[[rule]]
entity = "person.name"
tier = 3
action = "redact"
[[rule]]
entity = "secret.jwt"
tier = 1
action = "block"
form = { kind = "drop" }
[[combination]]
name = "name and mail"
tier = 1
all_of = ["person.name", "contact.email"]
[[combination]]
name = "many"
tier = 1
entity = "contact.email"
more_than_distinct = 2
"#;

fn a_finding() -> impl Strategy<Value = Finding> {
    let rival = (0..KNOWN.len(), -10..70_i32, 0..40_usize, 1..12_usize);
    (rival.clone(), proptest::collection::vec(rival, 0..3)).prop_map(|((entity, points, start, length), rivals)| {
        let mut found = finding(KNOWN[entity], points, 0);
        found.span = Span { turn: 0, start, end: start + length };
        for (entity, points, start, length) in rivals {
            let span = Span { turn: 0, start, end: start + length };
            let pattern = format!("{}/plain", KNOWN[entity]).as_str().into();
            found.rivals.push(Rival { entity: KNOWN[entity].into(), pattern, span, more: Vec::new(), points });
        }
        found
    })
}

fn a_register() -> impl Strategy<Value = Register> {
    let days = proptest::array::uniform3(prop_oneof![9 => Just(0_u32), 1 => Just(30)]);
    let place = prop_oneof![
        4 => Just(("EU", None)),
        4 => Just(("US", Some("EU"))),
        1 => Just(("US", None)),
        1 => Just(("US", Some("GB")))
    ];
    let expired = proptest::sample::subsequence(&ATTRIBUTES[..], 0..2);
    let rarely = || prop::bool::weighted(0.1);
    (rarely(), prop::bool::weighted(0.8), days, rarely(), place, expired).prop_map(
        |(suspended, zero_retention, days, training, (region, mechanism), expired)| Register {
            suspended,
            effective: "2026-02-11",
            zero_retention,
            days,
            training,
            region,
            mechanism,
            expired,
        },
    )
}

fn decide(findings: &[Finding], distinct: &Distinct, register: &Register) -> Decision {
    let rules = rules(POLICY, TENANTS, &register.text(), &KNOWN).unwrap();
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

fn bytes(decision: &Decision) -> BTreeSet<(usize, usize)> {
    let spans = decision.redactions.iter().map(|redaction| redaction.span);
    spans.flat_map(|span| (span.start..span.end).map(move |byte| (span.turn, byte))).collect()
}

/// `after` refuses for every reason that `before` does, and redacts every byte.
fn at_least_as_strict(before: &Decision, after: &Decision) -> Result<(), TestCaseError> {
    prop_assert!(before.verdict() == Verdict::Send || after.verdict() == Verdict::Block);
    prop_assert!(before.reasons.iter().all(|reason| after.reasons.contains(reason)));
    prop_assert!(before.tier1_entities.iter().all(|entity| after.tier1_entities.contains(entity)));
    prop_assert!(bytes(before).is_subset(&bytes(after)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn more_points_are_never_milder(
        mut findings in proptest::collection::vec(a_finding(), 1..5),
        register in a_register(),
        which in any::<Index>(),
        more in 1..60_i32,
    ) {
        let before = decide(&findings, &Distinct::new(), &register);
        let found = which.get_mut(&mut findings);
        let readings = 1 + found.rivals.len();
        match which.index(readings) {
            0 => found.points += more,
            rival => found.rivals[rival - 1].points += more,
        }
        at_least_as_strict(&before, &decide(&findings, &Distinct::new(), &register))?;
    }

    #[test]
    fn another_finding_is_never_milder(
        mut findings in proptest::collection::vec(a_finding(), 0..5),
        another in a_finding(),
        place in any::<Index>(),
        register in a_register(),
        counted in proptest::option::of(0..4_usize),
        new_value in any::<bool>(),
    ) {
        let distinct = |n: usize| counted.map(|counted| ("contact.email".into(), counted + n)).into_iter().collect();
        let before = decide(&findings, &distinct(0), &register);
        findings.insert(place.index(findings.len() + 1), another);
        at_least_as_strict(&before, &decide(&findings, &distinct(usize::from(new_value)), &register))?;
    }

    #[test]
    fn evidence_that_ends_is_never_milder(
        findings in proptest::collection::vec(a_finding(), 0..4),
        register in a_register(),
        ends in proptest::sample::select(&ATTRIBUTES[..]),
    ) {
        let before = decide(&findings, &Distinct::new(), &register);
        let mut later = register;
        later.expired.push(ends);
        at_least_as_strict(&before, &decide(&findings, &Distinct::new(), &later))?;
    }

    #[test]
    fn redactions_are_in_order_and_share_no_byte(
        findings in proptest::collection::vec(a_finding(), 0..8),
        register in a_register(),
    ) {
        let decision = decide(&findings, &Distinct::new(), &register);
        for pair in decision.redactions.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start);
        }
        prop_assert_eq!(&decision, &decide(&findings, &Distinct::new(), &register));
    }
}
