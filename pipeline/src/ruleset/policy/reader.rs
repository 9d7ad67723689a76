//! From `policy.toml` to a [`Policy`]: all its mistakes at once.

use super::{
    super::{date, text},
    Action, Combination, Form, Intake, Policy, Rule, Shadow, Tier, When, is_reserved, rules,
};
use jiff::civil::Date;
use maysend_detector::{
    finding::EntityId,
    source::{Mistakes, SourceFile, Table, nearest},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Points that no sum of evidence reaches; a threshold beyond is a slip of the pen that would switch a rule off.
const MOST_POINTS: i64 = 200;

/// The largest `max_record_bytes`: records are held in memory whole.
const MOST_BYTES: i64 = 64 * 1_048_576;

pub(super) fn read(
    file: &SourceFile,
    known: &BTreeSet<String>,
    destinations: Option<&BTreeSet<String>>,
    mistakes: &Mistakes,
) -> Policy {
    let Some(mut root) = file.read(mistakes) else { return empty() };
    let version = version(&mut root);
    let dated = date(&mut root, "dated").unwrap_or(Date::ZERO);
    let intake = root.opt_table("intake").map_or_else(Intake::default, intake);
    let defaults = root.opt_table("defaults").map_or(DEFAULTS, defaults);

    let rules = rules::read(&mut root, known, defaults);
    let combinations = root.tables("combination");
    let combinations = combinations.into_iter().filter_map(|table| combination(table, known, &rules)).collect();
    let shadows = root.opt_table("mode").map(|table| shadows(table, destinations)).unwrap_or_default();
    root.finish();
    Policy { version, dated, intake, combinations, rules, unknown: without_rule(defaults, "PERSONAL_DATA"), shadows }
}

/// Both thresholds, in points.
#[derive(Clone, Copy)]
pub(super) struct Thresholds {
    pub redact_at: i32,
    pub block_at: i32,
}

const DEFAULTS: Thresholds = Thresholds { redact_at: 20, block_at: 40 };

fn empty() -> Policy {
    Policy {
        version: 0,
        dated: Date::ZERO,
        intake: Intake::default(),
        combinations: Vec::new(),
        rules: HashMap::new(),
        unknown: without_rule(DEFAULTS, "PERSONAL_DATA"),
        shadows: BTreeMap::new(),
    }
}

/// What an entity without a rule gets.
pub(super) fn without_rule(defaults: Thresholds, label: &str) -> Rule {
    Rule {
        tier: Tier::One,
        action: Action::Redact,
        redact_at: defaults.redact_at,
        block_at: defaults.block_at,
        form: Form::Placeholder,
        label: label.into(),
    }
}

fn version(root: &mut Table<'_>) -> u32 {
    let version = root.integer("version").unwrap_or(1);
    let valid = u32::try_from(version).ok().filter(|version| *version > 0);
    if valid.is_none() {
        root.mistake("version", format!("{version} is not a version"), "a whole number from 1");
    }
    valid.unwrap_or(1)
}

fn intake(mut table: Table<'_>) -> Intake {
    let mut intake = Intake::default();
    for member in table.strings("carry") {
        let name = member.value.as_str();
        if name.is_empty() {
            table.mistake_at(&member, "an empty name", "the name of a member of the record");
        } else if is_reserved(name) {
            table.mistake_at(&member, format!("`{name}` is a member of the gate's own records"), "leave it out");
        } else if intake.carry.iter().any(|other| other == name) {
            table.mistake_at(&member, format!("`{name}` is listed twice"), "list it once");
        } else {
            intake.carry.push(member.value);
        }
    }
    if let Some(bytes) = table.opt_integer("max_record_bytes") {
        match usize::try_from(bytes) {
            Ok(size) if (1..=MOST_BYTES).contains(&bytes) => intake.max_record_bytes = size,
            _ => table.mistake("max_record_bytes", format!("{bytes} bytes"), format!("from 1 to {MOST_BYTES}")),
        }
    }
    table.finish();
    intake
}

fn defaults(mut table: Table<'_>) -> Thresholds {
    let read = thresholds(&mut table, DEFAULTS);
    table.finish();
    read
}

/// Reads both thresholds, each optional, and checks their order.
pub(super) fn thresholds(table: &mut Table<'_>, otherwise: Thresholds) -> Thresholds {
    let redact_at = points(table, "redact_at");
    let block_at = points(table, "block_at");
    let read = Thresholds {
        redact_at: redact_at.unwrap_or(otherwise.redact_at),
        block_at: block_at.unwrap_or(otherwise.block_at),
    };
    if read.redact_at <= read.block_at {
        return read;
    }
    let key = if redact_at.is_some() { "redact_at" } else { "block_at" };
    table.mistake(
        key,
        format!("redact_at {} is over block_at {}", read.redact_at, read.block_at),
        "redact_at is at most block_at, so that whatever can refuse a document is also redacted",
    );
    otherwise
}

fn points(table: &mut Table<'_>, key: &str) -> Option<i32> {
    let points = table.opt_integer(key)?;
    if (1..=MOST_POINTS).contains(&points) {
        return i32::try_from(points).ok();
    }
    table.mistake(key, format!("{points} points"), format!("from 1 to {MOST_POINTS}, in tenths of a ban"));
    None
}

/// The entity if it is known; reports it under `key` otherwise.
pub(super) fn known_entity(table: &Table<'_>, key: &str, entity: &str, known: &BTreeSet<String>) -> Option<EntityId> {
    if known.contains(entity) {
        return Some(entity.into());
    }
    let right = unknown_advice(entity, known.iter().map(String::as_str), "an entity of the patterns or templates");
    table.mistake(key, format!("unknown entity `{}`", entity.escape_debug()), right);
    None
}

/// What to write in place of a name that is not known.
pub(super) fn unknown_advice<'k>(name: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
    nearest(name, known).map_or_else(|| otherwise.into(), |near| format!("did you mean `{near}`?"))
}

