//! Validators: one small pure function per rule, in families.
//!
//! A validator says whether a string that has the shape of an identifier also passes its check. It reads the matched
//! bytes as they stand in the text, separators included, never allocates more than its input, and takes time linear
//! in it. Patterns name validators; [`by_name`] finds them.

mod areas;
mod births;
mod card;
mod crypto;
mod dates;
mod device;
mod digits;
mod form;
mod iban;
mod icao;
mod iso7064;
mod letters;
mod luhn;
mod mod10;
mod mod11;
mod mod97;
mod network;
mod phone;
mod secrets;
mod sum;
mod verhoeff;

use Check::{Form, Plain, Regions, Weighted};
pub use sum::Sum;

/// How a validator checks.
#[derive(Clone, Copy)]
pub enum Check {
    /// Reads the matched bytes alone.
    Plain(fn(&[u8]) -> bool),
    /// Reads the matched bytes under the numbering plans of the pattern's `regions` (ISO 3166-1 alpha-2).
    Regions(fn(&[u8], &[&'static str]) -> bool),
    /// A weighted sum.
    Weighted(Sum),
    /// Which characters may stand where, and nothing else: `[A-M]########@`.
    Form(&'static str),
}

impl Check {
    /// Whether a match passes. `regions` are for those that read them. Linear in the match.
    pub fn passes(&self, text: &[u8], regions: &[&'static str]) -> bool {
        match self {
            Plain(check) => check(text),
            Regions(check) => check(text, regions),
            Weighted(sum) => sum.passes(text),
            Form(forms) => form::is_of(text, forms),
        }
    }
}

/// A check that adds one term for each digit: the share of strings that pass it can be counted exactly.
#[derive(Clone, Copy)]
pub struct Additive {
    /// The sum is taken modulo this.
    pub modulus: u32,
    /// The sum that passes.
    pub residue: u32,
    /// The term of a digit at a position, counted from the right from 0. Less than `modulus`.
    pub term: fn(usize, u8) -> u32,
    /// Whether a string of zeros fails although its sum passes.
    pub nonzero: bool,
}

/// A rule under the name by which patterns refer to it.
#[derive(Clone, Copy)]
pub struct Validator {
    /// Name, such as `nl.bsn`.
    pub name: &'static str,
    /// The standard or publication that the rule follows.
    pub standard: &'static str,
    /// The check.
    pub check: Check,
    /// The check as a sum, where it is nothing else.
    pub additive: Option<Additive>,
    /// Whether it takes longer than all other evidence, so that it is asked last.
    pub is_slow: bool,
}

/// The rules of each family.
static FAMILIES: [&[Validator]; 22] = [
    areas::RULES,
    births::europe::RULES,
    births::world::RULES,
    card::RULES,
    crypto::RULES,
    dates::RULES,
    device::RULES,
    form::RULES,
    iban::RULES,
    icao::RULES,
    iso7064::RULES,
    letters::RULES,
    luhn::RULES,
    mod10::RULES,
    mod11::RULES,
    mod11::europe::RULES,
    mod11::world::RULES,
    mod97::RULES,
    network::RULES,
    phone::RULES,
    secrets::RULES,
    verhoeff::RULES,
];

const fn rule(name: &'static str, standard: &'static str, check: fn(&[u8]) -> bool) -> Validator {
    Validator { name, standard, check: Plain(check), additive: None, is_slow: false }
}

const fn regional(name: &'static str, standard: &'static str, check: fn(&[u8], &[&'static str]) -> bool) -> Validator {
    Validator { name, standard, check: Regions(check), additive: None, is_slow: false }
}

const fn sum(name: &'static str, standard: &'static str, sum: Sum) -> Validator {
    Validator { name, standard, check: Weighted(sum), additive: None, is_slow: false }
}

const fn form(name: &'static str, standard: &'static str, forms: &'static str) -> Validator {
    Validator { name, standard, check: Form(forms), additive: None, is_slow: false }
}

/// Every validator, by family.
pub fn all() -> impl Iterator<Item = &'static Validator> {
    FAMILIES.iter().copied().flatten()
}

/// The validator of this name. Linear in how many there are.
pub fn by_name(name: &str) -> Option<&'static Validator> {
    all().find(|validator| validator.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every region that a pattern may name for the tests, and some that are none.
    const REGIONS: &[&str] = &["NL", "GB", "DE", "US", "ZZ", ""];

    fn verdict(validator: &Validator, text: &[u8]) -> bool {
        validator.check.passes(text, REGIONS)
    }

    #[test]
    fn names_are_unique_and_found() {
        let mut names = std::collections::BTreeSet::new();
        for validator in all() {
            assert!(!validator.standard.is_empty());
            assert!(names.insert(validator.name), "{}", validator.name);
            assert_eq!(by_name(validator.name).map(|found| found.name), Some(validator.name));
        }
        assert!(by_name("nl.nothing").is_none());
    }

    /// An additive check must say of digits what its sum says.
    #[test]
    fn sums_agree_with_their_checks() {
        for (name, length) in [("nl.bsn", 8), ("nl.bsn", 9), ("gb.nhs", 10), ("luhn", 9), ("luhn", 16)] {
            let validator = by_name(name).unwrap();
            let additive = validator.additive.unwrap();
            for step in 0..20_000u64 {
                let digits: Vec<u8> =
                    (0..length).map(|i| ((step * (2 * i + 7) * 2_654_435_761) >> 13) as u8 % 10).collect();
                let terms = digits.iter().rev().enumerate().map(|(i, digit)| (additive.term)(i, *digit));
                assert!(terms.clone().all(|term| term < additive.modulus));
                let by_sum = terms.sum::<u32>() % additive.modulus == additive.residue
                    && !(additive.nonzero && digits.iter().all(|digit| *digit == 0));
                let text: Vec<u8> = digits.iter().map(|digit| digit + b'0').collect();
                assert_eq!(verdict(validator, &text), by_sum, "{name} {text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_check_panic(text in prop::collection::vec(any::<u8>(), 0..120)) {
            for validator in all() {
                verdict(validator, &text);
            }
        }

        #[test]
        fn no_text_of_identifiers_characters_makes_a_check_panic(
            text in "[0-9A-Za-z<>@é .,:+*(){}/_'\"\\\n-]{0,60}|[0-9 .+()-]{0,60}|[+][0-9]{0,30}|[A-Z0-9<\n]{25,140}|eyJ[A-Za-z0-9_.-]{0,90}"
        ) {
            for validator in all() {
                verdict(validator, text.as_bytes());
            }
        }
    }
}
