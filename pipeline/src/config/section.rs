//! A section while it is read: each key from the environment, or else from the file, or else its default.
//!
//! A reader says of each key its type, default, range and meaning, once. From what readers say come the configuration,
//! `maysend check --config`, the names of the variables, the JSON Schema, and the test of the example file.

use super::environment::{Reading, variable};
use maysend_detector::source::{Mistake, Mistakes, SourceFile, Table};
use serde_json::Value;
use std::{cell::RefCell, collections::BTreeMap, fmt, ops::RangeInclusive, time::Duration};

/// A key of the configuration, its value, and where that comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its section, such as `stream`; that of a subsection has a point in it.
    pub section: String,
    /// The key.
    pub key: String,
    /// What it means, in one sentence or two.
    pub description: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is when nobody sets it; `None` where nothing stands for it.
    pub default: Option<Value>,
    /// What it is now.
    pub value: Option<Value>,
    /// Where that comes from.
    pub origin: Origin,
}

/// What a key takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer in a range.
    Integer(RangeInclusive<i64>),
    /// `true` or `false`.
    Boolean,
    /// Any string.
    Text,
    /// A string that must be there.
    RequiredText,
    /// A string of a closed list.
    OneOf(Vec<&'static str>),
    /// One of the names that a table of options may have, each with a string.
    Option,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of the file, from 1.
    File(String, usize),
    /// An environment variable.
    Variable(String),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name, line) => write!(f, "{name}:{line}"),
            Self::Variable(name) => f.write_str(name),
            Self::Default => f.write_str("default"),
        }
    }
}

/// What all sections of one reading share.
pub(super) struct Reader<'r> {
    pub(super) file: &'r SourceFile,
    pub(super) mistakes: &'r Mistakes,
    pub(super) environment: Reading<'r>,
    pub(super) settings: RefCell<Vec<Setting>>,
}

/// A section while it is read. [`finish`](Section::finish) reports the keys that nobody asked for.
#[must_use = "`finish` reports the unknown keys"]
pub(super) struct Section<'s> {
    reader: &'s Reader<'s>,
    name: String,
    /// The section as it stands in the file, if it does.
    table: Option<Table<'s>>,
}

/// A variable with a short name, beside the one that every key has.
pub(super) struct Short {
    pub(super) variable: &'static str,
    /// Reads its text.
    pub(super) parse: fn(&str) -> Option<i64>,
    /// What it takes, in words.
    pub(super) takes: &'static str,
}

/// A value with the place that it comes from.
struct Found<T>(T, Origin);

impl<'s> Section<'s> {
    pub(super) fn new(reader: &'s Reader<'s>, name: &str, table: Option<Table<'s>>) -> Self {
        Self { reader, name: name.into(), table }
    }

    /// A string that must be there, and may not be empty.
    pub(super) fn required_string(&mut self, key: &str, description: &'static str) -> Option<String> {
        let found = self.found(key, Table::opt_string, |text| Some(text.to_owned()), "a string");
        if found.is_none() && !self.is_set(key) {
            let right = format!("it takes a string; or set {}", variable(&self.name, key));
            self.mistake(key, "missing", right);
        }
        let found = found.filter(|Found(text, _)| {
            let is_empty = text.trim().is_empty();
            if is_empty {
                self.mistake(key, "empty", "it takes a string");
            }
            !is_empty
        });
        self.record(key, description, Kind::RequiredText, None, found)
    }

    /// A string.
    pub(super) fn string(&mut self, key: &str, default: &str, description: &'static str) -> String {
        let found = self.found(key, Table::opt_string, |text| Some(text.to_owned()), "a string");
        self.record(key, description, Kind::Text, Some(default.to_owned()), found).unwrap_or_else(|| default.into())
    }

    /// A string that nothing stands for when it is not there. An empty one is a mistake.
    pub(super) fn opt_string(&mut self, key: &str, description: &'static str) -> Option<String> {
        let found = self.found(key, Table::opt_string, |text| Some(text.to_owned()), "a string");
        if found.as_ref().is_some_and(|Found(text, _)| text.is_empty()) {
            self.mistake(key, "empty", "write something, or leave it out");
        }
        self.record(key, description, Kind::Text, None, found)
    }