/// A required tier, one of those allowed here.
pub(super) fn tier(table: &mut Table<'_>, allowed: &[i64]) -> Option<Tier> {
    let number = table.integer("tier")?;
    let tier = Tier::of_number(number).filter(|_| allowed.contains(&number));
    if tier.is_none() {
        let allowed: Vec<String> = allowed.iter().map(i64::to_string).collect();
        table.mistake("tier", format!("there is no tier {number} here"), format!("one of {}", allowed.join(", ")));
    }
    tier
}

fn combination(mut table: Table<'_>, known: &BTreeSet<String>, rules: &HashMap<EntityId, Rule>) -> Option<Combination> {
    let name = text(&mut table, "name");
    let tier = tier(&mut table, &[1, 2]);
    let is_list = table.has("all_of");
    let mut all: BTreeSet<EntityId> = BTreeSet::new();
    let mut complete = true;
    for item in table.strings("all_of") {
        if known.contains(&item.value) {
            if !all.insert(item.value.as_str().into()) {
                table.mistake_at(&item, format!("`{}` is listed twice", item.value), "list it once");
            }
        } else {
            let right =
                unknown_advice(&item.value, known.iter().map(String::as_str), "an entity of the patterns or templates");
            table.mistake_at(&item, format!("unknown entity `{}`", item.value.escape_debug()), right);
            complete = false;
        }
    }
    let entity = table.opt_string("entity");
    let limit = table.opt_integer("more_than_distinct");
    let when = match (is_list, entity, limit) {
        (true, None, None) => {
            if complete && all.len() < 2 {
                table.mistake("all_of", "fewer than two entities", "a combination is of two or more");
            }
            Some(When::AllOf(all.into_iter().collect()))
        }
        (false, Some(entity), Some(limit)) => {
            let entity = known_entity(&table, "entity", &entity, known);
            let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0);
            if limit.is_none() {
                table.mistake("more_than_distinct", "not a number of values", "a whole number from 1");
            }
            entity.zip(limit).map(|(entity, limit)| When::MoreThanDistinct { entity, limit })
        }
        _ => {
            table.mistake(
                "",
                "not one of the two kinds of combination",
                "either all_of, or entity and more_than_distinct",
            );
            None
        }
    };
    for entity in when.iter().flat_map(When::entities) {
        if rules.get(entity).is_some_and(|rule| rule.action == Action::Allow) {
            let wrong =
                format!("`{entity}` has action `allow`, and would be tier {} with it", tier.map_or(1, Tier::number));
            table.mistake("", wrong, "redact or block what a combination can raise");
        }
    }
    table.finish();
    Some(Combination { name: name?, tier: tier?, when: when? })
}

fn shadows(mut table: Table<'_>, destinations: Option<&BTreeSet<String>>) -> BTreeMap<String, Shadow> {
    let mut shadows = BTreeMap::new();
    if table.opt_one_of("mode", &[("enforce", false), ("shadow", true)]) == Some(true) {
        table.mistake("mode", "shadow for all destinations", "shadow is for one destination: [mode.destination.ID]");
    }
    if let Some(mut of_destination) = table.opt_table("destination") {
        for id in of_destination.keys() {
            let Some(mut mode) = of_destination.opt_table(&id) else { continue };
            if destinations.is_some_and(|known| !known.contains(&id)) {
                let known = destinations.into_iter().flatten().map(String::as_str);
                let right = unknown_advice(&id, known, "an id of destinations.toml");
                mode.mistake("", format!("unknown destination `{}`", id.escape_debug()), right);
            }
            if mode.one_of("mode", &[("enforce", false), ("shadow", true)]) == Some(true) {
                let until = date(&mut mode, "shadow_until");
                let approver = text(&mut mode, "approver");
                if let (Some(until), Some(approver)) = (until, approver) {
                    shadows.insert(id, Shadow { until, approver });
                }
            }
            mode.finish();
        }
        of_destination.finish();
    }
    table.finish();
    shadows
}
