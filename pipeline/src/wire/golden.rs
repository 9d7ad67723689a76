//! The JSON of each output record, member by member.

use super::{transcript::tests::sample, *};
use crate::{
    gate,
    gate::Reason,
    ruleset::policy::{Mode, is_reserved},
};
use maysend_detector::{
    document::Span,
    finding::{Finding, Verdict},
};
use std::{borrow::Cow, collections::BTreeMap};

fn source() -> Source {
    Source::File { file: "day.jsonl".into(), line: 7 }
}

fn header(source: &Source) -> Header<'_> {
    Header {
        transcript_id: Some("t-1"),
        tenant: Some("acme"),
        customer_key: Some("ck_5f0c2b"),
        destination: Some("summaries-eu"),
        terms: Some("2026-02-11 sha256:aa"),
        ..Header::new("a-1", Mode::Enforce, "sha256:bb", "maysend 0.1.0", source)
    }
}

const HEADER: &str = r#""schema":1,"attempt":"a-1","transcript_id":"t-1","tenant":"acme","customer_key":"ck_5f0c2b","destination":"summaries-eu","mode":"enforce","ruleset":"sha256:bb","program":"maysend 0.1.0","terms":"2026-02-11 sha256:aa","source":{"file":"day.jsonl","line":7}"#;

const DECISION: &str = r#""verdict":"block","reasons":[{"reason":"tier1_retained","entities":["nl.bsn"]},{"reason":"training_eligible","entities":[]}],"entities":{"health":1,"nl.bsn":2},"suppressed":[{"reference":"ticket","pattern":"nl.bsn/plain","count":1}],"stripped":{"account_email":2},"reservation_id":null,"as_of":"2026-03-02T09:14:03Z""#;

fn decision() -> DecisionBody {
    let reason = |reason, entities: &[&str]| ReasonRecord {
        reason,
        entities: entities.iter().map(|entity| (*entity).into()).collect(),
    };
    DecisionBody {
        verdict: gate::Verdict::Block,
        reasons: vec![
            reason(ReasonCode::Gate(Reason::Tier1Retained), &["nl.bsn"]),
            reason(ReasonCode::Gate(Reason::TrainingEligible), &[]),
        ],
        entities: BTreeMap::from([("nl.bsn".into(), 2), ("health".into(), 1)]),
        suppressed: vec![SuppressedRecord { reference: "ticket".into(), pattern: "nl.bsn/plain".into(), count: 1 }],
        stripped: BTreeMap::from([("account_email".into(), 2)]),
        reservation_id: None,
        as_of: "2026-03-02T09:14:03Z".parse().unwrap(),
    }
}

fn finding(turn: usize, start: usize, end: usize, points: i32, verdict: Verdict) -> Finding {
    let (entity, pattern) = ("nl.bsn".into(), "nl.bsn/plain".into());
    Finding { entity, pattern, span: Span { turn, start, end }, more: Vec::new(), points, verdict, rivals: Vec::new() }
}

fn written(record: &impl serde::Serialize) -> String {
    String::from_utf8(encode(record).unwrap()).unwrap()
}

