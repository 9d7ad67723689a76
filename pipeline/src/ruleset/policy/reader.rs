//! From `policy.toml` to a [`Policy`]: all its mistakes at once.

use super::{
    super::{
        date,
        input::{Claim, Mapping},
        text,
    },
    Action, Carry, Combination, Intake, Policy, Rule, Shadow, Tier, When, is_reserved, rules,
    values::{DEFAULTS, Thresholds, known_entity, thresholds, tier, unknown_advice, without_rule},
};
use jiff::civil::Date;
use maysend_detector::{
    finding::EntityId,
    source::{Mistakes, SourceFile, Table},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The largest `max_record_bytes`: records are held in memory whole.
const MOST_BYTES: i64 = 64 * 1_048_576;

pub(super) fn read(
    file: &SourceFile,
    known: &BTreeSet<String>,
    destinations: Option<&BTreeSet<String>>,
    mapping: Option<&Mapping>,
    mistakes: &Mistakes,
) -> Policy {
    let Some(mut root) = file.read(mistakes) else { return empty() };
    let version = version(&mut root);
    let dated = date(&mut root, "dated").unwrap_or(Date::ZERO);
    let intake = root.opt_table("intake").map_or_else(Intake::default, |table| intake(table, mapping));
    let defaults = root.opt_table("defaults").map_or(DEFAULTS, defaults);

    let rules = rules::read(&mut root, known, defaults);
    let combinations = root.tables("combination");
    let combinations = combinations.into_iter().filter_map(|table| combination(table, known, &rules)).collect();
    let shadows = root.opt_table("mode").map(|table| shadows(table, destinations)).unwrap_or_default();
    root.finish();
    Policy { version, dated, intake, combinations, rules, unknown: without_rule(defaults, "PERSONAL_DATA"), shadows }
}

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

fn version(root: &mut Table<'_>) -> u32 {
    let version = root.integer("version").unwrap_or(1);
    let valid = u32::try_from(version).ok().filter(|version| *version > 0);
    if valid.is_none() {
        root.mistake("version", format!("{version} is not a version"), "a whole number from 1");
    }
    valid.unwrap_or(1)
}

fn intake(mut table: Table<'_>, mapping: Option<&Mapping>) -> Intake {
    let mut intake = Intake::default();
    let mut claims = Vec::new();
    for member in table.strings("carry") {
        let name = member.value.as_str();
        let refusal = match Carry::parse(name) {
            _ if name.is_empty() => Some(("an empty name".into(), "the name of a member of the record".into())),
            // Under this name it would stand in a withheld record beside the record's own.
            Ok(carry) if mapping.is_some() && is_reserved(name) => {
                let right = format!("write its pointer, `{}`", carry.pointer);
                Some((format!("`{name}` is the name of a member of the gate's own records"), right))
            }
            Err(error) => Some((format!("`{}` is no JSON Pointer", name.escape_debug()), error.to_string())),
            Ok(carry) => {
                let refusal = Claim::refusal_to_carry(mapping, &claims, &carry.pointer);
                if refusal.is_none() {
                    claims.push(Claim { key: "carried".into(), pointer: carry.pointer.clone() });
                    intake.carry.push(carry);
                }
                refusal
            }
        };
        if let Some((wrong, right)) = refusal {
            table.mistake_at(&member, wrong, right);
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
