//! The ruleset changes under the stream.

use maysend_tests::{
    AS_OF, Outputs, Patterns, Transcript,
    kafka::{Broker, Decisions, Isolation, Prefix, decisions::reasons, read},
    maysend, transcript,
};
use serde_json::Value;
use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

fn about_a_parcel(name: &str) -> impl Fn(usize) -> Transcript {
    move |n| transcript(&format!("{name}-{n}")).customer("Where is my parcel?")
}

fn suspend(patterns: &Patterns) {
    patterns.edit("destinations.toml", "id = \"summaries-eu\"\n", "id = \"summaries-eu\"\nsuspended = true\n");
}

fn allow_again(patterns: &Patterns) {
    patterns.edit("destinations.toml", "suspended = true\n", "");
}

/// The rulesets that were published: digest and record.
fn published(prefix: &Prefix) -> Vec<(String, Value)> {
    let records = read(prefix.bootstrap(), &prefix.topic("rulesets"), Isolation::Committed);
    let key = |key: Option<Vec<u8>>| String::from_utf8(key.expect("a key")).expect("text");
    records.into_iter().map(|record| (key(record.key.clone()), record.json())).collect()
}

#[test]
fn a_changed_ruleset_holds_without_a_restart_and_a_bad_one_is_refused() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "reload").partitions(2).create();
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    let first = decisions.decide(&prefix, &mut gate, &about_a_parcel("first")(0));
    assert_eq!(first["verdict"], "send");

    // Two mistakes: both are said, and nothing changes.
    prefix.patterns().append("tenants.toml", "[wrong]\n").append("policy.toml", "[worse]\n");
    decisions.wait_until_said(&mut gate, "is refused, and the one before stays in use");
    decisions.wait_until_said(&mut gate, "worse");
    assert!(gate.says().contains("tenants.toml") && gate.says().contains("mistakes in the ruleset: 2"));
    let under_the_old = decisions.decide(&prefix, &mut gate, &about_a_parcel("refused")(0));
    assert_eq!((&under_the_old["verdict"], &under_the_old["ruleset"]), (&first["verdict"], &first["ruleset"]));

    for file in ["tenants.toml", "policy.toml"] {
        let text = prefix.patterns().read(file);
        prefix.patterns().write(file, text.split("\n[wor").next().unwrap().split("\n[wro").next().unwrap());
    }
    suspend(&prefix.patterns());
    let changed = |decision: &Value| decision["ruleset"] != first["ruleset"];
    let second = decisions.decide_until(&prefix, &mut gate, about_a_parcel("second"), changed);
    assert_eq!(reasons(&second), ["destination_suspended"]);
    let said = gate.says();
    assert!(said.contains("decides more") && said.contains(second["ruleset"].as_str().unwrap()), "{said}");

    allow_again(&prefix.patterns());
    let sent = |decision: &Value| decision["verdict"] == "send";
    decisions.decide_until(&prefix, &mut gate, about_a_parcel("third"), sent);
    assert!(gate.says().contains("may decide less"), "a loosening is said by its name: {}", gate.says());
    gate.stop().exits(0);

    let history = prefix.history();
    history.holds().is_complete();
    let published = published(&prefix);
    let digests: BTreeSet<&str> = published.iter().map(|(digest, _)| digest.as_str()).collect();
    assert_eq!(digests.len(), published.len(), "each once, though the first came back");
    for record in history.of("decisions") {
        let ruleset = record.json()["ruleset"].clone();
        assert!(digests.contains(ruleset.as_str().unwrap()), "{ruleset} was used and is not published");
    }
}

#[test]
fn a_mounted_config_map_is_followed() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "configmap").partitions(1).create();
    // What Kubernetes mounts: each file links to `..data`, and that to the version in force.
    let folder = prefix.folder().join("patterns");
    let names = maysend_tests::names_in(&folder);
    fs::rename(&folder, prefix.folder().join("..1")).unwrap();
    fs::create_dir(&folder).unwrap();
    symlink("../..1", folder.join("..data")).unwrap();
    for name in &names {
        symlink(format!("..data/{name}"), folder.join(name)).unwrap();
    }
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    assert_eq!(decisions.decide(&prefix, &mut gate, &about_a_parcel("before")(0))["verdict"], "send");

    let second = prefix.folder().join("..2");
    fs::create_dir(&second).unwrap();
    for name in &names {
        fs::copy(prefix.folder().join("..1").join(name), second.join(name)).unwrap();
    }
    suspend(&Patterns::at(&second));
    symlink("../..2", folder.join("..data_tmp")).unwrap();
    fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
    let blocked = |decision: &Value| decision["verdict"] == "block";
    let decision = decisions.decide_until(&prefix, &mut gate, about_a_parcel("after"), blocked);
    assert_eq!(reasons(&decision), ["destination_suspended"]);
    gate.stop().exits(0);
}

#[test]
fn a_policy_that_needs_a_key_is_refused_where_there_is_none() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "keyless").partitions(1).create();
    let config = prefix.config(0);
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.start(0, maysend(["run", "--config"]).args([config]));
    decisions.decide(&prefix, &mut gate, &about_a_parcel("before")(0));
    let rule = "entity = \"contact.email\"\ntier = 2\naction = \"redact\"\n";
    prefix.patterns().edit("policy.toml", rule, &format!("{rule}form = {{ kind = \"keyed_hash\" }}\n"));
    decisions.wait_until_said(&mut gate, "keyed hash, and there is no key");
    assert_eq!(decisions.decide(&prefix, &mut gate, &about_a_parcel("after")(0))["verdict"], "send");
    gate.stop().exits(0);
}

#[test]
fn a_ruleset_is_published_before_anything_is_reserved_under_it_and_can_be_used_years_later() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "rulesets").partitions(1).create();
    prefix.produce([maysend_tests::kafka::New::value(about_a_parcel("t")(0).line())]);
    prefix.gate_dying_at(0, "after_reservations:1").end().was_killed();
    let history = prefix.history();
    let reservation = history.uncommitted["reservations"][0].json();
    let [(digest, record)] = published(&prefix).try_into().expect("one ruleset");
    assert_eq!(reservation["ruleset"], digest.as_str());
    assert_eq!(record["digest"], digest.as_str());

    let mut gate = prefix.gate(0);
    prefix.wait_for(1, &mut [&mut gate]);
    gate.stop().exits(0);
    assert_eq!(published(&prefix).len(), 1, "it was there already");

    // Whoever has the record has the ruleset.
    let path = prefix.folder().join("ruleset.json");
    fs::write(&path, record.to_string()).unwrap();
    let out = prefix.folder().join("out");
    let line = about_a_parcel("t")(0).line();
    maysend(["scan", "--as-of", AS_OF, "--patterns"])
        .args([&path, std::path::Path::new("--out"), &out])
        .with_key()
        .input(line)
        .run()
        .exits(0);
    assert_eq!(Outputs::of(&out).decisions[0]["ruleset"], digest.as_str());
}
