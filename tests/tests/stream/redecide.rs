//! What was withheld is decided again, once, whatever happens to the process that does it.

use jiff::{Timestamp, ToSpan as _};
use maysend_tests::{
    Patterns, Program, Transcript,
    kafka::{
        Broker, Decisions, History, Isolation, New, Prefix, Record, Witness, client, decisions::reasons, load, produce,
        read,
    },
    maysend, transcript,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Only the United States' missing mechanism holds it.
fn american(id: &str) -> Transcript {
    transcript(id).to("summaries-us").customer("Where is my parcel?")
}

/// From now on data of the European Union may go to the United States.
fn allow_the_united_states(patterns: &Patterns) {
    let mechanism = "mechanisms = [{ from = \"EU\", kind = \"contract_clauses\", evidence = \"us-order\" }]";
    let region = "region = { value = \"US\", evidence = \"us-order\" }";
    patterns.edit("destinations.toml", region, &format!("{region}\n{mechanism}"));
}

fn redecide(prefix: &Prefix, options: &[&str]) -> Program {
    maysend(["redecide", "--config"]).args([prefix.config(0)]).args(options).with_key()
}

fn publish(prefix: &Prefix, transcripts: impl IntoIterator<Item = Transcript>) {
    prefix.produce(transcripts.into_iter().map(|transcript| New::value(transcript.line())));
}

/// Runs the stream until so many records are decided.
fn run(prefix: &Prefix, decided: usize) {
    let mut gate = prefix.gate(0);
    prefix.wait_for(decided, &mut [&mut gate]);
    gate.stop().exits(0);
}

/// The records of an output that have no tombstone.
fn live(history: &History, output: &str) -> Vec<Record> {
    let mut live: BTreeMap<(i32, Vec<u8>), Record> = BTreeMap::new();
    for record in history.of(output) {
        let key = (record.partition, record.key.clone().expect("a key"));
        match record.value {
            Some(_) => live.insert(key, record.clone()),
            None => Some(live.remove(&key).expect("a tombstone stands in the partition of its record")),
        };
    }
    live.into_values().collect()
}

fn is_later(record: &Record) -> bool {
    record.value.is_none() || !record.json()["previous_attempt"].is_null()
}

#[test]
fn what_is_held_is_cleared_once_when_the_register_is_put_right() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redecide").stream("batch_records = 3").create();
    publish(&prefix, (0..7).map(|n| american(&format!("us-{n}"))));
    publish(&prefix, (0..3).map(|n| american(&format!("nowhere-{n}")).to("nowhere")));
    publish(&prefix, [american("both").customer("mijn BSN is 111222333"), transcript("sent").customer("Hello.")]);
    run(&prefix, 12);
    let before = prefix.history();
    assert_eq!(live(&before, "held").len(), 11);

    // While nothing has changed, nothing is written.
    redecide(&prefix, &[]).run().exits(0).says(&["0 decided again", "11 would be withheld for the same reasons"]);
    assert_eq!(prefix.history().of("decisions").len(), 12);

    allow_the_united_states(&prefix.patterns());
    redecide(&prefix, &["--to", "2026-01-01"]).run().exits(0).says(&["0 decided again", "; 0 would be"]);
    let said = ["8 decided again: 7 cleared, 1 for review, 0 held", "3 would be withheld for the same reasons"];
    redecide(&prefix, &["--from", "2026-01-01"]).run().exits(0).says(&said);
    let after = prefix.history();
    after.holds().is_complete();
    let held: BTreeSet<String> =
        live(&after, "held").iter().map(|r| r.json()["transcript_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(held, ["nowhere-0", "nowhere-1", "nowhere-2"].map(String::from).into());
    for cleared in after.of("cleared").iter().map(Record::json).filter(|r| r["transcript_id"] != "sent") {
        let id = &cleared["transcript_id"];
        let first = before.of("held").iter().map(Record::json).find(|held| held["transcript_id"] == *id).unwrap();
        assert_eq!(cleared["previous_attempt"], first["attempt"]);
        assert_eq!(cleared["source"], first["source"], "the attempts at one transcript name one source");
        assert!(cleared["attempt"].as_str().unwrap().starts_with("1-"));
    }

    redecide(&prefix, &[]).run().exits(0).says(&["0 decided again"]);
    assert_eq!(prefix.history().of("decisions").len(), after.of("decisions").len());
}

#[test]
fn killed_at_every_named_place_beside_a_running_stream_it_still_decides_each_once() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redekill").stream("batch_records = 4").create();
    let mut decisions = Decisions::of(&prefix);
    let mut gate = prefix.gate(0);
    publish(&prefix, (0..30).map(|n| american(&format!("us-{n}"))));
    prefix.wait_for(30, &mut [&mut gate]);
    let held = prefix.committed("held").len();
    assert_eq!(held, 30);
    allow_the_united_states(&prefix.patterns());
    let sent = |decision: &Value| decision["verdict"] == "send";
    decisions.decide_until(&prefix, &mut gate, |n| american(&format!("now-{n}")), sent);

    let witness = Witness::of(&prefix);
    let mut written = 0;
    for place in ["after_reservations", "before_begin", "before_send_offsets", "before_commit", "after_commit"] {
        for time in if place == "before_commit" { 1..=3 } else { 1..=1 } {
            prefix.produce((written..written + 10).map(load::record));
            written += 10;
            redecide(&prefix, &[]).env("MAYSEND_DIE_AT", &format!("{place}:{time}")).run().was_killed();
        }
    }
    redecide(&prefix, &[]).run().exits(0);
    redecide(&prefix, &[]).run().exits(0).says(&["0 decided again"]);
    let written = read(prefix.bootstrap(), prefix.input(), Isolation::Committed).len();
    prefix.wait_for(written, &mut [&mut gate]);
    gate.stop().exits(0);
    let history = witness.testify(prefix.history());
    history.holds().is_complete();
    let again: Vec<Value> = history.of("cleared").iter().filter(|r| is_later(r)).map(Record::json).collect();
    let ids: BTreeSet<&str> = again.iter().map(|r| r["transcript_id"].as_str().unwrap()).collect();
    assert!((0..30).all(|n| ids.contains(format!("us-{n}").as_str())), "{ids:?}");
    assert!(history.orphans() > 0, "what was reserved before a kill stays");
}

#[test]
fn an_erased_customers_held_transcript_is_not_sent() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redegone").create();
    publish(&prefix, [american("gone").with("customer_key", json!("ck_gone")), american("here")]);
    run(&prefix, 2);
    let erased = json!({"schema": 1, "tenant": "acme", "customer_key": "ck_gone", "erased_at": "2026-03-03T00:00:00Z"});
    produce(prefix.bootstrap(), &prefix.topic("erasures"), [New::value(erased.to_string())]);
    allow_the_united_states(&prefix.patterns());
    redecide(&prefix, &[]).run().exits(0).says(&["2 decided again: 1 cleared"]);
    let history = prefix.history();
    history.holds().is_complete();
    assert!(live(&history, "held").is_empty(), "of an erased customer only the decision is kept");
    let again: Vec<Value> =
        history.of("decisions").iter().filter(|record| is_later(record)).map(Record::json).collect();
    let gone = again.iter().find(|decision| decision["transcript_id"] == "gone").unwrap();
    assert_eq!(reasons(gone), ["customer_erased"]);
    let cleared: Vec<Value> = history.of("cleared").iter().map(|r| r.json()["transcript_id"].clone()).collect();
    assert_eq!(cleared, ["here"]);
}

