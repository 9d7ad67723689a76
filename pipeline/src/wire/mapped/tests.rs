//! Reading and writing records of another shape.

use super::*;
use crate::{
    ruleset::{
        input::{self, Mapping},
        policy::{Carry, Intake},
    },
    wire::{DecodeError, Json, Transcript, decode, json},
};
use maysend_detector::{
    document::Role,
    source::{Mistakes, SourceFile},
};
use std::borrow::Cow;

const TICKET: &str = r#"
[transcript]
id = "/ticket/id"
tenant = "/account"
customer_key = "/ticket/user/key"
destination = { constant = "summaries-eu" }
fields = { account_email = "/ticket/user/email", custom = "/ticket/custom" }

[[turns]]
one = "/ticket"
text = "/description"
at = "/created"

[[turns]]
each = "/comments"
text = "/body"
speaker = "/from/agent"
at = "/at"
time = "epoch_milliseconds"
skip_without_text = true

[roles]
true = "agent"
false = "customer"
"#;

fn mapping(text: &str) -> Mapping {
    let mistakes = Mistakes::default();
    let mapping = Mapping::read(&SourceFile::new(input::FILE, text), None, None, &mistakes);
    mapping.unwrap_or_else(|| panic!("{:?}", mistakes.into_sorted()))
}

fn intake() -> Intake {
    Intake { carry: vec![Carry::parse("/ticket/subject").unwrap()], ..Intake::default() }
}

fn read(text: &str) -> Result<Transcript, DecodeError> {
    decode(text.as_bytes(), &intake(), Some(&mapping(TICKET)))
}

/// What is written of a transcript whose texts were not redacted.
fn written(mapping: &Mapping, transcript: &Transcript) -> Option<String> {
    let texts: Vec<Cow<'_, str>> = transcript.turns.iter().map(|turn| Cow::Borrowed(turn.text.as_str())).collect();
    let identifiers = Identifiers {
        id: &transcript.id,
        tenant: &transcript.tenant,
        tenant_region: transcript.tenant_region.as_deref(),
        customer_key: transcript.customer_key.as_deref(),
        destination: &transcript.destination,
    };
    let intake = intake();
    let carried = transcript.carried.iter().map(|(name, value)| {
        let carry = intake.carry.iter().find(|carry| carry.name == *name).unwrap();
        (&carry.pointer, value.clone())
    });
    let record = shape(mapping, transcript, identifiers, &texts, carried.collect()).ok()?;
    Some(serde_json::to_string(&record).unwrap())
}

const WHOLE: &str = r#"{"account":"acme","other":"x","ticket":{"id":17,"subject":{"a":1.50},"description":"Hello",
    "created":"2026-03-02T09:14:03Z","user":{"key":"ck","email":"jan@x.nl","phone":"1"},"custom":[{"v":"w"}]},
    "comments":[{"body":"Hi","from":{"agent":true,"name":"Jan"},"at":1772442843000,"html":"<b>Hi</b>"},
    {"body":null,"event":"closed"},{"body":"","from":null}]}"#;

#[test]
fn a_whole_record_is_read_and_comes_back_with_what_was_read_alone() {
    let transcript = read(WHOLE).unwrap();
    assert_eq!((transcript.id.as_str(), transcript.destination.as_str()), ("17", "summaries-eu"));
    let fields: Vec<(&str, &str)> = transcript.fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(fields, [("account_email", "jan@x.nl"), ("custom.0.v", "w")]);
    let turns: Vec<(&str, Role, usize)> =
        transcript.turns.iter().map(|turn| (turn.text.as_str(), turn.role, turn.table)).collect();
    assert_eq!(turns, [("Hello", Role::Other, 0), ("Hi", Role::Agent, 1), ("", Role::Other, 1)]);
    assert_eq!(transcript.turns[0].at, transcript.turns[1].at);
    let expected = r#"{"ticket":{"id":17,"user":{"key":"ck"},"description":"Hello","created":"2026-03-02T09:14:03Z","subject":{"a":1.50}},"account":"acme","comments":[{"body":"Hi","from":{"agent":"agent"},"at":1772442843000},{"body":""}]}"#;
    assert_eq!(written(&mapping(TICKET), &transcript).unwrap(), expected);
}

