//! A person of a tenant, by all the names that rows have for one.

use super::{
    identity::Customer,
    store::{Store, StoreError, Transaction, Value},
};
use crate::redact::{Key, keyed_hash};
use std::collections::BTreeSet;

/// A person of a tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The tenant.
    pub tenant: String,
    /// The customer's keys.
    pub keys: BTreeSet<String>,
    /// Keyed hashes of the addresses from which messages came, as rows have them: what came from outside, such as an
    /// imported reply, has no customer key.
    pub senders: BTreeSet<String>,
}

/// What a name in the place of an address begins with, where addresses are expected.
pub const HASH: &str = "hash:";

/// The name that rows have for an address: a keyed hash of the address in lower case, without white space. What begins with
/// [`HASH`] is such a name already.
pub fn sender(key: &Key, tenant: &str, address: &str) -> String {
    if let Some(name) = address.strip_prefix(HASH) {
        return name.into();
    }
    let normalised: String = address.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    keyed_hash(key, tenant, "sender", &normalised)
}

/// Whether a customer key is a name that the gate has written in the place of one: [`HASH`] and a keyed hash. A platform's
/// own key may begin so too, and is another.
pub fn is_name(key: &str) -> bool {
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| matches!(byte, b'a'..=b'p'));
    key.strip_prefix(HASH).is_some_and(is_hash)
}

impl Person {
    /// With all keys that are recorded for the same person, also by way of others, and the senders that their rows name.
    ///
    /// # Errors
    /// The store does not go along.
    pub fn whole(&self, store: &mut Store) -> Result<Self, StoreError> {
        store.read(|transaction| self.whole_in(transaction))
    }

    /// As [`Self::whole`].
    ///
    /// # Errors
    /// As [`Self::whole`].
    pub fn whole_in(&self, transaction: &mut Transaction<'_>) -> Result<Self, StoreError> {
        let mut whole = self.clone();
        let mut new: Vec<String> = self.keys.iter().cloned().collect();
        let mut known = BTreeSet::new();
        while let Some(key) = new.pop() {
            let customer: Value = Customer::of(&self.tenant, &key).bytes().into();
            for row in transaction.query(SENDERS, std::slice::from_ref(&customer))? {
                whole.senders.insert(row.text(0)?.to_owned());
            }
            for person in transaction.query("SELECT id FROM customers WHERE customer = $1", &[customer])? {
                let person = person.bytes(0)?.to_vec();
                if !known.insert(person.clone()) {
                    continue;
                }
                let others = "SELECT customer_key FROM customers WHERE id = $1";
                for other in transaction.query(others, &[Value::Bytes(person)])? {
                    let other = other.text(0)?.to_owned();
                    if whole.keys.insert(other.clone()) {
                        new.push(other);
                    }
                }
            }
        }
        Ok(whole)
    }
}

const SENDERS: &str = "SELECT DISTINCT sender FROM reservations WHERE customer = $1 AND sender IS NOT NULL";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_from_a_key_that_begins_as_one() {
        let key = Key::parse(&"000102030405060708090a0b0c0d0e0f".repeat(2)).unwrap();
        assert!(is_name(&format!("{HASH}{}", keyed_hash(&key, "acme", "customer_key", "jan@example.nl"))));
        assert!(!is_name("hash:jan@example.nl"));
        assert!(!is_name("hash:"));
    }

    #[test]
    fn an_address_has_one_name_at_a_tenant_however_it_is_written() {
        let key = |text: &str| Key::parse(&text.repeat(2)).unwrap();
        let (key, another) = (key("000102030405060708090a0b0c0d0e0f"), key("101112131415161718191a1b1c1d1e1f"));
        let name = sender(&key, "acme", "jan@example.nl");
        for same in ["Jan@Example.NL", " jan@example.nl\n", &format!("hash:{name}")] {
            assert_eq!(sender(&key, "acme", same), name, "{same:?}");
        }
        assert_ne!(sender(&key, "other", "jan@example.nl"), name);
        assert_ne!(sender(&another, "acme", "jan@example.nl"), name);
    }
}
