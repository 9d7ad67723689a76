use super::*;
use crate::stream::topics::Topics;

/// The topic of a name as it must be in production.
fn wanted(name: &str) -> Wanted {
    let topics = Topics::new("transcripts");
    let (name, settings) = topics.all().find(|(topic, _)| *topic == name).unwrap();
    Wanted::new(name, &settings, 2, 3, Production::Yes)
}

/// A live topic that is as wanted.
fn live(wanted: &Wanted) -> Live {
    Live {
        replicas: BTreeMap::from([(0, vec![1, 2, 3]), (1, vec![2, 3, 1])]),
        settings: wanted.settings.iter().cloned().collect(),
    }
}

/// What is wrong in production, in words.
fn said(name: &str, settings: &[(&str, &str)]) -> Vec<String> {
    let wanted = wanted(name);
    let mut live = live(&wanted);
    live.settings.extend(settings.iter().map(|(key, value)| ((*key).into(), (*value).into())));
    check(&wanted, Some(&live), Production::Yes, &[1, 2, 3]).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_created_is_as_it_must_be() {
    let topics = Topics::new("transcripts");
    for (name, settings) in topics.all() {
        for (production, replicas) in [(Production::Yes, 3), (Production::No, 1)] {
            let wanted = Wanted::new(name, &settings, 2, replicas, production);
            let mut live = live(&wanted);
            live.replicas.values_mut().for_each(|brokers| brokers.truncate(replicas.unsigned_abs() as usize));
            assert_eq!(check(&wanted, Some(&live), production, &[1, 2, 3]), [], "{name}");
        }
    }
}

#[test]
fn evidence_is_never_compacted_and_never_expires() {
    for (key, value, said_of_it) in [
        ("cleanup.policy", "compact", "cleanup.policy is compact; it must be delete: "),
        ("cleanup.policy", "compact,delete", "cleanup.policy is compact,delete; it must be delete: "),
        ("retention.ms", "604800000", "retention.ms is 604800000; it must be -1: it is evidence, and kept for ever"),
        ("retention.bytes", "1073741824", "retention.bytes is 1073741824; it must be -1: "),
        ("unclean.leader.election.enable", "true", "unclean.leader.election.enable is true; it must be false: "),
    ] {
        let said = said("transcripts.reservations", &[(key, value)]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with(said_of_it), "{said:?}");
    }
}

#[test]
fn a_copy_of_personal_data_has_an_end_and_its_tombstones_work() {
    let review = "transcripts.review";
    assert_eq!(said(review, &[("retention.ms", "86400000"), ("segment.ms", "3600000")]), [""; 0]);
    assert_eq!(said(review, &[("cleanup.policy", "delete, compact")]), [""; 0], "a list has no order");
    let endless = said(review, &[("retention.ms", "-1")]);
    assert!(
        endless[0].contains("retention.ms is -1; it must be a time with an end, such as 2592000000"),
        "{endless:?}"
    );
    let lazy = said(review, &[("max.compaction.lag.ms", "9223372036854775807")]);
    assert!(lazy[0].contains("it must be at most 86400000") && lazy[0].contains("tombstone"), "{lazy:?}");
    let kept = said(review, &[("cleanup.policy", "delete")]);
    assert!(kept[0].contains("so that a tombstone removes what it names"), "{kept:?}");
}

#[test]
fn production_survives_the_loss_of_a_broker() {
    let name = "transcripts.cleared";
    let few = said(name, &[("min.insync.replicas", "1")]);
    assert!(few[0].contains("min.insync.replicas is 1; it must be at least 2: "), "{few:?}");
    let all = said(name, &[("min.insync.replicas", "3")]);
    assert!(all[0].contains("min.insync.replicas is 3; it must be less than its 3 replicas: "), "{all:?}");
    assert!(said(name, &[("unclean.leader.election.enable", "true")])[0].contains("lose what was acknowledged"));

    let wanted = wanted(name);
    let one = Live { replicas: BTreeMap::from([(0, vec![2]), (1, vec![3, 1])]), ..live(&wanted) };
    let Some(Wrong::Replicas { fewest: 1, right: 3, plan: Some(plan) }) =
        check(&wanted, Some(&one), Production::Yes, &[1, 2, 3, 4]).into_iter().next()
    else {
        panic!("too few replicas pass");
    };
    for (partition, brokers) in &plan {
        let mut distinct = brokers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!((brokers.len(), distinct.len()), (3, 3));
        assert!(brokers.starts_with(&one.replicas[partition]), "it keeps what it has");
    }
    let said = check(&wanted, Some(&one), Production::Yes, &[1, 2])[0].to_string();
    assert!(said.ends_with("the cluster has too few brokers for them"), "{said}");
}

#[test]
fn a_trial_needs_one_replica_and_can_be_written_to() {
    let topics = Topics::new("transcripts");
    let (name, settings) = topics.all().next().unwrap();
    let wanted = Wanted::new(name, &settings, 1, 1, Production::No);
    let mut live = live(&wanted);
    live.replicas = BTreeMap::from([(0, vec![1])]);
    assert_eq!(check(&wanted, Some(&live), Production::No, &[1]), []);
    live.settings.insert(MIN_IN_SYNC.into(), "2".into());
    let said = check(&wanted, Some(&live), Production::No, &[1])[0].to_string();
    assert!(said.contains("at most 1") && said.contains("nothing can be written"), "{said}");
    assert_eq!(check(&wanted, None, Production::No, &[1]), [Wrong::Missing]);
}

#[test]
fn times_are_said_in_words() {
    for (milliseconds, words) in
        [("604800000", "7 days"), ("86400000", "24 hours"), ("1000", "1000 ms"), ("-1", "for ever")]
    {
        assert_eq!(kept_for(milliseconds), words);
    }
}
