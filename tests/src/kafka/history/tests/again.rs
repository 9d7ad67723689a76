//! Later attempts: what was withheld is decided again, once.

use super::*;

fn about(attempt: &str, offset: i64, previous: Option<&str>) -> Value {
    let source = json!({"topic": "t", "partition": 0, "offset": offset});
    let mut about = json!({"attempt": attempt, "mode": "enforce", "source": source, "destination": "d"});
    if let Some(previous) = previous {
        about["previous_attempt"] = json!(previous);
    }
    about
}

fn reserved(mut about: Value, id: &str) -> Value {
    about["reservation_id"] = json!(id);
    about
}

fn keyed(key: &str, offset: i64, value: &Value) -> Record {
    Record { key: Some(key.into()), ..record(offset, value) }
}

fn tombstone(key: &str, offset: i64) -> Record {
    Record { key: Some(key.into()), offset, ..Record::default() }
}

fn cleared(offset: i64, attempt: &Value, id: &str) -> Record {
    let headers = vec![(RESERVATION.into(), id.into())];
    Record { headers, ..record(offset, &reserved(attempt.clone(), id)) }
}

/// Two records are held; one of them is sent by a later attempt, the other is then for review.
fn history() -> History {
    let (sent, reviewed) = (about("1-a", 0, Some("0-a")), about("1-b", 1, Some("0-b")));
    let (a, b) = (about("0-a", 0, None), about("0-b", 1, None));
    let decisions = [&a, &b, &reserved(sent.clone(), "r"), &reviewed];
    let committed: BTreeMap<&'static str, Vec<Record>> = [
        ("reservations", vec![record(0, &reserved(sent.clone(), "r"))]),
        ("cleared", vec![cleared(0, &sent, "r")]),
        ("review", vec![keyed("b1", 0, &reviewed)]),
        ("held", vec![keyed("a", 0, &a), keyed("b", 1, &b), tombstone("a", 2), tombstone("b", 3)]),
        ("decisions", (0..).zip(decisions).map(|(offset, decision)| record(offset, decision)).collect()),
    ]
    .into();
    let input = (0..2).map(|offset| record(offset, &json!({"id": offset}))).collect();
    History { input, uncommitted: committed.clone(), committed, offsets: [(0, 2)].into(), ..History::default() }
}

fn broken(change: impl FnOnce(&mut History)) -> BTreeSet<u8> {
    let mut history = history();
    change(&mut history);
    history.violations().iter().map(|violation| violation.invariant).collect()
}

/// One more attempt that follows this one, with its outcome.
fn one_more(history: &mut History, attempt: &Value, id: &str) {
    both(history, "decisions", |all| all.push(record(9, &reserved(attempt.clone(), id))));
    both(history, "cleared", |all| all.push(cleared(9, attempt, id)));
    both(history, "reservations", |all| all.push(record(9, &reserved(attempt.clone(), id))));
}

#[test]
fn what_was_decided_again_once_holds() {
    history().holds().is_complete();
}

#[test]
fn a_later_attempt_without_outcome_breaks_1() {
    assert_eq!(broken(|h| both(h, "review", Vec::clear)), [1].into());
}

#[test]
fn a_later_outcome_without_decision_breaks_1() {
    assert_eq!(broken(|h| both(h, "decisions", |all| drop(all.pop()))), [1].into());
}

#[test]
fn a_later_attempt_that_follows_none_at_its_record_breaks_1() {
    for nothing in ["0-x", "0-a"] {
        let lost = |all: &mut Vec<Record>| edit(&mut all[3], |json| json["previous_attempt"] = json!(nothing));
        assert!(broken(|h| both(h, "decisions", lost)).contains(&1), "{nothing}");
    }
}

#[test]
fn what_is_removed_and_not_replaced_breaks_1() {
    let removed = |history: &mut History| {
        both(history, "decisions", |all| drop(all.pop()));
        both(history, "review", Vec::clear);
    };
    assert_eq!(broken(removed), [1].into());
}

#[test]
fn two_outcomes_of_a_later_attempt_break_2() {
    let twice = |all: &mut Vec<Record>| all.push(Record { key: Some(b"b2".into()), ..all[0].clone() });
    assert_eq!(broken(|h| both(h, "review", twice)), [2].into());
}

#[test]
fn what_is_decided_again_twice_breaks_2() {
    let again = |all: &mut Vec<Record>| all.push(keyed("c", 9, &about("1-c", 1, Some("0-b"))));
    let twice = |history: &mut History| {
        both(history, "decisions", again);
        both(history, "review", again);
    };
    assert_eq!(broken(twice), [2].into());
}

#[test]
fn a_second_attempt_that_sends_breaks_2() {
    assert_eq!(broken(|h| one_more(h, &about("2-a", 0, Some("1-a")), "r2")), [2].into());
}

#[test]
fn what_stays_withheld_though_a_later_attempt_sent_it_breaks_4() {
    assert_eq!(broken(|h| both(h, "held", |all| drop(all.remove(2)))), [4].into());
    assert_eq!(broken(|h| both(h, "held", |all| drop(all.remove(3)))), [2].into(), "withheld again is twice");
}

#[test]
fn a_tombstone_in_another_partition_than_its_record_breaks_2_and_4() {
    assert_eq!(broken(|h| both(h, "held", |all| all[2].partition = 1)), [2, 4].into());
}
