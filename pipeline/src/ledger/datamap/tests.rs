use super::*;
use crate::{
    ledger::{
        records::{Chain, Closed, Customer, ErasureStatement, Owed, SigningKey, Statement},
        requests::{Event, Life, Right},
    },
    ruleset::Ruleset,
    stages::Output,
    stream::topics::Topics,
};
use jiff::civil::date;

const EXAMPLE: &str = include_str!("../../../../examples/systems.toml");

fn as_of() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn map(topics: &TopicSettings, systems: &Systems, request: Option<(&str, &Life)>) -> DataMap {
    map_of(topics, systems, request.map(|(id, life)| OfRequest { id, life, erasure: None }))
}

fn map_of(topics: &TopicSettings, systems: &Systems, request: Option<OfRequest<'_>>) -> DataMap {
    let ruleset = Ruleset::builtin().unwrap();
    let destinations = &ruleset.rules.destinations;
    DataMap::new(Sources { topics, store: Some(StoreKind::Sqlite), destinations, systems, request }, as_of())
}

fn created() -> TopicSettings {
    TopicSettings::as_created(Topics::new("transcripts"))
}

#[track_caller]
fn row<'m>(map: &'m DataMap, id: &str) -> &'m Row {
    map.ours.iter().chain(&map.theirs).find(|row| row.id == id).unwrap_or_else(|| panic!("no row {id}"))
}

#[test]
fn every_system_has_a_row_in_the_part_of_who_controls_it() {
    let topics = created();
    let map = map(&topics, &Systems::parse("systems.toml", EXAMPLE).unwrap(), None);
    for output in Output::ALL {
        row(&map, &format!("topic:{}", topics.topics.of(output)));
    }
    for id in ["topic:transcripts", "topic:transcripts.usage", "topic:transcripts.erasures", "store:sqlite", "files"] {
        assert_eq!(row(&map, id).owner, "platform team", "{id}");
    }
    assert!(map.ours.iter().all(|row| row.control == Control::Ours));
    assert!(map.theirs.iter().all(|row| row.control == Control::Theirs));
    let declared = map.ours.iter().chain(&map.theirs).filter(|row| row.id.starts_with("system:"));
    assert_eq!(declared.count(), 10);
    assert_eq!(row(&map, "system:warehouse").gone_by, Some(date(2026, 12, 7)));
}

#[test]
fn those_that_may_train_stand_first() {
    let map = map(&created(), &Systems::default(), None);
    assert_eq!(map.theirs[0].id, "destination:labs-free");
    assert_eq!(map.theirs[0].warning.as_deref(), Some("may be used for training"));
    assert_eq!(map.theirs[0].gone_by, None, "what a model was trained on is never gone");
    let us = row(&map, "destination:summaries-us");
    assert!(us.kept.starts_with("by contract: inputs and outputs: 30 days") && us.kept.contains("review: 90 days"));
    assert_eq!((us.gone_by, us.warning.as_deref()), (Some(date(2027, 2, 28)), None));
    assert!(us.left_behind.contains("human review, which no deletion reaches"));
    assert_eq!(row(&map, "destination:summaries-eu-zdr").left_behind, "nothing, by contract");
    let ids: Vec<&str> = map.theirs.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.last(), Some(&"destination:summaries-eu-zdr"), "what is kept for longest stands before: {ids:?}");
}

#[test]
fn terms_that_allowed_training_once_are_remembered() {
    let builtin = Ruleset::builtin().unwrap();
    let files = builtin.files.iter().cloned().map(|mut file| {
        if file.name == "destinations.toml" {
            let once = "effective = 2025-01-01\nplan = \"free\"\nendpoint = \"https://x.example\"\n\
                        training_eligible = { value = true }\n";
            let header = "\n[[destination.terms]]\n";
            file.text = file.text.replacen(header, &format!("{header}{once}{header}"), 1);
        }
        file
    });
    let ruleset = Ruleset::from_files(files.collect()).unwrap();
    let sources = Sources {
        topics: &created(),
        store: None,
        destinations: &ruleset.rules.destinations,
        systems: &Systems::default(),
        request: None,
    };
    let map = DataMap::new(sources, as_of());
    assert_eq!(
        (map.theirs[0].id.as_str(), map.theirs[1].id.as_str()),
        ("destination:labs-free", "destination:summaries-eu")
    );
    assert_eq!(map.theirs[1].warning.as_deref(), Some("may have been used for training under the terms of 2025-01-01"));
}

