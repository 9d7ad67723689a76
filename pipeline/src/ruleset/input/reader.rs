//! From `input.toml` to a [`Mapping`]: all its mistakes at once.

use super::{
    super::{ID_FORM, destinations::Destinations, is_id, region::Region, tenants::Tenants},
    Claim, Given, Mapping, Place, Said, Turns,
    claims::own,
};
use crate::wire::{Pointer, time::TimeForm, transcript::role_name};
use maysend_detector::{
    document::Role,
    source::{Mistakes, SourceFile, Table, nearest},
};
use std::collections::{BTreeMap, BTreeSet};

const ROLES: [Role; 4] = [Role::Customer, Role::Agent, Role::Bot, Role::Other];

/// What is known beside the file, where it could be read.
struct Known<'k> {
    tenants: Option<&'k Tenants>,
    destinations: Option<&'k Destinations>,
}

pub(super) fn read(
    file: &SourceFile,
    tenants: Option<&Tenants>,
    destinations: Option<&Destinations>,
    mistakes: &Mistakes,
) -> Option<Mapping> {
    let before = mistakes.count();
    let known = Known { tenants, destinations };
    let mut claims = vec![own()];
    let mut root = file.read(mistakes)?;
    let tables = root.tables("turns");
    let transcript =
        root.table("transcript").and_then(|table| transcript(table, &known, tables.is_empty(), &mut claims));
    let tables: Vec<Option<Turns>> = tables.into_iter().map(|table| turns(table, &mut claims)).collect();
    let roles = root.opt_table("roles").map(|table| roles(table, &tables)).unwrap_or_default();
    root.finish();
    let mut mapping = transcript?;
    mapping.roles = roles;
    if !tables.is_empty() {
        mapping.said = Said::Turns(tables.into_iter().collect::<Option<_>>()?);
    }
    mapping.names = names(&mapping);
    (mistakes.count() == before).then_some(mapping)
}

/// Every name in a pointer.
fn names(mapping: &Mapping) -> Vec<String> {
    let claims = mapping.claims();
    let of_turns = mapping.turns().iter().flat_map(Turns::members).map(|(_, pointer)| pointer);
    let names: BTreeSet<&String> =
        claims.iter().map(|claim| &claim.pointer).chain(of_turns).flat_map(Pointer::names).collect();
    names.into_iter().cloned().collect()
}

fn transcript(mut table: Table<'_>, known: &Known<'_>, single: bool, claims: &mut Vec<Claim>) -> Option<Mapping> {
    let id = required(&mut table, "id", claims);
    let tenant = given(&mut table, "tenant", claims, |id| match known.tenants {
        Some(tenants) if tenants.get(id).is_none() => {
            Some(advice(id, tenants.iter().map(|tenant| tenant.id.as_str()), "an id of tenants.toml"))
        }
        _ => None,
    });
    let tenant_region = table.has("tenant_region").then(|| {
        let region = |code: &str| Region::parse(code).is_none().then(|| "a region, such as EU".to_owned());
        given(&mut table, "tenant_region", claims, region)
    });
    let customer_key = optional(&mut table, "customer_key", claims);
    let destination = given(&mut table, "destination", claims, |id| match known.destinations {
        Some(register) if register.get(id).is_none() => {
            Some(advice(id, register.iter().map(|known| known.id.as_str()), "an id of destinations.toml"))
        }
        _ => None,
    });
    let fields = table.opt_table("fields").map(|table| fields(table, claims)).unwrap_or_default();
    let text = match (single, table.has("text")) {
        (true, true) => required(&mut table, "text", claims),
        (true, false) => {
            let right = "`text`, the pointer of one text, or a table `[[turns]]`";
            table.mistake("", "nothing says where a record has what was said", right);
            None
        }
        (false, true) => {
            table.mistake("text", "a record has one text or turns, not both", "leave one of the two out");
            table.opt_string("text").map(|_| Pointer::default())
        }
        (false, false) => Some(Pointer::default()),
    };
    table.finish();
    Some(Mapping {
        id: id?,
        tenant: tenant?,
        tenant_region: match tenant_region {
            None => None,
            Some(region) => Some(region?),
        },
        customer_key,
        destination: destination?,
        fields,
        said: Said::Text(text?),
        roles: BTreeMap::new(),
        names: Vec::new(),
    })
}

fn turns(mut table: Table<'_>, claims: &mut Vec<Claim>) -> Option<Turns> {
    let place = match (table.has("each"), table.has("one")) {
        (true, false) => pointer(&mut table, "each", true).map(Place::Each),
        (false, true) => pointer(&mut table, "one", true).map(Place::One),
        _ => {
            let right = "`each`, the pointer of an array of turns, or `one`, the pointer of one turn";
            table.mistake("", "not one place for the turns", right);
            table.opt_string("each").and(table.opt_string("one"));
            None
        }
    };
    let text = pointer(&mut table, "text", true);
    let speaker = pointer(&mut table, "speaker", false);
    let at = pointer(&mut table, "at", false);
    let time = table.opt_one_of("time", &TimeForm::ALL.map(|form| (form.as_str(), form)));
    if time.is_some() && !table.has("at") {
        table.mistake(
            "time",
            "it says how `at` is written, and there is no `at`",
            "give the pointer of the time as `at`",
        );
    }
    let skip_without_text = table.opt_boolean("skip_without_text").unwrap_or(false);
    let turns = place.zip(text).map(|(place, text)| Turns {
        place,
        text,
        speaker,
        at,
        time: time.unwrap_or_default(),
        skip_without_text,
    });
    if let Some(turns) = &turns {
        claim(&table, turns, claims);
    }
    table.finish();
    turns
}

