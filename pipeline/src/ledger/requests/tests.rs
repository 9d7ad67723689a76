use super::*;
use crate::ledger::records::Owed;
use jiff::{
    ToSpan as _,
    civil::{Date, Weekday, date},
};
use proptest::prelude::*;

fn any_day() -> Calendar {
    Calendar { ends_on_working_days: false, ..Calendar::default() }
}

fn received() -> Event {
    Event::Received { right: Right::Erasure }
}

fn owed(record: u64) -> Event {
    Event::HandoffOwed { provider: "p".into(), record }
}

fn asked(id: &str) -> Event {
    Event::HandoffAsked {
        provider: "p".into(),
        channel: "portal".into(),
        reference: "T-1".into(),
        provider_request_ids: vec![id.into()],
    }
}

fn answered() -> Event {
    Event::HandoffAnswered {
        provider: "p".into(),
        by: "privacy desk".into(),
        exclusions: vec!["abuse monitoring, 30 days".into()],
    }
}

fn extended() -> Event {
    Event::Extended { reason: "many requests".into() }
}

#[track_caller]
fn life(events: &[(Date, Event)]) -> Life {
    Life::of(events.iter().map(|(on, event)| (*on, event))).unwrap().unwrap()
}

#[track_caller]
fn misfit(events: &[(Date, Event)], calendar: &Calendar) -> Misfit {
    let next = |life, (on, event): &(Date, Event)| Life::next(life, *on, event, calendar).map(Some);
    events.iter().try_fold(None, next).unwrap_err()
}

/// GDPR Art. 12(3); Regulation 1182/71 Art. 3(2)(c) and (4); EDPB Guidelines 01/2022, section 5.3.
#[test]
fn a_month_ends_on_the_same_date_or_the_last_of_its_month() {
    for (from, months, end) in [
        (date(2026, 3, 5), 1, date(2026, 4, 5)),
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2028, 1, 31), 1, date(2028, 2, 29)),
        (date(2026, 8, 31), 1, date(2026, 9, 30)),
        (date(2026, 11, 30), 3, date(2027, 2, 28)),
        (date(2026, 12, 2), 1, date(2027, 1, 2)),
    ] {
        assert_eq!(any_day().end(from, months, 0), end, "{from}");
    }
    // 5 April 2026 is Easter Sunday, 6 April a holiday in most of the Union.
    let mut calendar = Calendar::default();
    assert_eq!(calendar.end(date(2026, 3, 5), 1, 0), date(2026, 4, 6));
    calendar.holidays.insert(date(2026, 4, 6));
    assert_eq!(calendar.end(date(2026, 3, 5), 1, 0), date(2026, 4, 7));
}

#[test]
fn the_clock_stands_still_while_an_identity_is_pending() {
    let calendar = any_day();
    let mut events = vec![(date(2026, 3, 5), received()), (date(2026, 3, 10), Event::IdentityAsked)];
    let pending = life(&events);
    assert_eq!(pending.standing(date(2026, 8, 1), &calendar), Standing::IdentityPending(date(2026, 3, 10)));
    assert_eq!(pending.days_left(date(2026, 8, 1), &calendar), None);
    events.push((date(2026, 3, 20), Event::IdentityConfirmed));
    let going = life(&events);
    assert_eq!(going.standing(date(2026, 4, 15), &calendar), Standing::Due(date(2026, 4, 15)));
    assert_eq!(going.standing(date(2026, 4, 16), &calendar), Standing::Overdue(date(2026, 4, 15)));
    assert_eq!(going.days_left(date(2026, 4, 16), &calendar), Some(-1));
}

#[test]
fn an_extension_needs_its_notice_within_the_first_month() {
    let calendar = any_day();
    let noticed = |on| vec![(date(2026, 1, 31), received()), (on, extended())];
    let in_time = life(&noticed(date(2026, 2, 28)));
    assert_eq!(in_time.standing(date(2026, 4, 1), &calendar), Standing::Due(date(2026, 4, 30)));
    assert_eq!(misfit(&noticed(date(2026, 3, 1)), &calendar), Misfit::NoticeTooLate(date(2026, 2, 28)));
    let mut twice = noticed(date(2026, 2, 10));
    twice.push((date(2026, 2, 11), extended()));
    assert_eq!(misfit(&twice, &calendar), Misfit::Extended(date(2026, 2, 10)));
}

