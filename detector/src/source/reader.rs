//! The reader: a table whose keys are taken one by one, each with its type.

use super::{Mistake, Mistakes, SourceFile, nearest};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
    value::Datetime,
};

/// Parses a file; reports all of its syntax errors.
pub(super) fn read<'s>(file: &'s SourceFile, mistakes: &'s Mistakes) -> Option<Table<'s>> {
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    for error in &errors {
        mistakes.report(Mistake {
            file: file.name.clone(),
            line: error.span().map_or(1, |span| file.line_of(span.start)),
            key: String::new(),
            wrong: format!("not TOML: {}", error.message()),
            right: "see https://toml.io".into(),
        });
    }
    errors.is_empty().then(|| Table::new(file, mistakes, String::new(), 1, table.into_inner()))
}

/// A value with the line and the key it stands at.
#[derive(Clone, Debug)]
pub struct Item<T> {
    /// The value.
    pub value: T,
    /// Line in the file, from 1.
    pub line: usize,
    /// Dotted path of its key.
    pub key: String,
}

/// A table being read. Take each key with the method of its type; then [`finish`](Table::finish) reports every key
/// that nobody took. A wrong type or a missing required key is reported and read as `None`.
#[must_use = "`finish` reports the unknown keys"]
#[derive(Debug)]
pub struct Table<'s> {
    file: &'s SourceFile,
    mistakes: &'s Mistakes,
    path: String,
    line: usize,
    entries: Vec<Entry<'s>>,
    asked: Vec<String>,
}

#[derive(Debug)]
struct Entry<'s> {
    key: String,
    line: usize,
    value: Option<DeValue<'s>>,
}

impl<'s> Table<'s> {
    fn new(file: &'s SourceFile, mistakes: &'s Mistakes, path: String, line: usize, table: DeTable<'s>) -> Self {
        let mut entries: Vec<Entry<'s>> = table
            .into_iter()
            .map(|(key, value)| Entry {
                line: file.line_of(key.span().start),
                key: key.into_inner().into_owned(),
                value: Some(value.into_inner()),
            })
            .collect();
        entries.sort_by_key(|entry| entry.line);
        Self { file, mistakes, path, line, entries, asked: Vec::new() }
    }

