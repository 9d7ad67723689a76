//! Redaction forms: what stands in the place of a value, and which forms an entity may not have.

/// What a redaction puts in a value's place.
///
/// In order of how much it tells a reader: from nothing to four characters of the value. The order decides which form is
/// used where one piece of text has two readings, and what counts as milder when two rulesets are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A break, so that the digits on both sides do not join.
    Drop,
    /// A mask, the same whatever the value and its length.
    Mask,
    /// The entity's label and a number, `[EMAIL_1]`: the same value keeps the same name in one document.
    #[default]
    Placeholder,
    /// HMAC-SHA-256 under a key of the tenant: the same value is recognised in all of a tenant's documents.
    KeyedHash,
    /// A mask that leaves the last four characters.
    KeepLastFour,
}

/// The forms by the names that `policy.toml` uses.
pub(super) const FORMS: &[(&str, Form)] = &[
    ("placeholder", Form::Placeholder),
    ("mask", Form::Mask),
    ("keep_last_four", Form::KeepLastFour),
    ("keyed_hash", Form::KeyedHash),
    ("drop", Form::Drop),
];

/// Entities whose values are so short that four characters are all or most of them.
pub const NEVER_LAST_FOUR: &[&str] = &["payment.cvv", "payment.pin", "secret.otp_code"];

/// Entities with so many possible values that nobody who holds the key can list them all, and so may have a keyed
/// hash. Sorted.
///
/// Every other entity counts as low-entropy. That takes in all national numbers, phone numbers, dates, cards and
/// accounts, IPv4 and hardware addresses, plates, names, postal addresses, codes and words that people choose: whoever
/// has the key, or a program that hashes for them, turns such hashes back by trying all values. The list says what
/// is safe, so that an entity that nobody has thought about yet is not.
pub const HASHABLE: &[&str] = &[
    "contact.email",
    "contact.social_handle",
    "contact.username",
    "crypto.bitcoin",
    "crypto.ethereum",
    "device.advertising_id",
    "network.ipv6",
    "secret.aws_key",
    "secret.azure_key",
    "secret.bearer_basic",
    "secret.cookie_session",
    "secret.gcp_key",
    "secret.github_token",
    "secret.jwt",
    "secret.model_provider_key",
    "secret.payment_key",
    "secret.private_key_pem",
    "secret.saas_token",
];

impl Form {
    /// The name that `policy.toml` uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Placeholder => "placeholder",
            Self::Mask => "mask",
            Self::KeyedHash => "keyed_hash",
            Self::KeepLastFour => "keep_last_four",
        }
    }

    /// Why the entity, at this tier, may not have this form; `None` when it may.
    pub(super) fn refusal(self, entity: &str, tier: super::Tier) -> Option<&'static str> {
        match self {
            Self::KeepLastFour if NEVER_LAST_FOUR.contains(&entity) => Some("four characters are most of such a value"),
            Self::KeyedHash if tier == super::Tier::One => {
                Some("tier 1 must not be recognisable from one document to another")
            }
            Self::KeyedHash if HASHABLE.binary_search(&entity).is_err() => {
                Some("it has so few possible values that its hashes can be turned back")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Tier, *};

    #[test]
    fn names_are_those_of_the_file() {
        for (name, form) in FORMS {
            assert_eq!(form.as_str(), *name);
        }
        assert_eq!(FORMS.len(), 5);
        let order = [Form::Drop, Form::Mask, Form::Placeholder, Form::KeyedHash, Form::KeepLastFour];
        assert!(order.is_sorted());
    }

    #[test]
    fn few_valued_entities_are_not_hashed_and_codes_keep_no_tail() {
        assert!(HASHABLE.is_sorted());
        for entity in
            ["nl.bsn", "contact.phone", "date.birth", "network.ipv4", "payment.cvv", "payment.card", "new.thing"]
        {
            assert!(Form::KeyedHash.refusal(entity, Tier::Two).is_some(), "{entity}");
        }
        assert!(Form::KeyedHash.refusal("contact.email", Tier::Two).is_none());
        assert!(Form::KeyedHash.refusal("contact.email", Tier::One).is_some());
        for entity in NEVER_LAST_FOUR {
            assert!(Form::KeepLastFour.refusal(entity, Tier::Three).is_some(), "{entity}");
        }
        assert!(Form::KeepLastFour.refusal("payment.card", Tier::One).is_none());
    }
}
