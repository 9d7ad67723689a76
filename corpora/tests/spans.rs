//! Labels point at exactly the bytes of the value, and the value is what the label says.

use maysend_corpora::{Date, Day, Label, Labelled, Speaker, Style, checks};

const DENSE: u64 = 4_000;
const NORMAL: u64 = 8_000;

fn corpus(style: Style, count: u64) -> Day {
    Day::new(3, Date::new(2026, 3, 4).unwrap(), count, style)
}

fn both() -> impl Iterator<Item = Labelled> {
    corpus(Style::Dense, DENSE).chain(corpus(Style::Normal, NORMAL))
}

/// Whether the value is of its entity, judged by its form where there is no rule.
fn is_right(label: &Label, value: &str) -> bool {
    if let Some(valid) = checks::is_valid(label.entity, value) {
        return valid;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    match label.entity {
        "contact.email" => {
            value
                .to_lowercase()
                .rsplit_once('@')
                .is_some_and(|(_, domain)| matches!(domain, "example.com" | "example.org" | "example.net"))
                && !value.contains(char::is_whitespace)
        }
        "contact.phone" => (9..=13).contains(&digits) && value.starts_with(['+', '0', '3', '6']),
        "location.address" => digits >= 2 && value.contains(' ') && !value.contains('\n'),
        "person.name" => value.chars().next().is_some_and(char::is_alphabetic) && digits == 0,
        "payment.cvv" => matches!(value.len(), 3 | 4) && digits == value.len(),
        "secret.aws_key" => value.len() == 20 && value.starts_with("AKIA"),
        "secret.jwt" => value.starts_with("eyJ") && value.matches('.').count() == 2,
        "secret.password_prose" => value.len() >= 9 && !value.contains([' ', '"', '\n']),
        "secret.private_key_pem" => {
            value.starts_with("-----BEGIN ") && value.ends_with("PRIVATE KEY-----") && value.lines().count() > 2
        }
        _ => false,
    }
}

#[test]
fn every_value_is_right() {
    for made in both() {
        for label in &made.labels {
            let value = made.value(label);
            assert!(is_right(label, value), "{} {} `{value}`", made.transcript.id, label.entity);
            assert_eq!(value.trim(), value, "{}", made.transcript.id);
        }
    }
}

#[test]
fn spans_end_where_the_value_ends() {
    for made in both() {
        for label in &made.labels {
            let text = &made.transcript.turns[label.turn].text;
            let inside = |c: char| c.is_alphanumeric();
            assert!(!text[..label.start].ends_with(inside), "{} {}", made.transcript.id, label.entity);
            assert!(!text[label.end..].starts_with(inside), "{} {}", made.transcript.id, label.entity);
        }
    }
}

#[test]
fn labels_are_in_order_and_apart() {
    for made in both() {
        for pair in made.labels.windows(2) {
            assert!((pair[0].turn, pair[0].end) <= (pair[1].turn, pair[1].start), "{}", made.transcript.id);
        }
    }
}

#[test]
fn templated_labels_are_those_in_header_lines() {
    for made in both() {
        let turns = &made.transcript.turns;
        let header = match turns[0].speaker {
            Speaker::Bot => turns[0].text.find("\n\n").unwrap_or(0),
            _ => 0,
        };
        for label in &made.labels {
            assert_eq!(label.templated, label.turn == 0 && label.end <= header, "{}", made.transcript.id);
        }
    }
}

#[test]
fn tier_one_is_what_the_entities_say() {
    for made in both() {
        for label in &made.labels {
            let lower =
                matches!(label.entity, "contact.email" | "contact.phone" | "location.address" | "person.name" | "iban");
            assert_eq!(label.tier1, !lower, "{}", label.entity);
            assert!(!(label.tier1 && label.templated));
        }
    }
}

#[test]
fn dense_transcripts_hold_many_kinds() {
    let mut entities: Vec<&str> = corpus(Style::Dense, DENSE)
        .flat_map(|made| {
            assert!(made.labels.len() >= 4, "{}", made.transcript.id);
            made.labels.into_iter().map(|label| label.entity)
        })
        .collect();
    entities.sort_unstable();
    entities.dedup();
    assert_eq!(entities.len(), 26, "{entities:?}");
}

/// Without tier-1 data there is no word for it either, so that nothing near a number suggests what it is not.
#[test]
fn others_do_not_name_what_they_do_not_hold() {
    let words = [
        "BSN",
        "burgerservicenummer",
        "social security",
        "Steuer-ID",
        "sécurité sociale",
        "DNI",
        "wachtwoord",
        "password",
    ];
    for made in corpus(Style::Normal, NORMAL).filter(|made| !made.holds_tier1()) {
        for turn in &made.transcript.turns {
            assert!(!words.iter().any(|word| turn.text.contains(word)), "{}", made.transcript.id);
        }
    }
}
