//! Tier-1 data: which kinds a customer gives away, and how they come to.
//!
//! A value is shown in one of three ways. *Alone*, without its name, only where its form is conclusive: a Finnish or
//! Italian personal code, a grouped card number, a secret, a machine-readable zone. *Named*, beside the word that the
//! customer's language has for it. Or as an *answer*: the agent has asked in the turn before, and the value may be all
//! that the customer says.

use crate::checks::{Rule, make_mrz};
use crate::forms;
use crate::language::{Language, Pack, Word};
use crate::scribe::{Scribe, Value};
use crate::secrets;

/// What customers of a language give away, in parts of a hundred. Dutch customers make the largest share, so
/// `nl.bsn` is the entity that occurs most.
pub(crate) fn shares(language: Language) -> &'static [(u64, &'static str)] {
    match language {
        Language::Nl => &[
            (60, "nl.bsn"),
            (6, "be.nn"),
            (3, "de.idnr"),
            (4, "pl.pesel"),
            (2, "fi.hetu"),
            (10, "payment.card"),
            (8, "secret.password_prose"),
            (2, "secret.aws_key"),
            (2, "secret.jwt"),
            (1, "secret.private_key_pem"),
            (2, "document.mrz"),
        ],
        Language::En => &[
            (24, "us.ssn"),
            (13, "gb.nino"),
            (12, "gb.nhs"),
            (8, "ca.sin"),
            (7, "in.aadhaar"),
            (3, "br.cpf"),
            (3, "pl.pesel"),
            (2, "fi.hetu"),
            (12, "payment.card"),
            (8, "secret.password_prose"),
            (3, "secret.aws_key"),
            (2, "secret.jwt"),
            (1, "secret.private_key_pem"),
            (2, "document.mrz"),
        ],
        Language::De => &[
            (50, "de.idnr"),
            (8, "pl.pesel"),
            (5, "nl.bsn"),
            (3, "fi.hetu"),
            (15, "payment.card"),
            (10, "secret.password_prose"),
            (3, "secret.aws_key"),
            (2, "secret.jwt"),
            (2, "secret.private_key_pem"),
            (2, "document.mrz"),
        ],
        Language::Fr => &[
            (48, "fr.nir"),
            (12, "be.nn"),
            (6, "ca.sin"),
            (15, "payment.card"),
            (10, "secret.password_prose"),
            (3, "secret.aws_key"),
            (2, "secret.jwt"),
            (2, "secret.private_key_pem"),
            (2, "document.mrz"),
        ],
        Language::Es => &[
            (55, "es.dni"),
            (7, "br.cpf"),
            (4, "us.ssn"),
            (15, "payment.card"),
            (10, "secret.password_prose"),
            (3, "secret.aws_key"),
            (2, "secret.jwt"),
            (2, "secret.private_key_pem"),
            (2, "document.mrz"),
        ],
        Language::It => &[
            (57, "it.codicefiscale"),
            (4, "br.cpf"),
            (18, "payment.card"),
            (11, "secret.password_prose"),
            (3, "secret.aws_key"),
            (3, "secret.jwt"),
            (2, "secret.private_key_pem"),
            (2, "document.mrz"),
        ],
    }
}

/// How a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Alone,
    Named,
    Answer,
}

/// A piece of tier-1 data that a customer is going to give away.
#[derive(Debug)]
pub(crate) struct Secret {
    pub(crate) entity: &'static str,
    pub(crate) manner: Manner,
    text: String,
    word: Option<&'static Word>,
    /// The card's security code, where the customer adds it.
    cvv: Option<String>,
}

fn word_for(scribe: &mut Scribe<'_>, pack: &'static Pack, entity: &str) -> Option<&'static Word> {
    let words: Vec<&'static Word> = pack.words.iter().filter(|word| word.entity == entity).collect();
    if words.is_empty() { None } else { Some(*scribe.rng.pick(&words)) }
}

