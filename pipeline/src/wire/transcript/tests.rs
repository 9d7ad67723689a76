//! Decoding, reason by reason.

use super::*;
use crate::{ruleset::policy::Carry, wire::json::tests::any_json};
use jiff::Timestamp;
use proptest::prelude::*;

fn intake() -> Intake {
    Intake { carry: ["meta", "source"].map(|name| Carry::parse(name).unwrap()).into(), max_record_bytes: 10_000 }
}

fn read(text: &str) -> Result<Transcript, DecodeError> {
    decode(text.as_bytes(), &intake(), None)
}

/// A transcript of two turns with a carried member.
pub(in crate::wire) fn sample() -> Transcript {
    read(&with(
        r#""customer_key":"ck_5f0c2b","tenant_region":"EU","meta":[1.50],
        "turns":[{"speaker":"Jan","at":"2026-03-02T09:14:03Z","text":"I am Jan"},{"text":""}]"#,
    ))
    .map(|transcript| Transcript { id: "t-1".into(), destination: "summaries-eu".into(), ..transcript })
    .unwrap()
}

/// A record with these members after the required ones.
fn with(members: &str) -> String {
    format!(r#"{{"schema":1,"id":"t","tenant":"acme","destination":"d",{members}}}"#)
}

fn code(text: &str) -> &'static str {
    read(text).map_or_else(|error| error.reason().code(), |_| "decodes")
}

#[test]
fn a_whole_record() {
    let transcript = read(
        r#"{"schema": 1, "id": "t-000017", "tenant": "acme", "tenant_region": "EU", "customer_key": null,
        "destination": "summaries-eu", "new": 1, "meta": {"a": 1.0},
        "fields": {"account_email": "jan@example.nl", "orders": [{"total": 1.50}, true, null, "x"]},
        "turns": [{"speaker": "Agent", "at": "2026-03-02T09:14:03Z", "text": "hi", "mood": 1}, {"text": ""}]}"#,
    )
    .unwrap();
    assert_eq!(transcript.tenant_region.as_deref(), Some("EU"));
    assert_eq!(transcript.customer_key, None);
    let fields: Vec<(&str, &str)> = transcript.fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(fields, [("account_email", "jan@example.nl"), ("orders.0.total", "1.50"), ("orders.3", "x")]);
    assert_eq!(transcript.turns[0].role, Role::Agent);
    assert_eq!(transcript.turns[0].at.as_ref().unwrap().time.as_second(), 1_772_442_843);
    assert_eq!((transcript.turns[1].role, transcript.turns[1].text.as_str()), (Role::Other, ""));
    assert_eq!(transcript.carried, [("meta".into(), Json::Object(vec![("a".into(), Json::Number("1.0".into()))]))]);
    assert_eq!(format!("{transcript:?}"), "Transcript(2 turns, 2 bytes, 3 fields, 1 carried)");
}

