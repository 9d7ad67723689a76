//! The languages of a corpus: sentence templates and words, read from the data files that are built in.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::rng::Rng;

/// A language of the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Dutch.
    Nl,
    /// English.
    En,
    /// German.
    De,
    /// French.
    Fr,
    /// Spanish.
    Es,
    /// Italian.
    It,
}

/// The languages and how many customers of a hundred speak each.
pub const LANGUAGES: [(Language, u64); 6] = [
    (Language::Nl, 36),
    (Language::En, 30),
    (Language::De, 12),
    (Language::Fr, 8),
    (Language::Es, 7),
    (Language::It, 7),
];

impl Language {
    /// Draws a language by its share.
    pub(crate) fn draw(rng: &mut Rng) -> Self {
        LANGUAGES[rng.weighted(LANGUAGES.iter().map(|(_, weight)| *weight))].0
    }

    /// The two-letter code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Nl => "nl",
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
            Self::Es => "es",
            Self::It => "it",
        }
    }

    /// The country whose accounts and telephone numbers its speakers have.
    pub(crate) const fn country(self) -> &'static str {
        match self {
            Self::Nl => "NL",
            Self::En => "GB",
            Self::De => "DE",
            Self::Fr => "FR",
            Self::Es => "ES",
            Self::It => "IT",
        }
    }

    /// The sentences and words.
    pub(crate) fn pack(self) -> &'static Pack {
        &PACKS[self as usize]
    }
}

/// What a template leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Address,
    Date,
    Days,
    Email,
    Error,
    Hours,
    Iban,
    Invoice,
    MineCapital,
    Mine,
    Name,
    Order,
    Percent,
    Phone,
    Price,
    Product,
    Quantity,
    Soon,
    Table,
    Ticket,
    Time,
    Tracking,
    Url,
    Uuid,
    Value,
    Version,
    Yours,
}

impl Slot {
    fn read(name: &str) -> Result<Self, String> {
        Ok(match name {
            "address" => Self::Address,
            "date" => Self::Date,
            "days" => Self::Days,
            "email" => Self::Email,
            "error" => Self::Error,
            "hours" => Self::Hours,
            "iban" => Self::Iban,
            "invoice" => Self::Invoice,
            "Mine" => Self::MineCapital,
            "mine" => Self::Mine,
            "name" => Self::Name,
            "order" => Self::Order,
            "percent" => Self::Percent,
            "phone" => Self::Phone,
            "price" => Self::Price,
            "product" => Self::Product,
            "quantity" => Self::Quantity,
            "soon" => Self::Soon,
            "table" => Self::Table,
            "ticket" => Self::Ticket,
            "time" => Self::Time,
            "tracking" => Self::Tracking,
            "url" => Self::Url,
            "uuid" => Self::Uuid,
            "value" => Self::Value,
            "version" => Self::Version,
            "yours" => Self::Yours,
            _ => return Err(format!("unknown slot `{name}`")),
        })
    }
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Slot(Slot),
}

/// A sentence with slots.
pub(crate) type Template = Vec<Piece>;

/// How a customer names a number of an entity, and how an agent does.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) entity: &'static str,
    pub(crate) mine: &'static str,
    pub(crate) yours: &'static str,
}

/// All of a language.
#[derive(Debug)]
pub(crate) struct Pack {
    pub(crate) greeting: Vec<Template>,
    pub(crate) opening: Vec<Template>,
    pub(crate) detail: Vec<Template>,
    /// What agents say in the middle of a conversation: questions and answers.
    pub(crate) agent: Vec<Template>,
    pub(crate) closing_customer: Vec<Template>,
    pub(crate) closing_agent: Vec<Template>,
    pub(crate) reference_customer: Vec<Template>,
    pub(crate) reference_agent: Vec<Template>,
    pub(crate) email: Vec<Template>,
    pub(crate) address: Vec<Template>,
    pub(crate) phone: Vec<Template>,
    pub(crate) iban: Vec<Template>,
    pub(crate) name: Vec<Template>,
    pub(crate) number: Vec<Template>,
    pub(crate) ask: Vec<Template>,
    pub(crate) reply: Vec<Template>,
    pub(crate) alone: Vec<Template>,
    pub(crate) secret: Vec<Template>,
    pub(crate) mrz: Vec<Template>,
    pub(crate) password: Vec<Template>,
    pub(crate) cvv: Vec<Template>,
    pub(crate) words: Vec<Word>,
    pub(crate) products: Vec<&'static str>,
    /// The head of an order table, and the word for its sum.
    pub(crate) table: Vec<&'static str>,
    pub(crate) months: Vec<&'static str>,
    pub(crate) given: Vec<&'static str>,
    pub(crate) family: Vec<&'static str>,
    pub(crate) streets: Vec<&'static str>,
    pub(crate) cities: Vec<&'static str>,
}