/// Compares with the whole record in `tests/golden/record`, for readers of the topics to look at; or writes it there
/// where `MAYSEND_TEST_WRITE_GOLDEN` is set.
#[track_caller]
fn is_golden(name: &str, line: &str) {
    let path = format!("{}/tests/golden/record/{name}.json", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("MAYSEND_TEST_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, format!("{line}\n")).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        golden.trim_end(),
        line,
        "{name} differs; if that is meant, run this test with MAYSEND_TEST_WRITE_GOLDEN=1"
    );
}

#[test]
fn decision_record() {
    let (source, decision) = (source(), decision());
    let record = DecisionRecord { header: header(&source), decision: &decision };
    assert_eq!(written(&record), format!("{{{HEADER},{DECISION}}}"));
    is_golden("decision", &written(&record));
    assert_eq!(record.header.key().unwrap(), "acme/t-1/a-1");
}

#[test]
fn reservation_record() {
    let source = Source::Topic { topic: "transcripts".into(), partition: 3, offset: 42 };
    let record = Reservation {
        header: Header {
            mode: Mode::Shadow,
            customer_key: None,
            published_at: Some("2026-03-02T09:14:02.25Z".parse().unwrap()),
            ..header(&source)
        },
        reservation_id: "r-1",
        provider: "example",
        reserved_requests: 1,
        reserved_at: "2026-03-02T09:14:03.5Z".parse().unwrap(),
    };
    let header = HEADER.replace("enforce", "shadow").replace(r#""ck_5f0c2b""#, "null").replace(
        r#"{"file":"day.jsonl","line":7}"#,
        r#"{"topic":"transcripts","partition":3,"offset":42},"published_at":"2026-03-02T09:14:02.25Z""#,
    );
    let own =
        r#""reservation_id":"r-1","provider":"example","reserved_requests":1,"reserved_at":"2026-03-02T09:14:03.5Z""#;
    assert_eq!(written(&record), format!("{{{header},{own}}}"));
    is_golden("reservation", &written(&record));
}

#[test]
fn cleared_record() {
    let (source, transcript) = (source(), sample());
    let texts = [Cow::Borrowed("I am [NAME_1]"), Cow::Borrowed("")];
    let carried = [("meta".to_owned(), Json::Array(vec![Json::Number("1.50".into())]))];
    let body = Body {
        transcript: &transcript,
        id: "t-1",
        tenant_region: transcript.tenant_region.as_deref(),
        texts: &texts,
        carried: &carried,
        speakers: false,
    };
    let own = r#""id":"t-1","tenant_region":"EU","turns":[{"speaker":"other","at":"2026-03-02T09:14:03Z","text":"I am [NAME_1]"},{"text":""}],"meta":[1.50],"reservation_id":"r-1""#;
    let record = Cleared { header: header(&source), body, reservation_id: "r-1" };
    assert_eq!(written(&record), format!("{{{HEADER},{own}}}"));
    is_golden("cleared", &written(&record));
    let short = Cleared { body: Body { texts: &texts[..1], ..body }, ..record };
    assert_eq!(encode(&short), Err(records::EncodeError));
}

#[test]
fn withheld_record_and_back() {
    let (source, transcript, decision) = (source(), sample(), decision());
    let texts: Vec<Cow<'_, str>> = transcript.turns.iter().map(|turn| Cow::Borrowed(turn.text.as_str())).collect();
    let body = Body {
        transcript: &transcript,
        id: "t-1",
        tenant_region: transcript.tenant_region.as_deref(),
        texts: &texts,
        carried: &transcript.carried,
        speakers: true,
    };
    let findings = [
        finding(0, 5, 8, 52, Verdict::Valid),
        finding(0, 5, 8, 10, Verdict::Invalid),
        finding(2, 0, 4, -1, Verdict::Unchecked),
    ];
    let record = Withheld {
        header: header(&source),
        body,
        findings: findings.iter().map(FindingRecord::from).collect(),
        findings_omitted: 0,
        decision: &decision,
        shadow: false,
    };
    let turns = r#""id":"t-1","tenant_region":"EU","turns":[{"speaker":"Jan","at":"2026-03-02T09:14:03Z","text":"I am Jan"},{"text":""}],"meta":[1.50]"#;
    let found = r#""findings":[{"entity":"nl.bsn","pattern":"nl.bsn/plain","points":52,"confidence":0.9,"validated":true,"turn":0,"start":5,"end":8},{"entity":"nl.bsn","pattern":"nl.bsn/plain","points":10,"confidence":0.3,"validated":false,"turn":0,"start":5,"end":8},{"entity":"nl.bsn","pattern":"nl.bsn/plain","points":-1,"confidence":0.01,"validated":null,"turn":2,"start":0,"end":4}]"#;
    let line = written(&record);
    assert_eq!(line, format!("{{{HEADER},{turns},{found},\"decision\":{{{DECISION}}},\"shadow\":false}}"));

    is_golden("held", &line);

    let held = HeldRecord::decode(line.as_bytes()).unwrap();
    assert_eq!(held.transcript, transcript);
    assert_eq!(held.findings, findings);
    assert_eq!((&held.decision, &held.source, held.shadow), (&decision, &source, false));
    assert_eq!((held.attempt.as_str(), held.transcript_id.as_str(), held.mode), ("a-1", "t-1", Mode::Enforce));
    assert_eq!(held.terms.as_deref(), Some("2026-02-11 sha256:aa"));
    assert_eq!(held.published_at, None);
    let published = line.replace(r#""line":7}"#, r#""line":7},"published_at":"2026-03-02T09:14:02.25Z""#);
    let published = HeldRecord::decode(published.as_bytes()).unwrap();
    assert_eq!(published.published_at.unwrap().to_string(), "2026-03-02T09:14:02.25Z");
    assert_eq!(
        format!("{held:?}"),
        "HeldRecord(attempt a-1, Transcript(2 turns, 8 bytes, 0 fields, 1 carried), 3 findings)"
    );
}

#[test]
fn a_held_record_with_a_mistake_is_refused() {
    let (source, transcript, decision) = (source(), sample(), decision());
    let texts: Vec<Cow<'_, str>> = transcript.turns.iter().map(|turn| Cow::Borrowed(turn.text.as_str())).collect();
    let body = Body {
        transcript: &transcript,
        id: "t-1",
        tenant_region: transcript.tenant_region.as_deref(),
        texts: &texts,
        carried: &[],
        speakers: true,
    };
    let finding = finding(0, 5, 8, 52, Verdict::Valid);
    let findings = vec![FindingRecord::from(&finding)];
    let line = written(&Withheld {
        header: header(&source),
        body,
        findings,
        findings_omitted: 7,
        decision: &decision,
        shadow: true,
    });
    assert!(line.contains(r#"}],"findings_omitted":7,"decision":"#));
    assert!(HeldRecord::decode(line.as_bytes()).unwrap().shadow);
    for (right, wrong, error) in [
        (
            r#""end":8"#,
            r#""end":9"#,
            "the member /findings/0/start takes a span on character boundaries of its turn's text",
        ),
        (r#""turn":0"#, r#""turn":-1"#, "the member /findings/0/turn takes an integer in range"),
        (r#""line":7"#, r#""line":"7""#, "the member /source/line takes an integer"),
        (r#""line":7}"#, r#""line":7},"published_at":"now""#, "the member /published_at takes a time"),
        (r#""mode":"enforce""#, r#""mode":"off""#, "the member /mode takes one of the documented codes"),
        (r#""count":1"#, r#""count":null"#, "the member /decision/suppressed/0/count takes an integer"),
        (r#","shadow":true"#, "", "the member /shadow is missing"),
        (r#""shadow":true"#, r#""shadow":true,"shadow":true"#, "the member /* stands there twice"),
    ] {
        let wrong = line.replace(right, wrong);
        assert_ne!(line, wrong);
        assert_eq!(HeldRecord::decode(wrong.as_bytes()).unwrap_err().to_string(), error);
    }
}

#[test]
fn a_stripped_transcript_may_have_nothing_left() {
    let (source, mut transcript, decision) = (source(), sample(), decision());
    transcript.turns.iter_mut().for_each(|turn| turn.text.clear());
    let texts = [Cow::Borrowed(""), Cow::Borrowed("")];
    let body = Body {
        transcript: &transcript,
        id: "t-1",
        tenant_region: transcript.tenant_region.as_deref(),
        texts: &texts,
        carried: &[],
        speakers: true,
    };
    let line = written(&Withheld {
        header: header(&source),
        body,
        findings: vec![],
        findings_omitted: 0,
        decision: &decision,
        shadow: false,
    });
    assert_eq!(HeldRecord::decode(line.as_bytes()).unwrap().transcript.turns.len(), 2);
}

#[test]
fn dead_letter_record() {
    let source = source();
    let header = Header::new("a-1", Mode::Enforce, "sha256:bb", "maysend 0.1.0", &source);
    assert_eq!(header.key(), None);
    let start = r#"{"schema":1,"attempt":"a-1","transcript_id":null,"tenant":null,"customer_key":null,"destination":null,"mode":"enforce","ruleset":"sha256:bb","program":"maysend 0.1.0","terms":null,"source":{"file":"day.jsonl","line":7}"#;
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let letter = DeadLetter::new(header, DeadLetterReason::NotJson, b"abc");
    assert_eq!(written(&letter), format!(r#"{start},"reason":"not_json","digest":"{abc}","record":"abc"}}"#));
    is_golden("dead-letter", &written(&letter));
    let letter = DeadLetter::new(header, DeadLetterReason::TooLarge, b"abc");
    assert_eq!(written(&letter), format!(r#"{start},"reason":"too_large","digest":"{abc}"}}"#));
    let letter = DeadLetter::new(header, DeadLetterReason::NotUtf8, b"\xff");
    let digest = digest(b"\xff");
    assert_eq!(
        written(&letter),
        format!(r#"{start},"reason":"not_utf8","digest":"{digest}","record_base64":"/w=="}}"#)
    );
    assert!(!format!("{letter:?}").contains("/w=="));
    // A string of JSON would have six bytes for each of these.
    let letter = written(&DeadLetter::new(header, DeadLetterReason::NotJson, &[1; 3000]));
    assert!(letter.contains(r#""record_base64":"AQEB"#) && letter.len() < 5000);
}

#[test]
fn confidence_is_written_without_noise() {
    for hundredths in 0..=100u8 {
        let source = finding(0, 0, 1, 0, Verdict::Valid);
        let record = FindingRecord { confidence: hundredths, ..FindingRecord::from(&source) };
        let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let text = text.strip_suffix('0').unwrap_or(&text);
        assert!(written(&record).contains(&format!("\"confidence\":{text},")), "{hundredths}");
    }
}

#[test]
fn no_output_record_has_a_member_that_can_be_carried() {
    let (source, transcript, decision) = (source(), sample(), decision());
    let texts = [Cow::Borrowed("a"), Cow::Borrowed("")];
    let body = Body {
        transcript: &transcript,
        id: "t-1",
        tenant_region: transcript.tenant_region.as_deref(),
        texts: &texts,
        carried: &[],
        speakers: true,
    };
    let header = header(&source);
    let lines = [
        written(&Withheld { header, body, findings: vec![], findings_omitted: 0, decision: &decision, shadow: false }),
        written(&Cleared { header, body, reservation_id: "r-1" }),
    ];
    for line in lines {
        let Json::Object(members) = json::parse(&line, &[]).unwrap() else { panic!("no object") };
        for (name, _) in members {
            assert!(is_reserved(&name), "{name}");
        }
    }
}