    /// `true` or `false`.
    pub(super) fn boolean(&mut self, key: &str, default: bool, description: &'static str) -> bool {
        let parse = |text: &str| text.parse().ok();
        let found = self.found(key, Table::opt_boolean, parse, "true or false");
        self.record(key, description, Kind::Boolean, Some(default), found).unwrap_or(default)
    }

    /// An integer in a range that its type can hold.
    pub(super) fn integer<T: TryFrom<i64>>(
        &mut self,
        key: &str,
        default: i64,
        range: RangeInclusive<i64>,
        description: &'static str,
    ) -> Option<T> {
        let found = self.found_integer(key, &range);
        let value = self.record(key, description, Kind::Integer(range), Some(default), found).unwrap_or(default);
        T::try_from(value).ok()
    }

    /// An integer that nothing stands for when it is not there. It can also be set by a variable with a short name,
    /// with a text of its own.
    pub(super) fn opt_integer<T: TryFrom<i64>>(
        &mut self,
        key: &str,
        range: RangeInclusive<i64>,
        short: &Short,
        description: &'static str,
    ) -> Option<T> {
        let mut found = self.found_integer(key, &range);
        if let Some(text) = self.reader.environment.take(short.variable) {
            let (name, path, long) = (short.variable, self.path(key), variable(&self.name, key));
            match (short.parse)(text).filter(|value| range.contains(value)) {
                None => self.reader.environment.mistake(name, &path, format!("`{text}`"), short.takes),
                Some(value) => match &found {
                    Some(Found(other, Origin::Variable(_))) if *other != value => {
                        let wrong = format!("{value}, and {long} is {other}");
                        self.reader.environment.mistake(name, &path, wrong, "set one of the two");
                    }
                    _ => found = Some(Found(value, Origin::Variable(name.into()))),
                },
            }
        }
        let value = self.record(key, description, Kind::Integer(range), None, found)?;
        T::try_from(value).ok()
    }

    /// A time in milliseconds, from 1 to an hour.
    pub(super) fn milliseconds(&mut self, key: &str, default: u32, description: &'static str) -> Duration {
        let value: Option<u64> = self.integer(key, default.into(), 1..=3_600_000, description);
        Duration::from_millis(value.unwrap_or(default.into()))
    }