/// Claims what the turns take, each member of a turn once.
fn claim(table: &Table<'_>, turns: &Turns, claims: &mut Vec<Claim>) {
    let mut within: Vec<Claim> = Vec::new();
    for (key, pointer) in turns.members() {
        let twice = within.iter().find(|claim| claim.pointer.overlaps(pointer));
        if let Some(other) = twice {
            let wrong = format!("`{pointer}` overlaps `{}`, which is {} of the same turn", other.pointer, other.key);
            table.mistake(key, wrong, "each member of a turn has a pointer of its own");
            return;
        }
        within.push(Claim::new(key, pointer.clone()));
    }
    for claimed in turns.claims(table.path()) {
        match Claim::refusal(claims, &claimed.pointer) {
            Some((wrong, right)) => {
                let key = claimed.key.rsplit('.').next().unwrap_or_default().to_owned();
                table.mistake(&key, wrong, right);
                return;
            }
            None => claims.push(claimed),
        }
    }
}

fn roles(mut table: Table<'_>, turns: &[Option<Turns>]) -> BTreeMap<String, Role> {
    if turns.iter().flatten().all(|turns| turns.speaker.is_none()) {
        let right = "give the pointer of who speaks as `speaker` of a table `[[turns]]`";
        table.mistake("", "they are of speakers, and there is no `speaker`", right);
    }
    let names = ROLES.map(|role| (role_name(role), role));
    let roles = table.keys().into_iter().filter_map(|speaker| {
        let role = table.one_of(&speaker, &names)?;
        Some((speaker, role))
    });
    let roles = roles.collect();
    table.finish();
    roles
}

fn fields(mut table: Table<'_>, claims: &mut Vec<Claim>) -> Vec<(String, Pointer)> {
    let names = table.keys().into_iter();
    let fields = names.filter_map(|name| Some((name.clone(), required(&mut table, &name, claims)?))).collect();
    table.finish();
    fields
}

/// A pointer of the whole record that is required and its own.
fn required(table: &mut Table<'_>, key: &str, claims: &mut Vec<Claim>) -> Option<Pointer> {
    if table.is_table(key) {
        let _ = table.opt_table(key);
        table.mistake(key, "a constant", "the pointer of a member: it is another for each transcript");
        return None;
    }
    let pointer = pointer(table, key, true)?;
    own_claim(table, key, pointer, claims)
}

fn optional(table: &mut Table<'_>, key: &str, claims: &mut Vec<Claim>) -> Option<Pointer> {
    if table.has(key) { required(table, key, claims) } else { None }
}

fn own_claim(table: &Table<'_>, key: &str, pointer: Pointer, claims: &mut Vec<Claim>) -> Option<Pointer> {
    if let Some((wrong, right)) = Claim::refusal(claims, &pointer) {
        table.mistake(key, wrong, right);
        return None;
    }
    claims.push(Claim::new(format!("{}.{key}", table.path()), pointer.clone()));
    Some(pointer)
}

/// A pointer, or `{ constant = … }`. `unknown` says what would be right for a constant that is not known.
fn given(
    table: &mut Table<'_>,
    key: &str,
    claims: &mut Vec<Claim>,
    unknown: impl Fn(&str) -> Option<String>,
) -> Option<Given> {
    if !table.is_table(key) {
        let pointer = pointer(table, key, true)?;
        return own_claim(table, key, pointer, claims).map(Given::At);
    }
    let mut of_key = table.opt_table(key)?;
    let constant = of_key.string("constant").filter(|constant| {
        let right = if is_id(constant) { unknown(constant) } else { Some(ID_FORM.into()) };
        if let Some(right) = &right {
            of_key.mistake("constant", format!("unknown {key} `{}`", constant.escape_debug()), right.clone());
        }
        right.is_none()
    });
    of_key.finish();
    constant.map(Given::Constant)
}

fn pointer(table: &mut Table<'_>, key: &str, required: bool) -> Option<Pointer> {
    let text = if required { table.string(key)? } else { table.opt_string(key)? };
    match Pointer::parse(&text) {
        Ok(pointer) => Some(pointer),
        Err(error) => {
            table.mistake(key, format!("`{}` is no JSON Pointer", text.escape_debug()), error.to_string());
            None
        }
    }
}

fn advice<'k>(name: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
    nearest(name, known).map_or_else(|| otherwise.into(), |near| format!("did you mean `{near}`?"))
}