#[test]
fn an_error_names_pointers_of_the_mapping_only() {
    for (text, reason, says) in [
        (r#"{"account":"a"}"#, "missing_member", "the member /ticket/id is missing"),
        (r#"{"account":"a","ticket":null}"#, "missing_member", "the member /ticket/id is missing"),
        (r#"{"account":"a","ticket":"canary"}"#, "wrong_type", "the member /ticket takes an object"),
        (r#"{"ticket":{"id":1}}"#, "missing_member", "the member /account is missing"),
        (
            r#"{"account":1.5,"ticket":{"id":1}}"#,
            "wrong_type",
            "the member /account takes a string that is not empty, or an integer",
        ),
        (
            r#"{"account":"","ticket":{"id":1}}"#,
            "wrong_type",
            "the member /account takes a string that is not empty, or an integer",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"user":"canary"}}"#,
            "wrong_type",
            "the member /ticket/user takes an object",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"user":{"key":["canary"]}}}"#,
            "wrong_type",
            "the member /ticket/user/key takes a string that is not empty, or an integer",
        ),
        (r#"{"account":"a","ticket":{"id":1}}"#, "missing_member", "the member /ticket/description is missing"),
        (
            r#"{"account":"a","ticket":{"id":1,"description":"x"},"comments":{"canary":1}}"#,
            "wrong_type",
            "the member /comments takes an array",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"description":"x"},"comments":["canary"]}"#,
            "wrong_type",
            "the member /comments/0 takes an object",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"description":"x"},"comments":[{"body":"x"},{"body":7}]}"#,
            "wrong_type",
            "the member /comments/1/body takes a string",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"description":"x"},"comments":[{"body":"x","at":"canary"}]}"#,
            "wrong_type",
            "the member /comments/0/at takes a number of milliseconds since 1970, in the years 2001 to 2099",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"description":"x","canary":{"id":1,"id":2}}}"#,
            "duplicate_member",
            "the member /ticket/*/id stands there twice",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"description":"x","schema":1,"schema":2}}"#,
            "duplicate_member",
            "the member /ticket/* stands there twice",
        ),
        (
            r#"{"account":"a","ticket":{"id":1,"description":" "},"comments":[{"body":"\n"}]}"#,
            "empty",
            "empty: no turn has any text",
        ),
        (r#"["canary"]"#, "wrong_type", "the member / takes an object"),
        ("canary", "not_json", "not JSON (line 1, column 1 of the record)"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.reason().code(), error.to_string().as_str()), (reason, says), "{text}");
    }
}

#[test]
fn turns_may_be_missing_in_one_place_but_not_in_all() {
    let two = "[transcript]\nid = \"/id\"\ntenant = \"/t\"\ndestination = \"/d\"\n[[turns]]\none = \"/first\"\ntext = \"/x\"\n[[turns]]\neach = \"/more\"\ntext = \"\"\n";
    let mapping = mapping(two);
    let read =
        |said: &str| decode(format!(r#"{{"id":"i","t":"t","d":"d"{said}}}"#).as_bytes(), &intake(), Some(&mapping));
    let error = read("").unwrap_err();
    assert_eq!(error, DecodeError::MissingMember { pointer: "/first".into() });
    let strings = read(r#","more":["a","b"]"#).unwrap();
    assert_eq!(written(&mapping, &strings).unwrap(), r#"{"id":"i","t":"t","d":"d","more":["a","b"]}"#);
    let first = read(r#","first":{"x":"a","y":"b"},"more":null"#).unwrap();
    assert_eq!(written(&mapping, &first).unwrap(), r#"{"id":"i","t":"t","d":"d","first":{"x":"a"},"more":[]}"#);
}

#[test]
fn one_text_is_read_where_it_stands() {
    let mapping = mapping("[transcript]\nid = \"/id\"\ntenant = \"/t\"\ndestination = \"/d\"\ntext = \"/s/t\"\n");
    let transcript = decode(br#"{"id":"i","t":"t","d":"d","s":{"t":"a","u":"b"}}"#, &intake(), Some(&mapping)).unwrap();
    assert!(transcript.single_text);
    assert_eq!(written(&mapping, &transcript).unwrap(), r#"{"id":"i","t":"t","d":"d","s":{"t":"a"}}"#);
}

#[test]
fn what_was_read_by_another_mapping_is_not_written() {
    let transcript = read(WHOLE).unwrap();
    let head = "[transcript]\nid = \"/id\"\ntenant = \"/t\"\ndestination = \"/d\"\n";
    for other in ["text = \"/x\"\n", "[[turns]]\neach = \"/x\"\ntext = \"/y\"\n"] {
        assert_eq!(written(&mapping(&format!("{head}{other}")), &transcript), None, "{other}");
    }
}

#[test]
fn a_hash_in_the_place_of_a_number_is_a_string() {
    let transcript = Transcript { id: "hash:abcd".into(), ..read(WHOLE).unwrap() };
    let record = written(&mapping(TICKET), &transcript).unwrap();
    assert!(record.starts_with(r#"{"ticket":{"id":"hash:abcd","#), "{record}");
}

#[test]
fn the_gates_own_members_never_stand_beside_others_of_that_name() {
    let source = crate::wire::Source::File { file: "f".into(), line: 1 };
    let header = crate::wire::Header::new("a", crate::ruleset::policy::Mode::Enforce, "r", "p", &source);
    let encode = |text: &str| {
        let record: &Json = &json::parse(text, &[]).unwrap();
        crate::wire::encode(&Cleared { record, header, reservation_id: "r-1" })
    };
    let line = String::from_utf8(encode(r#"{"a":1}"#).unwrap()).unwrap();
    assert!(
        line.starts_with(r#"{"a":1,"maysend":{"schema":1,"attempt":"a","#)
            && line.ends_with(r#""reservation_id":"r-1"}}"#),
        "{line}"
    );
    assert!(encode(r#"{"maysend":1}"#).is_err() && encode("[]").is_err());
}