#[test]
fn what_does_not_fit_is_refused() {
    let day = |day| date(2026, 3, day);
    let calendar = Calendar::default();
    let after = |more: Vec<(Date, Event)>| [vec![(day(2), received())], more].concat();
    let (asks, confirms) = (Event::IdentityAsked, Event::IdentityConfirmed);
    for (events, why) in [
        (vec![(day(2), Event::Completed)], Misfit::NotReceived),
        (after(vec![(day(3), received())]), Misfit::Received(day(2))),
        (after(vec![(day(3), Event::Completed), (day(4), Event::Completed)]), Misfit::Ended(day(3))),
        (after(vec![(day(1), Event::Completed)]), Misfit::Earlier { on: day(1), last: day(2) }),
        (after(vec![(day(3), asks.clone()), (day(3), asks.clone())]), Misfit::Still(day(3))),
        (after(vec![(day(3), confirms)]), Misfit::NotStill),
        (after(vec![(date(2026, 6, 1), asks)]), Misfit::Late(date(2026, 4, 2))),
        (after(vec![(day(3), Event::Refused { ground: " ".into() })]), Misfit::Empty("ground")),
        (after(vec![(day(3), asked("1"))]), Misfit::NotOwed),
        (after(vec![(day(3), owed(1)), (day(4), answered())]), Misfit::NotAsked),
    ] {
        assert_eq!(misfit(&events, &calendar), why, "{events:?}");
        assert!(!why.to_string().is_empty());
    }
}

#[test]
fn a_handoff_is_owed_asked_answered_and_owed_again() {
    let day = |day| date(2026, 3, day);
    let calendar = Calendar::default();
    let mut events = vec![(day(2), received()), (day(2), owed(1))];
    let p = |events: &[(Date, Event)]| life(events).handoffs["p"].clone();
    assert_eq!(p(&events).due(&calendar), Some(day(9)));
    assert!(!p(&events).is_overdue(day(9), &calendar) && p(&events).is_overdue(day(10), &calendar));
    events.push((day(3), asked("req-1")));
    assert_eq!((p(&events).state(), p(&events).due(&calendar)), (HandoffState::Asked, Some(date(2026, 4, 2))));
    // Customers are answered before providers answer.
    events.push((day(4), Event::Completed));
    events.push((day(20), answered()));
    assert_eq!((p(&events).state(), p(&events).due(&calendar)), (HandoffState::Answered, None));
    events.push((day(21), owed(1)));
    assert_eq!(p(&events).state(), HandoffState::Answered, "the same record says nothing new");
    events.push((day(21), owed(4)));
    assert_eq!((p(&events).state(), p(&events).records), (HandoffState::Owed, vec![1, 4]));
    events.push((day(22), asked("req-2")));
    assert_eq!(p(&events).provider_request_ids, ["req-1", "req-2"]);
}

#[test]
fn a_letter_names_ids_and_no_customer() {
    let owed = Owed {
        provider: "example-models".into(),
        destination: "summaries-eu".into(),
        source: "transcript".into(),
        terms: None,
        reserved_requests: 3,
        requests_used: 2,
        first: Some("2026-03-02T09:14:03Z".into()),
        last: Some("2026-03-04T09:14:03Z".into()),
        until_by_contract: None,
        reservations: vec!["aa".into()],
        provider_request_ids: vec!["req-1".into()],
    };
    let other = Owed { provider: "another".into(), destination: "elsewhere".into(), ..owed.clone() };
    let text = |owed: &[Owed]| letter("example-models", "R-7", owed, date(2026, 11, 30), date(2026, 12, 30));
    let with = text(&[owed.clone(), other]);
    assert!(with.contains("| summaries-eu | not known | 3 | 2 | 2026-03-02T09:14:03Z |") && with.contains("- `req-1`"));
    assert!(with.contains("answer by 2026-12-30") && !with.contains("elsewhere"));
    let without = text(&[Owed { provider_request_ids: vec![], ..owed }]);
    assert!(without.contains("match them by account and time"));
}

