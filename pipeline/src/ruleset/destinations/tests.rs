//! Reading `destinations.toml`: terms on a day, their ids, what is about to end, and every mistake.

use super::{super::region::Region, *};
use crate::ruleset::testing::{mistakes_in, read_clean};

const EVIDENCE: &str = r#"
[evidence.annex]
document = "annex 7"
date = 2026-02-11
answered_by = "privacy desk"
role = "contact"
valid_until = 2026-12-31
[evidence.letter]
document = "letter"
date = 2026-03-01
answered_by = "privacy desk"
role = "contact"
valid_until = 2026-06-30
"#;

const ZERO: &str = r#"
[[destination]]
id = "zero"
provider = "example"
account = "a"
[[destination.terms]]
effective = 2026-02-11
plan = "p"
endpoint = "https://x.example/v1"
zero_retention = { value = true, evidence = "annex" }
training_eligible = { value = false, evidence = "annex" }
region = { value = "EU", evidence = "annex" }
mechanisms = [{ from = "GB", kind = "adequacy", evidence = "annex" }, { from = "US", kind = "contract_clauses", evidence = "letter" }]
processing_agreement = { value = "signed", evidence = "annex" }
subprocessors = { value = ["b", "a"], evidence = "annex" }
[destination.terms.retention]
standard_days = { value = 0, evidence = "annex" }
abuse_monitoring_days = { value = 0, evidence = "letter" }
human_review_days = { value = 0, evidence = "annex" }
deletion_covers_abuse_monitoring = { value = true, evidence = "annex" }
deletion_covers_human_review = { value = true }
"#;

fn register(destinations: &str) -> Destinations {
    read_clean(FILE, &format!("{destinations}{EVIDENCE}"), Destinations::read)
}

fn time(day: &str) -> Timestamp {
    format!("{day}T12:00:00Z").parse().unwrap()
}

fn region(code: &str) -> Region {
    Region::parse(code).unwrap()
}

#[test]
fn an_attribute_counts_while_its_own_evidence_does() {
    let register = register(ZERO);
    let zero = register.get("zero").unwrap();
    // The letter is not written yet: what it proves is unknown, and nothing else is.
    let before = zero.in_force(time("2026-02-20"));
    assert!(before.retains() && before.zero_retention && !before.training_eligible);
    assert_eq!((before.retention.standard_days, before.retention.abuse_monitoring_days), (Some(0), None));
    assert!(before.admits(Region::EU) && before.admits(region("GB")) && !before.admits(region("US")));
    let during = zero.in_force(time("2026-04-01"));
    assert!(!during.retains() && during.admits(region("US")) && !during.admits(region("CH")));
    assert!(during.deletion_covers_abuse_monitoring && !during.deletion_covers_human_review);
    assert_eq!(during.processing_agreement, Some("signed"));
    assert_eq!(during.subprocessors.map(<[String]>::len), Some(2));
    assert!(zero.in_force(time("2026-07-01")).retains());
    assert_eq!(zero.in_force(time("2027-01-01")), Attributes::WORST);
    assert!(
        Attributes::WORST.retains() && Attributes::WORST.training_eligible && !Attributes::WORST.admits(Region::EU)
    );
}

#[test]
fn zero_retention_needs_every_category_at_zero() {
    for category in ["standard_days", "abuse_monitoring_days", "human_review_days"] {
        for other in [format!("{category} = {{ value = 1, evidence = \"annex\" }}"), String::new()] {
            let text: Vec<&str> =
                ZERO.lines().map(|line| if line.starts_with(category) { other.as_str() } else { line }).collect();
            let register = register(&text.join("\n"));
            assert!(register.get("zero").unwrap().in_force(time("2026-04-01")).retains(), "{other:?}");
        }
    }
    let unclaimed = ZERO.replace("zero_retention = { value = true", "zero_retention = { value = false");
    assert!(register(&unclaimed).get("zero").unwrap().in_force(time("2026-04-01")).retains());
}

fn two_versions() -> String {
    let terms = &ZERO[ZERO.find("[[destination.terms]]").unwrap()..];
    format!("{ZERO}{}", terms.replace("2026-02-11", "2026-05-01").replace("value = true", "value = false"))
}