/// An erasure that is half an hour old.
fn erase(prefix: &Prefix, customer: &str) {
    let erased_at = Timestamp::now() - 30.minutes();
    let erasure = json!({"schema": 1, "tenant": "acme", "customer_key": customer, "erased_at": erased_at.to_string()});
    produce(prefix.bootstrap(), &prefix.topic("erasures"), [New::value(erasure.to_string())]);
}

/// Only its own time tells how old it is where the clock of its turns is ahead.
fn an_hour_ago(record: String) -> New {
    New::value(record).at(Timestamp::now() - 1.hour())
}

/// A transcript of a customer, from a platform whose clock is ahead.
fn ahead(transcript: Transcript, customer: &str) -> String {
    let turns = json!([{"speaker": "customer", "at": "2150-01-01T00:00:00Z", "text": "Where is my parcel?"}]);
    transcript.with("customer_key", json!(customer)).with("turns", turns).line()
}

#[test]
fn what_was_held_only_after_an_erasure_is_as_old_as_its_transcript() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redeold").create();
    prefix.produce(["once", "twice"].map(|id| an_hour_ago(ahead(american(id), &format!("ck_{id}")))));
    // The gate does not know yet of an erasure that was half an hour ago.
    run(&prefix, 2);
    assert_eq!(prefix.committed("held").len(), 2);
    erase(&prefix, "ck_once");
    allow_the_united_states(&prefix.patterns());
    let register = prefix.patterns().read("destinations.toml");
    let suspended = "id = \"summaries-us\"\nsuspended = true";
    prefix.patterns().edit("destinations.toml", "id = \"summaries-us\"", suspended);
    redecide(&prefix, &[]).run().exits(0).says(&["2 decided again: 0 cleared, 0 for review, 1 held"]);

    erase(&prefix, "ck_twice");
    prefix.patterns().write("destinations.toml", &register);
    redecide(&prefix, &[]).run().exits(0).says(&["1 decided again: 0 cleared, 0 for review, 0 held"]);
    let history = prefix.history();
    history.holds().is_complete();
    assert!(live(&history, "held").is_empty() && history.of("cleared").is_empty());
    let erased = |record: &&Record| reasons(&record.json()).contains(&"customer_erased");
    let erased: Vec<Value> = history.of("decisions").iter().filter(erased).map(Record::json).collect();
    let ids: BTreeSet<&str> = erased.iter().filter_map(|decision| decision["transcript_id"].as_str()).collect();
    assert_eq!(ids, ["once", "twice"].into());
}