#[test]
fn every_reason() {
    for (text, reason) in [
        ("", "empty"),
        (" \r\n", "empty"),
        (&with(r#""turns":[]"#), "empty"),
        (&with(r#""text":" \n""#), "empty"),
        ("{", "not_json"),
        (&format!("\u{feff}{}", with(r#""text":"a""#)), "not_json"),
        (&with(r#""text":"\ud83d""#), "not_json"),
        (&with(r#""text":"a","x":{"y":[{"z":1,"z":1}]}"#), "duplicate_member"),
        (&with(r#""text":"a","id":"b""#), "duplicate_member"),
        (&with(r#""x":1"#), "missing_member"),
        (r#"{"id":"t"}"#, "missing_member"),
        (&with(r#""turns":[{"speaker":"agent"}]"#), "missing_member"),
        (r#"{"schema":2,"other":"shape"}"#, "unknown_schema"),
        (r#"{"schema":99999999999999999999}"#, "unknown_schema"),
        (r#"{"schema":"1"}"#, "wrong_type"),
        (r#"{"schema":1.0}"#, "wrong_type"),
        ("[]", "wrong_type"),
        (&with(r#""text":"a","turns":[]"#), "wrong_type"),
        (&with(r#""text":7"#), "wrong_type"),
        (&with(r#""text":"a","fields":[]"#), "wrong_type"),
        (&with(r#""text":"a","customer_key":"""#), "wrong_type"),
        (&with(r#""turns":[{"text":"a","at":"yesterday"}]"#), "wrong_type"),
        (&with(r#""turns":["a"]"#), "wrong_type"),
        (&with(&format!(r#""text":"{}""#, "a".repeat(10_000))), "too_large"),
        (&with(r#""text":"a","turns":null"#), "decodes"),
    ] {
        assert_eq!(code(text), reason, "{text}");
    }
    assert_eq!(decode(b"\"\xff\"", &intake(), None), Err(DecodeError::NotUtf8 { offset: 1 }));
    let codes: BTreeSet<&str> = crate::wire::DeadLetterReason::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(codes.len(), 8);
}

#[test]
fn an_error_says_where_and_repeats_nothing() {
    let error = read(&with(r#""turns":[{"text":"a"},{"text":"a","at":"canary"}]"#)).unwrap_err();
    assert_eq!(error.to_string(), "the member /turns/1/at takes a time of RFC 3339, such as 2026-03-02T09:14:03Z");
    let error = read(&with(r#""text":"a","canary":{"canary":1,"canary":2}"#)).unwrap_err();
    assert_eq!(error.to_string(), "the member /*/* stands there twice");
    assert_eq!(read("[]").unwrap_err().to_string(), "the member / takes an object");
    let error = read(r#"{"schema":123456782}"#).unwrap_err();
    assert_eq!(error.to_string(), "unknown schema; this program reads 1");
}

#[test]
fn a_long_field_name_is_not_repeated() {
    let name = "n".repeat(4_000);
    let transcript = read(&with(&format!(r#""text":"a","fields":{{"{name}":["x","y"]}}"#))).unwrap();
    assert_eq!(transcript.fields, [(String::new(), "x".into()), (String::new(), "y".into())]);
}

#[test]
fn what_the_records_have_themselves_is_not_carried() {
    let transcript = read(&with(r#""text":"a","source":{"file":"x"}"#)).unwrap();
    assert_eq!(transcript.carried, []);
}

#[test]
fn a_part_of_a_member_is_carried_by_its_pointer() {
    let carry =
        ["/meta/plan", "meta2", "/meta/x~1y", "/meta/none", "/text2/deeper"].map(|name| Carry::parse(name).unwrap());
    let intake = Intake { carry: carry.into(), ..intake() };
    let text = with(r#""text":"a","meta":{"x/y":"b","plan":{"a":1},"rest":2},"meta2":null,"text2":"c""#);
    let transcript = decode(text.as_bytes(), &intake, None).unwrap();
    let number = Json::Object(vec![("a".into(), Json::Number("1".into()))]);
    assert_eq!(transcript.carried, [("/meta/plan".into(), number), ("/meta/x~1y".into(), Json::String("b".into()))]);
}

#[test]
fn what_the_gate_notes_of_a_turn_is_not_believed_of_a_platform() {
    let transcript = read(&with(r#""turns":[{"text":"a","role":"agent","table":7}]"#)).unwrap();
    assert_eq!((transcript.turns[0].role, transcript.turns[0].table), (Role::Other, 0));
}

fn any_turn() -> impl Strategy<Value = (Option<String>, Option<i32>, String)> {
    (any::<Option<String>>(), any::<Option<i32>>(), any::<String>())
}

proptest! {
    #[test]
    fn turns_and_carried_members_come_through(
        turns in proptest::collection::vec(any_turn(), 1..6),
        meta in any_json(),
    ) {
        let string = |text: &str| Json::String(text.into());
        let at = |second: i32| Timestamp::from_second(second.into()).unwrap().to_string();
        let written = turns.iter().map(|(speaker, second, text)| {
            let mut members = vec![("text".into(), string(text))];
            members.extend(speaker.iter().map(|speaker| ("speaker".into(), string(speaker))));
            members.extend(second.iter().map(|second| ("at".into(), string(&at(*second)))));
            Json::Object(members)
        });
        let record = Json::Object(vec![
            ("turns".into(), Json::Array(written.collect())),
            ("meta".into(), meta.clone()),
            ("schema".into(), Json::Number("1".into())),
            ("tenant".into(), string("acme")),
            ("id".into(), string("t")),
            ("destination".into(), string("d")),
        ]);
        let bytes = serde_json::to_vec(&record).unwrap();
        let intake = Intake { max_record_bytes: bytes.len(), ..intake() };
        match decode(&bytes, &intake, None) {
            Err(DecodeError::Empty) => prop_assert!(turns.iter().all(|(_, _, text)| text.trim().is_empty())),
            decoded => {
                let decoded = decoded.unwrap();
                let got: Vec<_> = decoded.turns.iter().map(|turn| {
                    let second = turn.at.as_ref().map(|at| at.time.as_second() as i32);
                    (turn.speaker.clone(), second, turn.text.clone())
                }).collect();
                prop_assert_eq!(got, turns);
                if meta != Json::Null {
                    prop_assert_eq!(decoded.carried, vec![("meta".to_owned(), meta)]);
                }
            }
        }
    }

    #[test]
    fn any_bytes_give_a_reason_and_no_panic(bytes: Vec<u8>) {
        let _ = decode(&bytes, &intake(), None);
    }
}
