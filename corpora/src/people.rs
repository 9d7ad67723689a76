//! The customers. A customer is a function of the seed and a position in the population, so that the same person
//! comes back with the same name, address and key on any day.

use crate::checks::make_iban;
use crate::language::{Language, Pack};
use crate::rng::Rng;
use crate::text::ascii;

/// How many customers there are.
pub const POPULATION: u64 = 120_000;

/// Names the streams of customers, apart from those of transcripts.
const STREAM: u64 = 0x7065_6f70_6c65;

/// A customer.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) language: Language,
    pub(crate) given: &'static str,
    pub(crate) family: &'static str,
    pub(crate) email: String,
    pub(crate) address: String,
    /// The opaque key: no two customers share one.
    pub(crate) key: String,
    rng: Rng,
}

/// A customer's opaque key. Multiplication by an odd number permutes the 2^24 keys, so neighbours in the population
/// do not look like neighbours and no key occurs twice.
fn key(seed: u64, index: u64) -> String {
    let mask = Rng::new(seed, &[STREAM]).below(1 << 24);
    format!("ck_{:06x}", (index.wrapping_mul(0x5e_ed5d) ^ mask) & 0xff_ffff)
}

fn address(rng: &mut Rng, language: Language, pack: &Pack) -> String {
    let street = rng.pick(&pack.streets);
    let city = rng.pick(&pack.cities);
    let number = rng.between(1, 240);
    match language {
        Language::Nl if rng.percent(25) => format!("{street} {number}{}, {city}", rng.string(b"ABCD", 1)),
        Language::Nl | Language::De => format!("{street} {number}, {city}"),
        Language::En => format!("{number} {street}, {city}"),
        Language::Fr => format!("{number} {street}, {city}"),
        Language::Es => format!("{street} {number}, {city}"),
        Language::It => format!("{street}, {number}, {city}"),
    }
}

impl Person {
    /// The customer at a position.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut rng = Rng::new(seed, &[STREAM, index]);
        let language = Language::draw(&mut rng);
        let pack = language.pack();
        let given = *rng.pick(&pack.given);
        let family = *rng.pick(&pack.family);
        let letters = |name: &str| -> String {
            ascii(name).chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
        };
        let (first, last) = (letters(given), letters(family));
        let domain = rng.pick(&["example.com", "example.org", "example.net"]);
        let email = match rng.below(4) {
            0 => format!("{first}.{last}@{domain}"),
            1 => format!("{first}.{last}{}@{domain}", rng.between(1, 99)),
            2 => format!("{}{last}{}@{domain}", &first[..1], rng.between(1950, 2007)),
            _ => format!("{last}.{first}+shop@{domain}"),
        };
        let address = address(&mut rng, language, pack);
        Self { language, given, family, email, address, key: key(seed, index), rng }
    }

    /// Draws a customer: a fifth of the population makes half of the conversations.
    pub(crate) fn draw(seed: u64, rng: &mut Rng) -> Self {
        let position = rng.below(POPULATION);
        Self::new(seed, position * rng.between(1, POPULATION) / POPULATION)
    }

    /// Given and family name.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.given, self.family)
    }

    /// The telephone number, in one of the ways in which it is written.
    ///
    /// Where a regulator has set numbers aside for fiction (Ofcom's 07700 900xxx, ARCEP's 06 39 98 xx xx, the
    /// Bundesnetzagentur's 0171 39200xx) they are used; the other plans have none.
    pub(crate) fn phone(&self, form: u64) -> String {
        let mut rng = self.rng.clone();
        match self.language {
            Language::Nl => {
                let (area, rest) = (rng.between(1, 5), rng.digits(7));
                match form % 4 {
                    0 => format!("+31 6 {area}{} {}", &rest[..3], &rest[3..]),
                    1 => format!("06-{area}{rest}"),
                    2 => format!("06 {area}{rest}"),
                    _ => format!("+316{area}{rest}"),
                }
            }
            Language::En => {
                let rest = rng.digits(3);
                if form.is_multiple_of(2) { format!("+44 7700 900{rest}") } else { format!("07700 900{rest}") }
            }
            Language::De => {
                let rest = rng.digits(2);
                if form.is_multiple_of(2) { format!("0171 39200{rest}") } else { format!("+49 171 39200{rest}") }
            }
            Language::Fr => {
                let (a, b) = (rng.digits(2), rng.digits(2));
                if form.is_multiple_of(2) { format!("06 39 98 {a} {b}") } else { format!("+33 6 39 98 {a} {b}") }
            }
            Language::Es => {
                let (a, b, c) = (rng.between(10, 99), rng.digits(3), rng.digits(3));
                if form.is_multiple_of(2) { format!("6{a} {b} {c}") } else { format!("+34 6{a} {b} {c}") }
            }
            Language::It => {
                let (a, b) = (rng.digits(3), rng.digits(4));
                if form.is_multiple_of(2) { format!("347 {a} {b}") } else { format!("+39 347 {a}{b}") }
            }
        }
    }

    /// The bank account, without spaces.
    pub(crate) fn iban(&self) -> String {
        // The telephone number draws from the same state; a word in between keeps their digits apart.
        let mut rng = self.rng.clone();
        rng.word();
        make_iban(&mut rng, self.language.country())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::is_valid;
    use std::collections::BTreeSet;

    #[test]
    fn customers_come_back_unchanged_and_have_keys_of_their_own() {
        let keys: BTreeSet<String> = (0..POPULATION).map(|index| key(4, index)).collect();
        assert_eq!(keys.len() as u64, POPULATION);
        let (first, again) = (Person::new(4, 77), Person::new(4, 77));
        assert_eq!((first.email, first.address, first.key), (again.email, again.address, again.key));
    }

    #[test]
    fn their_data_are_well_formed() {
        for index in 0..2_000 {
            let person = Person::new(9, index);
            let (local, domain) = person.email.split_once('@').unwrap();
            assert!(local.is_ascii() && local.len() >= 3 && domain.starts_with("example."), "{}", person.email);
            assert_eq!(is_valid("iban", &person.iban()), Some(true));
            for form in 0..4 {
                let phone = person.phone(form);
                assert!((9..=13).contains(&phone.bytes().filter(u8::is_ascii_digit).count()), "{phone}");
            }
        }
    }
}