/// `summaries-eu` keeps nothing from now on.
fn keep_nothing(patterns: &Patterns) {
    let register = patterns.read("destinations.toml");
    let (first, rest) = register.split_once("# The same provider").unwrap();
    let first = first
        .replace("zero_retention = { value = false", "zero_retention = { value = true")
        .replace("_days = { value = 30", "_days = { value = 0");
    patterns.write("destinations.toml", &format!("{first}# The same provider{rest}"));
}

#[test]
fn whatever_came_in_and_was_not_sent_can_be_decided_again_from_the_input() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "reinput").partitions(2).create();
    prefix.patterns().edit("policy.toml", "max_record_bytes = 1_048_576", "max_record_bytes = 100_000");
    publish(
        &prefix,
        [
            transcript("sent").customer("Where is my parcel?"),
            transcript("review").customer("mijn BSN is 111222333"),
            american("held"),
            american("nowhere").to("nowhere"),
            transcript("large").customer(&"Where is my parcel? ".repeat(10_000)),
        ],
    );
    prefix.produce([New::tombstone()]);
    run(&prefix, 6);
    // Nobody has decided this one yet.
    publish(&prefix, [transcript("later").customer("Where is my parcel?")]);
    allow_the_united_states(&prefix.patterns());
    keep_nothing(&prefix.patterns());
    prefix.patterns().edit("policy.toml", "max_record_bytes = 100_000", "max_record_bytes = 1_048_576");

    let said = [
        "3 decided again: 3 cleared, 0 for review, 0 held; 2 would be withheld",
        "1 were sent by an earlier attempt",
        "1 are not decided yet",
    ];
    redecide(&prefix, &["--input", "--from", "2026-01-01"]).run().exits(0).says(&said);
    redecide(&prefix, &["--input"]).run().exits(0).says(&["0 decided again", "4 were sent by an earlier attempt"]);
    run(&prefix, 7);
    let history = prefix.history();
    history.holds().is_complete();
    assert!(live(&history, "review").is_empty());
    assert_eq!(live(&history, "held").len(), 1);
    let cleared = history.of("cleared").iter().map(Record::json).find(|r| r["transcript_id"] == "review").unwrap();
    assert!(!cleared.to_string().contains("111222333"), "what is sent is redacted");
}

