//! Validators: one small pure function per rule, in families.
//!
//! A validator says whether a string that has the shape of an identifier also passes its check. It reads the matched
//! bytes as they stand in the text, separators included, never allocates more than its input, and takes time linear
//! in it. Patterns name validators; [`by_name`] finds them.

mod areas;
mod card;
mod dates;
mod digits;
mod iban;
mod icao;
mod iso7064;
mod letters;
mod luhn;
mod mod11;
mod mod97;
mod network;
mod phone;
mod secrets;
mod verhoeff;

use Check::{Plain, Regions};

/// How a validator checks.
#[derive(Clone, Copy)]
pub enum Check {
    /// Reads the matched bytes alone.
    Plain(fn(&[u8]) -> bool),
    /// Reads the matched bytes under the numbering plans of the pattern's `regions` (ISO 3166-1 alpha-2).
    Regions(fn(&[u8], &[&'static str]) -> bool),
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
}

/// Every validator, by name.
pub static VALIDATORS: &[Validator] = &[
    Validator {
        additive: Some(mod11::NL_BSN),
        ..rule("nl.bsn", "Besluit burgerservicenummer, article 3 (eleven test)", Plain(mod11::nl_bsn))
    },
    Validator {
        additive: Some(mod11::GB_NHS),
        ..rule("gb.nhs", "NHS Data Model and Dictionary, NHS NUMBER", Plain(mod11::gb_nhs))
    },
    rule("br.cpf", "Receita Federal, Cadastro de Pessoas Físicas, modulo 11", Plain(mod11::br_cpf)),
    Validator { additive: Some(luhn::ADDITIVE), ..rule("luhn", "ISO/IEC 7812-1, annex B", Plain(luhn::plain)) },
    rule("ca.sin", "Social Insurance Number Code of Practice; ISO/IEC 7812-1, annex B", Plain(luhn::ca_sin)),
    rule("be.nn", "Koninklijk besluit of 3 April 1984, national register", Plain(mod97::be_nn)),
    rule("fr.nir", "INSEE, numéro d'inscription au répertoire, key modulo 97", Plain(mod97::fr_nir)),
    rule("in.aadhaar", "UIDAI, A UID Numbering Scheme; Verhoeff 1969", Plain(verhoeff::in_aadhaar)),
    rule("de.idnr", "Abgabenordnung § 139b; ISO 7064 modulo 11,10", Plain(iso7064::de_idnr)),
    rule("es.dni", "Orden EHA/451/2008, control letter modulo 23", Plain(letters::es_dni)),
    rule("es.nie", "Orden INT/2058/2008, control letter modulo 23", Plain(letters::es_nie)),
    rule("it.codicefiscale", "Decreto Ministeriale 23 dicembre 1976", Plain(letters::it_codicefiscale)),
    rule("pl.pesel", "Ustawa o ewidencji ludności, article 15", Plain(dates::pl_pesel)),
    rule("fi.hetu", "Valtioneuvoston asetus 128/2010, § 2", Plain(dates::fi_hetu)),
    rule("date.birth", "ISO 8601; everyday forms; Gregorian calendar", Plain(dates::birth)),
    rule("us.ssn", "Social Security Administration, POMS RM 10201.035", Plain(areas::us_ssn)),
    rule("us.itin", "Internal Revenue Service, Internal Revenue Manual 3.21.263", Plain(areas::us_itin)),
    rule("gb.nino", "HM Revenue & Customs, NIM39110", Plain(areas::gb_nino)),
    rule("payment.card", "ISO/IEC 7812-1", Plain(card::payment_card)),
    rule("iban", "ISO 13616-1; SWIFT IBAN Registry, release 101", Plain(iban::iban)),
    rule("document.mrz", "ICAO Doc 9303, parts 3 to 7", Plain(icao::document_mrz)),
    rule("network.ipv4", "RFC 1123, section 2.1", Plain(network::ipv4)),
    rule("network.ipv4_public", "RFC 1123, section 2.1; RFC 6890", Plain(network::ipv4_public)),
    rule("contact.email", "RFC 5321, section 4.5.3.1; RFC 6531", Plain(network::email)),
    rule("phone.international", "ITU-T E.164; libphonenumber metadata", Plain(phone::international)),
    rule("phone.national", "national numbering plans; libphonenumber metadata", Regions(phone::national)),
    rule("secret.jwt", "RFC 7519; RFC 7515, section 3.1", Plain(secrets::jwt)),
    rule(
        "secret.password_prose",
        "NIST SP 800-63B, section 5.1.1: a memorized secret is no dictionary word",
        Plain(secrets::password_prose),
    ),
];

const fn rule(name: &'static str, standard: &'static str, check: Check) -> Validator {
    Validator { name, standard, check, additive: None }
}

/// The validator of this name.
pub fn by_name(name: &str) -> Option<&'static Validator> {
    VALIDATORS.iter().find(|validator| validator.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every region that a pattern may name for the tests, and some that are none.
    const REGIONS: &[&str] = &["NL", "GB", "DE", "US", "ZZ", ""];

    fn verdict(validator: &Validator, text: &[u8]) -> bool {
        match validator.check {
            Plain(check) => check(text),
            Regions(check) => check(text, REGIONS),
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        for (i, validator) in VALIDATORS.iter().enumerate() {
            assert!(!validator.standard.is_empty());
            assert!(VALIDATORS[..i].iter().all(|other| other.name != validator.name), "{}", validator.name);
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
            for validator in VALIDATORS {
                verdict(validator, &text);
            }
        }

        #[test]
        fn no_text_of_identifiers_characters_makes_a_check_panic(
            text in "[0-9A-Za-z<>@é .,:+*(){}/_'\"\\\n-]{0,60}|[0-9 .+()-]{0,60}|[+][0-9]{0,30}|[A-Z0-9<\n]{25,140}|eyJ[A-Za-z0-9_.-]{0,90}"
        ) {
            for validator in VALIDATORS {
                verdict(validator, text.as_bytes());
            }
        }
    }
}
