//! The rules by which numbers are made and judged, one family a file.
//!
//! They are written from the standards and share nothing with the detector's validators, on purpose: a generator that
//! made its numbers with the code under test would agree with every mistake in it. Where the two disagree, one of
//! them is wrong, and the standard named in the family's file says which.

mod iban;
mod iso7064;
mod letters;
mod luhn;
mod mod97;
mod mrz;
mod ranges;
mod sums;
mod verhoeff;

use crate::rng::Rng;

pub(crate) use iban::{COUNTRIES, make_iban};
pub(crate) use mrz::make_mrz;

/// Whether the text is exactly so many ASCII digits.
fn all_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A digit below ten as a character.
fn decimal(digit: u32) -> char {
    char::from(b'0' + (digit % 10) as u8)
}

/// The remainder of a decimal number of any length.
fn remainder(digits: &str, modulus: u64) -> u64 {
    digits.bytes().fold(0, |so_far, digit| (so_far * 10 + u64::from(digit.saturating_sub(b'0'))) % modulus)
}

/// How numbers of one entity are made and judged, in their compact form.
pub struct Rule {
    /// The entity.
    pub entity: &'static str,
    /// Makes a number that is right.
    pub make: fn(&mut Rng) -> String,
    valid: fn(&str) -> bool,
    /// How many leading characters a random number keeps of a right one. They are those on which programs differ
    /// without either being wrong (is that birth date in the future? is that range in use?).
    keep: usize,
}

/// Every entity that has a rule, in the order in which vectors are written.
pub const RULES: [Rule; 16] = [
    Rule { entity: "nl.bsn", make: sums::make_bsn, valid: sums::bsn, keep: 1 },
    Rule { entity: "de.idnr", make: iso7064::make_idnr, valid: iso7064::idnr, keep: 1 },
    Rule { entity: "fr.nir", make: mod97::make_nir, valid: mod97::nir, keep: 7 },
    Rule { entity: "es.dni", make: letters::make_dni, valid: letters::dni, keep: 0 },
    Rule { entity: "it.codicefiscale", make: letters::make_codice_fiscale, valid: letters::codice_fiscale, keep: 12 },
    Rule { entity: "be.nn", make: mod97::make_nn, valid: mod97::nn, keep: 6 },
    Rule { entity: "pl.pesel", make: sums::make_pesel, valid: sums::pesel, keep: 6 },
    Rule { entity: "fi.hetu", make: letters::make_hetu, valid: letters::hetu, keep: 8 },
    Rule { entity: "gb.nino", make: ranges::make_nino, valid: ranges::nino, keep: 0 },
    Rule { entity: "gb.nhs", make: sums::make_nhs, valid: sums::nhs, keep: 3 },
    Rule { entity: "us.ssn", make: ranges::make_ssn, valid: ranges::ssn, keep: 0 },
    Rule { entity: "ca.sin", make: luhn::make_sin, valid: luhn::sin, keep: 1 },
    Rule { entity: "br.cpf", make: sums::make_cpf, valid: sums::cpf, keep: 0 },
    Rule { entity: "in.aadhaar", make: verhoeff::make_aadhaar, valid: verhoeff::aadhaar, keep: 1 },
    Rule { entity: "payment.card", make: luhn::make_card, valid: luhn::card, keep: 6 },
    Rule { entity: "iban", make: make_any_iban, valid: iban::iban, keep: 8 },
];

fn make_any_iban(rng: &mut Rng) -> String {
    let country = *rng.pick(&COUNTRIES);
    make_iban(rng, country)
}

impl Rule {
    /// The rule of an entity.
    pub fn of(entity: &str) -> Option<&'static Self> {
        RULES.iter().find(|rule| rule.entity == entity)
    }

    /// Judges a number in its compact form.
    pub fn is_valid(&self, number: &str) -> bool {
        (self.valid)(number)
    }

    /// A number of the entity's shape that was not made to be right, but may be.
    pub fn random(&self, rng: &mut Rng) -> String {
        match self.entity {
            "gb.nino" => return ranges::random_nino(rng),
            "us.ssn" => return ranges::random_ssn(rng),
            "de.idnr" => return iso7064::random_idnr(rng),
            _ => {}
        }
        let made = (self.make)(rng);
        made.bytes()
            .enumerate()
            .map(|(at, byte)| match byte {
                b'0'..=b'9' if at >= self.keep => decimal(rng.digit().into()),
                b'A'..=b'Z' if at >= self.keep && at + 1 == made.len() => char::from(b'A' + rng.below(26) as u8),
                _ => char::from(byte),
            })
            .collect()
    }

    /// Whether programs may differ on a number without either being wrong; such a number is no vector.
    pub(crate) fn is_contested(&self, number: &str) -> bool {
        match self.entity {
            "be.nn" => mod97::nn_is_contested(number),
            "de.idnr" => iso7064::idnr_is_contested(number),
            "iban" => iban::iban_is_contested(number),
            "us.ssn" => ranges::ssn_is_contested(number),
            "it.codicefiscale" => letters::codice_fiscale_is_contested(number),
            _ => false,
        }
    }
}

/// Judges a number of an entity as it is written in text, with its separators; `None` where the entity has no rule.
pub fn is_valid(entity: &str, written: &str) -> Option<bool> {
    if entity == "document.mrz" {
        return Some(mrz::mrz(written));
    }
    let rule = Rule::of(entity)?;
    let number = if entity == "fi.hetu" {
        // Its sign of the century is a hyphen, which is no separator here.
        written.to_uppercase()
    } else {
        written.chars().filter(|c| !matches!(c, ' ' | '.' | '-' | '/')).flat_map(char::to_uppercase).collect()
    };
    Some(rule.is_valid(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_valid() {
        for rule in &RULES {
            let mut rng = Rng::new(11, &[]);
            for _ in 0..500 {
                let number = (rule.make)(&mut rng);
                assert!(rule.is_valid(&number), "{} {number}", rule.entity);
            }
        }
    }

    #[test]
    fn random_numbers_are_of_both_kinds() {
        for rule in &RULES {
            let mut rng = Rng::new(12, &[]);
            let right = (0..3_000).filter(|_| rule.is_valid(&rule.random(&mut rng))).count();
            let all = if rule.entity == "us.ssn" { 1_200..1_500 } else { 1..1_200 };
            assert!(all.contains(&right), "{} {right}", rule.entity);
        }
    }

    #[test]
    fn garbage_is_refused_and_never_panics() {
        for rule in &RULES {
            for text in ["", "1", "é", "ééééééééé", "ABCDEFGHIJK", "12345678é", "NL91ABNAé417164300", "000000000000000"]
            {
                assert!(!rule.is_valid(text), "{} {text}", rule.entity);
            }
        }
    }

    #[test]
    fn written_forms_are_read() {
        assert_eq!(is_valid("nl.bsn", "1112.22.333"), Some(true));
        assert_eq!(is_valid("iban", "nl91 abna 0417 1643 00"), Some(true));
        assert_eq!(is_valid("contact.email", "a@example.com"), None);
    }
}
