//! Spans are exact.

use super::*;

// 4. A finding's span is exact in the bytes of the text it stands beside.

/// Whether these bytes are what an entity looks like, where one can tell.
fn looks_like(entity: &str, found: &str) -> bool {
    let digits = found.bytes().filter(u8::is_ascii_digit).count();
    let ends_well = !found.starts_with(char::is_whitespace) && !found.ends_with(char::is_whitespace);
    ends_well
        && match entity {
            "nl.bsn" => digits == 9 || digits == 8,
            "payment.card" => (12..=19).contains(&digits),
            "us.ssn" | "ca.sin" => digits == 9,
            "gb.nhs" => digits == 10,
            "de.idnr" | "be.nn" | "pl.pesel" | "br.cpf" => digits == 11,
            "contact.email" => found.matches('@').count() == 1,
            "fi.hetu" => found.len() == 11,
            "it.codicefiscale" => found.chars().filter(char::is_ascii_alphanumeric).count() == 16,
            _ => true,
        }
}

/// The findings of a record: entity, the bytes that the span points at, and the turn.
pub(super) fn found(record: &Value) -> Vec<(String, String, u64)> {
    let texts = outputs::texts(record);
    let findings = record["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| {
            let text = |piece: &Value| {
                let at = |member: &str| piece[member].as_u64().unwrap() as usize;
                texts[at("turn")].get(at("start")..at("end")).expect("character boundaries").to_owned()
            };
            let entity = finding["entity"].as_str().unwrap().to_owned();
            let bytes = match finding["pieces"].as_array() {
                Some(pieces) => pieces.iter().map(text).collect(),
                None => text(finding),
            };
            assert!(looks_like(&entity, &bytes), "{entity} does not look like {bytes:?}");
            (entity, bytes, finding["turn"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn spans_in_review_and_held_are_exact_in_the_text_that_stands_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let made = dense(300);
    let input: Vec<String> = made.iter().map(|(_, line)| line.clone()).collect();
    scan(folder.path()).input(text_of(&input)).run().exits(0);
    let outputs = Outputs::of(folder.path());
    let mut labels = 0;
    for record in outputs.review.iter().chain(&outputs.held) {
        let line = record["source"]["line"].as_u64().unwrap() as usize;
        let found = found(record);
        // Every value of tier 1 that the generator wrote down is what some finding points at, byte for byte.
        let made = &made[line - 1].0;
        for label in made.labels.iter().filter(|label| label.tier1) {
            let value = made.value(label);
            let exact = found.iter().any(|(_, bytes, turn)| *turn == label.turn as u64 && bytes == value);
            assert!(exact, "{} {value:?} in turn {} of {found:?}", label.entity, label.turn);
            labels += 1;
        }
    }
    assert!(labels > 500, "{labels}");
}

#[test]
fn searching_a_withheld_text_again_finds_the_same_in_the_same_places() {
    let folder = tempfile::tempdir().unwrap();
    let input: Vec<String> = dense(200).into_iter().map(|(_, line)| line).collect();
    let first = folder.path().join("first");
    scan(&first).input(text_of(&input)).run().exits(0);
    let first = Outputs::of(&first);
    for name in ["review.jsonl", "held.jsonl"] {
        let out = folder.path().join(format!("again-{name}"));
        let records = first.text(name).to_owned();
        maysend(["redecide", "--as-of", AS_OF, "--out"]).args([&out]).with_key().input(records).run().exits(0);
        let again = Outputs::of(&out);
        let (before, after) = match name {
            "review.jsonl" => (&first.review, &again.review),
            _ => (&first.held, &again.held),
        };
        assert!(before.len() > 30 && before.len() == after.len());
        for (before, after) in before.iter().zip(after) {
            assert_eq!(before["turns"], after["turns"]);
            assert_eq!(before["findings"], after["findings"]);
        }
    }
}

#[test]
fn spans_are_bytes_whatever_characters_stand_before_them() {
    let folder = tempfile::tempdir().unwrap();
    let prefixes = ["é", "\u{1F600}\u{1F3FD} ", "e\u{301} ", "\u{FEFF}", "\u{202E}", "中文，", "a\r\n\r\n\t", "\u{0}"];
    let transcripts: Vec<Transcript> = prefixes
        .iter()
        .enumerate()
        .map(|(n, prefix)| {
            transcript(&format!("t-{n}"))
                .field("customer_name", "Zoë de Vries")
                .bot("Customer name: Zoë de Vries\n\nHello \u{1F600}")
                .customer(&format!("{prefix} mijn BSN is 111222333 \u{1F600}, ik ben zoë DE-vries"))
        })
        .collect();
    scan(folder.path()).input(lines(&transcripts)).run().exits(0);
    let outputs = Outputs::of(folder.path());
    assert_eq!(outputs.review.len(), prefixes.len());
    for record in &outputs.review {
        let found = found(record);
        assert_eq!(found[0], ("nl.bsn".into(), "111222333".into(), 1), "{record}");
        assert_eq!(found[1], ("person.name".into(), "zoë DE-vries".into(), 1));
    }
}
