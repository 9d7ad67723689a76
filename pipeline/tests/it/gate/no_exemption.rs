//! No file of the rules has a key by which anybody or anything could be exempt.

use super::{Register, TENANTS, rules};

const POLICY: &str = r#"
version = 1
dated = 2026-02-11
#root
[intake]
#intake
[defaults]
#defaults
[[rule]]
entity = "nl.bsn"
tier = 1
action = "redact"
#rule
[rule.form]
kind = "placeholder"
#rule.form
[[combination]]
name = "two"
tier = 1
all_of = ["nl.bsn", "contact.email"]
#combination
[mode]
#mode
[mode.destination.d]
mode = "shadow"
shadow_until = 2026-04-01
approver = "privacy officer"
#mode.destination.d
"#;

/// Names that somebody in a hurry would try.
const KEYS: [&str; 30] = [
    "tenant",
    "tenants",
    "allow_tenants",
    "skip_tenants",
    "except",
    "exempt",
    "exemption",
    "exemptions",
    "team",
    "teams",
    "sender",
    "senders",
    "user",
    "customer_key",
    "skip",
    "skip_destinations",
    "destinations",
    "alias",
    "aliases",
    "bypass",
    "override",
    "allow",
    "allowlist",
    "trusted",
    "unless",
    "only_for",
    "ignore",
    "enabled",
    "disabled",
    "sample_rate",
];

const KNOWN: [&str; 2] = ["nl.bsn", "contact.email"];

/// The values that such a key could have.
const VALUES: [&str; 4] = ["true", "\"acme\"", "[\"acme\"]", "{ acme = true }"];

#[test]
fn every_level_of_the_policy_refuses_every_such_key() {
    let destinations = Register::best().text();
    assert!(rules(POLICY, TENANTS, &destinations, &KNOWN).is_ok());
    let levels: Vec<&str> = POLICY.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(levels.len(), 8);
    for level in levels {
        for key in KEYS {
            for value in VALUES {
                let policy = POLICY.replacen(&format!("{level}\n"), &format!("{key} = {value}\n"), 1);
                let mistakes = rules(&policy, TENANTS, &destinations, &KNOWN).unwrap_err();
                let refused = mistakes.iter().any(|line| line.contains(&format!("{key}: unknown key;")));
                assert!(refused, "{key} = {value} at {level}: {mistakes:?}");
            }
        }
    }
}

#[test]
fn a_table_of_exemptions_is_refused_in_every_file() {
    let destinations = Register::best().text();
    for key in KEYS {
        for header in [format!("[{key}]"), format!("[[{key}]]"), format!("[{key}.acme]")] {
            let table = format!("\n{header}\nallow = true\n");
            let plain = (POLICY.to_owned(), TENANTS.to_owned(), destinations.clone());
            for (policy, tenants, destinations) in [
                (plain.0.clone() + &table, plain.1.clone(), plain.2.clone()),
                (plain.0.clone(), plain.1.clone() + &table, plain.2.clone()),
                (plain.0.clone(), plain.1.clone(), plain.2.clone() + &table),
            ] {
                let mistakes = rules(&policy, &tenants, &destinations, &KNOWN).unwrap_err();
                assert!(mistakes.iter().any(|line| line.contains(key)), "{header}: {mistakes:?}");
            }
        }
    }
}

#[test]
fn tenants_and_destinations_refuse_every_such_key() {
    let destinations = Register::best().text();
    for key in KEYS {
        for value in VALUES {
            let line = format!("{key} = {value}\n");
            let tenants = format!("{TENANTS}{line}");
            assert!(rules(POLICY, &tenants, &destinations, &KNOWN).is_err(), "{line}");
            for header in [
                "[[destination]]\n",
                "[[destination.terms]]\n",
                "[destination.terms.retention]\n",
                "[evidence.region]\n",
            ] {
                let changed = destinations.replacen(header, &format!("{header}{line}"), 1);
                assert_ne!(changed, destinations);
                assert!(rules(POLICY, TENANTS, &changed, &KNOWN).is_err(), "{line} under {header}");
            }
            let attribute = destinations.replacen("value = true,", &format!("value = true, {key} = {value},"), 1);
            assert_ne!(attribute, destinations);
            assert!(rules(POLICY, TENANTS, &attribute, &KNOWN).is_err(), "{line} in an attribute");
        }
    }
}
