//! JSON Pointers ([RFC 6901]) through objects: where a member stands in a platform's own record.
//!
//! A pointer leads through members only. A position in an array is not followed: what stands third today may be another
//! thing tomorrow.
//!
//! [RFC 6901]: https://www.rfc-editor.org/rfc/rfc6901

use super::json::Json;
use std::fmt;

/// A pointer: the names of members from the outside in. It comes from reviewed configuration, so it may be printed.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(Vec<String>);

/// Why a text is no pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// It is not empty and does not begin with a slash.
    #[error("a pointer begins with `/`, such as `/ticket/id`")]
    NoSlash,
    /// A tilde is followed by something other than 0 or 1.
    #[error("in a pointer `~` is written `~0`, and `/` in a name `~1`")]
    Escape,
}

/// Something that is no object stands where a pointer leads through; so many names lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotAnObject {
    pub(super) depth: usize,
}

impl Pointer {
    /// Reads a pointer. The empty one is the whole value.
    ///
    /// # Errors
    /// It does not begin with a slash, or has a tilde that escapes nothing.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let names = text.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        names.split('/').map(unescape).collect::<Option<_>>().map(Self).ok_or(PointerError::Escape)
    }

    /// The pointer to one member of the whole record.
    pub fn to_member(name: &str) -> Self {
        Self(vec![name.into()])
    }

    /// The names, from the outside in.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether one of the two leads to, or through, what the other leads to.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own == other)
    }

    /// This pointer, and from there another.
    pub fn then(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The first so many names.
    pub(super) fn prefix(&self, depth: usize) -> Self {
        Self(self.0.iter().take(depth).cloned().collect())
    }

    /// Whether it leads to something other than `null`, or to where it leads no further.
    pub(super) fn is_there(&self, json: &Json) -> bool {
        let mut value = json;
        for name in &self.0 {
            value = match value {
                Json::Object(members) => match members.iter().find(|(member, _)| member == name) {
                    Some((_, value)) => value,
                    None => return false,
                },
                value => return *value != Json::Null,
            };
        }
        *value != Json::Null
    }

    /// Takes the value out, which leaves `null`; `None` where there is none, or only `null`. Linear in the members of
    /// the objects that it leads through.
    pub(super) fn take(&self, json: &mut Json) -> Result<Option<Json>, NotAnObject> {
        let mut value = json;
        for (depth, name) in self.0.iter().enumerate() {
            value = match value {
                Json::Object(members) => match members.iter_mut().find(|(member, _)| member == name) {
                    Some((_, value)) => value,
                    None => return Ok(None),
                },
                Json::Null => return Ok(None),
                _ => return Err(NotAnObject { depth }),
            };
        }
        Ok(match std::mem::replace(value, Json::Null) {
            Json::Null => None,
            value => Some(value),
        })
    }

    /// Puts a value in, making the objects that lead to it. Gives the value back where something else is in the way.
    pub(super) fn put(&self, into: &mut Json, value: Json) -> Result<(), Json> {
        let Some((last, through)) = self.0.split_last() else {
            return match into {
                Json::Null => {
                    *into = value;
                    Ok(())
                }
                _ => Err(value),
            };
        };
        let mut at = into;
        for name in through {
            at = match member(at, name) {
                Some(next) => next,
                None => return Err(value),
            };
        }
        match member(at, last) {
            Some(place @ Json::Null) => {
                *place = value;
                Ok(())
            }
            _ => Err(value),
        }
    }
}

/// The member of this name; of what is `null` an object is made. `None` where it is something else.
fn member<'j>(json: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    if *json == Json::Null {
        *json = Json::Object(Vec::new());
    }
    let Json::Object(members) = json else { return None };
    let at = members.iter().position(|(member, _)| member == name).unwrap_or_else(|| {
        members.push((name.into(), Json::Null));
        members.len() - 1
    });
    members.get_mut(at).map(|(_, value)| value)
}

fn unescape(name: &str) -> Option<String> {
    let mut text = String::with_capacity(name.len());
    let mut parts = name.split('~');
    text.push_str(parts.next()?);
    for part in parts {
        let (escaped, rest) = match part.strip_prefix('0') {
            Some(rest) => ('~', rest),
            None => ('/', part.strip_prefix('1')?),
        };
        text.push(escaped);
        text.push_str(rest);
    }
    Some(text)
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|name| write!(f, "/{}", name.replace('~', "~0").replace('/', "~1")))
    }
}

impl fmt::Debug for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointer({self})")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::wire::json;
    use proptest::prelude::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    fn parsed(text: &str) -> Json {
        json::parse(text, &[]).unwrap()
    }

    #[test]
    fn pointers_are_those_of_rfc_6901() {
        for text in ["", "/", "/a", "/a/b", "/a~1b/~0", "//", "/é/ ", "/~01"] {
            assert_eq!(pointer(text).to_string(), text);
        }
        assert_eq!(pointer("/a~1b/~01").names(), ["a/b", "~1"]);
        for (text, error) in [("a", PointerError::NoSlash), ("/~", PointerError::Escape), ("/~2", PointerError::Escape)]
        {
            assert_eq!(Pointer::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_value_is_taken_once_and_nothing_is_found_beside_objects() {
        let mut json = parsed(r#"{"a":{"b":[1],"n":null},"c":"x"}"#);
        assert_eq!(pointer("/a/b/0").take(&mut json), Err(NotAnObject { depth: 2 }));
        assert_eq!(pointer("/c/d").take(&mut json), Err(NotAnObject { depth: 1 }));
        assert_eq!(pointer("/a/n/x").take(&mut json), Ok(None));
        assert_eq!(pointer("/x").take(&mut json), Ok(None));
        assert_eq!(pointer("/a/b").take(&mut json), Ok(Some(parsed("[1]"))));
        assert_eq!(pointer("/a/b").take(&mut json), Ok(None));
        assert_eq!(json, parsed(r#"{"a":{"b":null,"n":null},"c":"x"}"#));
    }

    #[test]
    fn what_is_put_never_replaces_anything() {
        let mut json = Json::Null;
        for (place, value) in [("/a/b", "1"), ("/a/c", "2"), ("/d", "3")] {
            pointer(place).put(&mut json, parsed(value)).unwrap();
        }
        assert_eq!(json, parsed(r#"{"a":{"b":1,"c":2},"d":3}"#));
        for place in ["/a", "/a/b", "/d/e", ""] {
            assert_eq!(pointer(place).put(&mut json, parsed("4")), Err(parsed("4")), "{place}");
        }
    }

    proptest! {
        #[test]
        fn what_is_put_is_what_is_taken(text in "(/[ab~/é]{0,3}){0,4}", other in "(/[ab]{0,2}){0,3}") {
            if let (Ok(one), Ok(other)) = (Pointer::parse(&text), Pointer::parse(&other)) {
                let mut json = Json::Null;
                one.put(&mut json, Json::Bool(true)).unwrap();
                prop_assert_eq!(other.put(&mut json, Json::Bool(false)).is_err(), one.overlaps(&other));
                prop_assert_eq!(one.take(&mut json), Ok(Some(Json::Bool(true))));
            }
        }
    }
}
