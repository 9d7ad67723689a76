//! Carried members as texts: every string, number and member name in them is searched and redacted like a turn.
//!
//! The names of the carried members themselves come from reviewed configuration and stay as they are.

use crate::wire::Json;
use maysend_detector::{Role, Turn};
use std::collections::HashMap;

/// The texts in carried members, in the order in which they stand: for each member of an object its name, then what is
/// in its value. Linear.
pub fn carried_texts(carried: &[(String, Json)]) -> Vec<&str> {
    carried_turns(carried).iter().map(|turn| turn.text).collect()
}

/// The same texts as turns: a name asks for its value, as the question of another speaker does.
pub fn carried_turns(carried: &[(String, Json)]) -> Vec<Turn<'_>> {
    let mut turns = Vec::new();
    for (_, value) in carried {
        collect(value, &mut turns);
    }
    turns
}

fn collect<'c>(json: &'c Json, turns: &mut Vec<Turn<'c>>) {
    match json {
        Json::Null | Json::Bool(_) => {}
        Json::Number(text) | Json::String(text) => turns.push(Turn { role: Role::Other, text }),
        Json::Array(items) => items.iter().for_each(|item| collect(item, turns)),
        Json::Object(members) => {
            for (name, value) in members {
                turns.push(Turn { role: Role::Bot, text: name });
                collect(value, turns);
            }
        }
    }
}

/// That there are more or fewer texts than the carried members have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is not one text for each in the carried members")]
pub struct CarriedMismatch;

/// The carried members with other texts, as many and in the order that [`carried_texts`] gives. A number whose text
/// has changed becomes a string. Where two members of an object have the same name now, the later one's is followed by
/// its count, `**** (2)`: no record has a member twice. Linear.
///
/// # Errors
/// There are more or fewer texts than in the members.
pub fn with_texts<T: AsRef<str>>(
    carried: &[(String, Json)],
    texts: &[T],
) -> Result<Vec<(String, Json)>, CarriedMismatch> {
    let mut texts = texts.iter().map(AsRef::as_ref);
    let replaced: Result<Vec<_>, _> =
        carried.iter().map(|(name, value)| Ok((name.clone(), put(value, &mut texts)?))).collect();
    if texts.next().is_some() { Err(CarriedMismatch) } else { replaced }
}

fn put<'t>(json: &Json, texts: &mut impl Iterator<Item = &'t str>) -> Result<Json, CarriedMismatch> {
    Ok(match json {
        Json::Null => Json::Null,
        Json::Bool(value) => Json::Bool(*value),
        Json::Number(old) => match texts.next().ok_or(CarriedMismatch)? {
            new if new == old => Json::Number(new.into()),
            new => Json::String(new.into()),
        },
        Json::String(_) => Json::String(texts.next().ok_or(CarriedMismatch)?.into()),
        Json::Array(items) => Json::Array(items.iter().map(|item| put(item, texts)).collect::<Result<_, _>>()?),
        Json::Object(members) => {
            let mut replaced = Vec::with_capacity(members.len());
            for (_, value) in members {
                let name = texts.next().ok_or(CarriedMismatch)?.to_owned();
                replaced.push((name, put(value, texts)?));
            }
            make_unique(&mut replaced);
            Json::Object(replaced)
        }
    })
}

/// Numbers the names that stand there again. Each name counts on from its own last number, so that many equal ones
/// take linear time.
fn make_unique(members: &mut [(String, Json)]) {
    let mut counts: HashMap<String, usize> = HashMap::with_capacity(members.len());
    for (name, _) in members.iter() {
        counts.insert(name.clone(), 0);
    }
    for (name, _) in members.iter_mut() {
        let seen = counts.entry(name.clone()).or_default();
        *seen += 1;
        if *seen == 1 {
            continue;
        }
        let mut count = *seen;
        let mut unique = format!("{name} ({count})");
        while counts.contains_key(&unique) {
            count += 1;
            unique = format!("{name} ({count})");
        }
        counts.insert(name.clone(), count);
        counts.insert(unique.clone(), 1);
        *name = unique;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json::tests::any_json;
    use proptest::prelude::*;

    fn carried(json: &str) -> Vec<(String, Json)> {
        vec![("meta".into(), crate::wire::json::parse(json, &[]).unwrap())]
    }

    #[test]
    fn texts_stand_in_order_and_go_back() {
        let meta = carried(r#"{"jan@x.nl":[1.50,null,true],"b":{"c":"d"}}"#);
        assert_eq!(carried_texts(&meta), ["jan@x.nl", "1.50", "b", "c", "d"]);
        let put = with_texts(&meta, &["[EMAIL_1]", "****", "b", "c", "d"]).unwrap();
        assert_eq!(put, carried(r#"{"[EMAIL_1]":["****",null,true],"b":{"c":"d"}}"#));
        assert_eq!(with_texts(&meta, &["a"]), Err(CarriedMismatch));
        assert_eq!(with_texts(&meta, &["a"; 6]), Err(CarriedMismatch));
    }

    #[test]
    fn names_that_redaction_made_equal_are_told_apart() {
        let meta = carried(r#"{"a":1,"b":2,"c":3,"d":4}"#);
        let put = with_texts(&meta, &["****", "1", "****", "2", "**** (2)", "3", "****", "4"]).unwrap();
        assert_eq!(put, carried(r#"{"****":1,"**** (3)":2,"**** (2)":3,"**** (4)":4}"#));
    }

    proptest! {
        #[test]
        fn the_same_texts_change_nothing(json in any_json()) {
            let meta = vec![("meta".to_owned(), json)];
            prop_assert_eq!(with_texts(&meta, &carried_texts(&meta)), Ok(meta.clone()));
        }

        #[test]
        fn whatever_the_texts_no_member_stands_twice(json in any_json(), texts in proptest::collection::vec("[ab]", 200)) {
            let meta = vec![("meta".to_owned(), json)];
            let count = carried_texts(&meta).len();
            if let Some(texts) = texts.get(..count) {
                let written = serde_json::to_string(&with_texts(&meta, texts).unwrap()[0].1).unwrap();
                prop_assert!(crate::wire::json::parse(&written, &[]).is_ok());
            }
        }
    }
}