    /// A string of a closed list; the first stands for it when it is not there.
    pub(super) fn one_of<T: Copy>(
        &mut self,
        key: &str,
        known: &[(&'static str, T)],
        description: &'static str,
    ) -> Option<T> {
        let (name, value) = *known.first()?;
        Some(self.of_list(key, known, Some(name), description).unwrap_or(value))
    }

    /// A string of a closed list; nothing stands for it when it is not there.
    pub(super) fn opt_one_of<T: Copy>(
        &mut self,
        key: &str,
        known: &[(&'static str, T)],
        description: &'static str,
    ) -> Option<T> {
        self.of_list(key, known, None, description)
    }

    fn of_list<T: Copy>(
        &mut self,
        key: &str,
        known: &[(&'static str, T)],
        default: Option<&str>,
        description: &'static str,
    ) -> Option<T> {
        let names: Vec<&'static str> = known.iter().map(|(name, _)| *name).collect();
        let found = self.found_of(key, &names);
        let name = self.record(key, description, Kind::OneOf(names), default.map(str::to_owned), found)?;
        known.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// A table of options, names in lower case with points, each a string. `refusal` says what is wrong with setting
    /// one, and what would be right. In a variable's name an option's points are underscores.
    pub(super) fn options(
        &mut self,
        key: &str,
        description: &'static str,
        refusal: impl Fn(&str) -> Option<(&'static str, String)>,
    ) -> BTreeMap<String, String> {
        let mut options = self.nested(key);
        let start = variable(&options.name, "");
        let in_file = options.table.as_ref().map(Table::keys).unwrap_or_default();
        let in_environment = self.reader.environment.names_after(&start).into_iter();
        let in_environment = in_environment.map(|name| name.to_ascii_lowercase().replace('_', "."));
        let mut names: Vec<String> = in_file.into_iter().chain(in_environment).collect();
        names.sort();
        names.dedup();
        let mut all = BTreeMap::new();
        for name in names {
            let found = options.found(&name, Table::opt_string, |text| Some(text.to_owned()), "a string");
            if let Some((wrong, right)) = refusal(&name) {
                options.mistake(&name, wrong, right);
            } else if let Some(value) = options.record(&name, description, Kind::Option, None, found) {
                all.insert(name, value);
            }
        }
        options.finish();
        all
    }

    /// A subsection.
    pub(super) fn nested(&mut self, key: &str) -> Self {
        let table = self.table.as_mut().and_then(|table| table.opt_table(key));
        Self { reader: self.reader, name: self.path(key), table }
    }

    /// Whether the file or the environment sets a key that was asked for.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.table.as_ref().is_some_and(|table| table.has(key)) || self.variable_of(key).is_some()
    }

    /// Reports a mistake at a key, where its value comes from.
    pub(super) fn mistake(&self, key: &str, wrong: impl Into<String>, right: impl Into<String>) {
        match (self.variable_of(key), &self.table) {
            (Some(name), _) => self.reader.environment.mistake(&name, &self.path(key), wrong, right),
            (None, Some(table)) => table.mistake(key, wrong, right),
            (None, None) => self.reader.mistakes.report(Mistake {
                file: self.reader.file.name.clone(),
                line: 1,
                key: self.path(key),
                wrong: wrong.into(),
                right: right.into(),
            }),
        }
    }

    /// Reports every key of the file that was not asked for.
    pub(super) fn finish(self) {
        if let Some(table) = self.table {
            table.finish();
        }
    }

    fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.name)
    }

    /// The variable that sets a key, if it is set.
    fn variable_of(&self, key: &str) -> Option<String> {
        let name = variable(&self.name, key);
        self.reader.environment.take(&name).is_some().then_some(name)
    }

    fn found_integer(&mut self, key: &str, range: &RangeInclusive<i64>) -> Option<Found<i64>> {
        let found = self.found(key, Table::opt_integer, |text| text.parse().ok(), "an integer");
        found.filter(|Found(value, _)| {
            if !range.contains(value) {
                self.mistake(key, value.to_string(), format!("{} to {}", range.start(), range.end()));
            }
            range.contains(value)
        })
    }

    fn found_of(&mut self, key: &str, names: &[&'static str]) -> Option<Found<String>> {
        let found = self.found(key, Table::opt_string, |text| Some(text.to_owned()), "a string");
        found.filter(|Found(text, _)| {
            let is_known = names.contains(&text.as_str());
            if !is_known {
                self.mistake(key, format!("unknown value `{text}`"), format!("one of {}", names.join(", ")));
            }
            is_known
        })
    }

    /// The value of a key: of its variable, or else in the file. The file's type is looked at in any case.
    fn found<T>(
        &mut self,
        key: &str,
        from_file: fn(&mut Table<'s>, &str) -> Option<T>,
        from_text: impl Fn(&str) -> Option<T>,
        takes: &str,
    ) -> Option<Found<T>> {
        let in_file = self.table.as_mut().and_then(|table| {
            let value = from_file(table, key)?;
            Some(Found(value, Origin::File(self.reader.file.name.clone(), table.line_of(key)?)))
        });
        let variable = variable(&self.name, key);
        let Some(text) = self.reader.environment.take(&variable) else { return in_file };
        let value = from_text(text);
        if value.is_none() {
            self.reader.environment.mistake(
                &variable,
                &self.path(key),
                format!("`{text}`"),
                format!("it takes {takes}"),
            );
        }
        value.map(|value| Found(value, Origin::Variable(variable)))
    }

    fn record<T: Clone + Into<Value>>(
        &self,
        key: &str,
        description: &'static str,
        kind: Kind,
        default: Option<T>,
        found: Option<Found<T>>,
    ) -> Option<T> {
        let (value, origin) = match found {
            Some(Found(value, origin)) => (Some(value), origin),
            None => (default.clone(), Origin::Default),
        };
        self.reader.settings.borrow_mut().push(Setting {
            section: self.name.clone(),
            key: key.into(),
            description,
            kind,
            default: default.map(Into::into),
            value: value.clone().map(Into::into),
            origin,
        });
        value
    }
}