    /// Line of the table's header, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Dotted path of the table; empty for the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The keys, in the order of the file.
    pub fn keys(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.key.clone()).collect()
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Line of a key in the file, from 1.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.line)
    }

    /// Whether the key holds a table that has not been taken.
    pub fn is_table(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key && matches!(entry.value, Some(DeValue::Table(_))))
    }

    /// A required string.
    pub fn string(&mut self, key: &str) -> Option<String> {
        self.required(key, "a string", as_string).map(|item| item.value)
    }

    /// An optional string.
    pub fn opt_string(&mut self, key: &str) -> Option<String> {
        self.optional(key, "a string", as_string).map(|item| item.value)
    }

    /// A required integer.
    pub fn integer(&mut self, key: &str) -> Option<i64> {
        self.required(key, "an integer", as_integer).map(|item| item.value)
    }

    /// An optional integer.
    pub fn opt_integer(&mut self, key: &str) -> Option<i64> {
        self.optional(key, "an integer", as_integer).map(|item| item.value)
    }

    /// A required `true` or `false`.
    pub fn boolean(&mut self, key: &str) -> Option<bool> {
        self.required(key, "true or false", as_boolean).map(|item| item.value)
    }

    /// An optional `true` or `false`.
    pub fn opt_boolean(&mut self, key: &str) -> Option<bool> {
        self.optional(key, "true or false", as_boolean).map(|item| item.value)
    }

    /// A required local date, as `YYYY-MM-DD`.
    pub fn date(&mut self, key: &str) -> Option<(i16, i8, i8)> {
        self.required(key, "a date such as 2026-02-11, without quotes", as_date).map(|item| item.value)
    }

    /// An optional local date, as `YYYY-MM-DD`.
    pub fn opt_date(&mut self, key: &str) -> Option<(i16, i8, i8)> {
        self.optional(key, "a date such as 2026-02-11, without quotes", as_date).map(|item| item.value)
    }

    /// An optional list of strings; empty when the key is missing.
    pub fn strings(&mut self, key: &str) -> Vec<Item<String>> {
        self.list(key, "a string", as_string)
    }

    /// An optional list of integers; empty when the key is missing.
    pub fn integers(&mut self, key: &str) -> Vec<Item<i64>> {
        self.list(key, "an integer", as_integer)
    }

    /// A required string that is one of a closed list; the mistake names the list.
    pub fn one_of<T: Copy>(&mut self, key: &str, known: &[(&str, T)]) -> Option<T> {
        let name = self.string(key)?;
        self.choose(key, &name, known)
    }

    /// An optional string that is one of a closed list.
    pub fn opt_one_of<T: Copy>(&mut self, key: &str, known: &[(&str, T)]) -> Option<T> {
        let name = self.opt_string(key)?;
        self.choose(key, &name, known)
    }

    /// A required table.
    pub fn table(&mut self, key: &str) -> Option<Table<'s>> {
        let found = self.opt_table(key);
        if found.is_none() && !self.has(key) {
            self.missing(key, "a table");
        }
        found
    }

    /// An optional table.
    pub fn opt_table(&mut self, key: &str) -> Option<Table<'s>> {
        let item = self.optional(key, "a table", |value| match value {
            DeValue::Table(table) => Ok(table),
            other => Err(other),
        })?;
        Some(Table::new(self.file, self.mistakes, item.key, item.line, item.value))
    }

    /// The tables of an array of tables (`[[key]]`); empty when the key is missing.
    pub fn tables(&mut self, key: &str) -> Vec<Table<'s>> {
        self.list(key, "a table", |value| match value {
            DeValue::Table(table) => Ok(table),
            other => Err(other),
        })
        .into_iter()
        .map(|item| Table::new(self.file, self.mistakes, item.key, item.line, item.value))
        .collect()
    }

    /// Reports a mistake at a key of this table; at the table itself when the key is empty.
    pub fn mistake(&self, key: &str, wrong: impl Into<String>, right: impl Into<String>) {
        let line = self.entries.iter().find(|entry| entry.key == key).map_or(self.line, |entry| entry.line);
        let key = if key.is_empty() { self.path.clone() } else { self.key_path(key) };
        self.report(line, key, wrong.into(), right.into());
    }

    /// Reports a mistake at an item that was read from this table.
    pub fn mistake_at<T>(&self, item: &Item<T>, wrong: impl Into<String>, right: impl Into<String>) {
        self.report(item.line, item.key.clone(), wrong.into(), right.into());
    }

    /// Reports every key that was not taken.
    pub fn finish(self) {
        for entry in &self.entries {
            if self.asked.contains(&entry.key) {
                continue;
            }
            let right = match nearest(&entry.key, self.asked.iter().map(String::as_str)) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known here: {}", self.asked.join(", ")),
            };
            self.report(entry.line, self.key_path(&entry.key), "unknown key".into(), right);
        }
    }

    fn choose<T: Copy>(&mut self, key: &str, name: &str, known: &[(&str, T)]) -> Option<T> {
        if let Some((_, value)) = known.iter().find(|(known, _)| *known == name) {
            return Some(*value);
        }
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        self.mistake(key, format!("unknown value `{name}`"), format!("one of {}", names.join(", ")));
        None
    }

    fn required<T>(&mut self, key: &str, takes: &str, read: Read<'s, T>) -> Option<Item<T>> {
        if !self.has(key) {
            self.missing(key, takes);
        }
        self.optional(key, takes, read)
    }

    fn optional<T>(&mut self, key: &str, takes: &str, read: Read<'s, T>) -> Option<Item<T>> {
        self.ask(key);
        let (line, value) = self.take(key)?;
        let key = self.key_path(key);
        self.convert(line, key, value, takes, read)
    }

    fn list<T>(&mut self, key: &str, takes: &str, read: Read<'s, T>) -> Vec<Item<T>> {
        self.ask(key);
        let Some((line, value)) = self.take(key) else { return Vec::new() };
        let DeValue::Array(array) = value else {
            self.report(line, self.key_path(key), kind(&value).into(), format!("it takes a list, each {takes}"));
            return Vec::new();
        };
        let mut items = Vec::new();
        for (i, element) in array.into_iter().enumerate() {
            let line = self.element_line(&element, line);
            let key = format!("{}[{i}]", self.key_path(key));
            items.extend(self.convert(line, key, element.into_inner(), takes, read));
        }
        items
    }

    fn convert<T>(
        &self,
        line: usize,
        key: String,
        value: DeValue<'s>,
        takes: &str,
        read: Read<'s, T>,
    ) -> Option<Item<T>> {
        match read(value) {
            Ok(value) => Some(Item { value, line, key }),
            Err(other) => {
                self.report(line, key, kind(&other).into(), format!("it takes {takes}"));
                None
            }
        }
    }

    fn element_line(&self, element: &Spanned<DeValue<'s>>, otherwise: usize) -> usize {
        match element.span() {
            span if span.is_empty() => otherwise,
            span => self.file.line_of(span.start),
        }
    }

    fn ask(&mut self, key: &str) {
        if !self.asked.iter().any(|asked| asked == key) {
            self.asked.push(key.into());
        }
    }

    fn take(&mut self, key: &str) -> Option<(usize, DeValue<'s>)> {
        let entry = self.entries.iter_mut().find(|entry| entry.key == key)?;
        Some((entry.line, entry.value.take()?))
    }

    fn missing(&mut self, key: &str, takes: &str) {
        self.ask(key);
        self.report(self.line, self.key_path(key), "missing".into(), format!("it takes {takes}"));
    }

    fn key_path(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    fn report(&self, line: usize, key: String, wrong: String, right: String) {
        self.mistakes.report(Mistake { file: self.file.name.clone(), line, key, wrong, right });
    }
}

type Read<'s, T> = fn(DeValue<'s>) -> Result<T, DeValue<'s>>;

fn as_string(value: DeValue<'_>) -> Result<String, DeValue<'_>> {
    match value {
        DeValue::String(text) => Ok(text.into_owned()),
        other => Err(other),
    }
}

fn as_integer(value: DeValue<'_>) -> Result<i64, DeValue<'_>> {
    match &value {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| value),
        _ => Err(value),
    }
}

fn as_boolean(value: DeValue<'_>) -> Result<bool, DeValue<'_>> {
    match value {
        DeValue::Boolean(boolean) => Ok(boolean),
        other => Err(other),
    }
}

fn as_date(value: DeValue<'_>) -> Result<(i16, i8, i8), DeValue<'_>> {
    match value {
        DeValue::Datetime(Datetime { date: Some(date), time: None, offset: None }) => {
            Ok((date.year as i16, date.month as i8, date.day as i8))
        }
        other => Err(other),
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
