//! The wire form: what a reader of the files can rely on.

use std::collections::BTreeSet;

use maysend_corpora::{DESTINATION, Date, Day, Style, TENANT};
use serde_json::Value;

const COUNT: u64 = 5_000;

fn day(offset: i64) -> Day {
    Day::new(2, Date::new(2026, 3, 2).unwrap().plus(offset), COUNT, Style::Normal)
}

#[test]
fn every_line_is_the_transcript_of_the_wire_form() {
    for made in day(0) {
        let line = made.to_json();
        assert!(!line.contains('\n'));
        let value: Value = serde_json::from_str(&line).unwrap();
        let members: Vec<&String> = value.as_object().unwrap().keys().collect();
        let expected = ["schema", "id", "tenant", "tenant_region", "customer_key", "destination", "fields", "turns"];
        let anonymous = value.get("customer_key").is_none();
        assert!(members.into_iter().eq(expected.iter().filter(|name| !anonymous || **name != "customer_key")));
        assert_eq!(value["schema"], 1);
        assert_eq!((value["tenant"].as_str(), value["destination"].as_str()), (Some(TENANT), Some(DESTINATION)));
        for (turn, original) in value["turns"].as_array().unwrap().iter().zip(&made.transcript.turns) {
            assert!(matches!(turn["speaker"].as_str(), Some("customer" | "agent" | "bot")));
            assert_eq!(turn["text"].as_str(), Some(original.text.as_str()));
            assert!(!original.text.is_empty());
        }
        for field in value["fields"].as_object().unwrap().keys() {
            assert!(matches!(field.as_str(), "account_email" | "billing_address" | "customer_name"));
        }
        assert!(!anonymous || value["fields"].as_object().unwrap().is_empty());
    }
}

#[test]
fn labels_stand_on_the_line_of_their_transcript() {
    for made in day(0).take(500) {
        let value: Value = serde_json::from_str(&made.labels_to_json()).unwrap();
        assert_eq!(value["id"].as_str(), Some(made.transcript.id.as_str()));
        let labels = value["labels"].as_array().unwrap();
        assert_eq!(labels.len(), made.labels.len());
        for (read, label) in labels.iter().zip(&made.labels) {
            assert_eq!(read["end"].as_u64(), Some(label.end as u64));
            assert_eq!(read["entity"].as_str(), Some(label.entity));
            assert_eq!(
                (read["tier1"].as_bool(), read["templated"].as_bool()),
                (Some(label.tier1), Some(label.templated))
            );
        }
    }
}

#[test]
fn times_increase() {
    let mut before = String::new();
    for made in day(0) {
        let times: Vec<&str> = made.transcript.turns.iter().map(|turn| turn.at.as_str()).collect();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{}", made.transcript.id);
        assert!(times.iter().all(|at| at.len() == 20 && at.starts_with("2026-03-02T") && at.ends_with('Z')));
        assert!(before.as_str() <= times[0], "conversations are in the order in which they begin");
        before = times[0].to_owned();
    }
}

#[test]
fn turns_and_lengths_are_those_of_support() {
    let (mut bytes, mut usual) = (0, 0);
    for made in day(0) {
        let turns = &made.transcript.turns;
        let length: usize = turns.iter().map(|turn| turn.text.len()).sum();
        assert!((4..=14).contains(&turns.len()));
        assert!((1_000..=3_000).contains(&length), "{} {length}", made.transcript.id);
        bytes += length;
        usual += u64::from((1_200..=1_800).contains(&length));
        let bots = turns.iter().filter(|turn| turn.speaker == maysend_corpora::Speaker::Bot).count();
        assert!(bots == 0 || (bots == 1 && turns[0].speaker == maysend_corpora::Speaker::Bot));
    }
    assert!((1_500..=1_700).contains(&(bytes as u64 / COUNT)));
    assert!(usual * 100 >= COUNT * 80, "{usual}");
}

#[test]
fn header_lines_are_the_platforms() {
    let names = ["Account email: ", "Customer name: ", "Billing address: ", "Ticket: "];
    for made in day(0) {
        let turn = &made.transcript.turns[0];
        if turn.speaker != maysend_corpora::Speaker::Bot {
            continue;
        }
        let Some((header, greeting)) = turn.text.split_once("\n\n") else { continue };
        assert!(!greeting.is_empty());
        let order: Vec<usize> = header
            .lines()
            .map(|line| names.iter().position(|name| line.starts_with(name)).expect("a header line"))
            .collect();
        assert!(order.windows(2).all(|pair| pair[0] < pair[1]));
        let fields = &made.transcript.fields;
        for (name, field) in names.iter().zip([&fields.account_email, &fields.customer_name, &fields.billing_address]) {
            let shown = header.lines().find_map(|line| line.strip_prefix(name));
            assert_eq!(shown, field.as_deref(), "{}", made.transcript.id);
        }
    }
}

#[test]
fn ids_are_unique_and_customers_come_back() {
    let all: Vec<_> = (0..3).flat_map(day).map(|made| made.transcript).collect();
    let ids: BTreeSet<&str> = all.iter().map(|transcript| transcript.id.as_str()).collect();
    assert_eq!(ids.len(), all.len());
    let keys: BTreeSet<&str> = all.iter().filter_map(|transcript| transcript.customer_key.as_deref()).collect();
    assert!(keys.len() * 10 < all.len() * 9, "{} of {}", keys.len(), all.len());
}
