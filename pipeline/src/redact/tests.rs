use super::*;
use proptest::prelude::*;

fn span(turn: usize, start: usize, end: usize) -> Span {
    Span { turn, start, end }
}

/// Redacts each of `values` wherever it stands in the texts.
fn redacted(texts: &[&str], values: &[(&str, &str, &str, Form)]) -> Vec<String> {
    let values: Vec<(&str, EntityId, &str, Form)> =
        values.iter().map(|(v, e, l, f)| (*v, (*e).into(), *l, *f)).collect();
    let mut redactions = Vec::new();
    for (turn, text) in texts.iter().enumerate() {
        for (value, entity, label, form) in &values {
            for (start, _) in text.match_indices(value) {
                redactions.push(Redaction {
                    span: span(turn, start, start + value.len()),
                    entity,
                    label,
                    form: *form,
                    whole: None,
                });
            }
        }
    }
    let key = Key::parse(&"000102030405060708090a0b0c0d0e0f".repeat(2)).unwrap();
    let hashing = Hashing { key: &key, tenant: "acme" };
    redact(texts, &redactions, Some(hashing)).unwrap().into_iter().map(Cow::into_owned).collect()
}

#[test]
fn each_form() {
    let texts = ["card 4111 1111 1111 1111, code 123."];
    let one = |value, form| redacted(&texts, &[(value, "x.y", "CARD", form)]).remove(0);
    assert_eq!(one("4111 1111 1111 1111", Form::Placeholder), "card [CARD_1], code 123.");
    assert_eq!(one("4111 1111 1111 1111", Form::Mask), "card ****, code 123.");
    assert_eq!(one("4111 1111 1111 1111", Form::KeepLastFour), "card [****1111], code 123.");
    assert_eq!(one("123", Form::KeepLastFour), "card 4111 1111 1111 1111, code ****.");
    assert_eq!(one("1111 111", Form::KeepLastFour), "card 4111 ****1 1111, code 123.");
    assert_eq!(one("1111 1111", Form::KeepLastFour), "card 4111 [****1111] 1111, code 123.");
    assert_eq!(one("1111 1111", Form::Drop), "card 4111 […] 1111, code 123.");
    let hashed = one("4111 1111 1111 1111", Form::KeyedHash);
    let hash = hashed.strip_prefix("card [CARD:").unwrap().strip_suffix("], code 123.").unwrap();
    assert!(hash.len() == 16 && hash.bytes().all(|byte| (b'a'..=b'p').contains(&byte)));
}

#[test]
fn the_same_value_keeps_its_name_in_the_whole_document() {
    let values = [
        ("jan@x.nl", "contact.email", "EMAIL", Form::Placeholder),
        ("JAN@X.NL", "contact.email", "EMAIL", Form::Placeholder),
        ("eva@x.nl", "contact.email", "EMAIL", Form::Placeholder),
        ("0612345678", "contact.phone", "PHONE", Form::Placeholder),
    ];
    let texts = ["jan@x.nl or eva@x.nl", "call 0612345678", "JAN@X.NL"];
    assert_eq!(redacted(&texts, &values), ["[EMAIL_1] or [EMAIL_2]", "call [PHONE_1]", "[EMAIL_1]"]);
}

#[test]
fn a_placeholder_of_the_text_names_nobody_else() {
    let texts = ["jan@x.nl wrote [EMAIL_[EMAIL_7] and [EMAIL_3] and [PHONE_9]", "[EMAIL_99999999999999999999]"];
    let out = redacted(&texts, &[("jan@x.nl", "contact.email", "EMAIL", Form::Placeholder)]);
    assert_eq!(out[0], "[EMAIL_8] wrote [EMAIL_[EMAIL_7] and [EMAIL_3] and [PHONE_9]");
}

#[test]
fn two_entities_under_one_label_share_the_count() {
    let texts = ["a1 b2 a1"];
    let out = redacted(&texts, &[("a1", "x.a", "ID", Form::Placeholder), ("b2", "x.b", "ID", Form::Placeholder)]);
    assert_eq!(out, ["[ID_1] [ID_2] [ID_1]"]);
}

