//! Names of customers and rows: digests of fixed length, whatever the length of what they name.

use sha2::{Digest, Sha256};

/// Bytes of a digest.
pub const LENGTH: usize = 32;

/// A customer of a tenant, as rows name one: a digest of the tenant and the key. No secret is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Customer([u8; LENGTH]);

impl Customer {
    /// The customer of this key.
    pub fn of(tenant: &str, key: &str) -> Self {
        Self(digest("customer", [Some(tenant), Some(key)]))
    }

    /// Nobody who can be named: one for each row of an anonymous chat, so that they are spread like the others.
    pub fn anonymous(tenant: &str, row: &[u8; LENGTH]) -> Self {
        Self(digest("anonymous", [Some(tenant), Some(&crate::hex(row))]))
    }

    /// One person of a tenant, whatever the keys.
    pub fn person(tenant: &str, person: &str) -> Self {
        Self(digest("person", [Some(tenant), Some(person)]))
    }

    /// The digest.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The digest of a list of texts, some of which may be missing. Every one is led by its length, so no two lists share a
/// digest; `kind` keeps lists of different meaning apart.
pub fn digest<'p>(kind: &'p str, parts: impl IntoIterator<Item = Option<&'p str>>) -> [u8; LENGTH] {
    let mut hash = Sha256::new();
    for part in std::iter::once(Some(kind)).chain(parts) {
        hash.update(part.map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
        hash.update(part.unwrap_or_default());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn different_lists_have_different_digests(
            a in proptest::collection::vec(proptest::option::of("[ab]{0,2}"), 0..4),
            b in proptest::collection::vec(proptest::option::of("[ab]{0,2}"), 0..4),
        ) {
            let of = |list: &[Option<String>]| digest("row", list.iter().map(Option::as_deref));
            prop_assert_eq!(a == b, of(&a) == of(&b));
        }
    }

    #[test]
    fn a_key_is_another_customer_at_another_tenant() {
        assert_ne!(Customer::of("acme", "ck"), Customer::of("other", "ck"));
        assert_ne!(Customer::of("ab", "c"), Customer::of("a", "bc"));
        assert_ne!(Customer::of("acme", "ck"), Customer::person("acme", "ck"));
    }
}
