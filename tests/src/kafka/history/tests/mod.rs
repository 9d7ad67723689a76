//! The checker finds what is broken: each history here breaks one invariant, and no other.

mod again;
mod erasures;

use super::*;
use serde_json::json;

fn record(offset: i64, value: &Value) -> Record {
    Record { offset, value: Some(value.to_string().into_bytes()), ..Record::default() }
}

/// Four records: one cleared, one in review, one that cannot be read, one not yet committed; and an orphan.
fn history() -> History {
    let input = (0..4).map(|offset| record(offset, &json!({"id": offset, "text": "canary"}))).collect();
    let about = |offset: i64, mode: &str| {
        let source = json!({"topic": "t", "partition": 0, "offset": offset});
        json!({"attempt": format!("0-{offset}"), "mode": mode, "source": source, "destination": "d"})
    };
    let with = |mut value: Value, name: &str, member: Value| {
        value[name] = member;
        value
    };
    let mut cleared = record(0, &with(about(0, "enforce"), "reservation_id", json!("r0")));
    cleared.headers.push((RESERVATION.into(), b"r0".to_vec()));
    let decisions = vec![
        record(0, &with(about(0, "enforce"), "reservation_id", json!("r0"))),
        record(1, &about(1, "enforce")),
        record(3, &with(about(2, "enforce"), "reasons", json!([{"reason": "not_json"}]))),
    ];
    let reservations = vec![
        record(0, &with(about(0, "enforce"), "reservation_id", json!("r0"))),
        record(1, &with(about(3, "enforce"), "reservation_id", json!("r3"))),
    ];
    let committed: BTreeMap<&'static str, Vec<Record>> = [
        ("reservations", reservations),
        ("cleared", vec![cleared]),
        ("review", vec![record(0, &about(1, "enforce"))]),
        ("held", vec![]),
        ("decisions", decisions),
        ("dead-letter", vec![record(0, &about(2, "enforce"))]),
    ]
    .into();
    History {
        input,
        uncommitted: committed.clone(),
        committed,
        offsets: [(0, 3)].into(),
        refused: vec!["nowhere".into()],
        personal: vec!["111222333".into()],
        canaries: vec!["canary".into()],
        said: vec![("gate.err".into(), "maysend: stopped".into())],
        ..History::default()
    }
}

/// The invariants that a history breaks once it is changed so.
fn broken(change: impl FnOnce(&mut History)) -> BTreeSet<u8> {
    let mut history = history();
    change(&mut history);
    history.violations().iter().map(|violation| violation.invariant).collect()
}

fn both(history: &mut History, output: &'static str, change: impl Fn(&mut Vec<Record>)) {
    change(history.committed.get_mut(output).unwrap());
    change(history.uncommitted.get_mut(output).unwrap());
}

fn edit(record: &mut Record, change: impl FnOnce(&mut Value)) {
    let mut json = record.json();
    change(&mut json);
    record.value = Some(json.to_string().into_bytes());
}

#[test]
fn a_history_that_breaks_nothing_holds() {
    let history = history();
    assert_eq!(history.holds().orphans(), 1);
    assert_eq!(history.of_source("review", (0, 1)).len(), 1);
}

#[test]
#[should_panic(expected = "input records that are not committed")]
fn what_is_not_committed_is_not_complete() {
    history().is_complete();
}

#[test]
fn a_lost_decision_breaks_1() {
    assert_eq!(broken(|h| both(h, "decisions", |all| drop(all.remove(1)))), [1].into());
}

#[test]
fn a_lost_outcome_breaks_1() {
    for output in ["cleared", "review", "dead-letter"] {
        assert_eq!(broken(|h| both(h, output, Vec::clear)), [1].into(), "{output}");
    }
}

#[test]
fn an_offset_committed_without_outcomes_breaks_1() {
    assert_eq!(broken(|h| h.offsets = [(0, 4)].into()), [1].into());
}

#[test]
fn an_outcome_of_nothing_breaks_1() {
    let elsewhere = |all: &mut Vec<Record>| {
        let mut invented = all[0].clone();
        edit(&mut invented, |json| json["source"]["offset"] = json!(99));
        all.push(invented);
    };
    assert_eq!(broken(|h| both(h, "review", elsewhere)), [1].into());
}

#[test]
fn a_second_outcome_breaks_2() {
    for output in ["cleared", "review", "decisions", "dead-letter"] {
        assert_eq!(broken(|h| both(h, output, |all| all.push(all[0].clone()))).first(), Some(&2), "{output}");
    }
}

#[test]
fn an_outcome_whose_input_will_be_read_again_breaks_2() {
    assert_eq!(broken(|h| h.offsets = [(0, 2)].into()), [2].into());
    assert_eq!(broken(|h| h.offsets.clear()), [2].into());
}

#[test]
fn a_cleared_record_without_reservation_breaks_3_and_11() {
    assert_eq!(broken(|h| both(h, "reservations", |all| drop(all.remove(0)))), [3, 11].into());
}

