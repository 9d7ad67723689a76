//! `maysend topics` against a real broker: what it creates, what it refuses, and that what it prints works.

use maysend_tests::{
    Ran,
    kafka::{Broker, Prefix, client, shell},
    maysend,
};

/// Runs it for a prefix.
fn topics(prefix: &Prefix, arguments: &[&str]) -> Ran {
    maysend(["topics", "--config"]).args([prefix.config(0)]).args(arguments).run()
}

/// Runs lines of a shell with Kafka's own tools, which must go well.
#[track_caller]
fn run(lines: &str, prefix: &Prefix) {
    let output = shell(lines, prefix.folder());
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{lines}\n{}{}", said(&output.stdout), said(&output.stderr));
}

/// The commands that put right what is wrong.
fn remedies(ran: &Ran) -> String {
    let lines = ran.text().lines();
    lines.filter_map(|line| line.trim().strip_prefix("put it right: ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_it_prints_for_kafkas_tools_creates_what_is_right() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "printed");
    let printed = topics(&prefix, &["--dev", "--partitions", "2", "--print", "kafka-topics"]).exits(0);
    run(printed.text(), &prefix);
    let checked = topics(&prefix, &["--dev", "--verbose"]).exits(0);
    let cleared = format!("right    {}: 2 partitions, 1 replica, kept 7 days\n", prefix.topic("cleared"));
    assert!(checked.text().contains(&cleared), "{}", checked.text());
}

#[test]
fn what_was_made_unsafe_is_named_and_the_command_puts_it_right() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "unsafe").partitions(1).create();
    topics(&prefix, &["--dev"]).exits(0);
    let (reservations, review) = (prefix.topic("reservations"), prefix.topic("review"));
    let bad = [("cleanup.policy", "compact"), ("unclean.leader.election.enable", "true"), ("retention.ms", "1000")];
    client::alter_topic(prefix.bootstrap(), &reservations, &bad);
    client::alter_topic(prefix.bootstrap(), &review, &[("cleanup.policy", "delete"), ("retention.ms", "-1")]);

    let checked = topics(&prefix, &["--dev"]).exits(1).says(&["2 of ", "topics are not as they must be"]);
    for part in [
        &format!("wrong    {reservations}\n"),
        "cleanup.policy is compact; it must be delete",
        "unclean.leader.election.enable is true; it must be false",
        "retention.ms is 1000; it must be -1",
        &format!("wrong    {review}\n"),
        "cleanup.policy is delete; it must be compact,delete",
        "retention.ms is -1; it must be a time with an end",
    ] {
        assert!(checked.text().contains(part), "{part}\n{}", checked.text());
    }
    run(&remedies(&checked), &prefix);
    topics(&prefix, &["--dev"]).exits(0);
}

#[test]
fn a_missing_topic_is_named_and_the_command_makes_it() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "gone").partitions(1).create();
    let held = prefix.topic("held");
    client::delete_topic(prefix.bootstrap(), &held);
    let checked = topics(&prefix, &["--dev", "--partitions", "1"]).exits(1);
    assert!(checked.text().contains(&format!("wrong    {held}\n         it is not there")), "{}", checked.text());
    run(&remedies(&checked), &prefix);
    topics(&prefix, &["--dev"]).exits(0);
}

#[test]
fn one_broker_is_no_production() {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "alone").partitions(1);
    let said = ["cannot create", "3 replicas take as many brokers", "--dev"];
    topics(&prefix, &["--create"]).exits(2).says(&said);
    topics(&prefix, &["--create", "--replicas", "1"]).exits(2).says(&["1 replicas lose", "at least 3", "--dev"]);
    topics(&prefix, &["--print", "strimzi", "--replicas", "2"]).exits(2).says(&["at least 3"]);

    let prefix = prefix.create();
    let checked = topics(&prefix, &[]).exits(1);
    for part in [
        "it has 1 replica; it must have at least 3",
        "the cluster has too few brokers for them",
        "min.insync.replicas is 1; it must be at least 2",
    ] {
        assert!(checked.text().contains(part), "{part}\n{}", checked.text());
    }
}