impl Secret {
    /// Draws a piece by the shares of the customer's language.
    pub(crate) fn draw(scribe: &mut Scribe<'_>) -> Self {
        let shares = shares(scribe.person.language);
        let entity = shares[scribe.rng.weighted(shares.iter().map(|(share, _)| *share))].1;
        Self::of(scribe, entity)
    }

    /// Draws a piece that is not an answer, for a place where nobody has asked.
    pub(crate) fn draw_named(scribe: &mut Scribe<'_>) -> Self {
        let mut secret = Self::draw(scribe);
        if secret.manner == Manner::Answer {
            secret.manner = Manner::Named;
        }
        secret
    }

    fn of(scribe: &mut Scribe<'_>, entity: &'static str) -> Self {
        let Some(rule) = Rule::of(entity) else {
            let rng = &mut scribe.rng;
            let text = match entity {
                "secret.password_prose" => secrets::password(rng),
                "secret.aws_key" => secrets::aws_key(rng),
                "secret.jwt" => secrets::jwt(rng),
                "secret.private_key_pem" => secrets::private_key(rng),
                _ => make_mrz(rng, scribe.person.given, scribe.person.family),
            };
            return Self { entity, manner: Manner::Alone, text, word: None, cvv: None };
        };
        let number = (rule.make)(&mut scribe.rng);
        let (text, grouped) = forms::write(&mut scribe.rng, entity, &number);
        let cvv = (entity == "payment.card" && scribe.rng.percent(30))
            .then(|| scribe.rng.digits(if number.len() == 15 { 4 } else { 3 }));
        let conclusive = match entity {
            "fi.hetu" | "it.codicefiscale" => true,
            "payment.card" => grouped,
            _ => false,
        };
        let manner = match (scribe.rng.below(100), conclusive) {
            (0..30, true) => Manner::Alone,
            (0..65, _) => Manner::Named,
            _ => Manner::Answer,
        };
        let word = word_for(scribe, scribe.pack, entity);
        Self { entity, manner, text, word, cvv }
    }

    /// Writes the agent's question.
    pub(crate) fn ask(&self, scribe: &mut Scribe<'_>) {
        scribe.any_with(&scribe.pack.ask, None, self.word);
    }

    /// Writes what the customer gives away.
    pub(crate) fn show(&self, scribe: &mut Scribe<'_>) {
        let pack = scribe.pack;
        let templates = match (self.entity, self.manner) {
            ("secret.password_prose", _) => &pack.password,
            ("document.mrz", _) => &pack.mrz,
            (entity, _) if entity.starts_with("secret.") => &pack.secret,
            (_, Manner::Alone) => &pack.alone,
            (_, Manner::Named) => &pack.number,
            (_, Manner::Answer) => &pack.reply,
        };
        let value = Value { text: &self.text, entity: self.entity, tier1: true };
        scribe.any_with(templates, Some(value), self.word);
        if let Some(cvv) = &self.cvv {
            let value = Value { text: cvv, entity: "payment.cvv", tier1: true };
            scribe.any_with(&pack.cvv, Some(value), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;

    #[test]
    fn shares_add_up_and_every_number_has_a_word() {
        for (language, _) in LANGUAGES {
            assert_eq!(shares(language).iter().map(|(share, _)| share).sum::<u64>(), 100, "{}", language.code());
            for (_, entity) in shares(language) {
                let named = language.pack().words.iter().any(|word| word.entity == *entity);
                assert_eq!(named, Rule::of(entity).is_some(), "{} {entity}", language.code());
            }
        }
    }

    #[test]
    fn the_dutch_number_is_the_commonest() {
        let parts = |wanted: &str| -> u64 {
            let of = |language| shares(language).iter().filter(|(_, entity)| *entity == wanted).map(|(share, _)| share);
            LANGUAGES.iter().map(|(language, weight)| weight * of(*language).sum::<u64>()).sum()
        };
        let others = ["us.ssn", "payment.card", "de.idnr", "secret.password_prose", "fr.nir", "es.dni"];
        assert!(others.into_iter().all(|other| parts(other) < parts("nl.bsn")));
    }
}
