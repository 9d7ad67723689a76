//! Erased customers.

use super::*;

const SAID: &str = "2026-03-02T09:00:00Z";
const ERASED: &str = "2026-03-02T10:00:00Z";
const LATER: &str = "2026-03-02T11:00:00Z";

/// One transcript of a customer who was erased is sent at `LATER`.
fn sent(known_at: Option<&str>) -> History {
    let mut history = history();
    let at = |time: &str| time.parse::<jiff::Timestamp>().unwrap();
    history.input[0] = record(0, &json!({"id": 0, "turns": [{"text": "canary", "at": SAID}]}));
    both(&mut history, "decisions", |all| {
        for decision in all {
            edit(decision, |json| {
                json["tenant"] = json!("acme");
                json["customer_key"] = json!("ck");
                json["as_of"] = json!(LATER);
            });
        }
    });
    let erased =
        Erased { tenant: "acme".into(), customer: "ck".into(), erased_at: at(ERASED), known_at: known_at.map(at) };
    history.erased = vec![erased];
    history
}

fn broken(history: &History) -> BTreeSet<u8> {
    history.violations().iter().map(|violation| violation.invariant).collect()
}

#[test]
fn what_is_sent_of_a_customer_whose_erasure_is_known_breaks_13() {
    assert_eq!(broken(&sent(Some(ERASED))), [13].into());
    assert_eq!(broken(&sent(Some(LATER))), [13].into(), "a batch has one time");
    assert_eq!(broken(&sent(Some("2026-03-02T12:00:00Z"))), [].into(), "it was not known yet");
    assert_eq!(broken(&sent(None)), [].into());
}

#[test]
fn a_decision_that_knows_of_the_erasure_tells_that_it_was_known() {
    for (as_of, expected) in [(ERASED, BTreeSet::from([13])), ("2026-03-02T12:00:00Z", BTreeSet::new())] {
        let mut history = sent(None);
        both(&mut history, "review", Vec::clear);
        both(&mut history, "decisions", |all| {
            edit(&mut all[1], |json| {
                json["reasons"] = json!([{"reason": "customer_erased"}]);
                json["as_of"] = json!(as_of);
            });
        });
        assert_eq!(broken(&history), expected, "{as_of}");
    }
}

#[test]
fn who_comes_back_and_anybody_else_may_be_sent() {
    let mut other = sent(Some(ERASED));
    other.erased[0].customer = "ck_other".into();
    assert_eq!(broken(&other), [].into());

    let mut back = sent(Some(ERASED));
    edit(&mut back.input[0], |json| json["turns"][0]["at"] = json!(LATER));
    assert_eq!(broken(&back), [13].into(), "what was said after it was published before");
    back.input[0].timestamp_ms = LATER.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    assert_eq!(broken(&back), [].into());
    edit(&mut back.input[0], |json| json["turns"] = json!([{"text": "canary"}]));
    assert_eq!(broken(&back), [13].into(), "without a time it is taken to be older");
}