#[test]
fn dead_letters_can_be_decided_again_when_what_was_wrong_is_put_right() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redead").partitions(1).create();
    client::alter_topic(prefix.bootstrap(), prefix.input(), &[("max.message.bytes", "8388608")]);
    let large = transcript("large").customer(&"Where is my parcel? ".repeat(80_000));
    prefix.produce([New::value("no JSON"), New::value(large.line())]);
    run(&prefix, 2);
    let letters = prefix.committed("dead-letter");
    redecide(&prefix, &["--dead-letters"]).run().exits(1).says(&[
        "0 decided again",
        "; 1 would be withheld",
        "/0/1 cannot be read",
    ]);

    // As if the ruleset of today could read what that of yesterday could not. The letters before it have expired.
    client::delete_before(prefix.bootstrap(), &prefix.topic("dead-letter"), 0, 3);
    let mut letter = letters[0].json();
    letter["record"] = transcript("mended").customer("Where is my parcel?").line().into();
    produce(prefix.bootstrap(), &prefix.topic("dead-letter"), [New::value(letter.to_string())]);
    let since = ["--dead-letters", "--from", "2026-01-01"];
    redecide(&prefix, &since).run().says(&["1 decided again: 1 cleared"]);
    redecide(&prefix, &since).run().says(&["0 decided again", "1 were sent by an earlier attempt"]);
    let cleared = prefix.committed("cleared");
    let [cleared] = cleared.as_slice() else { panic!("{} were cleared", cleared.len()) };
    assert_eq!(
        (&cleared.json()["previous_attempt"], &cleared.json()["source"]),
        (&letter["attempt"], &letter["source"])
    );
}

#[test]
fn a_dead_letter_is_as_old_as_its_record() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redeletter").partitions(1).create();
    prefix.produce((0..2).map(|n| an_hour_ago(format!("no JSON, {n}"))));
    run(&prefix, 2);
    erase(&prefix, "ck_gone");
    let mut letters: Vec<Value> = prefix.committed("dead-letter").iter().map(Record::json).collect();
    client::delete_before(prefix.bootstrap(), &prefix.topic("dead-letter"), 0, 2);
    for (n, letter) in letters.iter_mut().enumerate() {
        letter["record"] = ahead(transcript(&format!("mended-{n}")), "ck_gone").into();
    }
    // Of the second one nobody knows how old it is.
    letters[1].as_object_mut().expect("an object").remove("published_at");
    let letters = letters.iter().map(|letter| New::value(letter.to_string()));
    produce(prefix.bootstrap(), &prefix.topic("dead-letter"), letters);
    redecide(&prefix, &["--dead-letters"]).run().exits(0).says(&["2 decided again: 0 cleared"]);
    let decisions = prefix.committed("decisions");
    assert_eq!(decisions.iter().filter(|record| reasons(&record.json()) == ["customer_erased"]).count(), 2);
}

#[test]
fn of_two_at_once_one_goes_on() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "redetwo").stream("batch_records = 2").create();
    publish(&prefix, (0..10).map(|n| american(&format!("us-{n}"))));
    run(&prefix, 10);
    allow_the_united_states(&prefix.patterns());
    let paused = redecide(&prefix, &[]).env("MAYSEND_PAUSE_AT", "before_commit:2");
    let mut first = prefix.start(7, paused);
    first.wait_until_paused();
    redecide(&prefix, &[]).run().exits(0).says(&["8 decided again: 8 cleared"]);
    first.signal(rustix::process::Signal::CONT);
    first.end().exits(2).says(&["the transaction cannot go on"]);
    let history = prefix.history();
    history.holds().is_complete();
    assert_eq!(history.of("cleared").len(), 10);
}

#[test]
fn what_does_not_fit_together_is_said() {
    maysend(["redecide"]).run().exits(2).says(&["--out <DIR>"]);
    maysend(["redecide", "--config", "x", "--out", "y"]).run().exits(2).says(&["cannot be used with"]);
    maysend(["redecide", "--config", "x", "--patterns", "y"]).run().exits(2).says(&["cannot be used with"]);
    for option in [&["--input"][..], &["--dead-letters"], &["--from", "2026-03-02"], &["--to", "2026-03-02"]] {
        maysend(["redecide", "--out", "never-made"]).args(option).run().exits(2).says(&["are for Kafka", "--config"]);
    }
    maysend(["redecide", "--config", "x", "--input", "--dead-letters"]).run().exits(2).says(&["cannot be used with"]);
}
