//! The platform's own addresses and numbers: exact, also beside a label, counted like references.

mod common;

use common::files;
use maysend_detector::{Detection, Detector, Options, REFERENCES, Role, Turn, load, source::SourceFile};

fn own(values: &str) -> String {
    format!(
        "[[own]]\nid = \"desk\"\nname = \"Desk\"\nvalues = {values}\nhides = [\"contact.email\", \"contact.phone\"]\n\
         owner = \"desk\"\ndated = 2026-03-01\n"
    )
}

fn with(references: String) -> Vec<SourceFile> {
    let mut files: Vec<SourceFile> = files().into_iter().filter(|file| file.name != REFERENCES).collect();
    files.push(SourceFile::new(REFERENCES, references));
    files
}

fn found(detector: &Detector, text: &str) -> (Vec<String>, u64) {
    let turns = [Turn { role: Role::Agent, text }];
    let Detection { findings, suppressed, .. } = detector.detect(&turns, &Options::default());
    let texts =
        findings.iter().filter(|finding| finding.points >= 20).map(|f| text[f.span.start..f.span.end].to_owned());
    (texts.collect(), suppressed.iter().filter(|((own, _), _)| own == "desk").map(|(_, count)| count).sum())
}

#[test]
fn own_values_are_hidden_also_beside_a_label_and_nobody_elses_are() {
    let detector = load(&with(own(r#"["support@webshop.example", "+31 20 794 6095"]"#))).unwrap();
    let (texts, hidden) = found(&detector, "mail Support@webshop.example or call us on +31 (20) 794-6095");
    assert_eq!(texts, [""; 0]);
    assert!(hidden >= 2);
    for (text, other) in [
        ("mail anna.support@webshop.example", "anna.support@webshop.example"),
        ("mail support@webshop.example.org", "support@webshop.example.org"),
        ("call me on +31 20 794 6096", "+31 20 794 6096"),
    ] {
        assert_eq!(found(&detector, text).0, [other]);
    }
}

#[test]
fn an_empty_value_is_a_mistake_and_allows_nothing() {
    for values in ["[]", r#"[""]"#, r#"["support@webshop.example", ""]"#, r#"[" support@x.example"]"#, r#"["a@b.c"]"#] {
        let error = load(&with(own(values))).err().expect("it must be refused");
        assert!(error.0.iter().any(|mistake| mistake.to_string().contains("own[0].values")), "{values}: {error}");
    }
}
