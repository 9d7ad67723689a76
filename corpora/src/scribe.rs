//! Writes the turns of one transcript, and a label for each piece of personal data at the moment it is written: spans
//! are never searched for afterwards, so they cannot point at a second occurrence.

use crate::calendar::Date;
use crate::language::{Pack, Piece, Slot, Template, Word};
use crate::people::Person;
use crate::rng::Rng;
use crate::things;
use crate::wire::{Label, Speaker, Turn};

/// A value with the entity that it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) text: &'a str,
    pub(crate) entity: &'static str,
    pub(crate) tier1: bool,
}

/// The writer of a transcript.
pub(crate) struct Scribe<'a> {
    pub(crate) rng: Rng,
    pub(crate) person: &'a Person,
    pub(crate) pack: &'static Pack,
    pub(crate) day: Date,
    pub(crate) ticket: String,
    pub(crate) turns: Vec<Turn>,
    pub(crate) labels: Vec<Label>,
    /// The text of the turn that is being written.
    text: String,
    /// Bytes of the turns before it.
    written: usize,
    /// Seconds after midnight.
    second: u64,
    // A conversation is about one order; its numbers are drawn when they are first mentioned and stay.
    order: Option<String>,
    invoice: Option<String>,
    tracking: Option<String>,
    product: Option<&'static str>,
}

impl<'a> Scribe<'a> {
    /// A writer of a conversation that begins at a second of the day.
    pub(crate) fn new(mut rng: Rng, person: &'a Person, day: Date, second: u64) -> Self {
        let ticket = things::ticket(&mut rng);
        Self {
            rng,
            person,
            pack: person.language.pack(),
            day,
            ticket,
            turns: Vec::with_capacity(14),
            labels: Vec::new(),
            text: String::with_capacity(256),
            written: 0,
            second,
            order: None,
            invoice: None,
            tracking: None,
            product: None,
        }
    }

    /// The bytes written so far, in all turns.
    pub(crate) fn length(&self) -> usize {
        self.written + self.text.len()
    }

    /// The bytes written in this turn.
    pub(crate) fn turn_length(&self) -> usize {
        self.text.len()
    }

    /// Ends the turn.
    pub(crate) fn end_turn(&mut self, speaker: Speaker) {
        let at = self.day.at(self.second);
        self.second += self.rng.between(4, 90);
        self.written += self.text.len();
        let text = std::mem::replace(&mut self.text, String::with_capacity(256));
        self.turns.push(Turn { speaker, at, text });
    }

    /// Writes text as it is.
    pub(crate) fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a value and labels it.
    pub(crate) fn value(&mut self, value: Value<'_>, templated: bool) {
        let start = self.text.len();
        self.text.push_str(value.text);
        self.labels.push(Label {
            turn: self.turns.len(),
            start,
            end: self.text.len(),
            entity: value.entity,
            tier1: value.tier1,
            templated,
        });
    }

    /// Begins the next sentence: on a new line where the last one did not end in a mark, as after a table or a bare
    /// number, so that the number's end stays plain to see.
    fn join(&mut self) {
        match self.text.chars().next_back() {
            None | Some('\n') => {}
            Some('.' | '?' | '!') => self.text.push(' '),
            Some(_) => self.text.push('\n'),
        }
    }

    /// Writes one of the sentences.
    pub(crate) fn any(&mut self, templates: &'static [Template]) {
        let template = self.rng.pick(templates);
        self.sentence(template, None, None);
    }

    /// Writes one of the sentences, with a value for its open slot and the words that name it.
    pub(crate) fn any_with(&mut self, templates: &'static [Template], value: Option<Value<'_>>, word: Option<&Word>) {
        let template = self.rng.pick(templates);
        self.sentence(template, value, word);
    }

    /// Writes a sentence.
    pub(crate) fn sentence(&mut self, template: &Template, value: Option<Value<'_>>, word: Option<&Word>) {
        self.join();
        for piece in template {
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Slot(Slot::Value) => {
                    if let Some(value) = value {
                        self.value(value, false);
                    }
                }
                Piece::Slot(Slot::Mine) => self.text.push_str(word.map_or("", |word| word.mine)),
                Piece::Slot(Slot::MineCapital) => {
                    self.text.push_str(&crate::text::capitalised(word.map_or("", |word| word.mine)));
                }
                Piece::Slot(Slot::Yours) => self.text.push_str(word.map_or("", |word| word.yours)),
                Piece::Slot(slot) => self.slot(*slot),
            }
        }
    }

    fn slot(&mut self, slot: Slot) {
        let (language, person) = (self.person.language, self.person);
        let rng = &mut self.rng;
        let text = match slot {
            Slot::Email | Slot::Address | Slot::Phone | Slot::Iban | Slot::Name => return self.personal(slot),
            Slot::Date => {
                let day = self.day.plus(-(rng.between(1, 40) as i64));
                things::date(rng, day, language, self.pack)
            }
            Slot::Days => rng.between(2, 9).to_string(),
            Slot::Error => things::error(rng),
            Slot::Hours => things::hours(rng, language),
            Slot::Invoice => self.invoice.get_or_insert_with(|| things::invoice(rng, self.day)).clone(),
            Slot::Order => self.order.get_or_insert_with(|| things::order(rng, self.day)).clone(),
            Slot::Percent => rng.between(1, 6).wrapping_mul(5).to_string(),
            Slot::Price => things::price(rng, language),
            Slot::Product => self.product.get_or_insert_with(|| *rng.pick(&self.pack.products)).to_string(),
            Slot::Quantity => rng.between(3, 12).to_string(),
            Slot::Soon => {
                let day = self.day.plus(rng.between(1, 12) as i64);
                things::date(rng, day, language, self.pack)
            }
            Slot::Table => things::table(rng, language, person.language.pack()),
            Slot::Ticket => self.ticket.clone(),
            Slot::Time => things::time(rng, language),
            Slot::Tracking => self.tracking.get_or_insert_with(|| things::tracking(rng)).clone(),
            Slot::Url => things::url(rng, language),
            Slot::Uuid => things::uuid(rng),
            Slot::Version => things::version(rng),
            // These are written by `sentence`, which has the value and the words.
            Slot::Value | Slot::Mine | Slot::MineCapital | Slot::Yours => return,
        };
        self.text.push_str(&text);
    }

    /// Writes what the customer says of themselves, not always as the account has it.
    fn personal(&mut self, slot: Slot) {
        let person = self.person;
        let (text, entity) = match slot {
            Slot::Email => match self.rng.below(5) {
                0 => (crate::text::capitalised(&person.email), "contact.email"),
                _ => (person.email.clone(), "contact.email"),
            },
            Slot::Address => match self.rng.below(8) {
                0 => (person.address.to_lowercase(), "location.address"),
                1 => (person.address.replace(',', ""), "location.address"),
                _ => (person.address.clone(), "location.address"),
            },
            Slot::Phone => (person.phone(self.rng.below(4)), "contact.phone"),
            Slot::Iban => (crate::forms::write(&mut self.rng, "iban", &person.iban()).0, "iban"),
            _ => (if self.rng.percent(50) { person.given.to_owned() } else { person.name() }, "person.name"),
        };
        self.value(Value { text: &text, entity, tier1: false }, false);
    }
}