#[test]
fn a_calendar_is_read_with_all_its_mistakes() {
    let text = "ends_on_working_days = false\nholidays = [\"2026-12-25\"]\nanswer_within_days = 14\n";
    let calendar = Calendar::parse("calendar.toml", text).unwrap();
    assert_eq!((calendar.ends_on_working_days, calendar.answer_within_days, calendar.ask_within_days), (false, 14, 7));
    assert!(calendar.holidays.contains(&date(2026, 12, 25)));
    let wrong = "holidays = [\"Christmas\"]\nask_within_days = 0\nweekend = true\n";
    assert_eq!(
        Calendar::parse("calendar.toml", wrong).unwrap_err().to_string(),
        "calendar.toml:1: holidays[0]: `Christmas` is no day; a date such as \"2026-12-25\"\n\
         calendar.toml:2: ask_within_days: 0 days; from 1 to 366\n\
         calendar.toml:3: weekend: unknown key; known here: ends_on_working_days, holidays, ask_within_days, answer_within_days"
    );
}

#[test]
fn events_are_kept_as_json() {
    let text = r#"{"schema":1,"tenant":"acme","request_id":"R-7","recorded_at":"2026-03-02T09:14:03Z","on":"2026-03-02","event":{"kind":"received","right":"erasure"}}"#;
    let record: EventRecord = crate::wire::kept::read(Some(text.as_bytes())).unwrap();
    assert_eq!(serde_json::to_string(&record).unwrap(), text);
    assert!(crate::wire::kept::read::<EventRecord>(Some(text.replace("right", "left").as_bytes())).is_err());
}

fn any_date() -> impl Strategy<Value = Date> {
    (0..20_000_i64).prop_map(|days| date(2020, 1, 1).saturating_add(days.days()))
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::IdentityAsked),
        Just(Event::IdentityConfirmed),
        Just(extended()),
        Just(Event::Completed),
        Just(Event::Refused { ground: "manifestly unfounded".into() }),
        Just(Event::SystemDone { system: "warehouse".into(), result: "0 rows".into() }),
        Just(Event::SystemOpen { system: "warehouse".into(), result: "1 row".into() }),
        (1..3_u64).prop_map(owed),
        "[ab]".prop_map(|id| asked(&id)),
        Just(answered()),
    ]
}

proptest! {
    #[test]
    fn a_period_ends_in_its_month_and_never_on_a_day_off(from in any_date(), months in 1..=3_i8, still in 0..100_i32) {
        let plain = any_day().end(from, months, 0);
        prop_assert!(plain.day() == from.day() || plain.day() == plain.days_in_month() && plain.day() < from.day());
        prop_assert_eq!((i32::from(plain.year()) * 12 + i32::from(plain.month())) - (i32::from(from.year()) * 12 + i32::from(from.month())), i32::from(months));
        let still_days = any_day().end(from, months, still);
        prop_assert_eq!(still_days, plain.saturating_add(still.days()));
        let moved = Calendar::default().end(from, months, still);
        prop_assert!(moved >= still_days && moved <= still_days.saturating_add(2.days()));
        prop_assert!(!matches!(moved.weekday(), Weekday::Saturday | Weekday::Sunday));
        prop_assert!(any_day().end(from.saturating_add(1.day()), months, 0) >= plain, "a later request is never due earlier");
    }

    /// Whatever is tried, in whatever order: what is refused changes nothing, what is over stays over, and no day that
    /// was promised moves but for a clock that stood still and one extension.
    #[test]
    fn a_life_only_goes_forward(start in any_date(), tried in proptest::collection::vec((any_event(), 0..25_i32), 0..25)) {
        let calendar = any_day();
        let mut kept = vec![(start, received())];
        let mut on = start;
        for (event, days) in tried {
            on = on.saturating_add(days.days());
            let before = life(&kept);
            let next = Life::next(Some(before.clone()), on, &event, &calendar);
            prop_assert_eq!(&next, &Life::next(Some(before.clone()), on, &event, &calendar));
            let Ok(next) = next else { continue };
            kept.push((on, event.clone()));
            prop_assert_eq!(&life(&kept), &next, "events alone say the state");
            if before.ended.is_some() {
                prop_assert_eq!(&next.ended, &before.ended);
                prop_assert_eq!(&next.extended, &before.extended);
            }
            prop_assert!(next.due(on, &calendar) >= before.due(on, &calendar));
            if next.extended != before.extended {
                prop_assert!(on <= before.due(on, &calendar));
            } else {
                prop_assert_eq!(next.due(on, &calendar), before.due(on, &calendar));
            }
            for (provider, handoff) in &before.handoffs {
                prop_assert!(next.handoffs[provider].asked.len() >= handoff.asked.len());
                prop_assert!(next.handoffs[provider].records.starts_with(&handoff.records));
            }
        }
    }
}