#[test]
fn terms_apply_from_their_day_until_the_next() {
    let register = register(&two_versions());
    let zero = register.get("zero").unwrap();
    assert_eq!(zero.terms().len(), 2);
    assert!(zero.terms_at(time("2026-02-10")).is_none());
    assert_eq!(zero.in_force(time("2026-02-10")), Attributes::WORST);
    let at = |day| zero.terms_at(time(day)).unwrap().effective.to_string();
    assert_eq!([at("2026-02-11"), at("2026-04-30"), at("2026-05-01")], ["2026-02-11", "2026-02-11", "2026-05-01"]);
    for terms in zero.terms() {
        assert_eq!(zero.terms_by_id(terms.terms_id()), Some(terms));
    }
}

#[test]
fn the_id_of_terms_names_what_was_agreed_and_not_the_evidence() {
    let id = |text: &str| register(text).get("zero").unwrap().terms()[0].terms_id().to_owned();
    let own = id(ZERO);
    let (day, digest) = own.split_once(" sha256:").unwrap();
    assert_eq!(day, "2026-02-11");
    assert!(digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    for same in [
        ZERO.replace("\"letter\"", "\"annex\""),
        ZERO.replace("[\"b\", \"a\"]", "[\"a\", \"b\"]"),
        ZERO.replace("account = \"a\"", "account = \"a\"\nsuspended = true"),
    ] {
        assert_ne!(same, ZERO);
        assert_eq!(id(&same), own);
    }
    let changes = [
        ("account = \"a\"", "account = \"b\""),
        ("provider = \"example\"", "provider = \"other\""),
        ("plan = \"p\"", "plan = \"q\""),
        ("x.example", "y.example"),
        ("zero_retention = { value = true", "zero_retention = { value = false"),
        ("training_eligible = { value = false", "training_eligible = { value = true"),
        ("region = { value = \"EU\"", "region = { value = \"GB\""),
        ("kind = \"adequacy\"", "kind = \"contract_clauses\""),
        ("from = \"US\"", "from = \"CH\""),
        ("\"signed\"", "\"unsigned\""),
        ("\"b\", \"a\"", "\"b\", \"c\""),
        ("\nstandard_days = { value = 0", "\nstandard_days = { value = 1"),
        ("abuse_monitoring_days = { value = 0", "abuse_monitoring_days = { value = 1"),
        ("human_review_days = { value = 0", "human_review_days = { value = 1"),
        ("deletion_covers_abuse_monitoring = { value = true", "deletion_covers_abuse_monitoring = { value = false"),
        ("deletion_covers_human_review = { value = true", "deletion_covers_human_review = { value = false"),
    ];
    for (from, to) in changes {
        let changed = ZERO.replace(from, to);
        assert_ne!(changed, ZERO, "{from}");
        assert_ne!(id(&changed), own, "{from}");
    }
}

#[test]
fn an_id_once_given_stays_the_same() {
    // Reservations of years ago point to such ids: a change of the canonical form would lose them all.
    let register = register(ZERO);
    assert_eq!(register.get("zero").unwrap().terms()[0].terms_id(), GOLDEN_ID);
}

const GOLDEN_ID: &str = "2026-02-11 sha256:7aa792dc1b919bf5f711d881e7cc02018b19716770727cf0478fbc09b31a4cb5";

#[test]
fn removed_and_changed_terms_are_lost_and_renewed_evidence_is_not() {
    let earlier = register(&two_versions());
    assert!(earlier.lost_since(&earlier).is_empty());
    assert_eq!(earlier.lost_since(&register(ZERO)), []);
    let removed = register(ZERO);
    let lost = removed.lost_since(&earlier);
    assert_eq!(
        lost.iter().map(|(id, terms)| (*id, terms.effective.to_string())).collect::<Vec<_>>(),
        [("zero", "2026-05-01".into())]
    );
    assert_eq!(register(&ZERO.replace("plan = \"p\"", "plan = \"q\"")).lost_since(&removed).len(), 1);
    assert_eq!(register(&ZERO.replace("\"letter\"", "\"annex\"")).lost_since(&removed), []);
    assert_eq!(Destinations::default().lost_since(&earlier).len(), 2);
}

#[test]
fn what_ends_soon_is_told_thirty_days_before() {
    let register = register(ZERO);
    let lines = |day: &str| -> Vec<String> {
        register.expiring(time(day), RENEWAL_DAYS).iter().map(ToString::to_string).collect()
    };
    let missing = "zero: retention.deletion_covers_human_review: no evidence; its worst value counts";
    let unanswered: Vec<String> = register.unanswered(time("2026-05-30")).iter().map(ToString::to_string).collect();
    assert_eq!(unanswered, [missing]);
    assert!(lines("2026-05-30").is_empty());
    let ends = "evidence `letter` ends on 2026-06-30; ask the provider and renew it before that day";
    let soon = [format!("zero: retention.abuse_monitoring_days: {ends}"), format!("zero: mechanisms.US: {ends}")];
    assert_eq!(lines("2026-05-31"), soon);
    assert_eq!(lines("2026-06-30"), soon);
    assert_eq!(
        lines("2026-07-01")[0],
        "zero: retention.abuse_monitoring_days: evidence `letter` ended on 2026-06-30; its worst value counts"
    );
    assert_eq!(
        lines("2026-02-20")[0],
        "zero: retention.abuse_monitoring_days: evidence `letter` counts only from 2026-03-01; until then its worst value counts"
    );
    assert!(lines("2026-01-01").is_empty());
}

#[test]
fn every_mistake_is_reported_at_once() {
    let text = r#"[[destination]]
id = "a b"
provider = "example"
account = ""
zero_retention = true
[[destination]]
id = "c"
provider = "example"
account = "x"
[[destination.terms]]
effective = 2026-02-11
plan = "p"
endpoint = "http://x.example"
region = { value = "DE", evidence = "anex" }
zero_retention = { value = "yes" }
suspended = true
mechanisms = [{ from = "EU", kind = "eea" }, { from = "GB", kind = "promise" }]
subprocessors = { evidence = "annex" }
[destination.terms.retention]
standard_days = { value = -1 }
human_review_days = { value = 99_999_999 }
forever = true
[[destination.terms]]
effective = 2026-02-11
plan = "p"
endpoint = "https://x.example"
[[destination]]
id = "c"
provider = "example"
account = "x"
[[destination.terms]]
effective = 2026-02-28
plan = "p"
endpoint = "https://x.example"
[evidence.annex]
document = "annex"
date = 2026-02-11
answered_by = "privacy desk"
valid_until = 2026-02-10
trust_me = true
"#;
    let lines = mistakes_in(FILE, text, Destinations::read);
    let expected = [
        "destinations.toml:1: destination[0]: no terms; at least one [[destination.terms]], with the day from which it applies",
        "destinations.toml:2: destination[0].id: `a b` is not an id; 1 to 64 of the characters a-z, A-Z, 0-9, `.`, `_`, `-`",
        "destinations.toml:4: destination[0].account: empty; it says something",
        "destinations.toml:5: destination[0].zero_retention: unknown key; known here: id, provider, account, suspended, terms",
    ];
    assert_eq!(lines[..4], expected, "{lines:#?}");
    let text = lines.join("\n");
    for part in [
        ":13: destination[1].terms[0].endpoint: not an https address",
        ":14: destination[1].terms[0].region.value: unknown region `DE`; DE is in the European Economic Area",
        ":14: destination[1].terms[0].region.evidence: no evidence `anex`; did you mean `annex`?",
        ":15: destination[1].terms[0].zero_retention.value: a string; it takes true or false",
        ":16: destination[1].terms[0].suspended: unknown key",
        ":17: destination[1].terms[0].mechanisms[0].kind: `eea` for a transfer that leaves the European Economic Area",
        ":17: destination[1].terms[0].mechanisms[1].kind: unknown value `promise`; one of adequacy, contract_clauses, eea",
        ":18: destination[1].terms[0].subprocessors: no value",
        ":20: destination[1].terms[0].retention.standard_days.value: -1 days; from 0 to 36525",
        ":21: destination[1].terms[0].retention.human_review_days.value: 99999999 days",
        ":22: destination[1].terms[0].retention.forever: unknown key",
        ":24: destination[1].terms[1].effective: 2026-02-11 is not after 2026-02-11; terms stand in order",
        ":28: destination[2].id: a second destination `c`",
        "evidence.annex.role: missing; it takes a string",
        "evidence.annex.valid_until: 2026-02-10 is before 2026-02-11",
        "evidence.annex.trust_me: unknown key",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
