//! The weights of evidence that are the same for every pattern, read from `evidence.toml`.

use crate::{
    pattern::EntityLabel,
    source::{Mistakes, SourceFile, Table},
};

/// Points, in tenths of a ban, and the distances they hold for, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Below this a candidate is noise.
    pub floor: i32,
    /// What a candidate whose check failed keeps at most.
    pub failed_check_cap: i32,
    /// A label before, at most [`adjacent_words`](Self::adjacent_words) between.
    pub label_adjacent: i32,
    /// See [`label_adjacent`](Self::label_adjacent).
    pub adjacent_words: usize,
    /// A label before, within the entity's distance.
    pub label_near: i32,
    /// A label after, at most [`after_words`](Self::after_words) between.
    pub label_after: i32,
    /// See [`label_after`](Self::label_after).
    pub after_words: usize,
    /// The turn before, by another speaker, asks for it.
    pub question: i32,
    /// A label in the header of its column.
    pub header: i32,
    /// The usual distance of a label.
    pub within: usize,
    /// Separated as one of the pattern's forms says.
    pub grouping_canonical: i32,
    /// Separated otherwise.
    pub grouping_odd: i32,
    /// The tenant's pack holds the entity's country.
    pub pack_home: i32,
    /// It passed its check, and the turn holds nothing else.
    pub alone: i32,
    /// A reading inside a longer one that passed its check, outweighed by this much, is explained by it.
    pub explained: i32,
    /// A label says that a reference is not one.
    pub reference_contradicted: i32,
    /// A decimal or thousands separator joins it to more digits.
    pub decimal: i32,
    /// Groups of digits adjoin it.
    pub longer_run: i32,
    /// Inside a URL.
    pub url: i32,
    /// Inside a UUID.
    pub uuid: i32,
    /// Digits of a date and time, or time since 1970.
    pub timestamp: i32,
    /// Hours of opening.
    pub hours: i32,
    /// A word before it names something else.
    pub other_label: i32,
    /// Words that name numbers of other kinds.
    pub other_labels: Vec<EntityLabel>,
    /// Letters in it were read as digits.
    pub misread: i32,
    /// It is joined from several turns.
    pub joined: i32,
    /// What something joined must come to, if nothing names it.
    pub joined_alone: i32,
    /// Words by which people correct the end of a number.
    pub corrections: Vec<EntityLabel>,
}

/// Reads the weights; `None` with the mistakes reported.
pub fn load(file: &SourceFile, mistakes: &Mistakes) -> Option<Weights> {
    let mut root = file.read(mistakes)?;
    let floor = number(&mut root, "floor", 0, 100);
    let failed_check_cap = number(&mut root, "failed_check_cap", 0, 100);

    let mut label = root.table("label")?;
    let label_adjacent = number(&mut label, "adjacent", 0, 100);
    let adjacent_words = number(&mut label, "adjacent_words", 0, 40);
    let label_near = number(&mut label, "near", 0, 100);
    let label_after = number(&mut label, "after", 0, 100);
    let after_words = number(&mut label, "after_words", 0, 40);
    let question = number(&mut label, "question", 0, 100);
    let header = number(&mut label, "header", 0, 100);
    let within = number(&mut label, "within", 1, 40);
    label.finish();

    let mut grouping = root.table("grouping")?;
    let grouping_canonical = number(&mut grouping, "canonical", 0, 100);
    let grouping_odd = number(&mut grouping, "odd", -100, 0);
    grouping.finish();

    let mut pack = root.table("pack")?;
    let pack_home = number(&mut pack, "home", 0, 100);
    pack.finish();

    let mut turn = root.table("turn")?;
    let alone = number(&mut turn, "alone", 0, 100);
    turn.finish();

    let mut overlap = root.table("overlap")?;
    let explained = number(&mut overlap, "explained", 0, 100);
    overlap.finish();

    let mut reference = root.table("reference")?;
    let reference_contradicted = number(&mut reference, "contradicted", 0, 100);
    reference.finish();

    let mut lookalike = root.table("lookalike")?;
    let decimal = number(&mut lookalike, "decimal", -100, 0);
    let longer_run = number(&mut lookalike, "longer_run", -100, 0);
    let url = number(&mut lookalike, "url", -100, 0);
    let uuid = number(&mut lookalike, "uuid", -100, 0);
    let timestamp = number(&mut lookalike, "timestamp", -100, 0);
    // A ruleset without it counts them as any time.
    let hours = if lookalike.has("hours") { number(&mut lookalike, "hours", -100, 0) } else { timestamp };
    let other_label = number(&mut lookalike, "other_label", -100, 0);
    let other_labels = lookalike.table("labels").map(words).unwrap_or_default();
    lookalike.finish();

    let mut reading = root.table("reading")?;
    let misread = number(&mut reading, "misread", -100, 0);
    let joined = number(&mut reading, "joined", -100, 0);
    let joined_alone = number(&mut reading, "joined_alone", 0, 100);
    let corrections = reading.table("corrections").map(words).unwrap_or_default();
    reading.finish();
    root.finish();

    Some(Weights {
        floor: floor?,
        failed_check_cap: failed_check_cap?,
        label_adjacent: label_adjacent?,
        adjacent_words: adjacent_words? as usize,
        label_near: label_near?,
        label_after: label_after?,
        after_words: after_words? as usize,
        question: question?,
        header: header?,
        within: within? as usize,
        grouping_canonical: grouping_canonical?,
        grouping_odd: grouping_odd?,
        pack_home: pack_home?,
        alone: alone?,
        explained: explained?,
        reference_contradicted: reference_contradicted?,
        decimal: decimal?,
        longer_run: longer_run?,
        url: url?,
        uuid: uuid?,
        timestamp: timestamp?,
        hours: hours?,
        other_label: other_label?,
        other_labels,
        misread: misread?,
        joined: joined?,
        joined_alone: joined_alone?,
        corrections,
    })
}

fn words(mut table: Table<'_>) -> Vec<EntityLabel> {
    let (_, words) = crate::pattern::read_labels(&mut table);
    table.finish();
    words
}

fn number(table: &mut Table<'_>, key: &str, low: i64, high: i64) -> Option<i32> {
    let value = table.integer(key)?;
    if !(low..=high).contains(&value) {
        table.mistake(key, value.to_string(), format!("{low} to {high}"));
        return None;
    }
    i32::try_from(value).ok()
}
