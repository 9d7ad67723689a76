//! What changes of tenants and destinations are classed as, and their opposites.

use super::{Row, changes, check, find};
use crate::rulesets::{base, edit, ruleset};
use maysend::diff::Class::{DecidesMore, DetectsDifferently, MayDecideLess, NoDecision};

#[test]
fn what_a_register_claims_is_milder_or_stricter() {
    const EU: &str = "destination[summaries-eu].terms[2026-02-11]";
    const FREE: &str = "destination[labs-free].terms[2026-02-11]";
    let at = |of: &str, key: &str| -> &'static str { Box::leak(format!("{of}.{key}").into_boxed_str()) };
    let file = "destinations.toml";
    let rows: [Row; 15] = [
        (
            file,
            "zero_retention = { value = false, evidence = \"eu-annex\" }",
            "zero_retention = { value = true, evidence = \"eu-annex\" }",
            at(EU, "zero_retention"),
            MayDecideLess,
            DecidesMore,
        ),
        (
            file,
            "training_eligible = { value = true, evidence",
            "training_eligible = { value = false, evidence",
            at(FREE, "training_eligible"),
            MayDecideLess,
            DecidesMore,
        ),
        (
            file,
            "standard_days = { value = 30, evidence = \"eu-annex\" }",
            "standard_days = { value = 29, evidence = \"eu-annex\" }",
            at(EU, "retention.standard_days"),
            MayDecideLess,
            DecidesMore,
        ),
        (
            file,
            "human_review_days = { value = 30, evidence = \"eu-annex\" }\n",
            "",
            at(EU, "retention.human_review_days"),
            DecidesMore,
            MayDecideLess,
        ),
        (
            file,
            "deletion_covers_human_review = { value = false, evidence = \"eu-annex\" }",
            "deletion_covers_human_review = { value = true, evidence = \"eu-annex\" }",
            at(EU, "retention.deletion_covers_human_review"),
            MayDecideLess,
            DecidesMore,
        ),
        (
            file,
            "region = { value = \"EU\", evidence = \"eu-annex\" }",
            "region = { value = \"GB\", evidence = \"eu-annex\" }",
            at(EU, "region"),
            MayDecideLess,
            MayDecideLess,
        ),
        (
            file,
            "mechanisms = [{ from = \"GB\", kind = \"adequacy\", evidence = \"eu-annex\" }]",
            "mechanisms = [{ from = \"GB\", kind = \"adequacy\", evidence = \"eu-annex\" }, { from = \"CH\", kind = \"adequacy\", evidence = \"eu-annex\" }]",
            at(EU, "mechanisms[CH, adequacy]"),
            MayDecideLess,
            DecidesMore,
        ),
        (
            file,
            "region = { value = \"EU\", evidence = \"eu-annex\" }\nmechanisms",
            "region = { value = \"EU\" }\nmechanisms",
            at(EU, "region.evidence"),
            DecidesMore,
            MayDecideLess,
        ),
        (
            file,
            "account = \"trial\"",
            "account = \"trial\"\nsuspended = true",
            "destination[labs-free].suspended",
            DecidesMore,
            MayDecideLess,
        ),
        (
            file,
            "account = \"trial\"",
            "account = \"paid\"",
            "destination[labs-free].account",
            MayDecideLess,
            MayDecideLess,
        ),
        (
            file,
            "provider = \"sample-labs\"",
            "provider = \"other\"",
            "destination[labs-free].provider",
            MayDecideLess,
            MayDecideLess,
        ),
        (file, "plan = \"free\"", "plan = \"freer\"", at(FREE, "plan"), MayDecideLess, MayDecideLess),
        (
            file,
            "https://api.labs.example/v1/chat",
            "https://api.labs.example/v2",
            at(FREE, "endpoint"),
            MayDecideLess,
            MayDecideLess,
        ),
        (
            file,
            "valid_until = 2027-06-30",
            "valid_until = 2027-07-01",
            "evidence.eu-annex.valid_until",
            MayDecideLess,
            DecidesMore,
        ),
        (
            file,
            "document = \"Sample Labs, conditions of the free plan\"",
            "document = \"Sample Labs, conditions\"",
            "evidence.labs-conditions.document",
            NoDecision,
            NoDecision,
        ),
    ];
    check(&base(), &rows);
}

#[test]
fn destinations_terms_and_tenants_come_and_go() {
    let base = base();
    let destination = "\n[[destination]]\nid = \"new\"\nprovider = \"p\"\naccount = \"a\"\n[[destination.terms]]\neffective = 2026-03-01\nplan = \"x\"\nendpoint = \"https://x.example/\"\n";
    let tenant = "\n[[tenant]]\nid = \"other\"\nregion = \"US\"\n";
    let rows: [Row; 4] = [
        ("destinations.toml", "", destination, "destination[new]", MayDecideLess, DecidesMore),
        ("tenants.toml", "", tenant, "tenant[other]", MayDecideLess, DecidesMore),
        ("tenants.toml", "region = \"EU\"", "region = \"GB\"", "tenant[acme].region", MayDecideLess, MayDecideLess),
        ("tenants.toml", "\"NL\", \"DE\"", "\"DE\"", "tenant[acme].packs", DetectsDifferently, DetectsDifferently),
    ];
    check(&base, &rows);

    // A later version that says the same but for the training flag: only the flag is a loosening.
    let version = "\n[[destination.terms]]\neffective = 2026-09-01\nplan = \"free\"\nendpoint = \"https://api.labs.example/v1/chat\"\nzero_retention = { value = false, evidence = \"labs-conditions\" }\ntraining_eligible = { value = false, evidence = \"labs-conditions\" }\nregion = { value = \"EU\", evidence = \"labs-conditions\" }\n\n[evidence.eu-annex]";
    let mut edited = base.files.clone();
    edit(&mut edited, "destinations.toml", "\n[evidence.eu-annex]", version);
    let edited = ruleset(edited);
    let added = changes(&base, &edited);
    let milder: Vec<&str> = added.iter().filter(|c| c.class == MayDecideLess).map(|c| c.key.as_str()).collect();
    assert_eq!(milder, ["destination[labs-free].terms[2026-09-01].training_eligible"]);
    assert_eq!(find(&added, "destinations.toml", "destination[labs-free].terms[2026-09-01]").class, NoDecision);
    // The new version is silent on retention, so it counts as kept without end.
    let silent = "destination[labs-free].terms[2026-09-01].retention.standard_days";
    assert_eq!(find(&added, "destinations.toml", silent).class, DecidesMore);
    // To take terms out again loses what reservations point to.
    let removed = changes(&edited, &base);
    assert_eq!(find(&removed, "destinations.toml", "destination[labs-free].terms[2026-09-01]").class, MayDecideLess);
}