/// In the order of [`Language`].
static PACKS: LazyLock<[Pack; 6]> = LazyLock::new(|| {
    [
        include_str!("../data/nl.txt"),
        include_str!("../data/en.txt"),
        include_str!("../data/de.txt"),
        include_str!("../data/fr.txt"),
        include_str!("../data/es.txt"),
        include_str!("../data/it.txt"),
    ]
    // The files are part of the program and a test reads them all, so a user cannot meet this panic.
    .map(|text| Pack::read(text).unwrap_or_else(|error| panic!("a language file is broken: {error}")))
});

fn template(line: &str) -> Result<Template, String> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (text, after) = rest.split_once('{').unwrap_or((rest, ""));
        if !text.is_empty() {
            pieces.push(Piece::Text(text.replace("\\n", "\n")));
        }
        if text.len() == rest.len() {
            break;
        }
        let (name, after) = after.split_once('}').ok_or_else(|| format!("`{line}` has an open slot"))?;
        pieces.push(Piece::Slot(Slot::read(name)?));
        rest = after;
    }
    Ok(pieces)
}

fn word(line: &'static str) -> Result<Word, String> {
    let parts: Vec<&str> = line.split(" | ").collect();
    match parts[..] {
        [entity, mine, yours] => Ok(Word { entity, mine, yours }),
        _ => Err(format!("`{line}` is not `entity | mine | yours`")),
    }
}

impl Pack {
    fn read(text: &'static str) -> Result<Self, String> {
        let mut sections: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
        let mut section = "";
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name;
            } else {
                sections.entry(section).or_default().push(line);
            }
        }
        let mut lines = |name: &str| sections.remove(name).ok_or_else(|| format!("no section `{name}`"));
        let mut templates = |names: &[&str]| -> Result<Vec<Template>, String> {
            let mut all = Vec::new();
            for name in names {
                all.extend(lines(name)?.into_iter().map(template).collect::<Result<Vec<_>, _>>()?);
            }
            Ok(all)
        };
        let pack = Self {
            greeting: templates(&["greeting"])?,
            opening: templates(&["opening"])?,
            detail: templates(&["detail"])?,
            agent: templates(&["question", "answer"])?,
            closing_customer: templates(&["closing.customer"])?,
            closing_agent: templates(&["closing.agent"])?,
            reference_customer: templates(&["reference.customer"])?,
            reference_agent: templates(&["reference.agent"])?,
            email: templates(&["email"])?,
            address: templates(&["address"])?,
            phone: templates(&["phone"])?,
            iban: templates(&["iban"])?,
            name: templates(&["name"])?,
            number: templates(&["number"])?,
            ask: templates(&["ask"])?,
            reply: templates(&["reply"])?,
            alone: templates(&["alone"])?,
            secret: templates(&["secret"])?,
            mrz: templates(&["mrz"])?,
            password: templates(&["password"])?,
            cvv: templates(&["cvv"])?,
            words: lines("word")?.into_iter().map(word).collect::<Result<_, _>>()?,
            products: lines("product")?,
            table: lines("table")?,
            months: lines("month")?,
            given: lines("given")?,
            family: lines("family")?,
            streets: lines("street")?,
            cities: lines("city")?,
        };
        match sections.keys().next() {
            Some(name) => Err(format!("unknown section `{name}`")),
            None => Ok(pack),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_complete() {
        for (language, _) in LANGUAGES {
            let pack = language.pack();
            assert_eq!(pack.months.len(), 12, "{}", language.code());
            assert_eq!(pack.table.len(), 2, "{}", language.code());
            assert!(pack.detail.len() + pack.agent.len() + pack.opening.len() >= 30, "{}", language.code());
            let values = [&pack.number, &pack.reply, &pack.alone, &pack.secret, &pack.mrz, &pack.password, &pack.cvv]
                .into_iter();
            for template in values.flatten() {
                assert_eq!(template.iter().filter(|piece| **piece == Piece::Slot(Slot::Value)).count(), 1);
            }
        }
    }

    #[test]
    fn tickets_stand_in_reference_sentences_only() {
        let holds = |template: &Template| template.contains(&Piece::Slot(Slot::Ticket));
        for (language, _) in LANGUAGES {
            let pack = language.pack();
            assert!(pack.reference_customer.iter().chain(&pack.reference_agent).all(holds));
            let others = [&pack.greeting, &pack.opening, &pack.detail, &pack.agent, &pack.closing_agent];
            assert!(!others.into_iter().flatten().any(holds), "the rates count on it");
        }
    }

    #[test]
    fn broken_templates_are_refused() {
        assert!(template("an {open slot").is_err());
        assert!(template("an {unknown} slot").is_err());
        assert_eq!(template("{value}.").unwrap(), [Piece::Slot(Slot::Value), Piece::Text(".".to_owned())]);
    }
}