#[test]
fn a_dead_letter_expires_on_a_day_that_can_be_proved() {
    let mut topics = created();
    let id = "topic:transcripts.dead-letter";
    let by_default = map(&topics, &Systems::default(), None);
    assert!(!row(&by_default, id).kept.contains("prove"), "settings that nobody read prove nothing");
    topics.read_on = Some(date(2026, 11, 30));
    let live = map(&topics, &Systems::default(), None);
    // Two weeks of retention, and a week until its segment is closed.
    assert_eq!(row(&live, id).kept, "14 days: expires on 2026-12-21, and we can prove it");
    let settings = topics.settings.get_mut("transcripts.dead-letter").unwrap();
    settings.insert("retention.ms".into(), "-1".into());
    let without_end = map(&topics, &Systems::default(), None);
    assert_eq!(row(&without_end, id).gone_by, None);
    assert!(row(&without_end, id).warning.as_deref().is_some_and(|warning| warning.contains("retention.ms")));
}

#[test]
fn an_end_needs_a_cleanup_that_deletes() {
    let settings = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect::<Settings>();
    let end = |pairs: &[(&str, &str)]| expires(&settings(pairs), as_of()).map(|end| end.to_string());
    assert_eq!(end(&[("retention.ms", "0"), ("segment.ms", "0")]).as_deref(), Some("2026-11-30T13:00:00Z"));
    assert_eq!(end(&[("retention.ms", "1"), ("cleanup.policy", "compact")]), None);
    assert_eq!(end(&[("retention.ms", "-1"), ("cleanup.policy", "delete")]), None);
    assert_eq!(end(&[("cleanup.policy", "delete")]), None);
    assert_eq!(end(&[("retention.ms", &i64::MAX.to_string())]), None);
}

/// A chain that says that a cleanup is owed for `summaries-eu`.
fn chain() -> Chain {
    let (mut chain, signing) = (Chain::default(), SigningKey::generate().unwrap());
    let owed = Owed {
        provider: "example-models".into(),
        destination: "summaries-eu".into(),
        source: "transcript".into(),
        terms: None,
        reserved_requests: 1,
        requests_used: 0,
        first: None,
        last: None,
        until_by_contract: None,
        reservations: vec!["r-1".into()],
        provider_request_ids: vec![],
    };
    let statement = Statement::Erasure(ErasureStatement {
        request_id: "R-7".into(),
        received: date(2026, 11, 2),
        customer: Customer { tenant: "acme".into(), keys: vec!["a".into()], senders: vec![] },
        closed: Closed { erased_at: as_of() },
        read: vec![],
        handoffs: vec![owed],
    });
    chain.sign(statement, &signing, as_of()).unwrap();
    chain
}

fn life(events: &[Event]) -> Life {
    let on = date(2026, 11, 2);
    let received = Event::Received { right: Right::Erasure };
    let events = std::iter::once(&received).chain(events).map(|event| (on, event));
    Life::of(events).unwrap().unwrap()
}

#[test]
fn rows_are_ticked_off_for_one_request() {
    let provider = || "example-models".to_owned();
    let mut events = vec![
        Event::SystemDone { system: "files".into(), result: "none found".into() },
        Event::HandoffOwed { provider: provider(), record: 1 },
        Event::HandoffAsked {
            provider: provider(),
            channel: "portal".into(),
            reference: "T-1".into(),
            provider_request_ids: vec![],
        },
    ];
    let asked = map(&created(), &Systems::default(), Some(("R-7", &life(&events))));
    assert_eq!(row(&asked, "files").done.as_ref().map(|done| done.result.as_str()), Some("none found"));
    assert_eq!(row(&asked, "destination:summaries-eu").done, None);
    events.push(Event::HandoffAnswered {
        provider: provider(),
        by: "privacy desk".into(),
        exclusions: vec!["abuse monitoring".into()],
    });
    let answered = map(&created(), &Systems::default(), Some(("R-7", &life(&events))));
    let done = row(&answered, "destination:summaries-eu").done.clone().unwrap();
    assert_eq!(done.result, "answered by privacy desk; not deleted: abuse monitoring");
    assert_eq!(row(&answered, "destination:labs-free").done, None);
    assert!(row(&answered, "destination:summaries-us").done.is_some(), "by the provider, as far as is known");

    // Signed records know to which destinations nothing was sent.
    let known = Known::of(&chain(), "acme", "R-7").unwrap();
    let life = life(&events);
    let request = OfRequest { id: "R-7", life: &life, erasure: Some(&known) };
    let told = map_of(&created(), &Systems::default(), Some(request));
    let result = |id: &str| row(&told, id).done.as_ref().map(|done| done.result.clone());
    assert_eq!(result("destination:summaries-eu").unwrap(), "answered by privacy desk; not deleted: abuse monitoring");
    for other in ["destination:summaries-us", "destination:labs-free"] {
        assert_eq!(result(other).unwrap(), "nothing was possibly sent there, by record 1");
    }
    assert!(answered.markdown().contains("☑ 2026-11-02") && answered.markdown().contains("☐"));
}