#[test]
fn overlapping_spans_are_one_value_under_the_stronger_form() {
    let (a, b): (EntityId, EntityId) = ("x.a".into(), "x.b".into());
    let redactions = [
        Redaction { span: span(0, 0, 12), entity: &a, label: "A", form: Form::KeepLastFour, whole: None },
        Redaction { span: span(0, 10, 16), entity: &b, label: "B", form: Form::Placeholder, whole: None },
        Redaction { span: span(0, 16, 18), entity: &a, label: "A", form: Form::KeepLastFour, whole: None },
    ];
    let mut reversed = redactions;
    reversed.reverse();
    for redactions in [redactions, reversed] {
        assert_eq!(redact(&["0123456789abcdefgh."], &redactions, None).unwrap(), ["[B_1]****."]);
    }
}

#[test]
fn what_cannot_be_redacted_is_an_error() {
    let entity: EntityId = "x.a".into();
    let of = |span, form| Redaction { span, entity: &entity, label: "A", form, whole: None };
    for span in [span(0, 1, 2), span(0, 0, 3), span(0, 2, 2), span(0, 2, 0), span(1, 0, 1), span(0, 0, usize::MAX)] {
        let error = redact(&["é"], &[of(span, Form::Mask)], None).unwrap_err();
        assert_eq!(error, RedactError::BadSpan { span });
    }
    assert_eq!(redact(&["é"], &[of(span(0, 0, 2), Form::KeyedHash)], None), Err(RedactError::NoKey));
}

#[test]
fn texts_without_a_value_are_borrowed() {
    assert!(matches!(redact(&["a"], &[], None).unwrap()[0], Cow::Borrowed("a")));
}

/// Quadratic time would not end here: many brackets that never close, and a placeholder for each of many values.
#[test]
fn time_is_linear_whatever_the_text() {
    let entity: EntityId = "x.a".into();
    let texts = ["[A_1".repeat(1 << 18)];
    let of = |i: usize| Redaction {
        span: span(0, 4 * i + 1, 4 * i + 2),
        entity: &entity,
        label: "A",
        form: Form::Placeholder,
        whole: None,
    };
    let redactions: Vec<Redaction<'_>> = (0..1 << 18).map(of).collect();
    let out = redact(&texts, &redactions, None).unwrap();
    assert!(out[0].starts_with("[[A_1]_1[[A_1]_1"));
}

fn any_form() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::Placeholder), Just(Form::Mask), Just(Form::KeepLastFour), Just(Form::Drop)]
}

proptest! {
    #[test]
    fn any_spans_are_redacted_or_refused_without_a_panic(
        texts in proptest::collection::vec("[a-c1-3é \\[\\]_A]{0,20}", 0..4),
        spans in proptest::collection::vec((0usize..5, 0usize..24, 0usize..24, "[AB]", any_form()), 0..8),
    ) {
        let entity: EntityId = "x.a".into();
        let redactions: Vec<Redaction<'_>> = spans
            .iter()
            .map(|(turn, start, end, label, form)| {
                Redaction { span: span(*turn, *start, *end), entity: &entity, label, form: *form, whole: None }
            })
            .collect();
        let fits = |s: Span| s.start < s.end && texts.get(s.turn).is_some_and(|t| t.get(s.start..s.end).is_some());
        match redact(&texts, &redactions, None) {
            Err(_) => prop_assert!(!redactions.iter().all(|redaction| fits(redaction.span))),
            Ok(out) => {
                prop_assert!(redactions.iter().all(|redaction| fits(redaction.span)));
                prop_assert_eq!(out.len(), texts.len());
                let again = redact(&out, &[], None).unwrap();
                prop_assert_eq!(&again, &out);
                let mut reversed = redactions.clone();
                reversed.reverse();
                prop_assert_eq!(redact(&texts, &reversed, None).unwrap(), out);
            }
        }
    }

    /// A value that stands nowhere else does not survive, and what is around it does.
    #[test]
    fn the_value_goes_and_the_rest_stays(before in "[a-z ]{0,9}", after in "[a-z ]{0,9}", form in any_form()) {
        let value = "7700123";
        let text = format!("{before}{value}{after}");
        let entity: EntityId = "x.a".into();
        let span = span(0, before.len(), before.len() + value.len());
        let redactions = [Redaction { span, entity: &entity, label: "A", form, whole: None }];
        let texts = [text];
        let out = redact(&texts, &redactions, None).unwrap().remove(0);
        prop_assert!(!out.contains(value));
        prop_assert!(out.starts_with(&before) && out.ends_with(&after));
    }
}