#[test]
fn an_aborted_cleared_record_without_reservation_breaks_3() {
    let aborted = |all: &mut Vec<Record>| {
        let mut aborted = all[0].clone();
        aborted.headers = vec![(RESERVATION.into(), b"r9".to_vec())];
        all.push(aborted);
    };
    assert_eq!(broken(|h| aborted(h.uncommitted.get_mut("cleared").unwrap())), [3].into());
}

#[test]
fn a_cleared_record_without_the_header_breaks_1_3_and_11() {
    assert_eq!(broken(|h| both(h, "cleared", |all| all[0].headers.clear())), [1, 3, 11].into());
}

#[test]
fn a_reservation_that_came_late_breaks_3() {
    assert_eq!(broken(|h| h.seen.unreserved.push("0/0: r0".into())), [3].into());
}

#[test]
fn an_attempt_that_is_cleared_and_withheld_breaks_4() {
    let same = |all: &mut Vec<Record>| edit(&mut all[0], |json| json["attempt"] = json!("0-0"));
    assert_eq!(broken(|h| both(h, "review", same)), [4].into());
}

#[test]
fn a_changed_byte_in_shadow_mode_breaks_5() {
    let shadow = |h: &mut History| {
        let raw = h.input[0].value.clone();
        both(h, "cleared", |all| all[0].value = raw.clone());
        both(h, "decisions", |all| edit(&mut all[0], |json| json["mode"] = json!("shadow")));
    };
    assert_eq!(broken(shadow), [].into());
    let changed = |h: &mut History| {
        shadow(h);
        both(h, "cleared", |all| all[0].value.as_mut().unwrap().push(b' '));
    };
    assert_eq!(broken(changed), [5].into());
}

#[test]
fn outputs_out_of_order_break_6() {
    assert_eq!(broken(|h| both(h, "decisions", |all| all.swap(0, 1))), [6].into());
}

#[test]
fn a_canary_anywhere_breaks_7() {
    assert_eq!(broken(|h| h.said.push(("gate.err".into(), "panicked: canary".into()))), [7].into());
    let header = |all: &mut Vec<Record>| all[0].headers.push(("maysend-reason".into(), b"the canary".to_vec()));
    assert_eq!(broken(|h| both(h, "dead-letter", header)), [7].into());
    assert_eq!(broken(|h| both(h, "review", |all| all[0].key = Some(b"acme/canary".to_vec()))), [7].into());
    let value = |all: &mut Vec<Record>| edit(&mut all[1], |json| json["reasons"] = json!(["canary"]));
    assert_eq!(broken(|h| both(h, "decisions", value)), [7].into());
}

#[test]
fn a_canary_in_the_dead_letter_of_a_record_that_was_too_large_breaks_7() {
    let letter = |reason: &'static str| {
        move |all: &mut Vec<Record>| {
            edit(&mut all[0], |json| json["record"] = json!("the canary"));
            all[0].headers.push(("maysend-reason".into(), reason.into()));
        }
    };
    assert_eq!(broken(|h| both(h, "dead-letter", letter("not_json"))), [].into());
    assert_eq!(broken(|h| both(h, "dead-letter", letter("too_large"))), [7].into());
}

#[test]
fn an_offset_that_goes_back_breaks_8() {
    assert_eq!(broken(|h| h.seen.offsets = vec![[(0, 1)].into(), [(0, 2)].into()]), [].into());
    assert_eq!(broken(|h| h.seen.offsets = vec![[(0, 2)].into(), [(0, 1)].into()]), [8].into());
    assert_eq!(broken(|h| h.seen.offsets = vec![[(0, 5)].into()]), [8].into());
}

#[test]
fn a_cleared_record_for_a_refused_destination_breaks_9() {
    let refused = |all: &mut Vec<Record>| edit(&mut all[0], |json| json["destination"] = json!("nowhere"));
    assert_eq!(broken(|h| both(h, "cleared", refused)), [9].into());
}

#[test]
fn personal_data_that_is_cleared_breaks_10_if_it_is_enforced() {
    let said = |all: &mut Vec<Record>| edit(&mut all[0], |json| json["text"] = json!("mijn BSN is 111222333"));
    assert_eq!(broken(|h| both(h, "cleared", said)), [10].into());
    let aborted = |h: &mut History| said(h.uncommitted.get_mut("cleared").unwrap());
    assert_eq!(broken(aborted), [10].into(), "an aborted one can be read too");
}

#[test]
fn a_decision_to_send_without_reservation_breaks_11() {
    let orphaned = |all: &mut Vec<Record>| {
        let mut sent = all[0].clone();
        edit(&mut sent, |json| json["reservation_id"] = json!("r7"));
        *all = vec![sent, all[1].clone(), all[2].clone()];
    };
    assert!(broken(|h| both(h, "decisions", orphaned)).contains(&11));
}