#[test]
fn the_line_stands_between_what_is_ours_and_what_is_theirs() {
    let systems = Systems::parse("systems.toml", EXAMPLE).unwrap();
    let map = map(&created(), &systems, None);
    for (page, line) in [(map.markdown(), "\n---\n"), (map.html(), "<hr class=\"line\">")] {
        let (ours, theirs) = page.split_once(line).unwrap();
        assert!(ours.contains("Ours: work with a completion date") && ours.contains("transcripts.review"));
        assert!(theirs.contains("Theirs: statements about somebody else") && theirs.contains("labs-free"));
        assert!(!ours.contains("labs-free") && !theirs.contains("transcripts.review"));
    }
    let json: serde_json::Value = serde_json::from_str(&map.json()).unwrap();
    assert_eq!((json["as_of"].as_str(), json["theirs"][0]["control"].as_str()), (Some("2026-11-30"), Some("theirs")));
}

#[test]
fn what_is_declared_cannot_break_the_page() {
    let text = EXAMPLE.replace("Read replica of the ticket database", "<script>alert(1)</script> | *x* \\\\");
    let map = map(&created(), &Systems::parse("systems.toml", &text).unwrap(), None);
    assert!(!map.html().contains("<script>") && map.html().contains("&lt;script&gt;"));
    let markdown = map.markdown();
    let line = markdown.lines().find(|line| line.contains("alert")).unwrap();
    assert!(line.contains("&lt;script>") && line.contains("\\| \\*x\\* \\\\"), "{line}");
}

#[test]
fn every_mistake_in_the_declared_systems_is_reported_at_once() {
    let wrong = "[[system]]\nid = \"a\"\nname = \"\"\ncopy = \"c\"\ncontrol = \"mine\"\nowner = \"o\"\naction = \"forget\"\nleft_behind = \"nothing\"\n\
                 [[system]]\nid = \"b\"\nname = \"n\"\ncopy = \"c\"\ncontrol = \"ours\"\nowner = \"o\"\naction = \"delete\"\nleft_behind = \"nothing\"\nevidence = \"e\"\n\
                 [[system]]\nid = \"b\"\nname = \"n\"\ncopy = \"c\"\ncontrol = \"ours\"\nowner = \"o\"\naction = \"delete\"\ngone_within_days = -1\nleft_behind = \"nothing\"\nkept = 3\n";
    let said = Systems::parse("systems.toml", wrong).unwrap_err().to_string();
    assert_eq!(
        said,
        "systems.toml:3: system[0].name: empty; it says something\n\
         systems.toml:5: system[0].control: unknown value `mine`; one of ours, theirs\n\
         systems.toml:7: system[0].action: unknown value `forget`; one of delete, rewrite, prefix, api, expiry\n\
         systems.toml:9: system[1].evidence_date: evidence and its date stand together; both, or neither where there is none\n\
         systems.toml:9: system[1].gone_within_days: missing; the days after which a copy is gone: what is ours has a completion date\n\
         systems.toml:19: system[2].id: a second `system:b`; one table for each system\n\
         systems.toml:25: system[2].gone_within_days: -1 days; from 0 to 36525\n\
         systems.toml:27: system[2].kept: unknown key; known here: id, name, copy, control, owner, action, gone_within_days, left_behind, evidence, evidence_date"
    );
}
